package io.hmfs.core.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.layout.BucketRecord;
import io.hmfs.core.layout.SegmentRecord;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.sim.SimPmem;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

// Goal: a reader never misses an entry, whatever a writer does between any two of its loads; and reads few lines.
// Method: a memory that runs a writer's whole operation right before the n-th load of a look-up, for every n.
final class HashIndexReaderTest {
    private static final int DEPTH_MAX = 6;
    private static final int LOADS_MAX = 100;
    private static final long TAG = 0xABCDL << 48;
    private static final int HOME = 5;

    private SimPmem pmem = new SimPmem(Pmem.LINE, Persistence.PROCESS);
    private IndexFixture pool = new IndexFixture(pmem, 0, 0);

    /** What a test does to a fresh index, and what it then looks for. */
    private interface Scene {
        /** Fills the index and gives what another thread will do. */
        Runnable prepare(HashIndex index);

        /** Looks, and fails if an entry is missed. */
        void look(HashIndex index);
    }

    private void atEveryLoad(Scene scene) {
        for (int load = 0; load < LOADS_MAX; load++) {
            HashIndex index = format();
            Runnable writer = scene.prepare(index);
            int due = load;
            int[] loads = {0};
            boolean[] inside = {false};
            pmem.beforeEachLoadOf(at -> {
                if (!inside[0] && loads[0]++ == due) {
                    inside[0] = true;
                    writer.run();
                    inside[0] = false;
                }
            });
            scene.look(index);
            pmem.beforeEachLoadOf(null);
            if (loads[0] <= due) {
                assertTrue(load > 1, "a look-up of " + loads[0] + " loads");
                return;
            }
        }
    }

    private HashIndex format() {
        pmem = new SimPmem(IndexFixture.size(DEPTH_MAX, 8192, 64), Persistence.PROCESS);
        pool = new IndexFixture(pmem, DEPTH_MAX, 8192);
        return pool.format(0);
    }

    @Test
    void anEntryThatIsDisplacedIsNotMissed() {
        atEveryLoad(new Displacement(false));
        atEveryLoad(new Displacement(true));
    }

    /** The wanted word stands in its partner bucket, which is full, and its home has room: the next insert moves it home. */
    private final class Displacement implements Scene {
        private final boolean byCandidates;
        private final long wanted = TAG | (long) HOME << 32;
        private long at;

        Displacement(boolean byCandidates) {
            this.byCandidates = byCandidates;
        }

        @Override
        public Runnable prepare(HashIndex index) {
            int partner = BucketRecord.partner(HOME, wanted);
            long other = 0x1234L << 48 | (long) partner << 32;
            int third = BucketRecord.partner(partner, other);
            at = pool.fill(0, wanted);
            store(partner, 0, wanted, at);
            for (int slot = 0; slot < BucketRecord.SLOTS; slot++) {
                if (slot > 0) {
                    store(partner, slot, other, pool.fill(slot, other));
                }
                store(third, slot, other, pool.fill(20 + slot, other));
            }
            return () -> assertTrue(index.insert(other, pool.fill(40, other)));
        }

        @Override
        public void look(HashIndex index) {
            if (byCandidates) {
                assertEquals(1, index.candidates(wanted, new long[HashIndex.CANDIDATES_MAX]));
            } else {
                assertEquals(at, IndexFixture.find(index, wanted, HashIndexTest.only(at)));
            }
        }
    }

    private void store(int bucket, int slot, long hash, long at) {
        BucketRecord.store(pmem, SegmentRecord.bucket(pool.segments, bucket), slot, BucketRecord.word(hash, at, 0));
    }

    @Test
    void anEntryThatASplitTakesElsewhereIsNotMissed() {
        for (int after = 0; after < 3; after++) {
            for (long low = 0; low < 16; low++) {
                atEveryLoad(new Split(after, Split.CROWD | low)); // among others of its tag
                atEveryLoad(new Split(after, Split.ALONE | low)); // the only one with its tag
            }
        }
    }

    /** Seventeen keys in two buckets: the last one splits the segment, at depth 0 with a doubling, and again later. */
    private final class Split implements Scene {
        private static final long CROWD = TAG | (long) HOME << 32;
        private static final long ALONE = 0x7777L << 48 | 200L << 32;
        private static final int ALONE_NUMBER = 5000;

        private final int splitsBefore;
        private final long wanted;
        private long wantedAt;

        Split(int splitsBefore, long wanted) {
            this.splitsBefore = splitsBefore;
            this.wanted = wanted;
        }

        @Override
        public Runnable prepare(HashIndex index) {
            wantedAt = Pmem.NULL;
            int step = 1 << splitsBefore;
            for (int n = 0; n < 16; n++) {
                assertTrue(index.insert(CROWD | n, pool.fill(n, CROWD | n)));
                if (wanted == (CROWD | n)) {
                    wantedAt = pool.object(n);
                }
            }
            if (wantedAt == Pmem.NULL) {
                wantedAt = pool.fill(ALONE_NUMBER, wanted);
                assertTrue(index.insert(wanted, wantedAt));
            }
            // Crowd the segment of keys that end in zeros until it has been split that often, and is full again.
            int next = 16;
            long[] out = new long[HashIndex.CANDIDATES_MAX];
            while (index.statistics().splits() < splitsBefore || index.candidates(CROWD, out) < out.length) {
                assertTrue(index.insert(CROWD | next, pool.fill(next, CROWD | next)));
                next += step;
            }
            int last = next;
            return () -> {
                assertTrue(index.insert(CROWD | last, pool.fill(last, CROWD | last)));
                assertEquals(splitsBefore + 1, index.statistics().splits());
            };
        }

        @Override
        public void look(HashIndex index) {
            assertEquals(wantedAt, IndexFixture.find(index, wanted, HashIndexTest.only(wantedAt)));
        }
    }

    @Test
    void aWriterThatReadTheDepthBeforeADoublingFindsItsSegment() {
        HashIndex index = format();
        for (int n = 0; n < 16; n++) {
            assertTrue(index.insert(Split.CROWD | n, pool.fill(n, Split.CROWD | n)));
        }
        long late = IndexFixture.mix(3) | 1; // belongs to the upper half
        boolean[] done = {false};
        pmem.beforeEachLoadOf(at -> {
            if (!done[0]) {
                done[0] = true; // the first load of an insert is that of the directory entry, before it locks
                assertTrue(index.insert(Split.CROWD | 16, pool.fill(16, Split.CROWD | 16)));
            }
        });
        assertTrue(index.insert(late, pool.fill(17, late)));
        assertEquals(1, index.statistics().depth());
        assertEquals(pool.object(17), IndexFixture.find(index, late, HashIndexTest.only(pool.object(17))));
    }

    /** The new word goes into the first slot, which a reader may have passed; the old one stands behind it. */
    private Runnable replacement(HashIndex index, long hash) {
        long first = pool.fill(1, hash);
        assertTrue(index.insert(hash, first));
        assertTrue(index.insert(hash, pool.fill(2, hash)));
        assertTrue(index.remove(hash, first));
        return () -> {
            assertTrue(index.insert(hash, pool.fill(3, hash)));
            assertTrue(index.remove(hash, pool.object(2)));
        };
    }

    @Test
    void aKeyWhoseObjectIsReplacedIsNeverWithoutOne() {
        long hash = IndexFixture.mix(9);
        atEveryLoad(new Scene() {
            @Override
            public Runnable prepare(HashIndex index) {
                return replacement(index, hash);
            }

            @Override
            public void look(HashIndex index) {
                assertTrue(IndexFixture.find(index, hash, at -> true) != Pmem.NULL);
            }
        });
    }

    /** Nor does one look at the candidates miss it: two of them could, between several replacements. */
    @Test
    void candidatesAreOfOneMoment() {
        long hash = IndexFixture.mix(9);
        atEveryLoad(new Scene() {
            @Override
            public Runnable prepare(HashIndex index) {
                return replacement(index, hash);
            }

            @Override
            public void look(HashIndex index) {
                assertEquals(1, index.candidates(hash, new long[HashIndex.CANDIDATES_MAX]));
            }
        });
        for (long low = 0; low < 16; low++) {
            Split split = new Split(0, Split.ALONE | low);
            atEveryLoad(new Scene() {
                @Override
                public Runnable prepare(HashIndex index) {
                    return split.prepare(index);
                }

                @Override
                public void look(HashIndex index) {
                    assertEquals(1, index.candidates(split.wanted, new long[HashIndex.CANDIDATES_MAX]));
                }
            });
        }
    }

    @Test
    void aSegmentIsNineTenthsFullAtItsSplitAndAHitReadsFewLines() {
        HashIndex index = format();
        int count = 0;
        while (index.statistics().splits() == 0) {
            assertTrue(index.insert(IndexFixture.mix(count), pool.fill(count, IndexFixture.mix(count))));
            count++;
        }
        double loadAtSplit = index.statistics().loadAtSplit();
        HashIndex crowded = format();
        int full = count - 1;
        for (int n = 0; n < full; n++) {
            assertTrue(crowded.insert(IndexFixture.mix(n), pool.fill(n, IndexFixture.mix(n))));
        }
        assertEquals(0, crowded.statistics().splits());
        Set<Long> lines = new HashSet<>();
        pmem.beforeEachLoadOf(at -> {
            if (at >= pool.segments) {
                lines.add(at / Pmem.LINE);
            }
        });
        long read = 0;
        for (int n = 0; n < full; n++) {
            lines.clear();
            assertEquals(
                    pool.object(n),
                    IndexFixture.find(crowded, IndexFixture.mix(n), HashIndexTest.only(pool.object(n))));
            read += lines.size();
        }
        double linesPerHit = (double) read / full;
        System.out.printf("load at split %.3f, lines per hit %.3f%n", loadAtSplit, linesPerHit);
        assertTrue(loadAtSplit >= 0.85, () -> "load " + loadAtSplit);
        assertTrue(linesPerHit <= 1.3, () -> "lines " + linesPerHit);
    }

    @Test
    void aMissReadsTwoLinesAndHardlyEverAnObject() {
        HashIndex index = format();
        int full = SegmentRecord.SLOTS * 9 / 10;
        for (int n = 0; n < full; n++) {
            assertTrue(index.insert(IndexFixture.mix(n), pool.fill(n, IndexFixture.mix(n))));
        }
        Set<Long> lines = new HashSet<>();
        pmem.beforeEachLoadOf(at -> {
            if (at >= pool.segments) {
                lines.add(at / Pmem.LINE);
            }
        });
        int misses = 200_000;
        long read = 0;
        int touched = 0;
        boolean[] touches = {false};
        for (int n = 0; n < misses; n++) {
            lines.clear();
            touches[0] = false;
            assertEquals(Pmem.NULL, IndexFixture.find(index, IndexFixture.mix(-1 - n), at -> {
                touches[0] = true;
                return false;
            }));
            read += lines.size();
            touched += touches[0] ? 1 : 0;
        }
        double share = (double) touched / misses;
        System.out.printf("lines per miss %.3f, misses that touch an object %.6f%n", (double) read / misses, share);
        assertTrue(share < 0.001, () -> "misses that touch an object: " + share);
    }
}
