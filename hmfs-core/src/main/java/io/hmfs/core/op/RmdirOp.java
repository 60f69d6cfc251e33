package io.hmfs.core.op;

import io.hmfs.core.engine.Engine;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.recovery.Recovery;
import io.hmfs.core.type.Change;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import org.jspecify.annotations.Nullable;

/** rmdir: closes the empty list, so that no create can slip in, then removes the access object as delete does. */
final class RmdirOp {
    private final Engine engine;
    private final Pmem pmem;
    private final Recovery recovery;
    private final EntryRemoval removal;
    private final DirectoryCloser closer;

    RmdirOp(Engine engine, Recovery recovery, EntryRemoval removal, DirectoryCloser closer) {
        this.engine = engine;
        this.pmem = engine.pmem;
        this.recovery = recovery;
        this.removal = removal;
        this.closer = closer;
    }

    Status run(long parent, Name name, Change change) {
        Status valid = name.check();
        if (valid != Status.OK) {
            return valid;
        }
        long hash = engine.keys.ofEntry(parent, name);
        int lock = engine.locks.of(hash);
        long[] stale = new long[1];
        int pin = engine.epochs.pin();
        try {
            for (; ; ) {
                long content = recovery.openContent(parent);
                if (content == Pmem.NULL) {
                    return Status.NO_SUCH_DIRECTORY;
                }
                engine.locks.lockWrite(lock);
                long at = engine.findLocked(hash, parent, name);
                stale[0] = at < 0 && at != Engine.DAMAGED ? -at : Pmem.NULL;
                Status status = stale[0] != Pmem.NULL ? null : remove(at, hash, content, change, stale);
                engine.locks.unlockWrite(lock);
                if (status != null) {
                    return status;
                }
                // A child, or the directory itself, was left half done by an earlier start: settled without our lock.
                recovery.recover(stale[0]);
            }
        } finally {
            engine.epochs.unpin(pin);
        }
    }

    private @Nullable Status remove(long at, long hash, long parentContent, Change change, long[] stale) {
        if (at == Engine.DAMAGED) {
            return Status.DAMAGED;
        }
        return at == Pmem.NULL ? Status.NOT_FOUND : removeLocked(at, hash, parentContent, change, stale);
    }

    /** Null: {@code stale} must be recovered first. */
    private @Nullable Status removeLocked(long at, long hash, long parentContent, Change change, long[] stale) {
        if (EntryRecord.kind(EntryRecord.status(pmem, at)) != EntryRecord.KIND_DIRECTORY) {
            return Status.NOT_DIRECTORY;
        }
        long id = EntryRecord.id(pmem, at);
        long own = engine.findContent(id);
        if (own != Pmem.NULL) {
            Status closed = closer.close(own, stale);
            if (closed != Status.OK) {
                return closed;
            }
        }
        removal.remove(change, at, hash, parentContent, 0, 0);
        if (own != Pmem.NULL) {
            engine.dropContent(own, id); // after DELETED, or a create in between would find neither
        }
        engine.dead.died(pmem, EntryRecord.parent(pmem, at), parentContent);
        return Status.OK;
    }
}
