package io.hmfs.server.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ResultCode;
import io.hmfs.server.protocol.RequestKind;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Goal: each request is counted once, in the bucket of its latency, whichever thread had it.
 * Method: latencies at and beside all bounds and random ones; meters of two threads, added up.
 */
class WorkerMeterTest {
    private static void assertFits(long nanos) {
        int bucket = WorkerMeter.bucket(nanos);
        assertTrue(bucket >= 0 && bucket < WorkerMeter.BUCKETS, nanos + " in " + bucket);
        assertTrue(bucket == 0 || nanos > WorkerMeter.bound(bucket - 1), nanos + " in " + bucket);
        assertTrue(bucket == WorkerMeter.BUCKETS - 1 || nanos <= WorkerMeter.bound(bucket), nanos + " in " + bucket);
    }

    @Test
    void aLatencyFallsBetweenTheBoundsOfItsBucket() {
        for (int bucket = 0; bucket < WorkerMeter.BUCKETS - 1; bucket++) {
            for (long beside = -2; beside <= 2; beside++) {
                assertFits(WorkerMeter.bound(bucket) + beside);
            }
        }
        SplittableRandom random = new SplittableRandom(7);
        for (int i = 0; i < 100_000; i++) {
            assertFits(random.nextLong(Long.MAX_VALUE) >>> random.nextInt(63));
        }
        assertFits(Long.MAX_VALUE);
        assertEquals(0, WorkerMeter.bucket(0));
        assertEquals(0, WorkerMeter.bucket(-5)); // a clock that steps back counts as no time
    }

    @Test
    void boundsAscend() {
        for (int bucket = 1; bucket < WorkerMeter.BUCKETS - 1; bucket++) {
            assertTrue(WorkerMeter.bound(bucket) > WorkerMeter.bound(bucket - 1), "bound " + bucket);
        }
    }

    @Test
    void whatThreadsCountAddsUp() throws InterruptedException {
        Meters meters = new Meters();
        Thread[] threads = new Thread[3];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = Thread.ofPlatform().start(() -> {
                WorkerMeter meter = meters.newMeter();
                for (int n = 0; n < 10_000; n++) {
                    meters.count(meter, RequestKind.STAT, n % 4 == 0 ? ResultCode.NOT_FOUND : ResultCode.OK, 1000);
                    meter.add(WorkerMeter.Tally.SENT_BYTES, 3);
                }
            });
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(22_500, meters.requests(RequestKind.STAT, ResultCode.OK));
        assertEquals(7_500, meters.requests(RequestKind.STAT, ResultCode.NOT_FOUND));
        assertEquals(0, meters.requests(RequestKind.LIST, ResultCode.OK));
        assertEquals(30_000_000, meters.nanos(RequestKind.STAT));
        assertEquals(30_000, meters.buckets(RequestKind.STAT)[WorkerMeter.bucket(1000)]);
        assertEquals(90_000, meters.tally(WorkerMeter.Tally.SENT_BYTES));
    }

    @Test
    void aPoolIsFullFromARequestWithoutRoomUntilOneThatMakesOrFindsSome() {
        Meters meters = new Meters();
        WorkerMeter meter = meters.newMeter();
        meters.count(meter, RequestKind.SET_OWNER, ResultCode.NO_SPACE, 1); // the table of names is full, not the pool
        assertEquals(false, meters.isFull());
        for (RequestKind healing : new RequestKind[] {RequestKind.DELETE, RequestKind.CREATE, RequestKind.RMDIR}) {
            meters.count(meter, RequestKind.CREATE, ResultCode.NO_SPACE, 1);
            assertEquals(true, meters.isFull());
            meters.count(meter, RequestKind.STAT, ResultCode.OK, 1);
            meters.count(meter, RequestKind.DELETE, ResultCode.NOT_FOUND, 1);
            assertEquals(true, meters.isFull());
            meters.count(meter, healing, ResultCode.OK, 1);
            assertEquals(false, meters.isFull());
        }
    }
}
