package io.hmfs.core.op;

import io.hmfs.core.dir.Engine;
import io.hmfs.core.layout.BlobRecord;
import io.hmfs.core.layout.Ctime;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.OutcomeRecord;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.type.Acl;
import io.hmfs.core.type.AclEdit;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import org.jspecify.annotations.Nullable;

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

    Status run(long parent, Name name, AclEdit edit) {
        return attributes.changeAlone(parent, name, at -> {
            Status status = null;
            while (status == null) {
                status = changeLocked(at, edit);
            }
            return status;
        });
    }

    /** Null: an extended attribute was changed by another name meanwhile, and the chain is not what it was. */
    private @Nullable Status changeLocked(long at, AclEdit edit) {
        attributes.settleMode(at);
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
        long time = engine.clock.next();
        long before = pmem.getAcquire(at + EntryRecord.CTIME_OFFSET);
        int shown = OutcomeRecord.shown(OutcomeRecord.OWNED, OutcomeRecord.OF_ACL);
        engine.records.willChange(shown, at, Ctime.next(before, time, mode));
        // [acl.1] The chain, and the record of a numbered change, are durable before anything points there.
        pmem.fence();
        if (!swing(at, old, head, has, mode)) {
            engine.chains.free(head);
            return null;
        }
        // [acl.3] The mode gets its place, in the same line; durable before anybody hears of it, and before the old chain is free.
        attributes.setMode(at, time, mode);
        settle(at, head);
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

    private boolean swing(long at, long old, long head, boolean has, int mode) {
        long links = EntryRecord.links(pmem, at);
        while (EntryRecord.chain(links) == old) {
            long swung = EntryRecord.withAcl(links, head, has, mode) | (engine.marksDirty ? EntryRecord.LINKS_DIRTY : 0);
            // [acl.2] The commit: chain, ACL and mode are one word.
            if (pmem.cas8(at + EntryRecord.LINKS_OFFSET, links, swung)) {
                return true;
            }
            links = EntryRecord.links(pmem, at);
        }
        return false;
    }

    /** [acl.4] The links word lets go of the mode, and of the mark if no other chain has come, before the lock goes. */
    private void settle(long at, long head) {
        long links;
        long settled;
        do {
            links = EntryRecord.links(pmem, at);
            boolean ours = EntryRecord.chain(links) == head;
            settled = EntryRecord.settled(links) & ~(ours ? EntryRecord.LINKS_DIRTY : 0);
        } while (!pmem.cas8(at + EntryRecord.LINKS_OFFSET, links, settled));
    }
}
