package io.hmfs.core.op;

import io.hmfs.core.dir.ChildList;
import io.hmfs.core.dir.Engine;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.recovery.Recovery;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import org.jspecify.annotations.Nullable;

/** delete of a file (HMFS §3.3.2): the writer lock of the key, one fence; the slot stays on the list until a sweep. */
final class DeleteOp {
    private final Engine engine;
    private final Pmem pmem;
    private final ChildList lists;
    private final Recovery recovery;
    private final AttributeReader reader;

    DeleteOp(Engine engine, ChildList lists, Recovery recovery, AttributeReader reader) {
        this.engine = engine;
        this.pmem = engine.pmem;
        this.lists = lists;
        this.recovery = recovery;
        this.reader = reader;
    }

    /** Null: the name is one of several; for {@link UnlinkOp}. */
    @Nullable
    Status run(long parent, Name name, Attributes removed) {
        Status valid = name.check();
        if (valid != Status.OK) {
            return valid;
        }
        long hash = engine.keys.ofEntry(parent, name);
        int lock = engine.locks.of(hash);
        int pin = engine.epochs.pin();
        try {
            for (; ; ) {
                long content = recovery.openContent(parent);
                if (content == Pmem.NULL) {
                    return Status.NO_SUCH_DIRECTORY;
                }
                engine.locks.lockWrite(lock);
                long at = engine.findLocked(hash, parent, name);
                if (at < 0) {
                    engine.locks.unlockWrite(lock);
                    recovery.recover(-at);
                    continue;
                }
                Status status = at == Pmem.NULL ? Status.NOT_FOUND : deleteLocked(at, hash, parent, content, removed);
                engine.locks.unlockWrite(lock);
                return status;
            }
        } finally {
            engine.epochs.unpin(pin);
        }
    }

    private @Nullable Status deleteLocked(long at, long hash, long parent, long content, Attributes removed) {
        Status status = look(at, removed);
        if (status == Status.OK) {
            remove(at, hash, content, dataOf(removed), removed.size);
            engine.dead.died(pmem, parent, content);
        }
        return status;
    }

    /** OK: what was found under a key can be deleted, and is told. Null: the name is one of several. */
    @Nullable
    Status look(long at, Attributes removed) {
        long status = EntryRecord.status(pmem, at);
        if (EntryRecord.isIndirect(status)) {
            return null;
        }
        if (EntryRecord.kind(status) == EntryRecord.KIND_DIRECTORY) {
            return Status.IS_DIRECTORY;
        }
        reader.read(at, status, removed);
        removed.nlink = 0;
        return Status.OK;
    }

    /** The id under which what was removed has data; 0: it has none. */
    static long dataOf(Attributes removed) {
        return removed.isSymlink() ? 0 : removed.id;
    }

    /**
     * The steps that rmdir and unlink share. The caller holds the key's writer lock. With the name goes a file with this id, or none:
     * 0.
     */
    void remove(long at, long hash, long content, long removedId, long removedSize) {
        engine.records.gone(at, removedId, removedSize);
        long time = begin(at);
        // [delete.2] The commit: the parent's mtime reaches the time of death.
        lists.raise(content, time);
        // [delete.3] Both lines under one fence: a crash sees the raise without the state, and then nothing has
        // happened, or
        // the state without the raise, and then recovery undoes it.
        pmem.fence();
        end(at, hash);
    }

    /** Written back, not fenced. Returns the time of death, which the parent's mtime is to reach. */
    long begin(long at) {
        long time = engine.clock.next();
        // [delete.1] State and time of death as one unit: recovery compares the one by the other.
        engine.setFate(at, SlotState.DELETING, time);
        pmem.writeBack(at, Pmem.LINE);
        return time;
    }

    /** After the fence. */
    void end(long at, long hash) {
        EntryRecord.setState(pmem, at, SlotState.DELETED);
        // [delete.4] † Only now: the other order shows two instants to a stat and a list.
        engine.index.remove(hash, at);
    }
}
