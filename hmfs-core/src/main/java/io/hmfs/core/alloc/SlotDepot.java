package io.hmfs.core.alloc;

import io.hmfs.core.layout.CorruptPoolException;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.layout.SummaryRecord;
import io.hmfs.core.pmem.Pmem;

/**
 * What the stripes of a {@link SlotAllocator} share: whole batches of free slots, and the part of the last region that no stripe
 * has a run of yet. Every call is a few stores under one monitor, once for each {@link #BATCH} slots, but for a new
 * region.
 */
final class SlotDepot {
    /** Slots that move at once. */
    static final int BATCH = SummaryRecord.BATCH_MAX;

    /** What takes slots from the depot: a stripe. */
    interface Taker {
        /** Takes a batch; it has none. */
        void load(long batch, int count);

        /** Takes a run of slots that were never used; the one before is used up. */
        void run(long start, long end);
    }

    /** Runs are short where regions are, so that few slots lie with idle stripes of a small pool. */
    private static final int RUNS_PER_REGION = 64;

    private static final int RUN_MIN = 8;

    private final Pmem pmem;
    private final Regions regions;
    private final RegionKind kind;
    private final long runSize;

    /** Where the first slot of a batch has the first slot of the next one. */
    private final long linkOffset;

    private long batches;

    /** The first of the batches that the last close has left, below all others; NULL if there is none left. */
    private long inherited;

    private final long start;
    private long fresh;
    private long freshEnd;

    /** With the batches that the last close has left, if any; {@code start} is the first time of this start. */
    SlotDepot(Pmem pmem, Regions regions, RegionKind kind, long fresh, long freshEnd, long batches, long start) {
        this.pmem = pmem;
        this.regions = regions;
        this.kind = kind;
        this.linkOffset = SummaryRecord.linkOffset(kind);
        this.start = start;
        this.batches = batches;
        this.inherited = batches;
        this.fresh = fresh;
        this.freshEnd = freshEnd;
        long perRegion = regions.size() / kind.slotSize();
        this.runSize = kind.slotSize() * Math.clamp(perRegion / RUNS_PER_REGION, RUN_MIN, BATCH);
    }

    /** Takes a batch. */
    synchronized void put(long batch) {
        pmem.set(batch + linkOffset, batches);
        batches = batch;
    }

    /** Whether there is no batch; without the monitor, a hint: an old value costs a walk over the stripes. */
    boolean isEmpty() {
        return batches == Pmem.NULL;
    }

    /** Gives a stripe that has no slots some: a batch that was used before, else a fresh run. False if there is nothing. */
    synchronized boolean fill(Taker stripe) {
        if (batches != Pmem.NULL) {
            long batch = batches;
            int count = batch == inherited ? takeOver(batch) : BATCH;
            batches = pmem.get(batch + linkOffset);
            stripe.load(batch, count);
            return true;
        }
        if (fresh + kind.slotSize() > freshEnd) {
            long region = regions.acquire(kind);
            if (region == Pmem.NULL) {
                return false;
            }
            fresh = region;
            freshEnd = region + regions.size() / kind.slotSize() * kind.slotSize();
        }
        long start = fresh;
        fresh = Math.min(start + runSize, freshEnd);
        stripe.run(start, fresh);
        return true;
    }

    /**
     * Counts a batch of the last close, and marks its slots as in hand. I5: whatever led here, a slot is taken only if it is free, and
     * neither has been in hand in this start, which leaves a time of this start, nor is one that was never used, which has no time.
     */
    private int takeOver(long batch) {
        int count = 0;
        for (long at = batch; at != Pmem.NULL; at = pmem.get(at + EntryRecord.NEXT_OFFSET)) {
            if (!regions.isSlot(at, kind)) {
                throw new CorruptPoolException(batch, "a batch of free slots, each of " + kind, at);
            }
            long time = pmem.get(at + EntryRecord.DEATH_OFFSET);
            boolean free = pmem.get(at + EntryRecord.STATUS_OFFSET) == SlotState.FREE && time > 0 && time < start;
            if (!free || count == BATCH) {
                throw new CorruptPoolException(
                        at, "a slot that was free when the pool was closed", pmem.get(at + EntryRecord.STATUS_OFFSET));
            }
            pmem.set(at + EntryRecord.DEATH_OFFSET, start);
            count++;
        }
        inherited = pmem.get(batch + linkOffset);
        return count;
    }

    /** The first of all batches. */
    synchronized long batches() {
        return batches;
    }

    /** Where the slots begin that were never used. */
    synchronized long fresh() {
        return fresh;
    }

    /** All slots here; walks them. */
    synchronized long count() {
        long count = (freshEnd - fresh) / kind.slotSize();
        for (long batch = batches; batch != Pmem.NULL; batch = pmem.get(batch + linkOffset)) {
            count += chain(pmem, batch);
        }
        return count;
    }

    static long chain(Pmem pmem, long head) {
        long count = 0;
        for (long at = head; at != Pmem.NULL; at = pmem.get(at + EntryRecord.NEXT_OFFSET)) {
            count++;
        }
        return count;
    }
}
