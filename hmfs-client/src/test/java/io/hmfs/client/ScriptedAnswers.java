package io.hmfs.client;

import io.hmfs.wire.DoneEncoder;
import io.hmfs.wire.EntryEncoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.MessageHeaderEncoder;
import io.hmfs.wire.WireBuffer;

/** Scripts of a {@link ScriptedTransport} for replies that many calls have. */
final class ScriptedAnswers {
    private ScriptedAnswers() {}

    /** Done; no file was removed. */
    static int done(WireBuffer request, MessageHeaderDecoder header, WireBuffer reply) {
        return new DoneEncoder()
                .wrapAndApplyHeader(reply, 0, new MessageHeaderEncoder())
                .removedId(0)
                .removedSize(0)
                .inside((short) 0)
                .limit();
    }

    /** Done, of a rename into a directory. */
    static int inside(WireBuffer request, MessageHeaderDecoder header, WireBuffer reply) {
        return new DoneEncoder()
                .wrapAndApplyHeader(reply, 0, new MessageHeaderEncoder())
                .removedId(0)
                .removedSize(0)
                .inside((short) 1)
                .limit();
    }

    /** An entry with a different value in each field; the file 9 was removed. */
    static int entry(WireBuffer request, MessageHeaderDecoder header, WireBuffer reply) {
        EntryEncoder entry = new EntryEncoder()
                .wrapAndApplyHeader(reply, 0, new MessageHeaderEncoder())
                .inode(2)
                .parentId(3)
                .size(4)
                .mtimeNanos(5_000_001)
                .atimeNanos(6_000_001)
                .ctimeNanos(7_000_001)
                .removedId(9)
                .removedSize(10)
                .mode(0640)
                .grant(11)
                .seal(12);
        entry.flags().clear().acl(true);
        return entry.owner("bob").group("staff").target("").limit();
    }
}
