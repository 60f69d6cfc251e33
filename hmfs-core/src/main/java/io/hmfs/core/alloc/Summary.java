package io.hmfs.core.alloc;

import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.layout.SummaryRecord;
import io.hmfs.core.pmem.Pmem;

/** What the close before has told about the free slots: all of them, or nothing that could be believed. */
public final class Summary {
    private static final String SCANNED = "found by a scan behind the scenes: ";

    /** What a start has found. */
    public enum Found {
        VALID("told by the last close"),
        NEW("a new pool"),
        NOT_CLOSED(SCANNED + "the pool was not closed cleanly"),
        NONE(SCANNED + "the last close has told nothing, or it had not found all the free slots yet"),
        OTHER_DATA(SCANNED + "the pool was open last with file data kept elsewhere, and is not now, or the reverse"),
        DAMAGED(SCANNED + "what the last close has told is damaged");

        private final String text;

        Found(String text) {
            this.text = text;
        }

        /** How a start comes to know the free slots, in words. */
        public String text() {
            return text;
        }
    }

    private final Found found;
    private final boolean keepsData;
    private final long dead;
    private final long removed;
    private final long removedCount;
    private final long[] free = new long[RegionKind.values().length + 1];
    private final long[] unused = new long[free.length];

    private Summary(Found found, boolean keepsData, long dead, long removed, long removedCount) {
        this.found = found;
        this.keepsData = keepsData;
        this.dead = dead;
        this.removed = removed;
        this.removedCount = removedCount;
    }

    /** Of a pool that has none. */
    public static Summary none() {
        return without(Found.NONE);
    }

    private static Summary without(Found found) {
        return new Summary(found, false, 0, Pmem.NULL, 0);
    }

    /** Reads it, before the start says in the pool that it has begun: from then on it is worth nothing. */
    public static Summary read(Pmem pmem, long header) {
        long at = header + PoolHeader.SUMMARY_OFFSET;
        Found found = look(pmem, header, at);
        if (found != Found.VALID) {
            return without(found);
        }
        Summary summary = new Summary(
                found,
                SummaryRecord.keepsData(pmem, at),
                pmem.get(at + SummaryRecord.DEAD_OFFSET),
                SummaryRecord.removed(pmem, at),
                SummaryRecord.removedCount(pmem, at));
        for (RegionKind kind : RegionKind.values()) {
            if (kind.slotSize() != 0) {
                summary.free[kind.code()] = SummaryRecord.free(pmem, at, kind);
                summary.unused[kind.code()] = SummaryRecord.unused(pmem, at, kind);
            }
        }
        return summary;
    }

    private static Found look(Pmem pmem, long header, long at) {
        long starts = pmem.get(header + PoolHeader.STARTS_OFFSET);
        if (starts == 0) {
            return Found.NEW;
        }
        if (pmem.get(header + PoolHeader.STATE_OFFSET) != PoolHeader.CLEAN) {
            return Found.NOT_CLOSED;
        }
        if (pmem.get(at + SummaryRecord.STARTS_OFFSET) != starts) {
            return Found.NONE;
        }
        boolean fits = pmem.get(at + SummaryRecord.CHECKSUM_OFFSET) == SummaryRecord.checksum(pmem, at);
        return fits ? Found.VALID : Found.DAMAGED;
    }

    public Found found() {
        return found;
    }

    public boolean isValid() {
        return found == Found.VALID;
    }

    /** What it is worth to a start with data kept elsewhere, or without: nothing if the start before was the other. */
    public Summary forData(boolean kept) {
        return isValid() && kept != keepsData ? without(Found.OTHER_DATA) : this;
    }

    /** Whether data was kept elsewhere when the pool was closed. */
    public boolean keepsData() {
        return keepsData;
    }

    /** The first of the removed files that held data, chained through their {@code next}; NULL if there is none. */
    public long removed() {
        return removed;
    }

    /** How many those are. */
    public long removedCount() {
        return removedCount;
    }

    /** Entries that were dead and still on lists. */
    public long dead() {
        return dead;
    }

    long free(RegionKind kind) {
        return free[kind.code()];
    }

    long unused(RegionKind kind) {
        return unused[kind.code()];
    }

    /** Writes the rest of a summary, after {@link SlotAllocator#summarize} of each allocator. Not written back. */
    public static void write(Pmem pmem, long header, long dead, boolean keepsData, long removed, long removedCount) {
        long at = header + PoolHeader.SUMMARY_OFFSET;
        pmem.set(at + SummaryRecord.DEAD_OFFSET, dead);
        SummaryRecord.setRemoved(pmem, at, keepsData, removed, removedCount);
        pmem.set(at + SummaryRecord.STARTS_OFFSET, pmem.get(header + PoolHeader.STARTS_OFFSET));
        pmem.set(at + SummaryRecord.CHECKSUM_OFFSET, SummaryRecord.checksum(pmem, at));
    }
}
