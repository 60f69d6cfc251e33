package io.hmfs.server.share;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.server.share.UserShares.Account;
import io.hmfs.server.share.UserShares.Resource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a user holds no more than half of what no other holds, superusers find room, what waits goes on when there is some, and nothing is lost
 * count of. Method: by hand; then threads that take, wait and give back as fast as they can, of which only what holds in any order is asked.
 */
@Timeout(300)
class UserSharesTest {
    private static final long MAX = 160; // 140 of it for users

    private final UserShares shares = new UserShares(Map.of(
            Resource.CONNECTIONS, MAX, Resource.REQUEST_BYTES, MAX, Resource.REPLY_BYTES, MAX, Resource.LEASES, 3L));
    private final Account eve = shares.join(1, "eve", false);
    private final Account bob = shares.join(2, "bob", false);
    private final Account alice = shares.join(3, "alice", true);
    private final List<String> ran = new ArrayList<>();

    private static int takeAll(Account account, Resource resource) {
        int taken = 0;
        while (account.tryTake(resource, 1)) {
            taken++;
        }
        return taken;
    }

    @Test
    void aUserHasHalfOfWhatNoOtherHoldsAndASuperuserTheRest() {
        assertEquals(70, takeAll(eve, Resource.CONNECTIONS));
        assertEquals(35, takeAll(bob, Resource.CONNECTIONS));
        assertEquals(0, takeAll(eve, Resource.CONNECTIONS));
        assertEquals(MAX - 105, takeAll(alice, Resource.CONNECTIONS));
        assertEquals(MAX, shares.used(Resource.CONNECTIONS));
        assertEquals(70, shares.largest(Resource.CONNECTIONS));
        alice.add(Resource.CONNECTIONS, -(MAX - 105));
        bob.add(Resource.CONNECTIONS, -35);
        assertEquals(0, takeAll(eve, Resource.CONNECTIONS));
        eve.add(Resource.CONNECTIONS, -70);
        assertEquals(70, takeAll(bob, Resource.CONNECTIONS));
    }

    @Test
    void ofAFewOneCanBeHad() {
        assertEquals(2, takeAll(eve, Resource.LEASES));
        assertEquals(1, takeAll(bob, Resource.LEASES));
        assertEquals(0, takeAll(alice, Resource.LEASES));
    }

    @Test
    void aShareBecomesScarceAndFull() {
        eve.add(Resource.REPLY_BYTES, 34);
        assertFalse(eve.isScarce(Resource.REPLY_BYTES));
        eve.add(Resource.REPLY_BYTES, 1);
        assertTrue(eve.isScarce(Resource.REPLY_BYTES));
        assertFalse(eve.isFull(Resource.REPLY_BYTES));
        eve.add(Resource.REPLY_BYTES, 65); // what is there already is counted beyond the share, too
        assertTrue(eve.isFull(Resource.REPLY_BYTES));
        assertFalse(bob.isScarce(Resource.REPLY_BYTES));
        eve.add(Resource.REPLY_BYTES, 40);
        assertTrue(bob.isFull(Resource.REPLY_BYTES), "of nothing, nobody has a share");
        assertFalse(alice.isFull(Resource.REPLY_BYTES));
        eve.add(Resource.REPLY_BYTES, 20);
        assertTrue(alice.isFull(Resource.REPLY_BYTES));
    }

    @Test
    void aRefusalNamesTheUserAndTheSetting() {
        takeAll(eve, Resource.CONNECTIONS);
        assertEquals(
                "the share of user eve is full: 70 connections, where a user may hold half of what no other holds; connections-max (160) raises it",
                eve.refusal(Resource.CONNECTIONS));
        assertEquals(1, shares.refusals(Resource.CONNECTIONS));
        assertEquals(0, shares.refusals(Resource.LEASES));
    }

    @Test
    void whatWaitsForAnyRoomRunsWhenAQuarterOfTheShareIsFree() {
        eve.add(Resource.REPLY_BYTES, 70);
        eve.whenRoom(Resource.REPLY_BYTES, 0, () -> ran.add("a"));
        eve.whenRoom(Resource.REPLY_BYTES, 0, () -> ran.add("b"));
        assertEquals(2, shares.waiting(Resource.REPLY_BYTES));
        eve.add(Resource.REPLY_BYTES, -17);
        assertEquals(List.of(), ran);
        eve.add(Resource.REPLY_BYTES, -1);
        assertEquals(List.of("a", "b"), ran);
        assertEquals(0, shares.waiting(Resource.REPLY_BYTES));
        eve.whenRoom(Resource.REPLY_BYTES, 0, () -> ran.add("c"));
        assertEquals(List.of("a", "b", "c"), ran, "there is room");
    }

    @Test
    void whatWaitsForRoomThatOthersHoldRunsWhenTheyGiveItBack() {
        alice.add(Resource.REPLY_BYTES, 140);
        assertTrue(bob.isFull(Resource.REPLY_BYTES));
        bob.whenRoom(Resource.REPLY_BYTES, 0, () -> ran.add("bob"));
        alice.add(Resource.REPLY_BYTES, -10);
        assertEquals(List.of("bob"), ran);
    }

    /** Half of the share is for what is there already. */
    @Test
    void whoWaitsForSoMuchRunsInOrderAsFarAsThereIsRoom() {
        assertTrue(eve.tryTake(Resource.REQUEST_BYTES, 30));
        assertFalse(eve.tryTake(Resource.REQUEST_BYTES, 6));
        assertTrue(eve.tryBorrow(Resource.REQUEST_BYTES, 6));
        assertFalse(eve.tryBorrow(Resource.REQUEST_BYTES, 6), "one at a time");
        for (String each : List.of("a", "b", "c")) {
            eve.whenRoom(Resource.REQUEST_BYTES, 12, () -> {
                ran.add(each);
                assertTrue(eve.tryTake(Resource.REQUEST_BYTES, 12));
            });
        }
        eve.add(Resource.REQUEST_BYTES, -24); // 12 are held
        assertEquals(List.of("a"), ran);
        eve.add(Resource.REQUEST_BYTES, -1);
        assertEquals(List.of("a", "b"), ran);
        eve.add(Resource.REQUEST_BYTES, -12);
        assertEquals(List.of("a", "b", "c"), ran);
    }

    @Test
    void oneOfThoseWhoHoldAllTheRoomAndWaitForMoreGetsOn() {
        eve.add(Resource.REQUEST_BYTES, 70);
        assertFalse(eve.tryTake(Resource.REQUEST_BYTES, 5));
        assertTrue(eve.tryBorrow(Resource.REQUEST_BYTES, 5));
        eve.whenRoom(Resource.REQUEST_BYTES, 5, () -> {
            ran.add("a");
            assertTrue(eve.tryBorrow(Resource.REQUEST_BYTES, 5));
        });
        eve.whenRoom(Resource.REQUEST_BYTES, 5, () -> ran.add("b"));
        assertEquals(List.of(), ran);
        eve.add(Resource.REQUEST_BYTES, -5);
        assertEquals(List.of(), ran);
        eve.endLoan(Resource.REQUEST_BYTES);
        assertEquals(List.of("a"), ran);
        assertFalse(bob.tryBorrow(Resource.REQUEST_BYTES, MAX - 74), "what is not there is not lent");
        assertTrue(bob.tryBorrow(Resource.REQUEST_BYTES, MAX - 75), "what is kept for superusers is");
    }

    @Test
    void aTaskThatIsForgottenDoesNotRun() {
        eve.add(Resource.REPLY_BYTES, 70);
        Runnable task = () -> ran.add("a");
        eve.whenRoom(Resource.REPLY_BYTES, 0, task);
        assertTrue(eve.forget(Resource.REPLY_BYTES, task));
        assertFalse(eve.forget(Resource.REPLY_BYTES, task));
        eve.add(Resource.REPLY_BYTES, -70);
        assertEquals(List.of(), ran);
        assertEquals(0, shares.waiting(Resource.REPLY_BYTES));
    }

    @Test
    void aUserIsKnownWhileThereIsSomethingOfIt() {
        assertEquals(3, shares.users());
        Account again = shares.join(1);
        assertSame(eve, again);
        eve.add(Resource.CONNECTIONS, 2);
        eve.leave();
        again.leave();
        assertEquals(3, shares.users(), "it holds something");
        assertSame(eve, shares.join(1));
        eve.leave();
        eve.add(Resource.CONNECTIONS, -2);
        assertEquals(2, shares.users());
    }

    @Test
    void threadsLoseCountOfNothingAndLeaveNothingWaiting() throws Exception {
        int threads = 4;
        int rounds = 20_000;
        eve.add(Resource.REQUEST_BYTES, 40); // her threads have to borrow, one at a time
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                Account account = i < 2 ? eve : i == 2 ? bob : alice;
                all.add(pool.submit(() -> {
                    for (int round = 0; round < rounds; round++) {
                        takeAndGiveBack(account, 5 + round % 30);
                    }
                }));
            }
            for (Future<?> each : all) {
                each.get();
            }
        } finally {
            pool.shutdownNow();
        }
        eve.add(Resource.REQUEST_BYTES, -40);
        for (Account each : List.of(eve, bob, alice)) {
            assertEquals(0, each.held(Resource.REQUEST_BYTES));
        }
        assertEquals(0, shares.used(Resource.REQUEST_BYTES));
        assertEquals(0, shares.waiting(Resource.REQUEST_BYTES));
    }

    private void takeAndGiveBack(Account account, long amount) {
        while (true) {
            boolean taken = account.tryTake(Resource.REQUEST_BYTES, amount);
            boolean borrowed = !taken && account.tryBorrow(Resource.REQUEST_BYTES, amount);
            if (taken || borrowed) {
                assertTrue(shares.used(Resource.REQUEST_BYTES) <= MAX);
                account.add(Resource.REQUEST_BYTES, -amount);
                if (borrowed) {
                    account.endLoan(Resource.REQUEST_BYTES);
                }
                return;
            }
            CountDownLatch room = new CountDownLatch(1);
            account.whenRoom(Resource.REQUEST_BYTES, amount, room::countDown);
            try {
                room.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }
}
