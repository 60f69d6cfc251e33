package io.hmfs.core.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.sim.SimPmem;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Goal: timestamps and ids are unique and rise, over threads, restarts and power losses. Method: simulated memory; after a loss of
 * all that is not durable, the next start must begin above everything that was issued.
 */
final class ClockTest {
    private static final long SIZE = 8192;

    /** The same memory after a power loss that kept nothing that was not fenced. */
    private static SimPmem afterPowerLoss(SimPmem pmem) {
        SimPmem[] after = new SimPmem[1];
        pmem.images(2, 1, image -> after[0] = after[0] == null ? pmem.crashed(image) : after[0]);
        return after[0];
    }

    @Test
    void timesRiseOverRestartsAndPowerLosses() {
        SimPmem pmem = new SimPmem(SIZE);
        long last = 0;
        for (int start = 0; start < 20; start++) {
            Clock clock = new Clock(pmem, 0);
            assertTrue(clock.start() > last, "start");
            for (int i = 0; i < 100; i++) {
                long next = clock.next();
                assertTrue(next > last && next > clock.start());
                last = next;
            }
            if (start % 3 == 0) {
                clock.advance(last + 5 * Clock.LEASE_NANOS); // a time taken from an mtime, ahead of the wall
                last += 5 * Clock.LEASE_NANOS;
                assertTrue(clock.next() > last);
                last++;
            } else if (start % 3 == 1) {
                clock.close();
                long closed = last;
                assertTrue(
                        pmem.get(PoolHeader.CLOCK_LEASE_OFFSET) <= closed + 1, "the rest of the lease is given back");
            }
            pmem = afterPowerLoss(pmem);
        }
    }

    @Test
    void noTimeIsAboveTheDurableLease() {
        SimPmem pmem = new SimPmem(SIZE);
        Clock clock = new Clock(pmem, 0);
        for (int i = 0; i < 10; i++) {
            long ahead = clock.next() + Clock.LEASE_NANOS / 3;
            clock.advance(ahead);
            assertTrue(afterPowerLoss(pmem).get(PoolHeader.CLOCK_LEASE_OFFSET) > ahead);
            long issued = clock.next();
            assertTrue(afterPowerLoss(pmem).get(PoolHeader.CLOCK_LEASE_OFFSET) > issued);
        }
    }

    @Test
    void threadsGetDifferentTimes() throws InterruptedException {
        Clock clock = new Clock(new SimPmem(SIZE), 0);
        long[][] times = new long[4][20_000];
        List<Thread> threads = new ArrayList<>();
        for (long[] mine : times) {
            threads.add(Thread.ofPlatform().start(() -> Arrays.setAll(mine, _ -> clock.next())));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(
                80_000,
                Arrays.stream(times).flatMapToLong(LongStream::of).distinct().count());
        for (long[] mine : times) {
            assertTrue(mine[0] > clock.start());
            for (int i = 1; i < mine.length; i++) {
                assertTrue(mine[i] > mine[i - 1]);
            }
        }
    }

    @Test
    void idsAreNeverIssuedTwice() {
        SimPmem pmem = new SimPmem(SIZE);
        pmem.set(PoolHeader.ID_LEASE_OFFSET, 2);
        pmem.persist(PoolHeader.ID_LEASE_OFFSET, 8);
        long last = 1;
        for (int start = 0; start < 5; start++) {
            IdSource ids = new IdSource(pmem, 0);
            for (int i = 0; i < 1000; i++) {
                long next = ids.next();
                assertTrue(next > last);
                last = next;
            }
            if (start % 2 == 0) {
                ids.close();
                assertEquals(last + 1, pmem.get(PoolHeader.ID_LEASE_OFFSET));
            }
            pmem = afterPowerLoss(pmem);
        }
        assertEquals(0, IdSource.partition(last));
        assertEquals(0xffff, IdSource.partition(-1));
    }
}
