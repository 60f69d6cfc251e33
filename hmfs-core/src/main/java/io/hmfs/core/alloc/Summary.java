package io.hmfs.core.alloc;

import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.layout.SummaryRecord;
import io.hmfs.core.pmem.Pmem;
import java.util.List;

/** What the close before has told about the free slots: all of them, or nothing that could be believed. */
public final class Summary {
    private static final String SCANNED = "found by a scan behind the scenes: ";

    /** What a start has found. */
    public enum Found {
        VALID("told by the last close"),
        NEW("a new pool"),
        NOT_CLOSED(SCANNED + "the pool was not closed cleanly"),
        NONE(SCANNED
                + "the last close has told nothing, it had not found all the free slots yet, or it was an older HMFS"),
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
    private final long dead;
    private final long[] free = new long[RegionKind.values().length + 1];
    private final long[] unused = new long[free.length];

    private Summary(Found found, long dead) {
        this.found = found;
        this.dead = dead;
    }

    /** Of a pool that has none. */
    public static Summary none() {
        return new Summary(Found.NONE, 0);
    }

    /** Reads it, before the start says in the pool that it has begun: from then on it is worth nothing. */
    public static Summary read(Pmem pmem, long header) {
        long at = header + PoolHeader.SUMMARY_OFFSET;
        Found found = look(pmem, header, at);
        Summary summary = new Summary(found, pmem.get(at + SummaryRecord.DEAD_OFFSET));
        for (RegionKind kind : RegionKind.values()) {
            if (found == Found.VALID && kind.slotSize() != 0) {
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

    /** Writes what these allocators have, which nobody uses any more. Not written back. */
    public static void write(Pmem pmem, long header, List<SlotAllocator> slots, long dead) {
        long at = header + PoolHeader.SUMMARY_OFFSET;
        for (SlotAllocator each : slots) {
            SummaryRecord.set(pmem, at, each.kind(), each.gather(), each.unused());
        }
        pmem.set(at + SummaryRecord.DEAD_OFFSET, dead);
        pmem.set(at + SummaryRecord.STARTS_OFFSET, pmem.get(header + PoolHeader.STARTS_OFFSET));
        pmem.set(at + SummaryRecord.CHECKSUM_OFFSET, SummaryRecord.checksum(pmem, at));
    }
}
