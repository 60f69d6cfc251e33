package io.hmfs.core.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.layout.BucketRecord;
import io.hmfs.core.layout.DirectoryEntry;
import io.hmfs.core.layout.IndexHeader;
import io.hmfs.core.layout.SplitRecord;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.sim.CrashImage;
import io.hmfs.core.sim.Sample;
import io.hmfs.core.sim.SimPmem;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Goal: what a thread or a process has done in the index and not fenced, others may build on, and then the power may go. Method: a
 * thread that splits ends without a fence, or the process dies before each event of two splits under way at once; others split the same
 * segment again, and images of a sample of the moments of all that are opened and used on.
 */
final class SplitHandoverTest {
    private static final int DEPTH = 4;
    private static final int DEPTH_MAX = 8;
    private static final int OBJECTS_MAX = 128;
    private static final int SEGMENTS = 27;
    private static final int IMAGES = 64;
    private static final int IMAGES_AFTER_DEATH = 8;
    private static final int SAMPLED = 6;

    /** Splits at local depth 5 here, and its halves have other windows than it. */
    private static final long SEGMENT = 15;

    /** Splits at the same time. */
    private static final long NEIGHBOUR = 3;

    /** Keys of a full segment that belong to it after its split, too. */
    private static final int STAY = 12;

    /** Ends every thread of a process. */
    private static final class Death extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private SimPmem pmem = new SimPmem(IndexFixture.size(DEPTH_MAX, OBJECTS_MAX, SEGMENTS));
    private IndexFixture pool = new IndexFixture(pmem, DEPTH_MAX, OBJECTS_MAX);

    /** Hash by object number, for those whose insert was fenced. */
    private final Map<Integer, Long> acknowledged = new LinkedHashMap<>();

    private final Sample sample = new Sample(SAMPLED, "splits of the dead");

    private int objects;
    private int images;

    /** All in two buckets of their segment: the 17th of a segment splits it. */
    private static long crowded(long low) {
        return 0xABCDL << 48 | 5L << 32 | low;
    }

    /** Both segments are full; a quarter of their keys leave when they split. */
    private HashIndex format() {
        pmem = new SimPmem(IndexFixture.size(DEPTH_MAX, OBJECTS_MAX, SEGMENTS));
        pool = new IndexFixture(pmem, DEPTH_MAX, OBJECTS_MAX);
        acknowledged.clear();
        objects = 0;
        HashIndex index = pool.format(DEPTH);
        for (int n = 0; n < 16; n++) {
            insert(index, SEGMENT + 64L * n + (n < STAY ? 0 : 16));
            insert(index, NEIGHBOUR + 64L * n + (n < STAY ? 0 : 16));
        }
        assertEquals(0, index.statistics().splits());
        return index;
    }

    private void insert(HashIndex index, long low) {
        int number = objects++;
        assertTrue(index.insert(crowded(low), pool.fill(number, crowded(low))));
        pmem.fence();
        acknowledged.put(number, crowded(low));
    }

    /**
     * Splits the neighbour, and while that is copied, in another thread, the segment, which takes the second record; that thread
     * fences nothing at its end.
     */
    private void splitBothAtOnce(HashIndex index, Runnable beforeEachEvent) {
        boolean[] begun = {false};
        Throwable[] thrown = new Throwable[1];
        int other = objects++;
        pmem.beforeEachEvent(() -> {
            beforeEachEvent.run();
            if (!begun[0] && SplitRecord.state(pmem, record(0)) == SplitRecord.COPYING) {
                begun[0] = true;
                Thread thread = Thread.ofPlatform().start(() -> {
                    try {
                        long at = pool.fill(other, crowded(SEGMENT + 16));
                        assertTrue(index.insert(crowded(SEGMENT + 16), at));
                    } catch (RuntimeException | Error e) {
                        thrown[0] = e;
                    }
                });
                join(thread);
                if (thrown[0] instanceof Death death) {
                    throw death;
                }
            }
        });
        insert(index, NEIGHBOUR + 16);
        pmem.beforeEachEvent(null);
        if (thrown[0] != null) {
            throw new AssertionError(thrown[0]);
        }
        assertEquals(2, index.statistics().splits());
        assertNotEquals(Pmem.NULL, SplitRecord.target(pmem, record(1)), "the second record was not used");
    }

    /** Fills the segment again, so that it splits once more. */
    private void splitAgain(HashIndex index) {
        for (int n = STAY; n < 17; n++) {
            insert(index, SEGMENT + 32 + 64L * n);
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static long record(int lane) {
        return IndexFixture.ROOT + IndexHeader.SIZE + lane * SplitRecord.SIZE;
    }

    /** [split.6] Or its record finishes it once more, and gives the words of the segment the windows of a depth that is past. */
    @Test
    void aSplitIsOverBeforeAnotherThreadSplitsTheSegmentAgain() {
        HashIndex index = format();
        splitBothAtOnce(index, () -> {});
        pmem.beforeEachEvent(() -> takeImages(IMAGES, "while it is split again"));
        splitAgain(index);
        pmem.beforeEachEvent(null);
        assertEquals(3, index.statistics().splits());
        takeImages(IMAGES, "after it was split again");
        assertTrue(images > 100, "images: " + images);
    }

    /** [open.1] A start goes by what the dead process had stored in the header and the records, and had not written back. */
    @Test
    void whatTheNextProcessBuildsOnTheSplitsOfADeadOneOutlivesThePower() {
        int deaths = 0;
        for (boolean died = true; died; deaths++) {
            died = diesBefore(deaths, format());
            pmem.processDied();
            String when = "dead before event " + deaths;
            pool = new IndexFixture(pmem, DEPTH_MAX, OBJECTS_MAX);
            pmem.beforeEachEvent(new Thinned(when));
            HashIndex next = pool.open();
            insert(next, SEGMENT + 16);
            splitAgain(next);
            pmem.beforeEachEvent(null);
            takeImages(IMAGES_AFTER_DEATH, when);
        }
        assertTrue(deaths > 50, "deaths: " + deaths);
        System.out.println("deaths " + deaths + ", images " + images);
    }

    private boolean diesBefore(int event, HashIndex index) {
        int[] left = {event};
        try {
            splitBothAtOnce(index, () -> {
                if (left[0]-- <= 0) {
                    throw new Death();
                }
            });
            return false;
        } catch (Death e) {
            return true;
        }
    }

    /** Images at the first events after a write-back or a fence: long runs of stores differ little. */
    private final class Thinned implements Runnable {
        private static final int FIRST = 2;

        private final String when;
        private long orders = -1;
        private int run;

        Thinned(String when) {
            this.when = when;
        }

        @Override
        public void run() {
            long now = pmem.writeBacks() + pmem.fences();
            run = now == orders ? run + 1 : 0;
            orders = now;
            if (run < FIRST && sample.takes()) {
                takeImages(IMAGES_AFTER_DEATH, when);
            }
        }
    }

    private void takeImages(int limit, String when) {
        pmem.images(limit, images, image -> check(image, when));
    }

    /** All that was acknowledged is found, and each word stands where it belongs; so also when the segment has split once more. */
    private void check(CrashImage image, String when) {
        images++;
        SimPmem after = pmem.crashed(image);
        IndexFixture opened = new IndexFixture(after, DEPTH_MAX, OBJECTS_MAX);
        HashIndex index = opened.open();
        String where = when + ", " + image;
        checkOpened(opened, index, where);
        for (int n = 17; n < 22; n++) {
            long hash = crowded(SEGMENT + 64L * n);
            assertTrue(index.insert(hash, opened.fill(OBJECTS_MAX - n, hash)));
        }
        assertNotEquals(0, index.statistics().splits());
        checkOpened(opened, index, where + ", used on");
    }

    private void checkOpened(IndexFixture opened, HashIndex index, String where) {
        long depth = IndexHeader.depth(opened.pmem, IndexFixture.ROOT);
        for (long entry = 0; entry < 1L << depth; entry++) {
            long word = DirectoryEntry.load(opened.pmem, IndexFixture.DIRECTORY + entry * DirectoryEntry.SIZE);
            assertTrue(DirectoryEntry.depth(word) <= depth, "a segment is deeper than the directory: " + where);
        }
        acknowledged.forEach((number, hash) -> {
            long at = opened.object(number);
            assertEquals(at, IndexFixture.find(index, hash, found -> found == at), "lost: " + where);
        });
        for (long position = 0; position < index.sweepEnd(); position++) {
            long pattern = position & ((1 << DEPTH) - 1);
            if (pattern == SEGMENT || pattern == NEIGHBOUR) {
                index.sweep(position, (_, word, fits) -> {
                    long number = (BucketRecord.offset(word) - opened.objects) / Pmem.LINE;
                    assertTrue(fits || !acknowledged.containsKey((int) number), "a word that does not fit: " + where);
                    return true;
                });
            }
        }
    }
}
