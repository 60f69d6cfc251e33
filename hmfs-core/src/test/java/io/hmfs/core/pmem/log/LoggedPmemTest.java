package io.hmfs.core.pmem.log;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.pmem.MappedPmem;
import io.hmfs.core.sim.SimPmem;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/**
 * Goal: the order of the log is that of write-backs and fences, copies are of one moment, and nothing that was stored is forgotten
 * when the process dies. Method: a log in memory; the places between which a thread can be stopped are entered by hand.
 */
final class LoggedPmemTest {
    private static final long A = 4096;
    private static final long B = 8192;

    private final LogMemory log = new LogMemory(1 << 20);
    private final LoggedPmem pmem = log.pmem();

    private MappedPmem prefix(long end) {
        MappedPmem image = MappedPmem.inMemory(1 << 20);
        for (long lsn = 1; lsn <= end; lsn++) {
            log.replay(lsn, image);
        }
        return image;
    }

    private static void awaitBlockedOrEnded(Thread thread) {
        while (thread.getState() != Thread.State.TIMED_WAITING && thread.getState() != Thread.State.TERMINATED) {
            Thread.onSpinWait();
        }
    }

    @Test
    void whatIsStoredAfterAFenceIsInNoPrefixThatLacksWhatTheFenceCovered() throws Exception {
        // This thread is about to write back B, and stops between [log.1] and [log.2].
        long early = log.ring().reserve();
        Thread other = Thread.ofPlatform().start(() -> {
            pmem.set(A, 1);
            pmem.persist(A, 8);
            pmem.set(B, 1);
            pmem.persist(B, 8);
        });
        awaitBlockedOrEnded(other); // a fence that does not wait for this thread would let it end
        log.ring().copy(early, log.memory(), B);
        log.ring().publish(early);
        other.join();
        for (long end = 1; end <= log.position(); end++) {
            MappedPmem image = prefix(end);
            assertTrue(image.get(B) <= image.get(A), "prefix " + end + " has B without A");
        }
    }

    @Test
    void aLineIsCopiedAfterItsPlaceIsReserved() throws Exception {
        // Two threads write back one line. The first to reserve stored first, so its store is in both copies.
        pmem.set(A, 1);
        long first = log.ring().reserve();
        Thread other = Thread.ofPlatform().start(() -> {
            pmem.set(A + 8, 2);
            pmem.writeBack(A, 64);
        });
        other.join();
        log.ring().copy(first, log.memory(), A);
        log.ring().publish(first);
        assertEquals(1, prefix(first).get(A));
        assertEquals(1, prefix(first + 1).get(A), "an older copy behind a newer one");
        assertEquals(2, prefix(first + 1).get(A + 8));
    }

    @Test
    void storesOfManyThreadsKeepTheOrderOfTheirFences() throws Exception {
        int threads = 4;
        List<Thread> started = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            long own = A + i * 64L;
            long shared = B + i * 8L;
            started.add(Thread.ofPlatform().start(() -> {
                for (int n = 1; n <= 1500; n++) {
                    pmem.set(own, n);
                    pmem.persist(own, 8);
                    pmem.set(shared, n);
                    pmem.writeBack(shared, 8);
                }
                pmem.fence();
            }));
        }
        for (Thread thread : started) {
            thread.join();
        }
        MappedPmem image = MappedPmem.inMemory(1 << 20);
        for (long lsn = 1; lsn <= log.position(); lsn++) {
            log.replay(lsn, image);
            for (int i = 0; i < threads; i++) {
                long covered = image.get(A + i * 64L);
                long after = image.get(B + i * 8L);
                assertTrue(after <= covered, "prefix " + lsn + ": " + after + " after the fence of " + covered);
            }
        }
        assertEquals(1500, image.get(B));
    }

    @Test
    void aCopyIsOfOneMoment() throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        // All words of the line are stored in turn, from the last to the first: no moment has a word above the one
        // behind it.
        Thread other = Thread.ofPlatform().start(() -> {
            for (long n = 1; !stop.get(); n++) {
                for (int word = 7; word >= 0; word--) {
                    log.memory().setRelease(A + word * 8L, n);
                }
                for (int i = 0; i < 20; i++) {
                    Thread.onSpinWait(); // a copy needs a moment without stores; on one core, shared by both, there
                    // would be none
                }
            }
        });
        for (int i = 0; i < 20_000; i++) {
            long lsn = log.ring().reserve();
            log.ring().copy(lsn, log.memory(), A);
            for (int word = 0; word < 7; word++) {
                long value = log.ring().word(lsn, word);
                long behind = log.ring().word(lsn, word + 1);
                assertTrue(value <= behind && behind <= value + 1, "word " + word + ": " + value + ", " + behind);
            }
            log.ring().publish(lsn);
        }
        stop.set(true);
        other.join();
    }

    @Test
    void writingBackWhatIsLoggedCostsNothing() throws Exception {
        pmem.set(A, 1);
        pmem.persist(A, 64);
        long before = log.position();
        pmem.persist(A, 64);
        assertEquals(before, log.position());
        Thread other = Thread.ofPlatform().start(() -> pmem.set(A, 2));
        other.join();
        pmem.persist(A, 64); // the other's store is in no log yet
        assertEquals(before + 1, log.position());
        assertEquals(2, prefix(log.position()).get(A));
    }

    /** What another has logged may stand behind a number that is not published yet, and then no prefix has it. */
    @Test
    void aFenceWaitsForWhatStandsBeforeTheCopyThatAnotherHasLogged() throws Exception {
        requireWaitForWhatStandsBefore(() -> pmem.persist(A, 8));
    }

    @Test
    void aReaderWaitsForItToo() throws Exception {
        requireWaitForWhatStandsBefore(() -> pmem.persistRead(A, 8));
    }

    private void requireWaitForWhatStandsBefore(Runnable persist) throws Exception {
        long early = log.ring().reserve();
        CountDownLatch logged = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        Thread first = Thread.ofPlatform().start(() -> {
            pmem.set(A, 1);
            pmem.writeBack(A, 8);
            logged.countDown();
            try {
                end.await(); // its table is its own as long as it lives
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        logged.await();
        Thread second = Thread.ofPlatform().start(persist);
        awaitBlockedOrEnded(second);
        assertTrue(second.isAlive(), "its fence has returned, and the log has no copy yet");
        log.ring().copy(early, log.memory(), B);
        log.ring().publish(early);
        second.join();
        end.countDown();
        first.join();
        assertEquals(1, prefix(log.position()).get(A));
    }

    @Test
    void aRecordIsPublishedWhenItIsWhole() {
        SimPmem pool = new SimPmem(1 << 14);
        DirtyLines lines = new DirtyLines(log.ring(), pool, DirtyLines.counters(), 0, Thread.currentThread());
        lines.note(A);
        pool.set(A, 7);
        int[] loads = new int[1];
        pool.beforeEachLoad(() -> {
            loads[0]++;
            assertEquals(0, log.position(), "published before load " + loads[0]);
        });
        lines.writeBack(A);
        assertTrue(loads[0] >= 16, "loads: " + loads[0]);
        assertEquals(1, log.position());
    }

    /** A store that is announced and cannot be: it must not be there either. */
    @Test
    void nothingIsStoredThatNoTableHas() {
        LogMemory small = new LogMemory(1 << 20, 64);
        small.ring().fail(new LogFailedException("no disk", new IOException()));
        long[] at = {A};
        assertThrows(LogFailedException.class, () -> {
            for (; ; at[0] += 64) {
                small.pmem()
                        .setRelease(
                                at[0], 1); // lines that share a place drive each other out, into a ring that is full
            }
        });
        assertEquals(1, small.memory().get(at[0] - 64));
        assertEquals(0, small.memory().get(at[0]));
    }

    @Test
    void aFenceLeavesNoLineOfItsThreadUnlogged() {
        pmem.set(A, 1);
        pmem.fence();
        assertEquals(1, prefix(log.position()).get(A));
    }

    /** [log.12] */
    @Test
    void whatAReaderPersistsIsLoggedAndNotWhatItHasStoredBefore() throws Exception {
        pmem.set(A, 1);
        Thread other = Thread.ofPlatform().start(() -> pmem.set(B, 1));
        other.join();
        pmem.persistRead(B, 8);
        assertEquals(1, log.position());
        assertEquals(1, prefix(1).get(B));
        pmem.persistRead(A, 8); // its own is no other's
        assertEquals(1, prefix(2).get(A));
        pmem.set(A, 2);
        pmem.fence();
        assertEquals(2, prefix(log.position()).get(A));
    }

    @Test
    void whatWasStoredAndNotWrittenBackSurvivesTheProcess() {
        for (int i = 0; i < 1000; i++) { // more than a table has places
            pmem.set(A + i * 64L, i);
        }
        LogMemory next = log.afterDeath();
        MappedPmem image = MappedPmem.inMemory(1 << 20);
        for (long lsn = 1; lsn <= next.position(); lsn++) {
            next.replay(lsn, image);
        }
        for (int i = 0; i < 1000; i++) {
            assertEquals(i, image.get(A + i * 64L));
        }
        assertEquals(0, next.pmem().logLeftovers());
    }

    @Test
    void numbersThatADeadProcessReservedChangeNothing() {
        pmem.set(A, 1);
        log.ring().reserve(); // its owner died here
        long hole = log.ring().reserved();
        pmem.writeBack(A, 8); // published behind the gap
        log.ring().reserve(); // and here, at the end
        assertEquals(hole - 1, log.position());
        LogMemory next = log.afterDeath();
        assertEquals(hole + 1, next.ring().reserved());
        assertEquals(hole + 1, next.position());
        assertEquals(LogRing.NO_LINE, next.ring().line(hole));
        MappedPmem image = MappedPmem.inMemory(1 << 20);
        for (long lsn = 1; lsn <= next.position(); lsn++) {
            next.replay(lsn, image);
        }
        assertEquals(1, image.get(A));
    }

    @Test
    void aFullRingMakesWriteBacksWaitAndOverwritesNothing() throws Exception {
        LogMemory small = new LogMemory(1 << 20, 64);
        Thread other = Thread.ofPlatform().start(() -> {
            for (int i = 0; i < 70; i++) {
                small.pmem().set(A + i * 64L, i);
                small.pmem().writeBack(A + i * 64L, 8);
            }
        });
        awaitBlockedOrEnded(other);
        assertEquals(64, small.position());
        assertEquals(A, small.ring().line(1));
        small.ring().setDurable(6);
        other.join();
        assertEquals(70, small.position());
        assertEquals(A + 69 * 64L, small.ring().line(70));
    }

    @Test
    void aRingWhoseLogHasFailedDoesNotMakeAnyoneWaitForever() {
        LogMemory small = new LogMemory(1 << 20, 64);
        small.ring().fail(new LogFailedException("no disk", new IOException()));
        assertThrows(LogFailedException.class, () -> {
            for (int i = 0; i < 70; i++) {
                small.pmem().set(A, i);
                small.pmem().writeBack(A, 8);
            }
        });
    }

    @Test
    void aBadOffsetIsAnErrorAndLeavesNothingForTheNextStart() {
        assertThrows(IndexOutOfBoundsException.class, () -> pmem.set(1 << 20, 1));
        assertThrows(IndexOutOfBoundsException.class, () -> pmem.cas16((1 << 20) - 8, 0, 0, 1, 1));
        assertThrows(IndexOutOfBoundsException.class, () -> pmem.zero(-64, 64));
        assertEquals(0, log.afterDeath().pmem().logLeftovers());
    }

    @Test
    void theTableOfAThreadThatHasEndedGoesToAnother() throws Exception {
        for (int i = 0; i < 3 * RingHeader.STRIPES; i++) {
            int n = i;
            Thread thread = Thread.ofPlatform().start(() -> pmem.set(A + (n & 1023) * 64L, n));
            thread.join();
        }
        pmem.fence();
        LogMemory next = log.afterDeath();
        MappedPmem image = MappedPmem.inMemory(1 << 20);
        for (long lsn = 1; lsn <= next.position(); lsn++) {
            next.replay(lsn, image);
        }
        for (int n = 2 * RingHeader.STRIPES; n < 3 * RingHeader.STRIPES; n++) {
            assertEquals(n, image.get(A + (n & 1023) * 64L));
        }
    }

    @Test
    void largeRangesAreLoggedWhole() {
        byte[] bytes = new byte[5000];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (i * 7);
        }
        pmem.copyIn(bytes, 0, A + 3, bytes.length);
        pmem.persist(A + 3, bytes.length);
        byte[] read = new byte[5000];
        prefix(log.position()).copyOut(A + 3, read, 0, read.length);
        assertArrayEquals(bytes, read);
        pmem.zero(A, 40_000);
        pmem.persist(A, 40_000);
        MappedPmem image = prefix(log.position());
        for (long at = A; at < A + 40_000; at += 8) {
            assertEquals(0, image.get(at));
        }
    }
}
