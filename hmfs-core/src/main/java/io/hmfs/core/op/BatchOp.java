package io.hmfs.core.op;

import io.hmfs.core.dir.ChildList;
import io.hmfs.core.dir.Engine;
import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.Owner;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.recovery.Recovery;
import io.hmfs.core.type.CreateBatch;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;

/**
 * Joined creates: all objects and index words of a batch under one fence, then for each directory one compare-and-swap that links
 * the chain of its new children and one write-back, then one fence for all directories. To recovery each is a create of its own: it
 * is on its list or it is not.
 *
 * <p>The key locks of the batch are taken together, in ascending order, and nothing is waited for under them. What a single
 * create would wait for is left to one, afterwards: an object to recover, a closed directory, a key that comes twice.
 */
final class BatchOp {
    private final Engine engine;
    private final Pmem pmem;
    private final ChildList lists;
    private final Recovery recovery;
    private final CreateOp create;
    private final ThreadLocal<Work> works = ThreadLocal.withInitial(Work::new);

    BatchOp(Engine engine, ChildList lists, Recovery recovery, CreateOp create) {
        this.engine = engine;
        this.pmem = engine.pmem;
        this.lists = lists;
        this.recovery = recovery;
        this.create = create;
    }

    /** Notes on one batch, by the number of a create or, of the chains, by their own; one for each thread, reused. */
    private static final class Work {
        final boolean[] joins = new boolean[CreateBatch.CAPACITY_MAX];
        final long[] hashes = new long[CreateBatch.CAPACITY_MAX];
        final long[] contents = new long[CreateBatch.CAPACITY_MAX];
        final long[] made = new long[CreateBatch.CAPACITY_MAX];

        final BatchLocks locks = new BatchLocks();

        /** Objects in the order of their chains, and which create each belongs to. */
        final long[] objects = new long[CreateBatch.CAPACITY_MAX];

        final int[] creates = new int[CreateBatch.CAPACITY_MAX];

        final int[] chainEnds = new int[CreateBatch.CAPACITY_MAX];
        final long[] heads = new long[CreateBatch.CAPACITY_MAX];
        final long[] mtimes = new long[CreateBatch.CAPACITY_MAX];
        final boolean[] settled = new boolean[CreateBatch.CAPACITY_MAX];
        int chains;
    }

    /** Executes the creates of a batch that have no answer yet. */
    void run(CreateBatch batch) {
        Work work = works.get();
        int pin = engine.epochs.pin();
        try {
            hash(batch, work);
            prepare(batch, work);
            lock(batch, work);
            leaveOut(batch, work);
            make(batch, work);
            order(batch, work);
            link(batch, work);
            work.locks.unlockWrite(engine.locks);
        } finally {
            engine.epochs.unpin(pin);
        }
        for (int i = 0; i < batch.size(); i++) {
            if (!batch.isAnswered(i)) {
                batch.answer(i, alone(batch, i));
            }
        }
    }

    private Status alone(CreateBatch batch, int number) {
        engine.records.enter(batch.ring(number), batch.sequence(number), 0, 0);
        Status status = create.run(
                kind(batch, number),
                batch.directory(number),
                batch.name(number),
                batch.mode(number),
                batch.uid(number),
                batch.gid(number),
                batch.attributes(number));
        engine.records.leave();
        return status;
    }

    private static int kind(CreateBatch batch, int number) {
        return batch.makesDirectory(number) ? EntryRecord.KIND_DIRECTORY : EntryRecord.KIND_FILE;
    }

    /** Arguments and hashes; asks for what the look-ups of all will read, so that their misses are under way together. */
    private void hash(CreateBatch batch, Work work) {
        for (int i = 0; i < batch.size(); i++) {
            if (batch.isAnswered(i)) {
                continue;
            }
            Name name = batch.name(i);
            Status valid = CreateOp.check(name, batch.mode(i), batch.uid(i), batch.gid(i));
            if (valid != Status.OK) {
                batch.answer(i, valid);
                continue;
            }
            long directory = batch.directory(i);
            if (i == 0 || batch.directory(i - 1) != directory) {
                engine.index.prefetch(engine.keys.ofContent(directory));
            }
            work.hashes[i] = engine.keys.ofEntry(directory, name);
            engine.index.prefetch(work.hashes[i]);
        }
    }

    /** Directories; no lock is held yet, because a closed one is waited for. */
    private void prepare(CreateBatch batch, Work work) {
        for (int i = 0; i < batch.size(); i++) {
            work.joins[i] = false;
            if (batch.isAnswered(i)) {
                continue;
            }
            long directory = batch.directory(i);
            boolean same = i > 0 && work.joins[i - 1] && batch.directory(i - 1) == directory;
            work.contents[i] = same ? work.contents[i - 1] : recovery.openContent(directory);
            if (work.contents[i] == Pmem.NULL) {
                batch.answer(i, Status.NO_SUCH_DIRECTORY);
                continue;
            }
            work.joins[i] = true;
        }
    }

    private void lock(CreateBatch batch, Work work) {
        boolean twins = work.locks.choose(engine.locks, work.hashes, work.joins, batch.size());
        work.locks.lockWrite(engine.locks);
        if (twins) {
            BatchLocks.leaveOutTwins(work.hashes, work.joins, batch.size());
        }
    }

    /** Names that are taken are answered; what must be recovered first comes afterwards, alone. */
    private void leaveOut(CreateBatch batch, Work work) {
        for (int i = 0; i < batch.size(); i++) {
            if (work.joins[i]) {
                long found = engine.findLocked(work.hashes[i], batch.directory(i), batch.name(i));
                work.joins[i] = found == Pmem.NULL;
                if (found > 0) {
                    batch.answer(i, create.exists(found, batch.attributes(i)));
                }
            }
        }
    }

    private void make(CreateBatch batch, Work work) {
        for (int i = 0; i < batch.size(); i++) {
            if (work.joins[i]) {
                long owner = Owner.of(batch.uid(i), batch.gid(i));
                engine.records.enter(batch.ring(i), batch.sequence(i), 0, 0);
                work.made[i] = create.make(
                        kind(batch, i), work.hashes[i], batch.directory(i), batch.name(i), batch.mode(i), owner);
                if (work.made[i] == Pmem.NULL) {
                    work.joins[i] = false;
                    batch.answer(i, Status.NO_SPACE);
                }
            }
        }
        engine.records.leave();
    }

    /** Puts what was made into one chain for each directory, in the order of the batch. */
    private void order(CreateBatch batch, Work work) {
        int placed = 0;
        work.chains = 0;
        for (int first = 0; first < batch.size(); first++) {
            if (!work.joins[first]) {
                continue;
            }
            for (int i = first; i < batch.size(); i++) {
                if (work.joins[i] && work.contents[i] == work.contents[first]) {
                    work.objects[placed] = work.made[i];
                    work.creates[placed++] = i;
                    work.joins[i] = i == first; // placed; the first still names its directory
                }
            }
            work.joins[first] = false;
            work.settled[work.chains] = false;
            work.chainEnds[work.chains++] = placed;
        }
    }

    private void link(CreateBatch batch, Work work) {
        int open = work.chains;
        while (open > 0) {
            open -= place(batch, work);
            if (open > 0) {
                // [join.2] I2: every object and index word of the batch is durable before it is reachable.
                pmem.fence();
                open -= commit(work);
            }
        }
        if (work.chains > 0) {
            // [join.4] The directories are durable before anybody hears of it.
            pmem.fence();
        }
        for (int i = 0; i < end(work, work.chains - 1); i++) {
            int number = work.creates[i];
            if (work.objects[i] != Pmem.NULL) {
                create.show(work.objects[i], batch.attributes(number));
                batch.answer(number, Status.OK);
            }
        }
    }

    private static int end(Work work, int chain) {
        return chain < 0 ? 0 : work.chainEnds[chain];
    }

    /** Places every chain that is not on its list yet; how many met a closed directory and are undone. */
    private int place(CreateBatch batch, Work work) {
        int closed = 0;
        for (int chain = 0; chain < work.chains; chain++) {
            if (work.settled[chain]) {
                continue;
            }
            int from = end(work, chain - 1);
            int to = work.chainEnds[chain];
            long content = work.contents[work.creates[from]];
            // mtime before head: if either moves after this, the commit fails.
            long mtime = DirContentRecord.mtime(pmem, content);
            long head = DirContentRecord.childHead(pmem, content);
            if (head == DirContentRecord.CLOSED) {
                for (int i = from; i < to; i++) {
                    int number = work.creates[i];
                    engine.records.enter(batch.ring(number), batch.sequence(number), 0, 0);
                    create.abandon(work.objects[i], work.hashes[number]);
                    work.objects[i] = Pmem.NULL;
                }
                engine.records.leave();
                work.settled[chain] = true;
                closed++;
                continue;
            }
            lists.chain(work.objects, from, to, head, mtime);
            work.heads[chain] = head;
            work.mtimes[chain] = mtime;
        }
        return closed;
    }

    /** Links every chain that was placed, unless others came in between; how many are linked. */
    private int commit(Work work) {
        int linked = 0;
        for (int chain = 0; chain < work.chains; chain++) {
            if (!work.settled[chain]) {
                int from = end(work, chain - 1);
                long content = work.contents[work.creates[from]];
                long newest = work.objects[work.chainEnds[chain] - 1];
                work.settled[chain] = lists.linkChain(content, work.heads[chain], work.mtimes[chain], newest);
                linked += work.settled[chain] ? 1 : 0;
            }
        }
        return linked;
    }
}
