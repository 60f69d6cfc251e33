package io.hmfs.core.op;

import io.hmfs.core.dir.Engine;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.OutcomeRecord;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.type.AppendBatch;
import io.hmfs.core.type.Status;
import org.jspecify.annotations.Nullable;

/**
 * Joined appends: the (mtime, length) of each file of a batch changes by a compare-and-swap of its own, as by a single append, under the
 * reader locks of all keys, or the writer locks if they are numbered; then one fence for all, and only then are the marks taken off. Who
 * sees a mark meanwhile writes the unit back himself. An object that must be recovered first comes afterwards, alone; so does one of several names.
 */
final class AppendBatchOp {
    private static final int APPENDED = OutcomeRecord.shown(OutcomeRecord.RESIZED, OutcomeRecord.APPENDED);

    private final Engine engine;
    private final Pmem pmem;
    private final AttributeOps attributes;
    private final ThreadLocal<Work> works = ThreadLocal.withInitial(Work::new);

    AppendBatchOp(Engine engine, AttributeOps attributes) {
        this.engine = engine;
        this.pmem = engine.pmem;
        this.attributes = attributes;
    }

    /** Notes on one batch, by the number of an append; one for each thread, reused. */
    private static final class Work {
        final boolean[] joins = new boolean[AppendBatch.CAPACITY_MAX];
        final long[] hashes = new long[AppendBatch.CAPACITY_MAX];
        final long[] objects = new long[AppendBatch.CAPACITY_MAX];
        final long[] times = new long[AppendBatch.CAPACITY_MAX];
        final AttributeOps.Length[] lengths = new AttributeOps.Length[AppendBatch.CAPACITY_MAX];
        final BatchLocks locks = new BatchLocks();

        Work() {
            for (int i = 0; i < lengths.length; i++) {
                lengths[i] = new AttributeOps.Length();
            }
        }
    }

    /** Executes the appends of a batch. */
    void run(AppendBatch batch) {
        Work work = works.get();
        int pin = engine.epochs.pin();
        try {
            for (int i = 0; i < batch.size(); i++) {
                work.joins[i] = batch.length(i) >= 0;
                work.hashes[i] = engine.keys.ofEntry(batch.directory(i), batch.name(i));
                engine.index.prefetch(work.hashes[i]);
            }
            work.locks.choose(engine.locks, work.hashes, work.joins, batch.size());
            if (isNumbered(batch)) {
                work.locks.lockWrite(engine.locks);
                append(batch, work);
                work.locks.unlockWrite(engine.locks);
            } else {
                work.locks.lockRead(engine.locks);
                append(batch, work);
                work.locks.unlockRead(engine.locks);
            }
        } finally {
            engine.epochs.unpin(pin);
        }
        for (int i = 0; i < batch.size(); i++) {
            if (!batch.isAnswered(i)) {
                engine.records.enter(batch.ring(i), batch.sequence(i), 0, 0);
                batch.answer(i, attributes.append(batch.directory(i), batch.name(i), batch.id(i), batch.length(i)));
                engine.records.leave();
            }
        }
    }

    private static boolean isNumbered(AppendBatch batch) {
        for (int i = 0; i < batch.size(); i++) {
            if (batch.ring(i) != 0) {
                return true;
            }
        }
        return false;
    }

    private void append(AppendBatch batch, Work work) {
        find(batch, work);
        boolean stored = false;
        for (int i = 0; i < batch.size(); i++) {
            if (work.joins[i]) {
                // [append.1]
                attributes.growBy(work.objects[i], batch.length(i), work.times[i], work.lengths[i]);
                batch.answer(i, Status.OK);
                stored = true;
            }
        }
        if (stored) {
            // [append.2] One fence for all, before anybody hears of it and before a mark is taken off.
            pmem.fence();
        }
        for (int i = 0; i < batch.size(); i++) {
            if (work.joins[i]) {
                attributes.settle(work.lengths[i]);
            }
        }
    }

    /** Answers what cannot be, and has the records of what is numbered durable before any of it changes. */
    private void find(AppendBatch batch, Work work) {
        boolean recorded = false;
        for (int i = 0; i < batch.size(); i++) {
            if (work.joins[i]) {
                Status status = find(batch, work, i);
                work.joins[i] = status == Status.OK;
                if (status == Status.OK) {
                    // In the order of the batch, so that of two appends to one file the later one has the later time.
                    work.times[i] = engine.clock.next();
                    engine.records.enter(batch.ring(i), batch.sequence(i), 0, 0);
                    recorded |= engine.records.willChange(APPENDED, work.objects[i], work.times[i]);
                } else if (status != null) {
                    batch.answer(i, status);
                }
            }
        }
        engine.records.leave();
        if (recorded) {
            // [once.4] † As of a single append, for all of the batch.
            engine.records.fence();
        }
    }

    /** Null: the object is to be recovered first, or has several names and therefore locks of its own. */
    private @Nullable Status find(AppendBatch batch, Work work, int number) {
        long at = engine.findLocked(work.hashes[number], batch.directory(number), batch.name(number));
        if (at <= 0) {
            return at == Pmem.NULL ? Status.NOT_FOUND : null;
        }
        work.objects[number] = at;
        boolean indirect = EntryRecord.isIndirect(EntryRecord.status(pmem, at));
        return indirect ? null : attributes.mayGrow(at, batch.id(number));
    }
}
