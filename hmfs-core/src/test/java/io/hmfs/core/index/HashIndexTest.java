package io.hmfs.core.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.layout.BucketRecord;
import io.hmfs.core.layout.CorruptPoolException;
import io.hmfs.core.layout.IndexHeader;
import io.hmfs.core.layout.SegmentRecord;
import io.hmfs.core.pmem.MappedPmem;
import io.hmfs.core.pmem.Pmem;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.LongPredicate;
import org.junit.jupiter.api.Test;

// Goal: the index behaves as a map from hash to objects, through splits, doublings and reopening.
// Method: single threaded calls over mapped memory; a long random run beside a HashMap.
final class HashIndexTest {
    private static final int DEPTH_MAX = 10;

    private final IndexFixture pool = pool(DEPTH_MAX, 100_000, 200);
    private final Pmem pmem = pool.pmem;

    private static IndexFixture pool(int depthMax, int objects, int segments) {
        Pmem memory = MappedPmem.inMemory(IndexFixture.size(depthMax, objects, segments));
        return new IndexFixture(memory, depthMax, objects);
    }

    private static boolean any(long at) {
        return true;
    }

    private static boolean none(long at) {
        return false;
    }

    @Test
    void whatIsInsertedIsFoundAndWhatIsRemovedIsNot() {
        HashIndex index = pool.format(0);
        long hash = IndexFixture.mix(1);
        long at = pool.fill(1, hash);
        assertEquals(Pmem.NULL, IndexFixture.find(index, hash, HashIndexTest::any));
        assertTrue(index.insert(hash, at));
        assertEquals(at, IndexFixture.find(index, hash, HashIndexTest::any));
        assertEquals(Pmem.NULL, IndexFixture.find(index, hash, HashIndexTest::none));
        assertTrue(index.remove(hash, at));
        assertEquals(Pmem.NULL, IndexFixture.find(index, hash, HashIndexTest::any));
        assertFalse(index.remove(hash, at));
    }

    @Test
    void objectsOfOneKeyStandSideBySideAndTheMatcherChooses() {
        HashIndex index = pool.format(0);
        long hash = IndexFixture.mix(7);
        for (int n = 0; n < 5; n++) {
            assertTrue(index.insert(hash, pool.fill(n, hash)));
        }
        for (int n = 0; n < 5; n++) {
            long wanted = pool.object(n);
            assertEquals(wanted, IndexFixture.find(index, hash, at -> at == wanted));
        }
        long[] out = new long[HashIndex.CANDIDATES_MAX];
        assertEquals(5, index.candidates(hash, out));
        assertTrue(index.remove(hash, pool.object(2)));
        assertEquals(4, index.candidates(hash, out));
        assertTrue(Arrays.stream(out, 0, 4).noneMatch(at -> at == pool.object(2)));
    }

    @Test
    void insertingTwiceStoresOneWord() {
        HashIndex index = pool.format(0);
        long hash = IndexFixture.mix(3);
        long at = pool.fill(3, hash);
        assertTrue(index.insert(hash, at));
        assertTrue(index.insert(hash, at));
        assertTrue(index.remove(hash, at));
        assertEquals(0, index.candidates(hash, new long[HashIndex.CANDIDATES_MAX]));
    }

    @Test
    void aWordLeftInBothBucketsByACrashCountsOnceAndIsRemovedTwice() {
        HashIndex index = pool.format(0);
        long hash = IndexFixture.mix(11);
        long at = pool.fill(11, hash);
        assertTrue(index.insert(hash, at));
        long partner = SegmentRecord.bucket(pool.segments, BucketRecord.partner(BucketRecord.home(hash), hash));
        BucketRecord.store(pmem, partner, 6, BucketRecord.word(hash, at, 0));
        assertEquals(1, index.candidates(hash, new long[HashIndex.CANDIDATES_MAX]));
        assertTrue(index.remove(hash, at));
        assertEquals(Pmem.NULL, IndexFixture.find(index, hash, HashIndexTest::any));
    }

    @Test
    void tooManyObjectsOfOneHashAreNoSpaceAndNothingElse() {
        HashIndex index = pool.format(0);
        long hash = IndexFixture.mix(5);
        int taken = 0;
        while (taken < 100 && index.insert(hash, pool.fill(taken, hash))) {
            taken++;
        }
        assertEquals(BucketRecord.SLOTS * 2, taken);
        assertEquals(taken, index.candidates(hash, new long[HashIndex.CANDIDATES_MAX]));
        long other = IndexFixture.mix(6);
        assertTrue(index.insert(other, pool.fill(200, other)));
    }

    @Test
    void aFullPoolAndAFullDirectoryAreNoSpaceAndLoseNothing() {
        fill(pool(DEPTH_MAX, 100_000, 3));
        fill(pool(1, 100_000, 100));
    }

    private static void fill(IndexFixture pool) {
        HashIndex index = pool.format(0);
        int count = 0;
        while (index.insert(IndexFixture.mix(count), pool.fill(count, IndexFixture.mix(count)))) {
            count++;
        }
        for (int n = 0; n < count; n++) {
            assertEquals(pool.object(n), IndexFixture.find(index, IndexFixture.mix(n), only(pool.object(n))));
        }
        assertEquals(Pmem.NULL, IndexFixture.find(index, IndexFixture.mix(count), only(pool.object(count))));
    }

    @Test
    void offsetsThatAreNoObjectsAreRefused() {
        HashIndex index = pool.format(0);
        for (long at : new long[] {0, 8, 4096 + 32, 1L << 48, -64}) {
            assertThrows(IllegalArgumentException.class, () -> index.insert(1, at));
        }
    }

    @Test
    void aRootThatIsNoIndexIsCorrupt() {
        assertThrows(CorruptPoolException.class, pool::open);
        pool.format(0);
        pmem.set(IndexFixture.ROOT + IndexHeader.DEPTH_OFFSET, DEPTH_MAX + 1);
        assertThrows(CorruptPoolException.class, pool::open);
    }

    @Test
    void aNameThatIsTakenOverWhileTheMatcherLooksIsFound() {
        takeOver(1);
        takeOver(2);
    }

    /**
     * An object stands in slot 7. Each time that the matcher looks at the live object, another takes its name over, in a slot that
     * the look-up has passed; as often as told.
     */
    private void takeOver(int times) {
        IndexFixture fresh = pool(DEPTH_MAX, 16, 1);
        HashIndex index = fresh.format(0);
        long hash = IndexFixture.mix(21);
        long bucket = SegmentRecord.bucket(fresh.segments, BucketRecord.home(hash));
        BucketRecord.store(fresh.pmem, bucket, 7, BucketRecord.word(hash, fresh.fill(7, hash), 0));
        int[] live = {7};
        long found = IndexFixture.find(index, hash, at -> {
            if (at == fresh.object(live[0]) && live[0] > 7 - times) {
                live[0]--;
                long taker = fresh.fill(live[0], hash);
                BucketRecord.store(fresh.pmem, bucket, live[0], BucketRecord.word(hash, taker, 0));
            }
            return at == fresh.object(live[0]);
        });
        assertEquals(fresh.object(7 - times), found);
    }

    @Test
    void staleWordsAreDroppedBySplitsThatReadTheObjectsAndHarmNoOther() {
        assertEquals(0, staleAfterSplit(5)); // the window moves on
        assertTrue(staleAfterSplit(4) > 300);
    }

    /** Splits a segment of this depth that holds 500 words whose objects have got other keys; how many are left of those. */
    private static long staleAfterSplit(int depth) {
        IndexFixture pool = pool(DEPTH_MAX, 10_000, 100);
        HashIndex index = pool.format(depth);
        long pattern = (1L << depth) - 1;
        int stale = 500;
        int count = 0;
        for (; index.statistics().splits() == 0; count++) {
            long hash = IndexFixture.mix(count) | pattern;
            assertTrue(index.insert(hash, pool.fill(count, hash)));
            if (count < stale) {
                pool.pmem.set(pool.object(count), IndexFixture.mix(count + 1_000_000)); // freed and taken for another
            }
        }
        for (int n = 0; n < count; n++) {
            long at = pool.object(n);
            long hash = IndexFixture.mix(n) | pattern;
            assertTrue(n < stale || IndexFixture.find(index, hash, only(at)) == at, "lost");
        }
        long left = foreign(index);
        for (long position = 0; position < index.sweepEnd(); position++) {
            index.sweep(position, (segment, word, fits) -> fits);
        }
        assertEquals(count - stale, words(index));
        return left;
    }

    @Test
    void aKeyThatDiffersFromAStaleWordInItsWindowAloneHasItsOwnWord() {
        HashIndex index = pool.format(0);
        long crowd = 0xABCDL << 48 | 5L << 32;
        long at = pool.fill(0, crowd);
        assertTrue(index.insert(crowd, at)); // left by a crash: the object is free, and gets another key
        pool.fill(0, crowd | 1);
        assertTrue(index.insert(crowd | 1, at));
        assertEquals(1, index.candidates(crowd | 1, new long[HashIndex.CANDIDATES_MAX]));
        assertTrue(index.remove(crowd | 1, at)); // with the stale word
        assertEquals(0, words(index));
        assertTrue(index.insert(crowd, at));
        assertTrue(index.insert(crowd | 1, at));
        for (int n = 2; index.statistics().splits() == 0; n++) {
            assertTrue(index.insert(crowd | n, pool.fill(n, crowd | n)));
        }
        assertEquals(at, IndexFixture.find(index, crowd | 1, only(at)));
        assertTrue(index.remove(crowd | 1, at));
        assertEquals(Pmem.NULL, IndexFixture.find(index, crowd | 1, only(at)));
    }

    @Test
    void everyKeyIsFoundAfterSplitsInEveryWindow() {
        int depth = 10;
        IndexFixture deep = pool(14, 20_000, (1 << depth) + 20);
        HashIndex index = deep.format(depth);
        int count = 0;
        int free = deep.freeSegments(); // each split takes one; the statistics would look into the segments after each
        // insert
        for (; deep.freeSegments() > free - 12; count++) { // of the segment of pattern 5 and its halves, to depth 14
            long hash = (IndexFixture.mix(count) & -1024) | 5;
            assertTrue(index.insert(hash, deep.fill(count, hash)));
        }
        assertTrue(index.statistics().splits() >= 12, () -> index.statistics().toString());
        assertTrue(index.statistics().depth() >= 13, () -> index.statistics().toString());
        assertEquals(0, foreign(index));
        assertEquals(count, words(index));
        HashIndex opened = deep.open();
        for (int n = 0; n < count; n++) {
            long hash = deep.pmem.get(deep.object(n));
            assertEquals(deep.object(n), IndexFixture.find(opened, hash, only(deep.object(n))));
        }
    }

    @Test
    void aSweepShowsEveryWordOnceAndClearsWhatIsNotWanted() {
        HashIndex index = pool.format(0);
        int count = 10_000;
        for (int n = 0; n < count; n++) {
            assertTrue(index.insert(IndexFixture.mix(n), pool.fill(n, IndexFixture.mix(n))));
        }
        int[] shown = new int[count];
        long cleared = 0;
        for (long position = 0; position < index.sweepEnd(); position++) {
            cleared += index.sweep(position, (segment, word, fits) -> {
                assertTrue(fits);
                assertTrue(index.owns(segment));
                int number = (int) ((BucketRecord.offset(word) - pool.objects) / Pmem.LINE);
                shown[number]++;
                return number % 2 == 0;
            });
        }
        assertTrue(Arrays.stream(shown).allMatch(times -> times == 1));
        assertEquals(count / 2, cleared);
        for (int n = 0; n < count; n++) {
            assertEquals(
                    n % 2 == 0 ? pool.object(n) : Pmem.NULL,
                    IndexFixture.find(index, IndexFixture.mix(n), only(pool.object(n))));
        }
    }

    @Test
    void segmentsThatTheIndexDoesNotKnowAreNotItsOwn() {
        HashIndex index = pool.format(0);
        assertTrue(index.owns(pool.segments));
        long leaked = pool.allocate();
        assertFalse(index.owns(leaked));
        SegmentRecord.init(pmem, leaked, 0, 1);
        assertFalse(index.owns(leaked));
    }

    @Test
    void aLongRandomRunAgreesWithAHashMap() {
        int objects = 100_000;
        HashIndex index = pool.format(1);
        Map<Long, Long> model = new HashMap<>();
        long seed = Long.getLong("hmfs.seed", 20);
        SplittableRandom random = new SplittableRandom(seed);
        Target target = new Target();
        long deadline = System.nanoTime() + 5_000_000_000L;
        int operations = 0;
        for (; operations < 5_000_000 && System.nanoTime() < deadline; operations++) {
            long number = random.nextInt(objects);
            long hash = IndexFixture.mix(number);
            target.at = pool.object(number);
            int dice = random.nextInt(10);
            if (dice < 4) {
                long expected = model.getOrDefault(hash, Pmem.NULL);
                assertEquals(expected, IndexFixture.find(index, hash, target), () -> "seed " + seed);
            } else if (dice < 7 + (operations >>> 19 & 1)) {
                assertTrue(index.insert(hash, pool.fill(number, hash)));
                model.put(hash, target.at);
            } else {
                assertEquals(model.remove(hash) != null, index.remove(hash, target.at), () -> "seed " + seed);
            }
            if (operations % 1_000_000 == 999_999) {
                index = pool.open();
            }
        }
        System.out.println("operations " + operations + ", " + index.statistics());
        for (Map.Entry<Long, Long> entry : model.entrySet()) {
            target.at = entry.getValue();
            assertEquals(target.at, IndexFixture.find(index, entry.getKey(), target));
        }
        assertEquals(0, foreign(index));
        assertEquals(model.size(), words(index));
    }

    private static final class Target implements LongPredicate {
        long at;

        @Override
        public boolean test(long candidate) {
            return candidate == at;
        }
    }

    static LongPredicate only(long wanted) {
        return at -> at == wanted;
    }

    private static long foreign(HashIndex index) {
        long[] count = {0};
        for (long position = 0; position < index.sweepEnd(); position++) {
            index.sweep(position, (segment, word, fits) -> {
                count[0] += fits ? 0 : 1;
                return true;
            });
        }
        return count[0];
    }

    private static long words(HashIndex index) {
        long[] count = {0};
        for (long position = 0; position < index.sweepEnd(); position++) {
            index.sweep(position, (segment, word, fits) -> {
                count[0]++;
                return true;
            });
        }
        return count[0];
    }
}
