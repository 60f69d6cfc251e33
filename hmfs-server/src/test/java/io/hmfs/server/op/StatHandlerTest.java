package io.hmfs.server.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ResultCode;
import io.hmfs.core.Namespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.pipeline.HandlerRig;
import io.hmfs.wire.EntryDecoder;
import io.hmfs.wire.FailureDecoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.StatEncoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: stat tells what a path names, of a batch as of one. Method: requests of one event-loop batch, and replies in their order. */
class StatHandlerTest {
    @TempDir
    private Path directory;

    private HandlerRig rig;

    @BeforeEach
    void open() throws IOException {
        rig = new HandlerRig(directory);
    }

    @AfterEach
    void close() throws IOException {
        rig.close();
    }

    private static HandlerRig.Message stat(long id, String path) {
        return stat(id, Wire.ROOT_ID, path);
    }

    private static HandlerRig.Message stat(long id, long base, String path) {
        return (out, header) -> new StatEncoder()
                .wrapAndApplyHeader(out, 0, header)
                .correlationId(id)
                .baseId(base)
                .path(path)
                .limit();
    }

    private static EntryDecoder entry(WireBuffer reply) {
        return new EntryDecoder().wrapAndApplyHeader(reply, 0, new MessageHeaderDecoder());
    }

    @Test
    void aBatchOfOneTellsTheFile() {
        long parent = rig.mkdir("d", 0755);
        long file = rig.create(parent, "f", 0640);
        EntryDecoder entry = entry(rig.ask(HandlerRig.USER, stat(7, "/d/f")));
        assertEquals(7, entry.correlationId());
        assertEquals(file, entry.inode());
        assertEquals(parent, entry.parentId());
        assertEquals(0640, entry.mode());
    }

    @Test
    void theRootIsADirectoryWithoutAParent() {
        EntryDecoder entry = entry(rig.ask(HandlerRig.USER, stat(1, "/")));
        assertEquals(Namespace.ROOT_ID, entry.inode());
        assertEquals(0, entry.parentId());
        assertTrue(entry.flags().directory());
    }

    @Test
    void repliesOfABatchComeInOrderWhateverEachSays() {
        rig.create(Namespace.ROOT_ID, "f", 0644);
        String[] paths = {"/f", "/none", "/f/below", "/", "/f"};
        ResultCode[] outcomes = {
            ResultCode.OK, ResultCode.NOT_FOUND, ResultCode.NOT_DIRECTORY, ResultCode.OK, ResultCode.OK
        };
        for (int i = 0; i < paths.length; i++) {
            rig.send(HandlerRig.USER, stat(i, paths[i]));
        }
        rig.endBatch();
        for (int i = 0; i < paths.length; i++) {
            WireBuffer reply = rig.reply(HandlerRig.USER);
            assertEquals(outcomes[i], rig.outcome(reply));
            long id = outcomes[i] == ResultCode.OK
                    ? entry(reply).correlationId()
                    : new FailureDecoder()
                            .wrapAndApplyHeader(reply, 0, new MessageHeaderDecoder())
                            .correlationId();
            assertEquals(i, id);
        }
    }

    @Test
    void aDirectoryThatMayNotBePassedHidesWhatIsInIt() {
        rig.create(rig.mkdir("closed", 0700), "f", 0644);
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, stat(1, "/closed/f")));
        assertEquals(ResultCode.OK, rig.outcome(HandlerRig.ROOT, stat(1, "/closed/f")));
    }

    /** Else one stat of a few bytes is a climb of any length. */
    @Test
    void noPathLeadsToADirectoryThatIsTooDeep() {
        long at = Namespace.ROOT_ID;
        long last = at;
        Attributes made = new Attributes();
        for (int depth = 1; depth <= 4_097; depth++) {
            last = at;
            assertEquals(Status.OK, rig.namespace().mkdir(at, Name.of("d"), 0777, 0, 0, made));
            at = made.id;
        }
        assertEquals(at, entry(rig.ask(HandlerRig.USER, stat(1, last, "d"))).inode());
        assertEquals(ResultCode.NAME_TOO_LONG, rig.outcome(HandlerRig.USER, stat(2, at, "d")));
        assertEquals(4_098, rig.namespace().above(at).length);
    }
}
