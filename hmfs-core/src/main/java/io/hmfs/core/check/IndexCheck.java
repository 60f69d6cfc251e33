package io.hmfs.core.check;

import io.hmfs.core.layout.DirectoryEntry;
import io.hmfs.core.layout.IndexHeader;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.layout.SegmentRecord;
import io.hmfs.core.layout.SplitRecord;
import io.hmfs.core.pmem.Pmem;
import java.util.BitSet;

/**
 * The index but for its words: header, split records, directory, segments. The index holds nothing that the objects do not tell, so
 * what cannot be put right on the spot is built anew ({@link IndexRebuild}).
 */
final class IndexCheck {
    private static final String REBUILD = "build the index anew from the objects";

    private final PoolView view;
    private final Pmem pmem;
    private final long root;
    private final IndexView index;
    private final int perRegion;
    private final BitSet led;
    private final BitSet targets = new BitSet();
    private final BitSet moving = new BitSet();
    private boolean broken;

    private IndexCheck(PoolView view, IndexView index) {
        this.view = view;
        this.pmem = view.pmem;
        this.root = view.header + PoolHeader.INDEX_ROOT_OFFSET;
        this.index = index;
        this.perRegion = (int) (view.regionSize / SegmentRecord.SIZE);
        this.led = new BitSet(view.regions() * perRegion);
    }

    /** Tells the index whether it can be used, and whether it is to be built anew. */
    static void run(PoolView view, IndexView index) {
        IndexCheck check = new IndexCheck(view, index);
        int region = view.firstOf(RegionKind.INDEX_DIRECTORY);
        if (region < 0) {
            check.broken(check.root, "index header", "a region for the index's directory", "none");
            return;
        }
        long depthMax = view.depthMax();
        check.word("magic", IndexHeader.MAGIC_OFFSET, IndexHeader.MAGIC);
        check.word("place of the directory", IndexHeader.DIRECTORY_AT_OFFSET, view.regionAt(region));
        check.word("room in the directory", IndexHeader.DIRECTORY_DEPTH_OFFSET, depthMax);
        long depth = IndexHeader.depth(view.pmem, check.root);
        if (depth < 0 || depth > depthMax) {
            check.broken(check.root + IndexHeader.DEPTH_OFFSET, "depth of the index", "0 to " + depthMax, "" + depth);
            return;
        }
        index.use(view.regionAt(region), (int) depth);
        check.splits();
        check.directory();
        if (!check.broken) {
            check.splitTargets();
            check.unusedSegments();
        }
        if (check.broken) {
            index.giveUp();
        }
    }

    private void broken(long at, String what, String expected, String found) {
        if (!broken) {
            broken = true;
            // Told once: nothing else can be trusted before the index is built anew, for which the keys must be known.
            index.broken(() -> view.findings.damage(at, what, expected, found, REBUILD, () -> {
                if (IndexRebuild.run(view)) {
                    IndexCheck.run(view, index);
                }
            }));
        }
    }

    private void word(String what, long offset, long right) {
        long found = pmem.get(root + offset);
        if (found != right) {
            view.findings.damage(
                    root + offset,
                    "index header, " + what,
                    "0x" + Long.toHexString(right),
                    "0x" + Long.toHexString(found),
                    "store it",
                    () -> view.store(root + offset, right));
        }
    }

    /** The number of the segment that stands at an offset, or -1. */
    private int segment(long at) {
        int region = view.regionOf(at);
        if (region < 0
                || view.kind(region) != RegionKind.INDEX_SEGMENTS
                || (at - view.regionAt(region)) % SegmentRecord.SIZE != 0) {
            return -1;
        }
        return region * perRegion + (int) ((at - view.regionAt(region)) / SegmentRecord.SIZE);
    }

    private long record(int lane) {
        return root + IndexHeader.SIZE + lane * SplitRecord.SIZE;
    }

    private void splits() {
        for (int lane = 0; lane < SplitRecord.LANES; lane++) {
            long record = record(lane);
            long state = SplitRecord.state(pmem, record);
            int source = segment(SplitRecord.source(pmem, record));
            int target = segment(SplitRecord.target(pmem, record));
            long local = SplitRecord.depth(pmem, record);
            boolean whole = source >= 0 && target >= 0 && local >= 0 && local < index.depth();
            if (state == SplitRecord.COPYING && whole) {
                targets.set(target);
            } else if (state == SplitRecord.COMMITTED && whole) {
                moving.set(source);
                moving.set(target);
            } else if (state != SplitRecord.IDLE) {
                giveUpSplit(record, "a split of two segments, or none", "state " + state);
            }
        }
    }

    private void giveUpSplit(long record, String expected, String found) {
        view.findings.damage(record, "split record", expected, found, "store that no split is under way", () -> {
            view.store(record + SplitRecord.STATE_OFFSET, SplitRecord.IDLE);
        });
    }

    private void directory() {
        long end = 1L << index.depth();
        for (long i = 0; i < end && !broken; i++) {
            long entry = index.entry(i);
            int local = DirectoryEntry.depth(entry);
            int segment = segment(DirectoryEntry.segment(entry));
            if (local > index.depth()
                    || segment < 0
                    || entry != DirectoryEntry.of(local, DirectoryEntry.segment(entry))) {
                broken(
                        view.regionAt(view.firstOf(RegionKind.INDEX_DIRECTORY)) + 8 * i,
                        "index directory, entry " + i,
                        "a segment and its depth",
                        "0x" + Long.toHexString(entry));
                return;
            }
            boolean alone = !led.get(segment);
            led.set(segment);
            if (!moving.get(segment)) {
                long canonical = i & ((1L << local) - 1);
                if (index.entry(canonical) != entry || alone != (canonical == i)) {
                    broken(
                            view.regionAt(view.firstOf(RegionKind.INDEX_DIRECTORY)) + 8 * i,
                            "index directory, entry " + i,
                            "what its " + local + " low bits lead to",
                            "0x" + Long.toHexString(entry));
                    return;
                }
                if (alone) {
                    header(DirectoryEntry.segment(entry), i, local);
                }
            }
        }
    }

    private void header(long segment, long position, int local) {
        long magic = SegmentRecord.magic(pmem, segment);
        long pattern = SegmentRecord.pattern(pmem, segment);
        long birth = SegmentRecord.birth(pmem, segment);
        boolean right = birth >= 0 && birth <= local && pattern == position && pattern >>> birth == 0;
        if (magic == SegmentRecord.MAGIC && right) {
            return;
        }
        view.findings.damage(
                segment,
                "header of index segment",
                "pattern " + position + ", born with depth 0 to " + local,
                "magic 0x" + Long.toHexString(magic) + ", pattern " + pattern + ", depth " + birth,
                "store what the directory says",
                () -> {
                    view.store(segment + SegmentRecord.PATTERN_OFFSET, position);
                    view.store(segment + SegmentRecord.BIRTH_OFFSET, local);
                    view.store(segment + SegmentRecord.MAGIC_OFFSET, SegmentRecord.MAGIC);
                });
    }

    /** What a split copies to is led to by nothing before its commit; undoing such a split would wipe a segment in use. */
    private void splitTargets() {
        for (int lane = 0; lane < SplitRecord.LANES; lane++) {
            long record = record(lane);
            long state = SplitRecord.state(pmem, record);
            int source = segment(SplitRecord.source(pmem, record));
            int target = segment(SplitRecord.target(pmem, record));
            boolean known =
                    state == SplitRecord.COPYING ? targets.get(Math.max(target, 0)) : moving.get(Math.max(source, 0));
            if (state == SplitRecord.IDLE || source < 0 || target < 0 || !known) {
                continue; // told before
            }
            if (!led.get(source) || (state == SplitRecord.COPYING && led.get(target))) {
                giveUpSplit(record, "no split", "one of segments that are not in its state");
            } else {
                index.splits();
                view.findings.pending(
                        record,
                        "split record",
                        "no split under way",
                        state == SplitRecord.COPYING ? "one that copies" : "one that was committed",
                        state == SplitRecord.COPYING ? "the next start undoes it" : "the next start finishes it");
            }
        }
    }

    /** Segments that no split may take up as they are. */
    private void unusedSegments() {
        long inUse = 0;
        for (int region = 0; region < view.regions(); region++) {
            if (view.kind(region) != RegionKind.INDEX_SEGMENTS) {
                continue;
            }
            for (int i = 0; i < perRegion; i++) {
                int number = region * perRegion + i;
                if (led.get(number)) {
                    inUse++;
                } else if (!targets.get(number) && !moving.get(number)) {
                    unused(view.regionAt(region) + i * SegmentRecord.SIZE);
                }
            }
        }
        view.findings.count("index segments", inUse);
    }

    private void unused(long segment) {
        for (long at = segment; at < segment + SegmentRecord.SIZE; at += 8) {
            if (pmem.get(at) != 0) {
                view.findings.damage(
                        at,
                        "index segment that nothing leads to",
                        "zeros",
                        "0x" + Long.toHexString(pmem.get(at)),
                        "fill it with zeros: it is free then",
                        () -> {
                            pmem.zero(segment, SegmentRecord.SIZE);
                            pmem.persist(segment, SegmentRecord.SIZE);
                        });
                return;
            }
        }
    }
}
