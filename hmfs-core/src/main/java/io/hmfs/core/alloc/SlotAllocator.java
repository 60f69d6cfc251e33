package io.hmfs.core.alloc;

import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.layout.SummaryRecord;
import io.hmfs.core.pmem.Pmem;

/**
 * Slots of one size (HMFS §3.5). Whether a slot is taken stands in its own status word; what is free is known by chains through
 * the free slots themselves, whose heads are in DRAM: nothing on the Java heap grows with the pool (I7), and after a crash fresh
 * regions serve at once while the background scan finds the free slots of the old ones (I6). The part of the last region that was
 * never used is fresh again at the next start, or each start would cost a region.
 *
 * <p>Threads are spread over stripes, each with slots in hand, and meet at the depot once for each batch. What a stripe has in
 * hand at a crash is free to the scan like all else. A slot that is retired waits in its stripe for two epochs. Status,
 * death and next stand at the same place in every kind of slot.
 */
public final class SlotAllocator {
    private static final long STATUS = EntryRecord.STATUS_OFFSET;
    private static final long TIME = EntryRecord.DEATH_OFFSET;
    private static final int STRIPES_PER_PROCESSOR = 4;
    private static final int STRIPES_MAX = 64;

    private final Pmem pmem;
    private final Epochs epochs;
    private final RegionKind kind;
    private final long regionSize;
    private final SlotDepot depot;
    private final SlotStripe[] stripes;

    /** What this start found untouched, up to the end of its region: not for the background scan. */
    private final long untouched;

    private final long untouchedEnd;

    /** {@code start} is the first time of this start, later than all that stands in the pool. */
    public SlotAllocator(Pmem pmem, Regions regions, Epochs epochs, RegionKind kind, long start, Summary summary) {
        this.pmem = pmem;
        this.epochs = epochs;
        this.kind = kind;
        this.regionSize = regions.size();
        int last = regions.count() - 1;
        while (last >= 0 && regions.kind(last) != kind) {
            last--;
        }
        if (last >= 0) {
            long region = regions.at(last);
            this.untouchedEnd = region + regions.size() / kind.slotSize() * kind.slotSize();
            this.untouched = summary.isValid() ? summary.unused(kind) : firstUntouched(region, untouchedEnd);
        } else {
            this.untouchedEnd = 0;
            this.untouched = 0;
        }
        this.depot = new SlotDepot(pmem, regions, kind, untouched, untouchedEnd, summary.free(kind), start);
        int wanted = Math.min(
                STRIPES_MAX, STRIPES_PER_PROCESSOR * Runtime.getRuntime().availableProcessors());
        this.stripes = new SlotStripe[Integer.highestOneBit(wanted)];
        for (int i = 0; i < stripes.length; i++) {
            stripes[i] = new SlotStripe(pmem, depot, kind.slotSize(), start);
        }
    }

    /** Every slot that was ever in hand has a status or a time in its first words, unless a crash lost them both. */
    private long firstUntouched(long start, long end) {
        long slotSize = kind.slotSize();
        long first = end;
        while (first > start && pmem.get(first - slotSize + STATUS) == 0 && pmem.get(first - slotSize + TIME) == 0) {
            first -= slotSize;
        }
        return first;
    }

    /** Where a scan of the slots of a region ends: before what the allocator hands out as fresh. */
    public long scanEnd(long region) {
        long end = region + regionSize;
        return untouched >= region && untouchedEnd <= end && untouchedEnd > region ? untouched : end;
    }

    public RegionKind kind() {
        return kind;
    }

    private SlotStripe own() {
        return stripes[(int) Thread.currentThread().threadId() & (stripes.length - 1)];
    }

    /** A free slot, its status FREE, its other bytes anything; {@code Pmem.NULL} when there is none. */
    public long allocate() {
        SlotStripe own = own();
        synchronized (own) {
            long at = own.pop();
            if (at != Pmem.NULL) {
                return at;
            }
        }
        if (depot.isEmpty()) {
            reclaim(false); // rather than a new region
        }
        long at = refill(own);
        if (at == Pmem.NULL) {
            reclaim(false);
            at = refill(own);
        }
        if (at == Pmem.NULL) {
            at = steal();
        }
        return at == Pmem.NULL ? stealAlone(0) : at;
    }

    private long refill(SlotStripe own) {
        synchronized (own) {
            long at = own.pop(); // another thread of the stripe may have been here
            return at == Pmem.NULL && depot.fill(own) ? own.pop() : at;
        }
    }

    /** The pool is full: one of the slots that other stripes have in hand. */
    private long steal() {
        for (SlotStripe stripe : stripes) {
            synchronized (stripe) {
                long at = stripe.pop();
                if (at != Pmem.NULL) {
                    return at;
                }
            }
        }
        return Pmem.NULL;
    }

    /** The same with all stripes held, in order: nothing moves between them and the depot, so nothing is overlooked. */
    private long stealAlone(int held) {
        if (held < stripes.length) {
            synchronized (stripes[held]) {
                return stealAlone(held + 1);
            }
        }
        long at = steal();
        return at == Pmem.NULL && depot.fill(stripes[0]) ? stripes[0].pop() : at;
    }

    /** Takes back a slot that no thread has ever been able to reach. Its status is FREE. */
    public void release(long at) {
        SlotStripe own = own();
        synchronized (own) {
            own.push(at);
        }
    }

    /** Takes back a slot that was reachable, once no pinned reader can be on it any more. Its status is FREE already. */
    public void retire(long at) {
        SlotStripe own = own();
        synchronized (own) {
            own.retire(at, epochs.current());
        }
    }

    /**
     * How many slots were retired: if it has grown, a caller has missed room that there was. One that has just found none sees all until
     * then.
     */
    public long retired() {
        long sum = 0;
        for (SlotStripe stripe : stripes) {
            sum += stripe.retired();
        }
        return sum;
    }

    /** Whether a retired slot waits for its epochs, or has just waited. */
    public boolean hasRetired() {
        boolean has = false;
        for (SlotStripe stripe : stripes) {
            synchronized (stripe) {
                has |= stripe.hasRetired();
            }
        }
        return has;
    }

    /** Frees what has waited long enough, of all stripes; false if something still waits, for readers that are pinned. */
    public boolean reclaim() {
        return reclaim(true);
    }

    /** The same; what another thread has retired just now may be left out unless {@code all} are asked. */
    private boolean reclaim(boolean asksAll) {
        boolean all = true;
        boolean advanced = false;
        for (SlotStripe stripe : stripes) {
            if (asksAll || stripe.isReclaimable()) {
                if (!advanced) {
                    epochs.tryAdvance();
                    epochs.tryAdvance();
                    advanced = true;
                }
                synchronized (stripe) {
                    all &= stripe.reclaim(epochs.current());
                }
            }
        }
        return all;
    }

    /** Writes its part of a summary, after which no thread uses the allocator. Not written back. */
    public void summarize(long header) {
        SummaryRecord.set(pmem, header + PoolHeader.SUMMARY_OFFSET, kind, gather(), depot.fresh());
    }

    /** Puts all free slots into batches; the first batch. No thread uses the allocator any more, nor is pinned. */
    private long gather() {
        for (SlotStripe stripe : stripes) {
            synchronized (stripe) {
                stripe.empty();
            }
        }
        return depot.batches();
    }

    /** Slots that are free or will be; walks them all. For checks. */
    public long countFree() {
        long count = depot.count();
        for (SlotStripe stripe : stripes) {
            synchronized (stripe) {
                count += stripe.count();
            }
        }
        return count;
    }
}
