package io.hmfs.core.op;

import io.hmfs.core.engine.Engine;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.OutcomeRecord;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.recovery.Recovery;
import io.hmfs.core.type.AppendBatch;
import io.hmfs.core.type.Status;

/**
 * A batch of appends (HMFS §3.3.1): the (mtime, length) of each file changes by a compare-and-swap of its own, under the reader locks of
 * all keys, or the writer locks if a change of the batch is recorded; then one fence for all, and only then are the marks taken off. A
 * thread that sees a mark meanwhile writes the unit back itself. A single append is a change of attributes ({@link AttributeOps}).
 *
 * <p>A batch is executed in passes, as by {@link CreateOp}. A file of several names has its length in its inode, whose lock is needed
 * too: it grows by itself, as by a single append.
 */
final class AppendOp {
    private static final int APPENDED = OutcomeRecord.shown(OutcomeRecord.RESIZED, OutcomeRecord.APPENDED);

    private final Engine engine;
    private final Pmem pmem;
    private final Recovery recovery;
    private final AttributeOps attributes;
    private final ThreadLocal<Notes> notes = ThreadLocal.withInitial(Notes::new);

    AppendOp(Engine engine, Recovery recovery, AttributeOps attributes) {
        this.engine = engine;
        this.pmem = engine.pmem;
        this.recovery = recovery;
        this.attributes = attributes;
    }

    /** Notes on one batch, by the number of an append; one for each thread, reused. */
    private static final class Notes {
        final BatchLocks locks = new BatchLocks();

        /** Appends that take part in this pass. */
        boolean[] batched = {};

        long[] hashes = {};

        /** What was found in this pass under a name without an answer: negative if it is stale, else one of several names. */
        long[] found = {};

        long[] times = {};
        AttributeOps.Length[] lengths = {};

        void reserve(int size) {
            if (size > hashes.length) {
                batched = new boolean[size];
                hashes = new long[size];
                found = new long[size];
                times = new long[size];
                lengths = new AttributeOps.Length[size];
                for (int i = 0; i < size; i++) {
                    lengths[i] = new AttributeOps.Length();
                }
            }
        }
    }

    /** Executes the appends of a batch that have no answer yet. */
    void run(AppendBatch batch) {
        Notes work = notes.get();
        work.reserve(batch.size());
        hash(batch, work);
        int pin = engine.epochs.pin();
        try {
            while (!batch.isAnswered()) {
                for (int i = 0; i < batch.size(); i++) {
                    work.batched[i] = !batch.isAnswered(i);
                }
                work.locks.choose(engine.locks, work.hashes, work.batched, batch.size());
                if (isRecorded(batch)) {
                    work.locks.lockWrite(engine.locks);
                    append(batch, work);
                    work.locks.unlockWrite(engine.locks);
                } else {
                    work.locks.lockRead(engine.locks);
                    append(batch, work);
                    work.locks.unlockRead(engine.locks);
                }
                settle(batch, work);
            }
        } finally {
            engine.epochs.unpin(pin);
        }
    }

    /** Asks for what the look-ups will read. */
    private void hash(AppendBatch batch, Notes work) {
        for (int i = 0; i < batch.size(); i++) {
            if (!AttributeOps.isSize(batch.length(i))) {
                batch.answer(i, Status.INVALID_ARGUMENT);
            } else if (batch.name(i).isOrphans()) {
                batch.answer(i, Status.NOT_FOUND);
            } else {
                work.hashes[i] = engine.keys.ofEntry(batch.directory(i), batch.name(i));
                engine.index.prefetch(work.hashes[i]);
            }
        }
    }

    private static boolean isRecorded(AppendBatch batch) {
        for (int i = 0; i < batch.size(); i++) {
            if (batch.change(i).isRecorded()) {
                return true;
            }
        }
        return false;
    }

    private void append(AppendBatch batch, Notes work) {
        find(batch, work);
        record(batch, work);
        boolean stored = false;
        for (int i = 0; i < batch.size(); i++) {
            if (work.batched[i]) {
                // [append.1]
                attributes.growBy(work.found[i], batch.length(i), batch.writtenFrom(i), work.times[i], work.lengths[i]);
                stored = true;
            }
        }
        if (stored) {
            // [append.2] One fence for all, before an answer and before a mark is taken off.
            pmem.fence();
        }
        for (int i = 0; i < batch.size(); i++) {
            if (work.batched[i]) {
                attributes.settle(work.lengths[i]);
                batch.answer(i, Status.OK);
            }
        }
    }

    private void find(AppendBatch batch, Notes work) {
        for (int i = 0; i < batch.size(); i++) {
            if (work.batched[i]) {
                long at = engine.findLocked(work.hashes[i], batch.directory(i), batch.name(i));
                work.found[i] = at;
                work.batched[i] = false;
                if (at == Pmem.NULL || at == Engine.DAMAGED) {
                    batch.answer(i, at == Pmem.NULL ? Status.NOT_FOUND : Status.DAMAGED);
                } else if (at > 0 && !EntryRecord.isIndirect(EntryRecord.status(pmem, at))) {
                    Status status = attributes.mayGrow(at, batch.id(i));
                    if (status == Status.OK) {
                        work.batched[i] = true;
                        // In the order of the batch, so that of two appends to one file the later one has the later
                        // time.
                        work.times[i] = engine.clock.next();
                    } else {
                        batch.answer(i, status);
                    }
                }
            }
        }
    }

    /** Has the records of all changes durable before any of them is made. */
    private void record(AppendBatch batch, Notes work) {
        boolean recorded = false;
        for (int i = 0; i < batch.size(); i++) {
            if (work.batched[i]) {
                recorded |= engine.outcomes.willChange(batch.change(i), APPENDED, work.found[i], work.times[i]);
            }
        }
        if (recorded) {
            // [once.4] † Durable before a commit, all of the batch with one fence.
            engine.outcomes.fence();
        }
    }

    /** After a pass, without its locks: what was stale is recovered, and a file of several names grows by itself. */
    private void settle(AppendBatch batch, Notes work) {
        for (int i = 0; i < batch.size(); i++) {
            if (!batch.isAnswered(i) && work.found[i] < 0) {
                recovery.recover(-work.found[i]);
            } else if (!batch.isAnswered(i)) {
                batch.answer(i, attributes.append(batch, i));
            }
        }
    }
}
