package io.hmfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/**
 * Goal: a reply finds its own call and no other, also when it comes too late.
 * Method: fill, empty and refill a small table.
 */
class InFlightTest {
    private final InFlight inFlight = new InFlight(2);

    private static Call<String, String> call(long deadline) {
        CallKind<String, String> kind = new CallKind<>(
                "test",
                CallKind.Retry.REPEATABLE,
                0,
                0,
                argument -> 0,
                (argument, out) -> 0,
                0,
                (reply, subject, argument) -> argument);
        Call<String, String> call = new Call<>(kind, "", "");
        call.deadlineNanos = deadline;
        return call;
    }

    @Test
    void callsAreFoundByTheirIdOnce() {
        Call<String, String> one = call(0);
        Call<String, String> two = call(0);
        inFlight.add(one);
        inFlight.add(two);
        assertTrue(inFlight.isFull());
        assertSame(two, inFlight.remove(two.correlationId));
        assertNull(inFlight.remove(two.correlationId));
        assertSame(one, inFlight.remove(one.correlationId));
        assertFalse(inFlight.isFull());
    }

    @Test
    void lateReplyDoesNotFindTheNextUserOfItsSlot() {
        Call<String, String> old = call(0);
        inFlight.add(old);
        assertSame(old, inFlight.remove(old.correlationId));
        Call<String, String> next = call(0);
        inFlight.add(next);
        assertNotEquals(old.correlationId, next.correlationId);
        assertNull(inFlight.remove(old.correlationId));
        assertSame(next, inFlight.remove(next.correlationId));
    }

    @Test
    void forgedIdsFindNothing() {
        inFlight.add(call(0));
        for (long id : new long[] {0, -1, Long.MAX_VALUE, 1, 131_071}) {
            assertNull(inFlight.remove(id));
        }
    }

    @Test
    void onlyExpiredCallsExpire() {
        Call<String, String> soon = call(10);
        Call<String, String> later = call(20);
        inFlight.add(later);
        inFlight.add(soon);
        assertSame(soon, inFlight.removeExpired(15));
        assertNull(inFlight.removeExpired(15));
        assertSame(later, inFlight.removeExpired(25));
        assertEquals(null, inFlight.removeAny());
    }
}
