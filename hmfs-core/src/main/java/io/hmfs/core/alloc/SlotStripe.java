package io.hmfs.core.alloc;

import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;

/**
 * What one of the stripes of a {@link SlotAllocator} has in hand: two magazines of free slots, a run of fresh ones, and what was
 * retired by its threads and waits for two epochs. All under the stripe's monitor, which hardly ever has two threads.
 *
 * <p>A magazine is a chain of at most {@link #BATCH} slots through their {@code next}. Whole batches move between stripe and depot
 * at once: the first slot of a batch has, in another word, the first slot of the next batch. No thread reads that word of a slot that
 * is free and no longer retired.
 */
final class SlotStripe implements SlotDepot.Taker {
    private static final int BATCH = SlotDepot.BATCH;
    private static final long NEXT = EntryRecord.NEXT_OFFSET;
    private static final long TIME = EntryRecord.DEATH_OFFSET;
    private static final int BINS = 3;

    /** Batches that one reclaim cuts at most; each walks {@link #BATCH} slots. */
    private static final int BATCHES_MAX = 16;

    private final Pmem pmem;
    private final SlotDepot depot;
    private final long slotSize;
    private final long start;

    private long loaded = Pmem.NULL;
    private int loadedCount;

    /** A second magazine, full or empty: a stripe that frees and allocates in turn does not go to the depot each time. */
    private long spare = Pmem.NULL;

    private long fresh;
    private long freshEnd;

    /** What has waited long enough, not yet cut into magazines. */
    private long ripe = Pmem.NULL;

    private int ripeCount;

    /** By epoch modulo {@link #BINS}: chains of what was retired in one epoch. */
    private final long[] retired = new long[BINS];

    private final long[] retiredLast = new long[BINS];
    private final int[] retiredCount = new int[BINS];
    private final long[] retiredEpoch = new long[BINS];

    /** Whether a reclaim has something to do. Also read without the monitor: an old value delays that, no more. */
    private boolean reclaimable;

    /** How many slots were retired. Also read without the monitor, by a thread that has held it since. */
    private long retiredTotal;

    SlotStripe(Pmem pmem, SlotDepot depot, long slotSize, long start) {
        this.pmem = pmem;
        this.depot = depot;
        this.slotSize = slotSize;
        this.start = start;
    }

    /** A free slot that is in hand, or NULL. */
    long pop() {
        if (loaded == Pmem.NULL && spare != Pmem.NULL) {
            load(spare, BATCH);
            spare = Pmem.NULL;
        }
        if (loaded != Pmem.NULL) {
            long at = loaded;
            loaded = pmem.get(at + NEXT);
            loadedCount--;
            return at;
        }
        if (ripe != Pmem.NULL) {
            long at = ripe;
            ripe = pmem.get(at + NEXT);
            ripeCount--;
            return at;
        }
        if (fresh + slotSize <= freshEnd) {
            long at = fresh;
            fresh += slotSize;
            return at;
        }
        return Pmem.NULL;
    }

    /** Takes a batch into the empty first magazine. */
    @Override
    public void load(long batch, int count) {
        loaded = batch;
        loadedCount = count;
    }

    @Override
    public void run(long start, long end) {
        fresh = start;
        freshEnd = end;
    }

    /** Takes a free slot. */
    void push(long at) {
        assert isFree(at) : "slot " + at + " is not free";
        if (loadedCount == BATCH) {
            if (spare != Pmem.NULL) {
                depot.put(spare);
            }
            spare = loaded;
            loaded = Pmem.NULL;
            loadedCount = 0;
        }
        if (pmem.get(at + TIME) == 0) {
            pmem.set(at + TIME, start); // never filled: a time tells it from a slot that was never in hand
        }
        pmem.set(at + NEXT, loaded);
        loaded = at;
        loadedCount++;
    }

    /** Takes a slot that was reachable until this epoch. A reader may still stand on it: nothing but {@code next} is touched. */
    void retire(long at, long epoch) {
        assert isFree(at) : "slot " + at + " is not free";
        int bin = (int) (epoch % BINS);
        if (retiredEpoch[bin] != epoch) {
            // The bin holds what was retired three epochs ago or more: free by now.
            ripen(bin);
            retiredEpoch[bin] = epoch;
        }
        if (retired[bin] == Pmem.NULL) {
            retiredLast[bin] = at;
        }
        pmem.set(at + NEXT, retired[bin]);
        retired[bin] = at;
        retiredCount[bin]++;
        retiredTotal++;
        reclaimable = true;
    }

    private void ripen(int bin) {
        if (retired[bin] != Pmem.NULL) {
            pmem.set(retiredLast[bin] + NEXT, ripe);
            ripe = retired[bin];
            ripeCount += retiredCount[bin];
            retired[bin] = Pmem.NULL;
            retiredCount[bin] = 0;
        }
    }

    /** Frees what has waited long enough, some of it for all stripes. False if something still waits for readers. */
    boolean reclaim(long epoch) {
        boolean all = true;
        for (int bin = 0; bin < BINS; bin++) {
            if (retiredEpoch[bin] + 2 <= epoch) {
                ripen(bin);
            }
            all &= retired[bin] == Pmem.NULL;
        }
        for (int batches = 0; batches < BATCHES_MAX && ripeCount >= BATCH; batches++) {
            cut();
        }
        reclaimable = !all || ripeCount >= BATCH;
        return all;
    }

    /** Makes a batch of the first of the ripe slots, or of all. */
    private void cut() {
        int count = Math.min(BATCH, ripeCount);
        long first = ripe;
        long last = first;
        for (int i = 1; i < count; i++) {
            last = pmem.get(last + NEXT);
        }
        ripe = pmem.get(last + NEXT);
        ripeCount -= count;
        pmem.set(last + NEXT, Pmem.NULL);
        depot.put(first);
    }

    /** Gives all that is in hand to the depot, in batches that may be short; retired slots too, for no thread is pinned any more. */
    void empty() {
        for (int bin = 0; bin < BINS; bin++) {
            ripen(bin);
        }
        while (ripe != Pmem.NULL) {
            cut();
        }
        for (; fresh + slotSize <= freshEnd; fresh += slotSize) {
            push(fresh);
        }
        for (long batch : new long[] {spare, loaded}) {
            if (batch != Pmem.NULL) {
                depot.put(batch);
            }
        }
        spare = Pmem.NULL;
        loaded = Pmem.NULL;
        loadedCount = 0;
    }

    boolean hasRetired() {
        boolean has = ripe != Pmem.NULL;
        for (long head : retired) {
            has |= head != Pmem.NULL;
        }
        return has;
    }

    long retired() {
        return retiredTotal;
    }

    boolean isReclaimable() {
        return reclaimable;
    }

    /** All slots that are free or will be; walks them. */
    long count() {
        long count = (freshEnd - fresh) / slotSize + chain(loaded) + chain(spare) + chain(ripe);
        for (long head : retired) {
            count += chain(head);
        }
        return count;
    }

    private boolean isFree(long at) {
        return EntryRecord.state(pmem.get(at + EntryRecord.STATUS_OFFSET)) == SlotState.FREE;
    }

    private long chain(long head) {
        return SlotDepot.chain(pmem, head);
    }
}
