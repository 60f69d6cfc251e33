package io.hmfs.core.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.pmem.MappedPmem;
import io.hmfs.core.pmem.Pmem;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongPredicate;
import org.junit.jupiter.api.Test;

// Goal: threads that read, insert and remove at once never miss or lose an entry, while segments split and the
// directory grows.
// Method: real threads on mapped memory; each knows what it must find.
final class HashIndexThreadsTest {
    private static final int DEPTH_MAX = 12;
    private static final int OBJECTS = 400_000;
    private static final int WRITERS = 3;

    private final Pmem pmem = MappedPmem.inMemory(IndexFixture.size(DEPTH_MAX, OBJECTS, 700));
    private final IndexFixture pool = new IndexFixture(pmem, DEPTH_MAX, OBJECTS);

    private static final class Target implements LongPredicate {
        private long wanted;

        @Override
        public boolean test(long at) {
            return at == wanted;
        }
    }

    @Test
    void readersFindEverythingThatWasInsertedWhileItSplits() throws Exception {
        HashIndex index = pool.format(0);
        AtomicLong inserted = new AtomicLong();
        List<Callable<Long>> jobs = new ArrayList<>();
        jobs.add(() -> {
            for (int n = 0; n < OBJECTS; n++) {
                assertTrue(index.insert(IndexFixture.mix(n), pool.fill(n, IndexFixture.mix(n))));
                inserted.setRelease(n + 1);
            }
            return (long) OBJECTS;
        });
        jobs.add(() -> {
            SplittableRandom random = new SplittableRandom(1);
            Target target = new Target();
            long looked = 0;
            for (long count = 0; count < OBJECTS; count = inserted.getAcquire()) {
                if (count > 0) {
                    long n = random.nextInt(4) == 0 ? count - 1 : random.nextLong(count);
                    target.wanted = pool.object(n);
                    assertEquals(
                            target.wanted, IndexFixture.find(index, IndexFixture.mix(n), target), () -> "missed " + n);
                    looked++;
                }
            }
            return looked;
        });
        run(jobs);
        assertTrue(index.statistics().splits() > 100, () -> index.statistics().toString());
    }

    @Test
    void writersOfDifferentKeysLoseNothingToEachOther() throws Exception {
        HashIndex index = pool.format(0);
        List<Callable<Long>> jobs = new ArrayList<>();
        for (int writer = 0; writer < WRITERS; writer++) {
            int first = writer;
            jobs.add(() -> {
                Target target = new Target();
                for (int n = first; n < OBJECTS; n += WRITERS) {
                    assertTrue(index.insert(IndexFixture.mix(n), pool.fill(n, IndexFixture.mix(n))));
                    if (n % 8 == 7) {
                        assertTrue(index.remove(IndexFixture.mix(n), pool.object(n)));
                    }
                    target.wanted = pool.object(n / 2 / WRITERS * WRITERS + first);
                    long earlier = (target.wanted - pool.objects) / Pmem.LINE;
                    boolean found = IndexFixture.find(index, IndexFixture.mix(earlier), target) != Pmem.NULL;
                    assertEquals(earlier % 8 != 7 || earlier > n, found, () -> "object " + earlier);
                }
                return 0L;
            });
        }
        run(jobs);
        Target target = new Target();
        HashIndex reopened = pool.open();
        for (int n = 0; n < OBJECTS; n++) {
            target.wanted = pool.object(n);
            long expected = n % 8 == 7 ? Pmem.NULL : target.wanted;
            assertEquals(expected, IndexFixture.find(reopened, IndexFixture.mix(n), target));
        }
    }

    @Test
    void entriesThatStayAreFoundWhileOthersComeAndGoInANearlyFullSegment() throws Exception {
        IndexFixture one = new IndexFixture(MappedPmem.inMemory(IndexFixture.size(0, 4096, 1)), 0, 4096);
        HashIndex index = one.format(0);
        int stay = 1500;
        for (int n = 0; n < stay; n++) {
            assertTrue(index.insert(IndexFixture.mix(n), one.fill(n, IndexFixture.mix(n))));
        }
        AtomicBoolean done = new AtomicBoolean();
        List<Callable<Long>> jobs = new ArrayList<>();
        jobs.add(() -> {
            SplittableRandom random = new SplittableRandom(2);
            long[] present = new long[4096 - stay];
            for (int round = 0; round < 2_000_000; round++) {
                int n = random.nextInt(present.length);
                long hash = IndexFixture.mix(stay + n);
                if (present[n] == 0) {
                    present[n] = index.insert(hash, one.fill(stay + n, hash)) ? 1 : 0;
                } else if (random.nextInt(8) == 0) {
                    assertTrue(index.remove(hash, one.object(stay + n)));
                    present[n] = 0;
                }
            }
            done.set(true);
            return 0L;
        });
        jobs.add(() -> {
            Target target = new Target();
            long n = 0;
            for (; !done.get(); n++) {
                target.wanted = one.object(n % stay);
                assertEquals(target.wanted, IndexFixture.find(index, IndexFixture.mix(n % stay), target));
            }
            return n;
        });
        run(jobs);
    }

    private static void run(List<Callable<Long>> jobs) throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(jobs.size())) {
            for (Future<Long> result : threads.invokeAll(jobs)) {
                result.get();
            }
        }
    }
}
