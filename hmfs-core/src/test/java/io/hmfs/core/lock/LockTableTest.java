package io.hmfs.core.lock;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: a writer is alone, readers are not, and no thread waits for ever after an error. Method: plain counters under the locks, in
 * several threads; then each rule by itself.
 */
final class LockTableTest {
    private static final int ROUNDS = 20_000;

    /** Tests leave locks held: the thread is that of the next test too. */
    @AfterEach
    void forget() {
        LockOrder.forget();
    }

    @Test
    void writersAreAloneAndReadersSeeNoHalfWrite() throws InterruptedException {
        LockTable locks = new LockTable(LockRank.KEY, 4);
        int[] a = new int[4];
        int[] b = new int[4];
        AtomicInteger torn = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            int seed = t;
            threads.add(Thread.ofPlatform().start(() -> {
                Random random = new Random(seed);
                for (int i = 0; i < ROUNDS; i++) {
                    int lock = random.nextInt(4);
                    if (i % 2 == 0) {
                        locks.lockWrite(lock);
                        a[lock]++;
                        b[lock]++;
                        locks.unlockWrite(lock);
                    } else {
                        locks.lockRead(lock);
                        torn.addAndGet(a[lock] - b[lock]);
                        locks.unlockRead(lock);
                    }
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(0, torn.get());
        assertEquals(4 * ROUNDS / 2, a[0] + a[1] + a[2] + a[3]);
    }

    @Test
    void readersShareAndKeepWritersOut() {
        LockTable locks = new LockTable(LockRank.KEY, 2);
        locks.lockRead(1);
        LockOrder.apart(
                () -> { // as another thread
                    locks.lockRead(1);
                    assertFalse(locks.tryLockWrite(1));
                    locks.unlockRead(1);
                });
        assertFalse(locks.tryLockWrite(1));
        locks.unlockRead(1);
        assertTrue(locks.tryLockWrite(1));
        assertFalse(locks.tryLockWrite(1));
        assertTrue(locks.tryLockWrite(0));
    }

    @Test
    void severalLocksAreTakenInOrderEachOnce() {
        LockTable locks = new LockTable(LockRank.KEY, 8);
        int[] wanted = {5, -1, 5};
        locks.lockWriteAll(wanted);
        assertArrayEquals(new int[] {-1, 5, 5}, wanted);
        assertFalse(locks.tryLockWrite(5));
        locks.unlockWriteAll(wanted);
        assertTrue(locks.tryLockWrite(5));
        locks.unlockWrite(5);
        int[] three = {7, 0, 3};
        locks.lockWriteAll(three);
        assertArrayEquals(new int[] {0, 3, 7}, three);
        locks.unlockWriteAll(three);
        for (int lock = 0; lock < 8; lock++) {
            assertTrue(locks.tryLockWrite(lock), "lock " + lock);
        }
    }

    @Test
    void crossedPairsDoNotDeadlock() throws InterruptedException {
        LockTable locks = new LockTable(LockRank.KEY, 2);
        AtomicInteger held = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int[] order : new int[][] {{0, 1}, {1, 0}}) {
            threads.add(Thread.ofPlatform().daemon().start(() -> {
                for (int i = 0; i < ROUNDS; i++) {
                    int[] mine = order.clone();
                    locks.lockWriteAll(mine);
                    held.incrementAndGet();
                    locks.unlockWriteAll(mine);
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join(60_000);
        }
        assertEquals(2 * ROUNDS, held.get());
    }

    @Test
    void aThreadThatWaitsAfterAnErrorIsToldAndOneThatDoesNotWaitIsNot() throws InterruptedException {
        LockTable locks = new LockTable(LockRank.KEY, 2);
        locks.lockWrite(0);
        AtomicInteger told = new AtomicInteger();
        List<Thread> waiting = new ArrayList<>();
        for (Runnable wait :
                List.<Runnable>of(() -> locks.lockWrite(0), () -> locks.lockRead(0), () -> waitWithout(locks))) {
            waiting.add(Thread.ofPlatform().daemon().start(() -> {
                try {
                    wait.run();
                } catch (IllegalStateException e) {
                    told.incrementAndGet();
                }
            }));
        }
        locks.poison();
        for (Thread thread : waiting) {
            thread.join(60_000);
        }
        assertEquals(3, told.get());
        assertThrows(IllegalStateException.class, locks::awaitOthers);
    }

    private static void waitWithout(LockTable locks) {
        while (true) {
            locks.awaitOthers();
        }
    }

    @Test
    void hashesSpreadOverAllLocks() {
        LockTable locks = new LockTable(LockRank.KEY, 1 << 10);
        int[] hits = new int[1 << 10];
        Random random = new Random(1);
        for (int i = 0; i < 100 << 10; i++) {
            hits[locks.of(random.nextLong())]++;
        }
        for (int hit : hits) {
            assertTrue(hit > 40 && hit < 180, "hits: " + hit);
        }
        assertThrows(IllegalArgumentException.class, () -> new LockTable(LockRank.KEY, 3));
    }
}
