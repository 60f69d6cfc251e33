package io.hmfs.core.op;

import io.hmfs.core.dir.ChildList;
import io.hmfs.core.engine.Engine;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.recovery.Recovery;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Change;
import io.hmfs.core.type.DeleteBatch;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;

/**
 * delete of files (HMFS §3.3.2): the writer locks of the keys, one fence for a batch of any size; the slots stay on their lists until a
 * sweep. The states of all files go out with the mtime of each directory. To recovery each is a delete of its own: its time of death is
 * at most its directory's mtime or it is not, and a file whose state was not durable has not died.
 *
 * <p>A batch is executed in passes, as by {@link CreateOp}. A name that is one of several needs the lock of its inode too, and is
 * removed by itself, by {@link UnlinkOp}.
 */
final class DeleteOp {
    private final Engine engine;
    private final Pmem pmem;
    private final Recovery recovery;
    private final AttributeReader reader;
    private final EntryRemoval removal;
    private final UnlinkOp unlink;
    private final ChildList lists;
    private final ThreadLocal<Notes> notes = ThreadLocal.withInitial(Notes::new);

    DeleteOp(
            Engine engine,
            ChildList lists,
            Recovery recovery,
            AttributeReader reader,
            EntryRemoval removal,
            UnlinkOp unlink) {
        this.engine = engine;
        this.pmem = engine.pmem;
        this.lists = lists;
        this.recovery = recovery;
        this.reader = reader;
        this.removal = removal;
        this.unlink = unlink;
    }

    /** Notes on one batch, by the number of a delete; one for each thread, reused. */
    private static final class Notes {
        /** Carries a single delete. */
        final DeleteBatch one = DeleteBatch.ofOne();

        final BatchLocks locks = new BatchLocks();

        /** Deletes that take part in this pass. */
        boolean[] batched = {};

        long[] hashes = {};
        long[] contents = {};

        /** What was found in this pass under a name without an answer: negative if it is stale, else one of several names. */
        long[] found = {};

        long[] deaths = {};

        void reserve(int size) {
            if (size > hashes.length) {
                batched = new boolean[size];
                hashes = new long[size];
                contents = new long[size];
                found = new long[size];
                deaths = new long[size];
            }
        }
    }

    Status run(long parent, Name name, Change change, Attributes removed) {
        Notes work = notes.get();
        work.one.borrowOne(parent, name, change, removed);
        run(work.one, work);
        return work.one.status(0);
    }

    /** Executes the deletes of a batch that have no answer yet. */
    void run(DeleteBatch batch) {
        run(batch, notes.get());
    }

    private void run(DeleteBatch batch, Notes work) {
        work.reserve(batch.size());
        hash(batch, work);
        int pin = engine.epochs.pin();
        try {
            while (!batch.isAnswered()) {
                open(batch, work);
                if (work.locks.choose(engine.locks, work.hashes, work.batched, batch.size())) {
                    BatchLocks.leaveOutTwins(work.hashes, work.batched, batch.size());
                }
                work.locks.lockWrite(engine.locks);
                find(batch, work);
                record(batch, work);
                remove(batch, work);
                work.locks.unlockWrite(engine.locks);
                settle(batch, work);
            }
        } finally {
            engine.epochs.unpin(pin);
        }
    }

    /** Asks for what the look-ups will read. */
    private void hash(DeleteBatch batch, Notes work) {
        for (int i = 0; i < batch.size(); i++) {
            Status valid = batch.name(i).check();
            if (valid != Status.OK) {
                batch.answer(i, valid);
            } else {
                work.hashes[i] = engine.keys.ofEntry(batch.directory(i), batch.name(i));
                engine.index.prefetch(work.hashes[i]);
            }
        }
    }

    /** Directories; no lock is held yet, because a closed one is waited for. */
    private void open(DeleteBatch batch, Notes work) {
        for (int i = 0; i < batch.size(); i++) {
            work.found[i] = Pmem.NULL;
            work.batched[i] = !batch.isAnswered(i);
            if (work.batched[i]) {
                long directory = batch.directory(i);
                boolean same = i > 0 && work.batched[i - 1] && batch.directory(i - 1) == directory;
                work.contents[i] = same ? work.contents[i - 1] : recovery.openContent(directory);
                if (work.contents[i] == Pmem.NULL) {
                    work.batched[i] = false;
                    batch.answer(i, Status.NO_SUCH_DIRECTORY);
                }
            }
        }
    }

    private void find(DeleteBatch batch, Notes work) {
        for (int i = 0; i < batch.size(); i++) {
            if (work.batched[i]) {
                long at = engine.findLocked(work.hashes[i], batch.directory(i), batch.name(i));
                work.found[i] = at;
                work.batched[i] = at > 0 && canRemove(batch, i, at);
                if (at == Pmem.NULL || at == Engine.DAMAGED) {
                    batch.answer(i, at == Pmem.NULL ? Status.NOT_FOUND : Status.DAMAGED);
                }
            }
        }
    }

    /** Whether what was found under a key is a file of one name, which is told. A directory is answered. */
    private boolean canRemove(DeleteBatch batch, int number, long at) {
        long status = EntryRecord.status(pmem, at);
        if (EntryRecord.isIndirect(status)) {
            return false;
        }
        if (EntryRecord.kind(status) == EntryRecord.KIND_DIRECTORY) {
            batch.answer(number, Status.IS_DIRECTORY);
            return false;
        }
        reader.read(at, status, batch.attributes(number));
        batch.attributes(number).nlink = 0;
        return true;
    }

    private void record(DeleteBatch batch, Notes work) {
        boolean recorded = false;
        for (int i = 0; i < batch.size(); i++) {
            if (work.batched[i]) {
                Attributes removed = batch.attributes(i);
                long data = removed.isSymlink() ? 0 : removed.id;
                recorded |= engine.outcomes.goes(batch.change(i), work.found[i], data, removed.size);
            }
        }
        if (recorded) {
            // [once.3] † Durable before a commit, all of the batch with one fence.
            engine.outcomes.fence();
        }
    }

    private void remove(DeleteBatch batch, Notes work) {
        int last = -1;
        for (int i = 0; i < batch.size(); i++) {
            if (work.batched[i]) {
                work.deaths[i] = removal.begin(work.found[i]);
                last = i;
            }
        }
        for (int i = 0; i <= last; i++) {
            if (work.batched[i] && isLastOfDirectory(work, i, last)) {
                // [delete.2] The commit of all of them: times ascend, so the mtime that reaches the last reaches each.
                lists.raise(work.contents[i], work.deaths[i]);
            }
        }
        if (last >= 0) {
            // [delete.3] All lines under one fence, in whatever mixture: a state without its raise is undone, and a
            // raise without a state has not happened to that file.
            pmem.fence();
        }
        for (int i = 0; i <= last; i++) {
            if (work.batched[i]) {
                removal.end(work.found[i], work.hashes[i]);
                engine.dead.died(pmem, batch.directory(i), work.contents[i]);
                batch.answer(i, Status.OK);
            }
        }
    }

    private static boolean isLastOfDirectory(Notes work, int number, int last) {
        for (int i = number + 1; i <= last; i++) {
            if (work.batched[i] && work.contents[i] == work.contents[number]) {
                return false;
            }
        }
        return true;
    }

    /** After a pass, without its locks: what was stale is recovered, and a name that is one of several is removed by itself. */
    private void settle(DeleteBatch batch, Notes work) {
        for (int i = 0; i < batch.size(); i++) {
            if (!batch.isAnswered(i) && work.found[i] < 0) {
                recovery.recover(-work.found[i]);
            } else if (!batch.isAnswered(i) && work.found[i] > 0) {
                Status status = unlink.run(batch.directory(i), batch.name(i), batch.change(i), batch.attributes(i));
                if (status != null) {
                    batch.answer(i, status);
                }
            }
        }
    }
}
