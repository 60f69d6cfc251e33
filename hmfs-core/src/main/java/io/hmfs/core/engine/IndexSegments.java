package io.hmfs.core.engine;

import io.hmfs.core.alloc.Regions;
import io.hmfs.core.index.SegmentSource;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.layout.SegmentRecord;
import io.hmfs.core.pmem.Pmem;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;

/**
 * Index segments cut from regions. A segment is free while its first word is zero, so nothing else is remembered; only the last
 * region is looked at when a pool opens (I6), and {@link #collect} finds what a crash left free in earlier ones.
 */
public final class IndexSegments implements SegmentSource {
    private final Pmem pmem;
    private final Regions regions;
    private final int regionsFound;
    private final ArrayDeque<Long> returned = new ArrayDeque<>();
    private final Set<Long> reissued = new HashSet<>();
    private final long tailFound;
    private long next;
    private long end;

    public IndexSegments(Pmem pmem, Regions regions) {
        this.pmem = pmem;
        this.regions = regions;
        int last = -1;
        for (int i = 0; i < regions.count(); i++) {
            last = regions.kind(i) == RegionKind.INDEX_SEGMENTS ? i : last;
        }
        this.regionsFound = last;
        if (last >= 0) {
            end = regions.at(last) + regions.size();
            next = regions.at(last);
            skipUsed();
        }
        this.tailFound = next;
    }

    /** The free segments of a region are its tail, but for one that an undone split gave back. */
    private void skipUsed() {
        long tail = end;
        while (tail - SegmentRecord.SIZE >= next && SegmentRecord.isFree(pmem, tail - SegmentRecord.SIZE)) {
            tail -= SegmentRecord.SIZE;
        }
        next = tail;
    }

    @Override
    public synchronized long allocate() {
        Long again = returned.poll();
        if (again != null) {
            reissued.add(again);
            return again;
        }
        if (next + SegmentRecord.SIZE > end) {
            long region = regions.acquire(RegionKind.INDEX_SEGMENTS);
            if (region == Pmem.NULL) {
                return Pmem.NULL;
            }
            next = region;
            end = region + regions.size();
        }
        long at = next;
        next += SegmentRecord.SIZE;
        return at;
    }

    @Override
    public synchronized void free(long at) {
        boolean known = at >= next && at < end;
        if (!known && !returned.contains(at)) {
            returned.add(at);
        }
    }

    /** Finds free segments in the regions before the last one that the start found. For the background scan. */
    public void collect() {
        for (int i = 0; i <= regionsFound; i++) {
            if (regions.kind(i) == RegionKind.INDEX_SEGMENTS) {
                long start = regions.at(i);
                // The tail that the start found is handed out in order and needs no search.
                long stop = i == regionsFound ? tailFound : start + regions.size();
                for (long at = start; at + SegmentRecord.SIZE <= stop; at += SegmentRecord.SIZE) {
                    collect(at);
                }
            }
        }
    }

    /** One that was handed out again may be free still to look at: a split is filling it. */
    private synchronized void collect(long at) {
        if (SegmentRecord.isFree(pmem, at) && !reissued.contains(at)) {
            free(at);
        }
    }
}
