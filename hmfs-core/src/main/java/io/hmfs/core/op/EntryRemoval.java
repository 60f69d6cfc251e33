package io.hmfs.core.op;

import io.hmfs.core.dir.ChildList;
import io.hmfs.core.engine.Engine;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.type.Change;

/** The steps by which an entry goes, of delete, rmdir and unlink. The caller holds the writer lock of the entry's key. */
final class EntryRemoval {
    private final Engine engine;
    private final Pmem pmem;
    private final ChildList lists;

    EntryRemoval(Engine engine, ChildList lists) {
        this.engine = engine;
        this.pmem = engine.pmem;
        this.lists = lists;
    }

    /** All steps for one entry. With it goes a file with this id, or none: 0. */
    void remove(Change change, long at, long hash, long content, long removedId, long removedSize) {
        engine.outcomes.gone(change, at, removedId, removedSize);
        long time = begin(at);
        // [delete.2] The commit: the parent's mtime reaches the time of death.
        lists.raise(content, time);
        // [delete.3] Both lines under one fence: a crash sees the raise without the state, and then nothing has
        // happened, or the state without the raise, and then recovery undoes it.
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
        EntryRecord.bury(pmem, at);
        // [delete.4] † Only now: the other order shows two instants to a stat and a list.
        engine.index.remove(hash, at);
        engine.removed.add(at);
    }
}
