package io.hmfs.core.op;

import io.hmfs.core.dir.Engine;
import io.hmfs.core.index.HashIndex;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.StatBatch;
import io.hmfs.core.type.Status;

/**
 * stat of many names. A stat by itself waits for two misses of the cache one after the other, the bucket and then the object that it
 * names; here the misses of all names are under way together. What is asked for ahead decides nothing: each name is looked up as by
 * itself, in memory that is near by then.
 */
final class StatBatchOp {
    private final Engine engine;
    private final Pmem pmem;
    private final StatOp stat;
    private final ThreadLocal<Work> works = ThreadLocal.withInitial(Work::new);

    StatBatchOp(Engine engine, StatOp stat) {
        this.engine = engine;
        this.pmem = engine.pmem;
        this.stat = stat;
    }

    /** Notes on one batch, by the number of a name; one for each thread, reused. */
    private static final class Work {
        final long[] hashes = new long[StatBatch.CAPACITY_MAX];
        final long[] matches = new long[StatBatch.CAPACITY_MAX];
    }

    /** Answers every name of a batch. */
    void run(StatBatch batch) {
        Work work = works.get();
        // From before the first match to the last answer: no slot that a match names is reused in between (I5).
        int pin = engine.epochs.pin();
        try {
            hash(batch, work);
            match(batch, work);
            for (int i = 0; i < batch.size(); i++) {
                batch.answer(i, answer(batch, i, work));
            }
        } finally {
            engine.epochs.unpin(pin);
        }
    }

    private Status answer(StatBatch batch, int i, Work work) {
        Name name = batch.name(i);
        return name.isLimbo()
                ? Status.NOT_FOUND
                : stat.run(work.hashes[i], work.matches[i], batch.directory(i), name, batch.attributes(i));
    }

    private void hash(StatBatch batch, Work work) {
        for (int i = 0; i < batch.size(); i++) {
            work.hashes[i] = engine.keys.ofEntry(batch.directory(i), batch.name(i));
            engine.index.prefetch(work.hashes[i]);
        }
    }

    private void match(StatBatch batch, Work work) {
        for (int i = 0; i < batch.size(); i++) {
            long hash = work.hashes[i];
            work.matches[i] = engine.index.match(engine.index.segment(hash), hash, 0);
            if (work.matches[i] >= 0) {
                prefetch(HashIndex.object(work.matches[i]), batch.name(i).length());
            }
        }
    }

    /** The line of the fate, that of the attributes, and those of the name. */
    private void prefetch(long at, int nameLength) {
        for (long line = 0; line < EntryRecord.filledSize(nameLength); line += Pmem.LINE) {
            pmem.prefetch(at + line);
        }
    }
}
