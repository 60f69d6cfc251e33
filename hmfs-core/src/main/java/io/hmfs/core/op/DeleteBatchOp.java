package io.hmfs.core.op;

import io.hmfs.core.dir.ChildList;
import io.hmfs.core.dir.Engine;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.recovery.Recovery;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.DeleteBatch;
import io.hmfs.core.type.Status;

/**
 * Joined deletes: the states of all files of a batch, then the mtime of each directory, under one fence. To recovery each is a delete of
 * its own: its time of death is at most its directory's mtime or it is not, and a file whose state was not durable has not died.
 *
 * <p>Key locks as those of joined creates: taken together, ascending, and nothing is waited for under them. What must wait comes
 * afterwards, alone: an object to recover, one of several names, a key that comes twice.
 */
final class DeleteBatchOp {
    private final Engine engine;
    private final Pmem pmem;
    private final ChildList lists;
    private final Recovery recovery;
    private final DeleteOp delete;
    private final ThreadLocal<Work> works = ThreadLocal.withInitial(Work::new);

    DeleteBatchOp(Engine engine, ChildList lists, Recovery recovery, DeleteOp delete) {
        this.engine = engine;
        this.pmem = engine.pmem;
        this.lists = lists;
        this.recovery = recovery;
        this.delete = delete;
    }

    /** Notes on one batch, by the number of a delete; one for each thread, reused. */
    private static final class Work {
        final boolean[] joins = new boolean[DeleteBatch.CAPACITY_MAX];
        final long[] hashes = new long[DeleteBatch.CAPACITY_MAX];
        final long[] contents = new long[DeleteBatch.CAPACITY_MAX];
        final long[] found = new long[DeleteBatch.CAPACITY_MAX];
        final long[] deaths = new long[DeleteBatch.CAPACITY_MAX];
        final BatchLocks locks = new BatchLocks();
    }

    /** Executes the deletes of a batch that join; the others have no answer afterwards. */
    void run(DeleteBatch batch) {
        Work work = works.get();
        int pin = engine.epochs.pin();
        try {
            prepare(batch, work);
            if (work.locks.choose(engine.locks, work.hashes, work.joins, batch.size())) {
                BatchLocks.leaveOutTwins(work.hashes, work.joins, batch.size());
            }
            work.locks.lockWrite(engine.locks);
            find(batch, work);
            delete(batch, work);
            work.locks.unlockWrite(engine.locks);
        } finally {
            engine.epochs.unpin(pin);
        }
    }

    /** Asks for what the look-ups will read, and finds the directories; no lock is held yet, because a closed one is waited for. */
    private void prepare(DeleteBatch batch, Work work) {
        for (int i = 0; i < batch.size(); i++) {
            long directory = batch.directory(i);
            Status valid = batch.name(i).check();
            work.joins[i] = valid == Status.OK;
            if (valid != Status.OK) {
                batch.answer(i, valid);
                continue;
            }
            work.hashes[i] = engine.keys.ofEntry(directory, batch.name(i));
            engine.index.prefetch(work.hashes[i]);
        }
        for (int i = 0; i < batch.size(); i++) {
            if (!work.joins[i]) {
                continue;
            }
            long directory = batch.directory(i);
            boolean same = i > 0 && work.joins[i - 1] && batch.directory(i - 1) == directory;
            work.contents[i] = same ? work.contents[i - 1] : recovery.openContent(directory);
            if (work.contents[i] == Pmem.NULL) {
                work.joins[i] = false;
                batch.answer(i, Status.NO_SUCH_DIRECTORY);
            }
        }
    }

    private void find(DeleteBatch batch, Work work) {
        for (int i = 0; i < batch.size(); i++) {
            if (!work.joins[i]) {
                continue;
            }
            long at = engine.findLocked(work.hashes[i], batch.directory(i), batch.name(i));
            work.found[i] = at;
            Status status = at < 0 ? null : at == Pmem.NULL ? Status.NOT_FOUND : delete.look(at, batch.attributes(i));
            work.joins[i] = status == Status.OK;
            if (status != null) {
                batch.answer(i, status);
            }
        }
    }

    /** Under the locks of all keys, as the record of a single delete. */
    private void record(DeleteBatch batch, Work work) {
        boolean recorded = false;
        for (int i = 0; i < batch.size(); i++) {
            if (work.joins[i]) {
                Attributes removed = batch.attributes(i);
                engine.records.enter(batch.ring(i), batch.sequence(i), 0, 0);
                recorded |= engine.records.goes(work.found[i], DeleteOp.dataOf(removed), removed.size);
            }
        }
        engine.records.leave();
        if (recorded) {
            // [once.3] † As of a single delete, for all of the batch.
            engine.records.fence();
        }
    }

    private void delete(DeleteBatch batch, Work work) {
        record(batch, work);
        int last = -1;
        for (int i = 0; i < batch.size(); i++) {
            if (work.joins[i]) {
                work.deaths[i] = delete.begin(work.found[i]);
                last = i;
            }
        }
        for (int i = 0; i <= last; i++) {
            if (work.joins[i] && isLastOfDirectory(work, i, last)) {
                // [delete.2] The commit of all of them: times ascend, so the mtime that reaches the last reaches each.
                lists.raise(work.contents[i], work.deaths[i]);
            }
        }
        if (last >= 0) {
            // [delete.3] All lines under one fence, in whatever mixture: a state without its raise is undone, and a
            // raise without a
            // state has not happened to that file.
            pmem.fence();
        }
        for (int i = 0; i <= last; i++) {
            if (work.joins[i]) {
                delete.end(work.found[i], work.hashes[i]);
                engine.dead.died(pmem, batch.directory(i), work.contents[i]);
            }
        }
    }

    private static boolean isLastOfDirectory(Work work, int number, int last) {
        for (int i = number + 1; i <= last; i++) {
            if (work.joins[i] && work.contents[i] == work.contents[number]) {
                return false;
            }
        }
        return true;
    }
}
