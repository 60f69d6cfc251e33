package io.hmfs.core.check;

import io.hmfs.core.alloc.Regions;
import io.hmfs.core.engine.IndexSegments;
import io.hmfs.core.index.HashIndex;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.IndexHeader;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.layout.SegmentRecord;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;
import java.util.function.LongConsumer;

/**
 * Builds the index anew in the regions that it has. The header's magic goes first and comes when an empty index is whole: cut off
 * before, there is no index, and behind, one that misses words; the next repair goes on from either.
 */
final class IndexRebuild {
    private static final int DEPTH_MIN = 2;
    private static final long FULL_SHARE = 2; // segments begin half full

    private final PoolView view;
    private final Pmem pmem;
    private final long root;
    private long objects;
    private boolean full;

    private IndexRebuild(PoolView view) {
        this.view = view;
        this.pmem = view.pmem;
        this.root = view.header + PoolHeader.INDEX_ROOT_OFFSET;
    }

    /** False if the pool has no region for a directory, or too little space. */
    static boolean run(PoolView view) {
        return view.firstOf(RegionKind.INDEX_DIRECTORY) >= 0 && new IndexRebuild(view).rebuild();
    }

    private boolean rebuild() {
        view.store(root + IndexHeader.MAGIC_OFFSET, 0);
        clear(root, HashIndex.ROOT_SIZE);
        for (int region = 0; region < view.regions(); region++) {
            RegionKind kind = view.kind(region);
            if (kind == RegionKind.INDEX_SEGMENTS || kind == RegionKind.INDEX_DIRECTORY) {
                clear(view.regionAt(region), view.regionSize);
            }
        }
        each(_ -> objects++);
        Regions regions = new Regions(view.file);
        IndexSegments segments = new IndexSegments(pmem, regions);
        segments.collect();
        int depthMax = view.depthMax();
        int depth = DEPTH_MIN;
        while (depth < depthMax && (long) SegmentRecord.SLOTS << depth < objects * FULL_SHARE) {
            depth++;
        }
        long directoryAt = view.regionAt(view.firstOf(RegionKind.INDEX_DIRECTORY));
        if (!HashIndex.format(pmem, root, directoryAt, depthMax, depth, segments)) {
            return false;
        }
        HashIndex index = HashIndex.open(pmem, root, at -> Fixes.hashOf(view, at), segments);
        each(at -> full |= !index.insert(view.keys.ofObject(at), at));
        pmem.fence();
        return !full;
    }

    private void clear(long at, long size) {
        pmem.zero(at, size);
        pmem.persist(at, size);
    }

    /** All objects that a look-up may ask for. */
    private void each(LongConsumer visitor) {
        view.eachEntry("building the index", at -> {
            if (view.isInode(at) || (view.isEntryStatus(at) && EntryRecord.state(pmem, at) != SlotState.DELETED)) {
                visitor.accept(at);
            }
        });
        view.eachSlot("building the index", RegionKind.CONTENT_SLOTS, at -> {
            if (view.isLiveContent(at)) {
                visitor.accept(at);
            }
        });
    }
}
