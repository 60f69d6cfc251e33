package io.hmfs.core.alloc;

import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;

/**
 * Slots of one size (HMFS §3.5). Whether a slot is taken stands in its own status word; what is free is known by a chain through
 * the free slots themselves, whose head is in DRAM: nothing on the Java heap grows with the pool (I7), and after a crash fresh
 * regions serve at once while the background scan finds the free slots of the old ones (I6). The part of the last region that was
 * never used is fresh again at the next start, or each start would cost a region.
 *
 * <p>A slot that is retired waits in limbo for two epochs. Status, death and next stand at the same place in every kind of slot.
 */
public final class SlotAllocator {
    private static final long STATUS = EntryRecord.STATUS_OFFSET;
    private static final long NEXT = EntryRecord.NEXT_OFFSET;
    private static final long TIME = EntryRecord.DEATH_OFFSET;
    private static final int LIMBOS = 3;

    private final Pmem pmem;
    private final Regions regions;
    private final Epochs epochs;
    private final RegionKind kind;
    private final long slotSize;

    private long free = Pmem.NULL;
    private long fresh;
    private long freshEnd;
    private final long[] limbo = new long[LIMBOS];
    private final long[] limboEpoch = new long[LIMBOS];
    private int sinceReclaim;

    /** What this start found untouched, up to the end of its region: not for the background scan. */
    private final long untouched;

    private final long untouchedEnd;

    public SlotAllocator(Pmem pmem, Regions regions, Epochs epochs, RegionKind kind) {
        this.pmem = pmem;
        this.regions = regions;
        this.epochs = epochs;
        this.kind = kind;
        this.slotSize = kind.slotSize();
        int last = regions.count() - 1;
        while (last >= 0 && regions.kind(last) != kind) {
            last--;
        }
        if (last >= 0) {
            long start = regions.at(last);
            this.freshEnd = start + regions.size() / slotSize * slotSize;
            this.fresh = firstUntouched(start, freshEnd);
        }
        this.untouched = fresh;
        this.untouchedEnd = freshEnd;
    }

    /** Every slot that was ever in hand has a status or a time in its first words, unless a crash lost them both. */
    private long firstUntouched(long start, long end) {
        long first = end;
        while (first > start && pmem.get(first - slotSize + STATUS) == 0 && pmem.get(first - slotSize + TIME) == 0) {
            first -= slotSize;
        }
        return first;
    }

    /** Where a scan of the slots of a region ends: before what the allocator hands out as fresh. */
    public long scanEnd(long region) {
        long end = region + regions.size();
        return untouched >= region && untouchedEnd <= end && untouchedEnd > region ? untouched : end;
    }

    public RegionKind kind() {
        return kind;
    }

    /** A free slot, its status FREE, its other bytes anything; {@code Pmem.NULL} when there is none. */
    public synchronized long allocate() {
        if (free == Pmem.NULL && ++sinceReclaim >= 64) {
            sinceReclaim = 0;
            reclaim();
        }
        if (free != Pmem.NULL) {
            long at = free;
            free = pmem.get(at + NEXT);
            return at;
        }
        if (fresh + slotSize > freshEnd) {
            long region = regions.acquire(kind);
            if (region == Pmem.NULL) {
                reclaim();
                if (free == Pmem.NULL) {
                    return Pmem.NULL;
                }
                long at = free;
                free = pmem.get(at + NEXT);
                return at;
            }
            fresh = region;
            freshEnd = region + regions.size();
        }
        long at = fresh;
        fresh += slotSize;
        return at;
    }

    /** Takes back a slot that nobody has ever been able to reach. Its status is FREE. */
    public synchronized void release(long at) {
        push(at);
    }

    /** Takes back a slot that was reachable, once no pinned reader can be on it any more. Its status is FREE already. */
    public synchronized void retire(long at) {
        long epoch = epochs.current();
        int bin = (int) (epoch % LIMBOS);
        if (limboEpoch[bin] != epoch) {
            // The bin holds what was retired three epochs ago or more: free by now.
            drain(bin);
            limboEpoch[bin] = epoch;
        }
        pmem.set(at + NEXT, limbo[bin]);
        limbo[bin] = at;
    }

    /** Frees what has waited long enough; false if something still waits, for readers that are pinned. */
    public synchronized boolean reclaim() {
        epochs.tryAdvance();
        long epoch = epochs.tryAdvance();
        boolean all = true;
        for (int bin = 0; bin < LIMBOS; bin++) {
            if (limbo[bin] != Pmem.NULL && limboEpoch[bin] + 2 <= epoch) {
                drain(bin);
            }
            all &= limbo[bin] == Pmem.NULL;
        }
        return all;
    }

    /** Slots that are free or will be; walks them all. For checks. */
    public synchronized long countFree() {
        long count = (freshEnd - fresh) / slotSize;
        for (long at = free; at != Pmem.NULL; at = pmem.get(at + NEXT)) {
            count++;
        }
        for (long head : limbo) {
            for (long at = head; at != Pmem.NULL; at = pmem.get(at + NEXT)) {
                count++;
            }
        }
        return count;
    }

    private void drain(int bin) {
        for (long at = limbo[bin]; at != Pmem.NULL; ) {
            long next = pmem.get(at + NEXT);
            push(at);
            at = next;
        }
        limbo[bin] = Pmem.NULL;
    }

    private void push(long at) {
        assert EntryRecord.state(pmem.get(at + STATUS)) == SlotState.FREE : "slot " + at + " is not free";
        pmem.set(at + NEXT, free);
        free = at;
    }
}
