package io.hmfs.core.lock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: a thread that takes locks against the order is found even if no other thread is in its way. Method: tables of two ranks, taken
 * in both orders, waited for and tried.
 */
final class LockOrderTest {
    private final LockTable keys = new LockTable(LockRank.KEY, 8);
    private final LockTable sweepers = new LockTable(LockRank.SWEEPER, 8);

    @BeforeEach
    @AfterEach
    void forget() {
        LockOrder.forget();
    }

    @Test
    void testsCheckTheOrder() {
        assertTrue(LockOrder.CHECKED, "start the tests with -Dhmfs.lockOrder=true");
    }

    @Test
    void aLaterRankAndAHigherNumberMayBeWaitedFor() {
        keys.lockRead(1);
        keys.lockWrite(2);
        sweepers.lockWrite(0);
        sweepers.unlockWrite(0);
        keys.unlockRead(1); // in any order
        keys.unlockWrite(2);
        keys.lockWrite(0);
        keys.unlockWrite(0);
    }

    @Test
    void anEarlierRankIsNotWaitedFor() {
        sweepers.lockWrite(0);
        AssertionError error = assertThrows(AssertionError.class, () -> keys.lockRead(1));
        assertEquals(
                "a thread that holds SWEEPER 0 must not wait for KEY 1; see docs/architecture.md#lock-order",
                error.getMessage());
    }

    @Test
    void aLowerNumberIsNotWaitedFor() {
        keys.lockWrite(3);
        assertThrows(AssertionError.class, () -> keys.lockWrite(2));
    }

    @Test
    void aLockThatTheThreadHoldsIsNotWaitedForAgain() {
        keys.lockRead(3);
        assertThrows(AssertionError.class, () -> keys.lockRead(3)); // a writer in between would stop both for ever
    }

    @Test
    void aLockMayBeTriedInAnyOrderAndCountsOnceItIsHeld() {
        sweepers.lockWrite(0);
        assertTrue(keys.tryLockWrite(5));
        sweepers.unlockWrite(0);
        assertThrows(AssertionError.class, () -> keys.lockWrite(4));
        keys.lockWrite(6);
    }

    @Test
    void whatIsNotHeldIsNotGivenBack() {
        keys.lockRead(1);
        assertThrows(AssertionError.class, () -> LockOrder.released(LockRank.KEY, 2));
    }

    @Test
    void eachThreadHasItsOwn() throws InterruptedException {
        keys.lockWrite(7);
        Throwable[] failure = new Throwable[1];
        Thread other = Thread.ofPlatform().start(() -> keys.lockWrite(1));
        other.setUncaughtExceptionHandler((_, e) -> failure[0] = e);
        other.join();
        assertEquals(null, failure[0]);
        keys.unlockWrite(7);
    }

    @Test
    void anotherEngineOnTheSameThreadIsApart() {
        sweepers.lockWrite(1);
        LockOrder.apart(() -> {
            keys.lockWrite(7);
            keys.unlockWrite(7);
        });
        assertThrows(AssertionError.class, () -> keys.lockWrite(7));
        LockOrder.forget();
        keys.lockWrite(7);
    }
}
