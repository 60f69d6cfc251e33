package io.hmfs.core.op;

import io.hmfs.core.dir.Engine;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.type.AppendBatch;
import io.hmfs.core.type.Status;
import org.jspecify.annotations.Nullable;

/**
 * Joined appends: the (mtime, length) of each file of a batch changes by a compare-and-swap of its own, as by a single append, under the
 * reader locks of all keys; then one fence for all, and only then are the marks taken off. Who sees a mark meanwhile writes the unit back
 * himself. An object that must be recovered first comes afterwards, alone.
 */
final class AppendBatchOp {
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
            work.locks.lockRead(engine.locks);
            append(batch, work);
            work.locks.unlockRead(engine.locks);
        } finally {
            engine.epochs.unpin(pin);
        }
        for (int i = 0; i < batch.size(); i++) {
            if (!batch.isAnswered(i)) {
                batch.answer(i, attributes.append(batch.directory(i), batch.name(i), batch.id(i), batch.length(i)));
            }
        }
    }

    private void append(AppendBatch batch, Work work) {
        boolean stored = false;
        for (int i = 0; i < batch.size(); i++) {
            if (work.joins[i]) {
                Status status = append(batch, work, i);
                work.joins[i] = status == Status.OK;
                stored |= status == Status.OK;
                if (status != null) {
                    batch.answer(i, status);
                }
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

    private @Nullable Status append(AppendBatch batch, Work work, int number) {
        long at = engine.findLocked(work.hashes[number], batch.directory(number), batch.name(number));
        if (at <= 0) {
            return at == Pmem.NULL ? Status.NOT_FOUND : null;
        }
        return attributes.growBy(
                engine.inodes.attributesOf(at), batch.id(number), batch.length(number), work.lengths[number]);
    }
}
