package io.hmfs.core.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.layout.BucketRecord;
import io.hmfs.core.layout.IndexHeader;
import io.hmfs.core.layout.SegmentRecord;
import io.hmfs.core.layout.SplitRecord;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.sim.SimPmem;
import org.junit.jupiter.api.Test;

/**
 * Goal: single steps of the index that only a rare crash, or a thread at a rare moment, would miss. Method: the state before the step is
 * made by hand, or by a process that dies.
 */
final class HashIndexStepTest {
    private static final int DEPTH_MAX = 4;
    private static final long OBJECTS_MAX = 2048;
    private static final int HOME = 7;
    private static final int IMAGES = 64;
    private static final long TAG = 0x4321L << 48;
    private static final long RECORD = IndexFixture.ROOT + IndexHeader.SIZE;

    /** Ends an operation where the process dies. */
    private static final class Death extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private SimPmem pmem = new SimPmem(IndexFixture.size(DEPTH_MAX, OBJECTS_MAX, 16));
    private IndexFixture pool = new IndexFixture(pmem, DEPTH_MAX, OBJECTS_MAX);

    private void store(int bucket, int slot, long hash, long at) {
        BucketRecord.store(pmem, SegmentRecord.bucket(pool.segments, bucket), slot, BucketRecord.word(hash, at, 0));
    }

    /** Fills the slots of a bucket that are empty with objects of a hash. */
    private int fillUp(int bucket, long hash, int number) {
        int next = number;
        for (int slot = SegmentRecord.firstSlot(bucket); slot < BucketRecord.SLOTS; slot++) {
            if (BucketRecord.load(pmem, SegmentRecord.bucket(pool.segments, bucket), slot) == 0) {
                store(bucket, slot, hash, pool.fill(next++, hash));
            }
        }
        return next;
    }

    private static long hash(long tag, int bucket) {
        return tag << 48 | (long) bucket << 32;
    }

    private static long crowded(int number) {
        return TAG | (long) HOME << 32 | number;
    }

    private static boolean has(HashIndex index, long hash, long at) {
        return IndexFixture.find(index, hash, found -> found == at) == at;
    }

    /** [displace.2] A reader between the two would miss the word in both places. */
    @Test
    void aDisplacementIsCountedBeforeTheWordIsOverwritten() {
        pool.format(0);
        Stripes stripes = new Stripes();
        Placement placement = new Placement(pmem, stripes);
        int stripe = Stripes.of(pool.segments);
        long hash = hash(0x1234, HOME);
        fillUp(HOME, hash, 0);
        fillUp(BucketRecord.partner(HOME, hash), hash, 100);
        long other = hash(0x7777, HOME); // the others of the bucket have no room elsewhere, but this one has
        int slot = SegmentRecord.firstSlot(HOME);
        store(HOME, slot, other, pool.fill(200, other));
        long word = SegmentRecord.bucket(pool.segments, HOME) + slot * 8L;
        int before = stripes.version(stripe);
        boolean[] overwritten = new boolean[1];
        pmem.afterEachChangeOf(at -> {
            if (at == word) {
                overwritten[0] = true;
                assertNotEquals(before, stripes.version(stripe));
            }
        });
        long at = pool.fill(201, hash);
        assertEquals(
                SegmentRecord.bucket(pool.segments, HOME),
                placement.put(stripe, pool.segments, hash, BucketRecord.word(hash, at, 0)));
        assertTrue(overwritten[0]);
    }

    /** A crash within a displacement leaves a word in both of its buckets. */
    @Test
    void aWordInBothBucketsGoesFromBoth() {
        HashIndex index = pool.format(0);
        long hash = hash(0x1234, HOME);
        long at = pool.fill(0, hash);
        store(HOME, 3, hash, at);
        store(BucketRecord.partner(HOME, hash), 3, hash, at);
        assertEquals(1, index.candidates(hash, new long[HashIndex.CANDIDATES_MAX]));
        assertTrue(index.remove(hash, at));
        assertEquals(0, index.candidates(hash, new long[HashIndex.CANDIDATES_MAX]));
    }

    @Test
    void aWordInBothBucketsMakesRoomInOne() {
        HashIndex index = pool.format(0);
        long twice = hash(0x1234, HOME);
        int partner = BucketRecord.partner(HOME, twice);
        long at = pool.fill(0, twice);
        int slot = SegmentRecord.firstSlot(HOME);
        store(HOME, slot, twice, at);
        store(partner, 5, twice, at);
        fillUp(HOME, twice, 1);
        fillUp(partner, twice, 100);
        fillUp(partner + 1, hash(0x1234, partner + 1), 200);
        long[] behind = new long[BucketRecord.SLOTS];
        long line = SegmentRecord.bucket(pool.segments, partner + 1);
        for (int i = 0; i < behind.length; i++) {
            behind[i] = BucketRecord.load(pmem, line, i);
        }
        assertTrue(index.insert(twice, pool.fill(300, twice)));
        assertEquals(0, index.statistics().splits());
        assertTrue(has(index, twice, at));
        assertTrue(has(index, twice, pool.object(300)));
        for (int i = 0; i < behind.length; i++) {
            assertEquals(behind[i], BucketRecord.load(pmem, line, i), "slot " + i + " of the next bucket");
        }
    }

    /** [displace.1] A process dies between the copy and its fence; the next one finds the word in both buckets, and makes use of that. */
    @Test
    void aCopyThatADeadProcessMadeIsDurableBeforeTheOriginalGoes() {
        long moves = hash(0x7777, HOME);
        int deaths = 0;
        for (boolean died = true; died; deaths++) {
            pmem = new SimPmem(IndexFixture.size(DEPTH_MAX, OBJECTS_MAX, 16));
            pool = new IndexFixture(pmem, DEPTH_MAX, OBJECTS_MAX);
            HashIndex index = pool.format(0);
            assertTrue(index.insert(moves, pool.fill(100, moves)));
            for (int n = 0; n < 2 * BucketRecord.SLOTS - 1; n++) {
                assertTrue(index.insert(crowded(n), pool.fill(n, crowded(n))));
            }
            pmem.fence();
            int last = 2 * BucketRecord.SLOTS;
            died = diesBefore(deaths, () -> index.insert(crowded(last - 1), pool.fill(last - 1, crowded(last - 1))));
            pmem.processDied();
            assertTrue(new IndexFixture(pmem, DEPTH_MAX, OBJECTS_MAX)
                    .open()
                    .insert(crowded(last), pool.fill(last, crowded(last))));
            pmem.fence();
            String when = "dead before event " + deaths;
            pmem.images(IMAGES, deaths, image -> {
                IndexFixture opened = new IndexFixture(pmem.crashed(image), DEPTH_MAX, OBJECTS_MAX);
                HashIndex after = opened.open();
                assertTrue(has(after, moves, opened.object(100)), () -> when + ", the copy, " + image);
                for (int n = 0; n <= last; n++) {
                    boolean isKnown = n != last - 1;
                    assertTrue(!isKnown || has(after, crowded(n), opened.object(n)), when + ", " + n + ", " + image);
                }
            });
        }
        assertTrue(deaths > 5, "deaths: " + deaths);
    }

    /** Whether the process died there, and not at the end. */
    private boolean diesBefore(int event, Runnable work) {
        int[] left = {event};
        pmem.beforeEachEvent(() -> {
            if (left[0]-- == 0) {
                throw new Death();
            }
        });
        try {
            work.run();
            return false;
        } catch (Death e) {
            return true;
        }
    }

    /** [split.6], [undo.2]: or a later start would do them again, to segments that serve other keys by then. */
    @Test
    void noRecordOutlivesItsSplitOrItsUndoing() {
        HashIndex index = pool.format(0);
        for (int n = 0; index.statistics().splits() < 2; n++) {
            assertTrue(index.insert(crowded(n), pool.fill(n, crowded(n))));
        }
        for (int lane = 0; lane < SplitRecord.LANES; lane++) {
            assertEquals(SplitRecord.IDLE, SplitRecord.state(pmem, RECORD + lane * SplitRecord.SIZE));
        }
        long record = RECORD + 3 * SplitRecord.SIZE;
        long target = pool.allocate();
        SplitRecord.begin(pmem, record, pool.segments, target, 0);
        pmem.persist(record, SplitRecord.SIZE);
        SimPmem after = pmem.killed();
        new IndexFixture(after, DEPTH_MAX, OBJECTS_MAX).open();
        assertEquals(SplitRecord.IDLE, SplitRecord.state(after, record));
    }

    /** A process dies within a split; the next one finishes it, and then the power goes. */
    @Test
    void aSplitThatTheNextProcessFinishesOutlivesThePower() {
        int deaths = 0;
        for (boolean died = true; died; deaths++) {
            pmem = new SimPmem(IndexFixture.size(DEPTH_MAX, OBJECTS_MAX, 16));
            pool = new IndexFixture(pmem, DEPTH_MAX, OBJECTS_MAX);
            HashIndex index = pool.format(1);
            int known = 0;
            int[] left = {deaths};
            died = false;
            try {
                for (; index.statistics().splits() < 3; known++) {
                    long at = pool.fill(known, crowded(known));
                    if (known == 32) {
                        pmem.beforeEachEvent(() -> {
                            if (left[0]-- == 0) {
                                throw new Death();
                            }
                        });
                    }
                    assertTrue(index.insert(crowded(known), at));
                    pmem.fence();
                }
                pmem.beforeEachEvent(null);
            } catch (Death e) {
                died = true;
                pmem.processDied();
            }
            new IndexFixture(pmem, DEPTH_MAX, OBJECTS_MAX).open();
            int there = known;
            pmem.images(4, deaths, image -> {
                SimPmem after = pmem.crashed(image);
                IndexFixture opened = new IndexFixture(after, DEPTH_MAX, OBJECTS_MAX);
                HashIndex last = opened.open();
                for (int n = 0; n < there; n++) {
                    assertTrue(has(last, crowded(n), opened.object(n)), "object " + n + " of " + image);
                }
            });
        }
        assertTrue(deaths > 50, "deaths: " + deaths);
        assertNotEquals(Pmem.NULL, pool.segments);
    }

    /** Threads that wait for a stripe hear of no failure: if it stayed locked, they would wait for ever. */
    @Test
    void noLoadThatFailsLeavesAStripeLocked() {
        HashIndex index = pool.format(1);
        long hash = crowded(0);
        long at = pool.fill(0, hash);
        int failed = failingLoads(() -> index.insert(hash, at), index, hash)
                + failingLoads(() -> index.sweep(hash & 1, HashIndexStepTest::keep), index, hash)
                + failingLoads(() -> index.remove(hash, at), index, hash);
        assertTrue(failed > 20, "loads that failed: " + failed);
    }

    private static boolean keep(long segment, long word, boolean fits) {
        return true;
    }

    /** How many loads the work has: each fails once, and then the same thread takes the same stripe, which it must not hold any more. */
    private int failingLoads(Runnable work, HashIndex index, long hash) {
        for (int load = 0; ; load++) {
            int[] left = {load};
            pmem.beforeEachLoadOf(_ -> {
                if (left[0]-- == 0) {
                    throw new Death();
                }
            });
            try {
                work.run();
                return load;
            } catch (Death e) {
                pmem.beforeEachLoadOf(null);
                index.sweep(hash & 1, HashIndexStepTest::keep);
            } finally {
                pmem.beforeEachLoadOf(null);
            }
        }
    }

    /** A reader that was disturbed too often reads under the lock. */
    @Test
    void aReaderUnderTheLockThatFailsUnlocksToo() {
        HashIndex index = pool.format(1);
        long hash = crowded(0);
        long at = pool.fill(0, hash);
        long word = SegmentRecord.bucket(index.segment(hash), HOME) + SegmentRecord.firstSlot(HOME) * (long) Long.BYTES;
        assertTrue(index.insert(hash, at));
        int[] reads = new int[1];
        boolean[] inside = new boolean[1];
        pmem.beforeEachLoadOf(loaded -> {
            if (loaded == word && !inside[0] && reads[0]++ < HashIndex.READS_MAX) {
                inside[0] = true;
                assertTrue(index.remove(hash, at));
                assertTrue(index.insert(hash, at));
                inside[0] = false;
            } else if (loaded == word && !inside[0]) {
                throw new Death();
            }
        });
        assertThrows(Death.class, () -> index.candidates(hash, new long[HashIndex.CANDIDATES_MAX]));
        pmem.beforeEachLoadOf(null);
        assertEquals(HashIndex.READS_MAX + 1, reads[0]);
        assertTrue(index.remove(hash, at));
    }

    /** Also if its maker never opens it. */
    @Test
    void anIndexThatWasMadeIsDurableOnReturn() {
        pool.make(2);
        pmem.images(
                IMAGES,
                1,
                image -> assertNotNull(
                        new IndexFixture(pmem.crashed(image), DEPTH_MAX, OBJECTS_MAX).open(), image::toString));
    }
}
