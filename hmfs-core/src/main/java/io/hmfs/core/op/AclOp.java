package io.hmfs.core.op;

import io.hmfs.core.engine.Engine;
import io.hmfs.core.layout.BlobRecord;
import io.hmfs.core.layout.Ctime;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.type.Acl;
import io.hmfs.core.type.AclEdit;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Change;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;

/**
 * A change of an object's ACL and mode, alone on the object. The ACL stands in the chain, the mode in the ctime word: one store to the
 * links word swings the chain in, says that it has an ACL, and has the mode until that has its place (ADR 0112).
 */
final class AclOp {
    private final Engine engine;
    private final Pmem pmem;
    private final AttributeReader reader;
    private final AttributeOps attributes;

    AclOp(Engine engine, AttributeReader reader, AttributeOps attributes) {
        this.engine = engine;
        this.pmem = engine.pmem;
        this.reader = reader;
        this.attributes = attributes;
    }

    Status run(long parent, Name name, AclEdit edit, Change change) {
        return attributes.changeAlone(parent, name, at -> changeLocked(at, edit, change));
    }

    private Status changeLocked(long at, AclEdit edit, Change change) {
        Attributes object = Attributes.withAcl();
        reader.readObject(at, object);
        Status status = edit.apply(object);
        if (status != Status.OK) {
            return status;
        }
        int mode = object.mode;
        boolean has = object.acl.length > 0;
        if (mode < 0 || mode > Ctime.MODE_MAX || !Acl.isValid(object.acl)) {
            return Status.INVALID_ARGUMENT;
        }
        long old = EntryRecord.chain(EntryRecord.links(pmem, at));
        byte[] blob = edited(old == Pmem.NULL ? BlobEdit.EMPTY : engine.chains.read(old), object.acl);
        if (blob.length > BlobRecord.SIZE_MAX) {
            return Status.VALUE_TOO_LARGE;
        }
        long head = blob.length == 0 ? Pmem.NULL : engine.chains.make(at, blob);
        if (blob.length > 0 && head == Pmem.NULL) {
            return Status.NO_SPACE;
        }
        attributes.settleMode(at);
        long time = engine.clock.next();
        long clean = EntryRecord.links(pmem, at) & ~EntryRecord.LINKS_DIRTY;
        long swung = EntryRecord.withAcl(clean, head, has, mode);
        engine.outcomes.changesAcl(change, at, attributes.nextCtime(at, time), swung);
        // [acl.1] The chain, and the record of a numbered change, are durable before anything points there.
        pmem.fence();
        // [acl.2] The commit: chain, ACL and mode are one word, which no other thread changes now.
        pmem.setRelease(at + EntryRecord.LINKS_OFFSET, swung | (engine.marksDirty ? EntryRecord.LINKS_DIRTY : 0));
        // [acl.3] The mode gets its place, in the same line; durable before any client hears of it, and before the old
        // chain is free.
        attributes.setMode(at, time, mode);
        // [acl.4] Before the lock goes, the word lets go of the mode, and of the mark.
        pmem.setRelease(at + EntryRecord.LINKS_OFFSET, EntryRecord.settled(swung));
        engine.chains.free(old);
        return Status.OK;
    }

    private static byte[] edited(byte[] blob, long[] acl) {
        int at = BlobEdit.find(blob, BlobRecord.TYPE_ACL, BlobEdit.NO_NAME);
        byte[] rest = at == BlobEdit.NONE ? blob : BlobEdit.without(blob, at);
        return acl.length == 0
                ? rest
                : BlobEdit.with(rest, BlobRecord.TYPE_ACL, BlobEdit.NO_NAME, BlobRecord.ofAcl(acl));
    }
}
