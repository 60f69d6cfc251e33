package io.hmfs.core.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.layout.BucketRecord;
import io.hmfs.core.layout.CorruptPoolException;
import io.hmfs.core.layout.IndexHeader;
import io.hmfs.core.layout.SegmentRecord;
import io.hmfs.core.layout.SplitRecord;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.sim.CrashImage;
import io.hmfs.core.sim.Sample;
import io.hmfs.core.sim.SimPmem;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

// Goal: power loss before any store or fence of an insert, split, doubling, displacement or recovery loses no entry and
// no segment.
// Method: SimPmem images at a sample of the events, all of them for small segments, samples for full ones; each opened,
// checked, used on.
final class HashIndexCrashTest {
    private static final int IMAGES_SMALL = 40;
    private static final int IMAGES_FULL = 6;
    private static final int IMAGES_OF_RECOVERY = 8;
    private static final int SAMPLED = 6;
    private static final int EXPLORED_ON_EACH = 8;
    private static final int USED_ON_EACH = 16;

    private final long seed = Long.getLong("hmfs.seed", 20);
    private final SplittableRandom random = new SplittableRandom(seed);
    private final Sample sample = new Sample(SAMPLED, "events of an index");

    private SimPmem sim = new SimPmem(Pmem.LINE);
    private IndexFixture pool = new IndexFixture(sim, 0, 0);
    private int depthMax;
    private int objectsMax;

    /** Hash by object number, for those whose insert was fenced. */
    private final List<Long> acknowledged = new ArrayList<>();

    private long inFlight;
    private long images;
    private long recoveries;

    private HashIndex format(int depthMax, int objectsMax, int segments) {
        return format(0, depthMax, objectsMax, segments);
    }

    private HashIndex format(int depth, int moreDepth, int objectsMax, int segments) {
        int depthMax = depth + moreDepth;
        this.depthMax = depthMax;
        this.objectsMax = objectsMax;
        sim = new SimPmem(IndexFixture.size(depthMax, objectsMax, segments));
        pool = new IndexFixture(sim, depthMax, objectsMax);
        return pool.format(depth);
    }

    @Test
    void splitsAndDoublingsOfCrowdedBucketsSurviveEveryImage() {
        HashIndex index = format(4, 128, 8);
        // One tag and one home fill two buckets, so 17 keys split a segment; the low bits decide which.
        for (int n = 0; n < 16; n++) {
            insert(index, crowded(n), IMAGES_SMALL);
        }
        for (int n = 16; n < 34; n += 2) {
            insert(index, crowded(n), IMAGES_SMALL); // splits at local depths 0 and 1, each with a doubling
        }
        for (int n = 36; n < 80; n += 4) {
            insert(index, crowded(n), IMAGES_SMALL); // at 2 with a doubling
        }
        for (int n = 17; n < 40; n += 2) {
            insert(index, crowded(n), IMAGES_SMALL); // at 1 with four directory entries to redirect
        }
        assertTrue(index.statistics().splits() >= 4, () -> index.statistics().toString());
        assertEquals(3, index.statistics().depth());
        assertTrue(recoveries > 100, "hardly any image held a split: " + recoveries);
        System.out.println("images " + images + ", recoveries explored " + recoveries);
    }

    @Test
    void splitsThatMoveTheWindowSurviveEveryImage() {
        HashIndex index = format(5, 5, 128, 38);
        for (int n = 0; n < 16; n++) {
            insert(index, crowded(31 + 32 * n), 0);
        }
        for (int n = 16; n < 34; n += 2) {
            insert(index, crowded(31 + 32 * n), IMAGES_SMALL); // at 5, with a doubling and another window; then at 6
        }
        assertTrue(index.statistics().splits() >= 2, () -> index.statistics().toString());
        assertTrue(recoveries > 50, "hardly any image held a split: " + recoveries);
        System.out.println("images " + images + ", recoveries explored " + recoveries);
    }

    @Test
    void splitsOfFullSegmentsAndDisplacementsSurviveSampledImages() {
        HashIndex index = format(4, 4096, 6);
        int quiet = SegmentRecord.SLOTS * 88 / 100;
        while (acknowledged.size() < quiet) {
            insert(index, IndexFixture.mix(acknowledged.size()), 0);
        }
        long before = images;
        while (index.statistics().splits() == 0) {
            insert(index, IndexFixture.mix(acknowledged.size()), IMAGES_FULL);
        }
        assertTrue(images > before);
        System.out.println(
                "images " + images + ", load at split " + index.statistics().loadAtSplit());
    }

    @Test
    void aCrashDuringFormatLeavesNoIndexOrAWholeOne() {
        depthMax = 2;
        objectsMax = 8;
        sim = new SimPmem(IndexFixture.size(depthMax, objectsMax, 8));
        pool = new IndexFixture(sim, depthMax, objectsMax);
        sim.beforeEachEvent(() -> sim.images(IMAGES_SMALL, random.nextLong(), image -> {
            SimPmem after = sim.crashed(image);
            if (IndexHeader.magic(after, IndexFixture.ROOT) != 0) {
                check(after, image);
            }
        }));
        pool.format(2);
        sim.beforeEachEvent(null);
        assertTrue(sim.isDurable(IndexFixture.ROOT, HashIndex.ROOT_SIZE));
        assertTrue(sim.isDurable(IndexFixture.DIRECTORY, HashIndex.directorySize(2)));
    }

    @Test
    void theDepthInMemoryNeverRunsAheadOfTheDurableOne() {
        HashIndex index = format(4, 128, 8);
        sim.beforeEachEvent(() -> {
            if (index.statistics().depth() == IndexHeader.depth(sim, IndexFixture.ROOT)) {
                assertTrue(sim.isDurable(IndexFixture.ROOT, IndexHeader.SIZE));
            }
        });
        for (int n = 0; n < 40; n++) {
            assertTrue(index.insert(crowded(n), pool.fill(n, crowded(n))));
        }
        assertEquals(2, index.statistics().depth());
    }

    @Test
    void recordsThatNoSplitWritesAreCorrupt() {
        format(4, 64, 4);
        long record = IndexFixture.ROOT + IndexHeader.SIZE;
        SplitRecord.begin(sim, record, pool.segments, pool.segments + SegmentRecord.SIZE, 0);
        assertThrows(CorruptPoolException.class, pool::open); // the directory was not doubled for it
        SplitRecord.begin(sim, record, pool.objects, pool.segments + SegmentRecord.SIZE, -1);
        assertThrows(CorruptPoolException.class, pool::open);
    }

    private static long crowded(long low) {
        return 0xABCDL << 48 | 5L << 32 | low;
    }

    /** Inserts as the engine does: fill, insert, one fence; acknowledged after it. */
    private void insert(HashIndex index, long hash, int limit) {
        int number = acknowledged.size();
        inFlight = hash;
        if (limit > 0) {
            Thinned thinned = new Thinned(sim);
            sim.beforeEachEvent(() -> {
                if (thinned.isDue() && sample.takes()) {
                    sim.images(limit, random.nextLong(), image -> check(sim.crashed(image), image));
                }
            });
        }
        assertTrue(index.insert(hash, pool.fill(number, hash)));
        sim.fence();
        sim.beforeEachEvent(null);
        acknowledged.add(hash);
    }

    /** Opens an image and checks it; if recovery stores anything, loses power within recovery too, and checks that. */
    private void check(SimPmem after, CrashImage image) {
        images++;
        long number = images;
        try {
            SimPmem again = after.killed();
            Thinned thinned = new Thinned(after);
            after.beforeEachEvent(() -> {
                if (number % EXPLORED_ON_EACH == 0 && thinned.isDue()) {
                    after.images(
                            IMAGES_OF_RECOVERY, random.nextLong(), second -> checkOpened(after.crashed(second), false));
                }
            });
            IndexFixture opened = new IndexFixture(after, depthMax, objectsMax);
            opened.open();
            after.beforeEachEvent(null);
            recoveries += after.stores() > 0 ? 1 : 0;
            checkOpened(again, number % USED_ON_EACH == 0);
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(
                    "seed " + seed + ", image " + number + " of " + image + " while inserting object "
                            + acknowledged.size(),
                    e);
        }
    }

    private void checkOpened(SimPmem after, boolean useOn) {
        IndexFixture opened = new IndexFixture(after, depthMax, objectsMax);
        HashIndex index = opened.open();
        assertTrue(after.isDurable(IndexFixture.ROOT, HashIndex.ROOT_SIZE), "open left its records undone");
        int known = acknowledged.size();
        for (int n = 0; n < known; n++) {
            long at = opened.object(n);
            assertEquals(
                    at, IndexFixture.find(index, acknowledged.get(n), HashIndexTest.only(at)), "acknowledged but lost");
        }
        for (long position = 0; position < index.sweepEnd(); position++) {
            index.sweep(position, (segment, word, fits) -> {
                long number = (BucketRecord.offset(word) - opened.objects) / Pmem.LINE;
                assertTrue(number <= known, "a word from nowhere");
                assertTrue(fits || number == known, "a word in a foreign segment");
                return true;
            });
        }
        checkSegments(after, opened, index);
        if (useOn) {
            useOn(opened, index);
        }
    }

    /** Each segment is the index's, or free: then it is zero, durably, and its source knows. */
    private static void checkSegments(SimPmem after, IndexFixture opened, HashIndex index) {
        List<SimPmem> durable = new ArrayList<>();
        after.images(1, 0, image -> durable.add(after.crashed(image))); // the first of several keeps nothing in flight
        int free = 0;
        for (long at = opened.segments; at < after.size(); at += SegmentRecord.SIZE) {
            if (!SegmentRecord.isFree(after, at)) {
                assertTrue(index.owns(at), "leaked segment");
                continue;
            }
            free++;
            for (long word = at; word < at + SegmentRecord.SIZE; word += Long.BYTES) {
                if (durable.getFirst().get(word) != 0) {
                    throw new AssertionError("free segment not zero at " + word);
                }
            }
        }
        assertEquals(free, opened.freeSegments());
    }

    private void useOn(IndexFixture opened, HashIndex index) {
        int first = acknowledged.size() + 1;
        int last = Math.min(objectsMax, first + 40);
        for (int n = first; n < last; n++) {
            if (!index.insert(crowded(n * 3L), opened.fill(n, crowded(n * 3L)))) {
                last = n; // no segment left
            }
        }
        for (int n = first; n < last; n++) {
            long at = opened.object(n);
            assertEquals(at, IndexFixture.find(index, crowded(n * 3L), HashIndexTest.only(at)));
        }
        for (int n = 0; n < acknowledged.size(); n++) {
            long at = opened.object(n);
            assertEquals(
                    at,
                    IndexFixture.find(index, acknowledged.get(n), HashIndexTest.only(at)),
                    "lost after the restart");
        }
        assertFalse(index.remove(inFlight, opened.object(last)));
    }

    /** Passes the first events after a write-back or fence, and few of a long run of stores, which differ little. */
    private final class Thinned {
        private static final int ALL_UNTIL = 16;
        private static final int ONE_OF = 64;

        private final SimPmem pmem;
        private long orders;
        private int run;

        Thinned(SimPmem pmem) {
            this.pmem = pmem;
        }

        boolean isDue() {
            long now = pmem.writeBacks() + pmem.fences();
            run = now == orders ? run + 1 : 0;
            orders = now;
            return run < ALL_UNTIL || random.nextInt(ONE_OF) == 0;
        }
    }
}
