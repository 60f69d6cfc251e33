package io.hmfs.core.alloc;

import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;

/**
 * What one of the stripes of a {@link SlotAllocator} has in hand: two magazines of free slots, a run of fresh ones, and what was
 * retired by its threads and waits in limbo for two epochs. All under the stripe's monitor, which hardly ever has two threads.
 *
 * <p>A magazine is a chain of at most {@link #BATCH} slots through their {@code next}. Whole batches move between stripe and depot
 * at once: the first slot of a batch has, in another word, the first slot of the next batch. Nobody reads that word of a free
 * slot, and a reader who still stands on a retired one finds its status changed before it believes the word.
 */
final class SlotStripe {
    /** Slots that move at once. */
    static final int BATCH = 64;

    private static final long NEXT = EntryRecord.NEXT_OFFSET;
    private static final int LIMBOS = 3;

    private final Pmem pmem;
    private final SlotDepot depot;
    private final long slotSize;

    private long loaded = Pmem.NULL;
    private int loadedCount;

    /** A second magazine, full or empty: a stripe that frees and allocates in turn does not go to the depot each time. */
    private long spare = Pmem.NULL;

    private long fresh;
    private long freshEnd;

    /** By epoch modulo {@link #LIMBOS}: a magazine that is being filled, and the first and the last of the full ones. */
    private final long[] open = new long[LIMBOS];

    private final int[] openCount = new int[LIMBOS];
    private final long[] full = new long[LIMBOS];
    private final long[] fullLast = new long[LIMBOS];
    private final long[] limboEpoch = new long[LIMBOS];

    /** Whether anything is in limbo. Also read without the monitor: an old value delays a reclaim, no more. */
    private boolean waiting;

    SlotStripe(Pmem pmem, SlotDepot depot, long slotSize) {
        this.pmem = pmem;
        this.depot = depot;
        this.slotSize = slotSize;
    }

    /** A free slot that is in hand, or NULL. */
    long pop() {
        if (loaded == Pmem.NULL && spare != Pmem.NULL) {
            load(spare);
            spare = Pmem.NULL;
        }
        if (loaded != Pmem.NULL) {
            long at = loaded;
            loaded = pmem.get(at + NEXT);
            loadedCount--;
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
    void load(long batch) {
        loaded = batch;
        loadedCount = BATCH;
    }

    /** Takes a run of slots that were never used; the one before is used up. */
    void run(long start, long end) {
        fresh = start;
        freshEnd = end;
    }

    /** Takes a free slot. */
    void push(long at) {
        assert EntryRecord.state(pmem.get(at + EntryRecord.STATUS_OFFSET)) == SlotState.FREE
                : "slot " + at + " is not free";
        if (loadedCount == BATCH) {
            if (spare != Pmem.NULL) {
                depot.put(spare, spare);
            }
            spare = loaded;
            loaded = Pmem.NULL;
            loadedCount = 0;
        }
        pmem.set(at + NEXT, loaded);
        loaded = at;
        loadedCount++;
    }

    /** Takes a slot that was reachable until this epoch. */
    void retire(long at, long epoch) {
        int bin = (int) (epoch % LIMBOS);
        if (limboEpoch[bin] != epoch) {
            // The bin holds what was retired three epochs ago or more: free by now.
            drain(bin);
            limboEpoch[bin] = epoch;
        }
        if (openCount[bin] == BATCH) {
            depot.link(open[bin], full[bin]);
            fullLast[bin] = full[bin] == Pmem.NULL ? open[bin] : fullLast[bin];
            full[bin] = open[bin];
            open[bin] = Pmem.NULL;
            openCount[bin] = 0;
        }
        pmem.set(at + NEXT, open[bin]);
        open[bin] = at;
        openCount[bin]++;
        waiting = true;
    }

    /** Frees what has waited long enough: batches for all, the rest for this stripe. */
    void reclaim(long epoch) {
        waiting = false;
        for (int bin = 0; bin < LIMBOS; bin++) {
            if (limboEpoch[bin] + 2 <= epoch) {
                drain(bin);
            }
            waiting |= open[bin] != Pmem.NULL;
        }
    }

    boolean isWaiting() {
        return waiting;
    }

    private void drain(int bin) {
        if (full[bin] != Pmem.NULL) {
            depot.put(full[bin], fullLast[bin]);
            full[bin] = Pmem.NULL;
        }
        for (long at = open[bin]; at != Pmem.NULL; ) {
            long next = pmem.get(at + NEXT);
            push(at);
            at = next;
        }
        open[bin] = Pmem.NULL;
        openCount[bin] = 0;
    }

    /** All slots that are free or will be; walks them. */
    long count() {
        long count = (freshEnd - fresh) / slotSize + chain(loaded) + chain(spare);
        for (int bin = 0; bin < LIMBOS; bin++) {
            count += chain(open[bin]) + depot.count(full[bin]);
        }
        return count;
    }

    private long chain(long head) {
        return SlotDepot.chain(pmem, head);
    }
}
