package io.hmfs.core.check;

import io.hmfs.core.alloc.Summary;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.layout.SummaryRecord;
import io.hmfs.core.pmem.Pmem;

/**
 * What the last close has told about the free slots: each of them once, and nothing else; and that a start need not look for anything,
 * so this comes after all passes that look at slots. A summary that does not fit is forgotten: the next start scans, as after a crash. Where other things
 * were repaired it is forgotten too, since the pool is not clean any more.
 */
final class SummaryCheck {
    private static final String SUMMARY = "summary of the free slots";
    private static final RegionKind[] KINDS = {
        RegionKind.CONTENT_SLOTS, RegionKind.ENTRY_SLOTS, RegionKind.LONG_ENTRY_SLOTS
    };

    private final PoolView view;
    private final Pmem pmem;
    private final long at;
    private final long lease;
    private final Marks seen;

    private SummaryCheck(PoolView view) {
        this.view = view;
        this.pmem = view.pmem;
        this.at = view.header + PoolHeader.SUMMARY_OFFSET;
        this.lease = pmem.get(view.header + PoolHeader.CLOCK_LEASE_OFFSET);
        this.seen = new Marks(view);
    }

    static void run(PoolView view) {
        SummaryCheck check = new SummaryCheck(view);
        switch (Summary.read(view.pmem, view.header).found()) {
            case DAMAGED ->
                check.damage(
                        check.at + SummaryRecord.CHECKSUM_OFFSET,
                        "0x" + Long.toHexString(SummaryRecord.checksum(view.pmem, check.at)),
                        "0x" + Long.toHexString(check.pmem.get(check.at + SummaryRecord.CHECKSUM_OFFSET)));
            case VALID -> check.valid();
            case NEW, NONE, NOT_CLOSED, OTHER_DATA -> {} // the next start will not believe it
        }
    }

    /** One finding is enough: the whole of it goes. */
    private void valid() {
        if (view.findings.pending() > 0) {
            damage(at, "nothing that is left to a start", view.findings.pending() + " such things");
            return;
        }
        for (RegionKind kind : KINDS) {
            if (!fits(kind)) {
                return;
            }
        }
        removed();
    }

    /** Each removed file that holds data once, as the consumer looks at it, and nothing else. */
    private void removed() {
        long first = SummaryRecord.removed(pmem, at);
        if (!SummaryRecord.keepsData(pmem, at)) {
            if (first != Pmem.NULL || SummaryRecord.removedCount(pmem, at) != 0) {
                damage(at, "no removed files: data was not kept elsewhere", "0x" + Long.toHexString(first));
            }
            return;
        }
        long told = 0;
        for (long slot = first; slot != Pmem.NULL; slot = pmem.get(slot + EntryRecord.NEXT_OFFSET)) {
            boolean holds = view.isEntry(slot) && EntryRecord.holdsData(EntryRecord.status(pmem, slot));
            if (!holds || seen.has(Marks.REACHED, slot)) {
                damage(at, "removed files that hold data", "0x" + Long.toHexString(slot) + " among them");
                return;
            }
            seen.set(Marks.REACHED, slot);
            told++;
        }
        long[] found = new long[1];
        view.eachEntry("removed files", slot -> {
            if (EntryRecord.holdsData(EntryRecord.status(pmem, slot))) {
                found[0]++;
            }
        });
        view.findings.count("files whose data is to be removed", found[0]);
        if (told != found[0] || told != SummaryRecord.removedCount(pmem, at)) {
            damage(
                    at,
                    found[0] + " removed files that hold data",
                    told + ", and a count of " + SummaryRecord.removedCount(pmem, at));
        }
    }

    private boolean fits(RegionKind kind) {
        long told = 0;
        for (long batch = SummaryRecord.free(pmem, at, kind); batch != Pmem.NULL; ) {
            long size = 0;
            for (long slot = batch; slot != Pmem.NULL; slot = pmem.get(slot + EntryRecord.NEXT_OFFSET)) {
                if (!isOf(kind, slot) || !isTold(slot) || size == SummaryRecord.BATCH_MAX) {
                    return damage(batch, "a batch of free slots", "0x" + Long.toHexString(slot) + " in it");
                }
                seen.set(Marks.REACHED, slot);
                size++;
            }
            told += size;
            batch = pmem.get(batch + SummaryRecord.linkOffset(kind));
        }
        return hasAll(kind, told);
    }

    private boolean isOf(RegionKind kind, long slot) {
        return kind == RegionKind.CONTENT_SLOTS
                ? view.isContent(slot)
                : view.isEntry(slot) && view.kind(view.regionOf(slot)) == kind;
    }

    /** As a start looks at it, see {@code SlotDepot}, and met for the first time. */
    private boolean isTold(long slot) {
        long time = EntryRecord.death(pmem, slot);
        return EntryRecord.status(pmem, slot) == SlotState.FREE
                && time > 0
                && time < lease
                && !seen.has(Marks.REACHED, slot);
    }

    /** What is free and was not told stands at the end of the last region, and nothing else does. */
    private boolean hasAll(RegionKind kind, long told) {
        int last = -1;
        for (int region = 0; region < view.regions(); region++) {
            last = view.kind(region) == kind ? region : last;
        }
        long unused = SummaryRecord.unused(pmem, at, kind);
        if (last < 0) {
            return unused == 0 || damage(at, "no " + kind, "0x" + Long.toHexString(unused));
        }
        long end = view.regionAt(last) + view.slotsOf(last) * kind.slotSize();
        long[] free = new long[2];
        view.eachSlot("free slots", kind, slot -> {
            if (EntryRecord.status(pmem, slot) == SlotState.FREE) {
                free[slot >= unused && slot < end ? 1 : 0]++;
            }
        });
        boolean whole = unused >= view.regionAt(last)
                && (end - unused) % kind.slotSize() == 0
                && free[1] == (end - unused) / kind.slotSize();
        return (whole && free[0] == told)
                || damage(at, free[0] + " free " + kind, told + ", and unused ones from 0x" + Long.toHexString(unused));
    }

    private boolean damage(long where, String expected, String found) {
        view.findings.damage(
                where,
                SUMMARY,
                expected,
                found,
                "forget the summary: the next start looks for the free slots itself",
                () -> view.store(at + SummaryRecord.STARTS_OFFSET, 0));
        return false;
    }
}
