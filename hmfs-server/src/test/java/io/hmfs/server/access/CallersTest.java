package io.hmfs.server.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.Namespace;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.type.Acl;
import io.hmfs.server.ServerConfig;
import io.hmfs.server.setting.ServerSetting;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: groups are looked up once for all connections of a user, kept current while there are some, and forgotten afterwards.
 * Method: a source, a clock and an executor of the test's own, the last one running what it is given when the test says so.
 */
class CallersTest {
    private static final Duration EXPIRY = Duration.ofMinutes(5);

    @TempDir
    private Path directory;

    private static final String HOST = "host";
    private static final int WAITING_MAX = 9;
    private static final int SHARE = 4; // of these, of an address that is alone: a third, and one

    private Namespace namespace;
    private Callers callers;
    private final Map<String, List<String>> source = new ConcurrentHashMap<>();
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
    private final AtomicLong clock = new AtomicLong();
    private boolean sourceFails;
    private int looks;

    @BeforeEach
    void open() throws IOException {
        Path pool = directory.resolve("p.pool");
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        namespace = Hmfs.open(pool, OpenOptions.process());
        AccessConfig config = ServerConfig.builder(Path.of("p"))
                .set(ServerSetting.SUPERUSER, "hmfs")
                .set(ServerSetting.SUPERGROUP, "admins")
                .set(ServerSetting.GROUP_EXPIRY, EXPIRY)
                .build()
                .access();
        callers = new Callers(namespace, config, this::groups, waiting::add, 1, clock::get, 100, WAITING_MAX);
        source.put("bob", List.of("staff", "engineers"));
    }

    @AfterEach
    void close() {
        namespace.close();
    }

    private List<String> groups(String user) throws IOException {
        looks++;
        if (sourceFails) {
            throw new IOException("planned");
        }
        return source.getOrDefault(user, List.of());
    }

    /** So many look-ups of this host wait that no other one may. */
    private void fill() {
        for (int i = 0; i < SHARE; i++) {
            assertFalse(callers.of("filler" + i, HOST).isDone());
        }
    }

    private void runWaiting() {
        while (!waiting.isEmpty()) {
            waiting.remove().run();
        }
    }

    private Caller caller(String name) {
        CompletableFuture<Caller> caller = callers.of(name, HOST);
        runWaiting();
        return caller.join();
    }

    private boolean isIn(Caller caller, String group) {
        return caller.isIn(namespace.principalId(group));
    }

    @Test
    void lookUpsAreSharedAndNotWaitedFor() {
        CompletableFuture<Caller> first = callers.of("bob", HOST);
        CompletableFuture<Caller> second = callers.of("bob", HOST);
        assertFalse(first.isDone());
        assertEquals(1, waiting.size());
        runWaiting();
        assertSame(first.join(), second.join());
        assertTrue(callers.of("bob", HOST).isDone());
        assertEquals(1, looks);
        Caller bob = first.join();
        assertEquals(namespace.principalId("bob"), bob.uid());
        assertTrue(bob.is(bob.uid()));
        assertTrue(isIn(bob, "staff") && isIn(bob, "engineers"));
        assertFalse(isIn(bob, "admins") || bob.isUnlimited());
    }

    @Test
    void superuserAndMembersOfTheSupergroupAreUnlimited() {
        source.put("ann", List.of("staff", "admins"));
        assertTrue(caller("ann").isUnlimited());
        assertTrue(caller("hmfs").isUnlimited());
        assertFalse(caller("bob").isUnlimited());
        assertFalse(caller("admins").isUnlimited()); // a user of that name
        assertFalse(caller("supergroup").isUnlimited());
    }

    @Test
    void groupsOfTheConnectedAreKeptCurrent() {
        Caller bob = caller("bob");
        bob.connected();
        source.put("bob", List.of("admins"));
        clock.addAndGet(EXPIRY.toNanos() + 1);
        callers.refresh();
        runWaiting();
        assertFalse(isIn(bob, "staff"));
        assertTrue(bob.isUnlimited());
        source.put("bob", List.of("staff"));
        clock.addAndGet(EXPIRY.toNanos() + 1);
        assertSame(bob, caller("bob")); // the next connection finds it out as well
        assertFalse(bob.isUnlimited());
    }

    @Test
    void aUserThatIsGoneIsForgotten() {
        Caller bob = caller("bob");
        bob.connected();
        clock.addAndGet(3 * EXPIRY.toNanos());
        callers.refresh();
        runWaiting();
        assertEquals(1, callers.size());
        bob.disconnected();
        clock.addAndGet(EXPIRY.toNanos() + 1);
        callers.refresh();
        assertEquals(1, callers.size());
        clock.addAndGet(EXPIRY.toNanos());
        callers.refresh();
        assertEquals(0, callers.size());
        assertTrue(isIn(caller("bob"), "staff"));
    }

    @Test
    void aUserThatWasUnknownIsLookedUpAgainSoon() {
        assertFalse(isIn(caller("new"), "staff"));
        source.put("new", List.of("staff"));
        assertFalse(isIn(caller("new"), "staff"));
        clock.addAndGet(Duration.ofSeconds(31).toNanos());
        assertTrue(isIn(caller("new"), "staff"));
    }

    @Test
    void whatWasKnownStaysWhenTheSourceFails() {
        Caller bob = caller("bob");
        sourceFails = true;
        clock.addAndGet(EXPIRY.toNanos() + 1);
        assertSame(bob, caller("bob"));
        assertTrue(isIn(bob, "staff"));
        assertFalse(caller("carol").isUnlimited());
    }

    @Test
    void tooManyLookUpsAreAnErrorThatPasses() {
        fill();
        CompletableFuture<Caller> refused = callers.of("bob", HOST);
        assertTrue(refused.isDone());
        assertTrue(refused.exceptionNow() instanceof RejectedExecutionException);
        runWaiting();
        assertTrue(isIn(caller("bob"), "staff"));
    }

    /** A name that is only said takes nothing; one that is given something counts at once. */
    @Test
    void namesGetANumberOnlyForWhatIsStored() {
        Caller eve = caller("eve");
        assertEquals(Caller.NOBODY, eve.uid());
        assertEquals(-1, namespace.knownPrincipalId("eve"));
        assertFalse(eve.is(Caller.NOBODY));
        assertFalse(eve.may(0700, Caller.NOBODY, Caller.NOBODY, Acl.NONE, 4));
        int given = namespace.principalId("eve");
        assertTrue(eve.may(0700, given, 0, Acl.NONE, 7));
        Caller mallory = caller("mallory");
        assertEquals(mallory.number(), namespace.knownPrincipalId("mallory"));
        assertEquals(mallory.number(), mallory.uid());
        assertTrue(eve.mark() != mallory.mark());
    }

    @Test
    void aKnownUserGetsInWhenTooManyAreLookedUp() {
        Caller bob = caller("bob");
        clock.addAndGet(EXPIRY.toNanos() + 1);
        fill();
        assertSame(bob, callers.of("bob", HOST).join());
        assertTrue(isIn(bob, "staff"));
        runWaiting();
        source.put("bob", List.of("engineers"));
        assertFalse(isIn(caller("bob"), "staff")); // bob was not taken for looked up
    }

    /** A look-up that hangs for one user hangs for all users behind it: these are told so in time, and the source is not asked for them any more. */
    @Test
    void aUserThatHasWaitedTooLongIsNotLookedUpAnyMore() {
        Caller bob = caller("bob");
        bob.connected();
        clock.addAndGet(EXPIRY.toNanos() + 1);
        source.put("bob", List.of("engineers"));
        CompletableFuture<Caller> again = callers.of("bob", HOST);
        CompletableFuture<Caller> carol = callers.of("carol", HOST);
        clock.addAndGet(Duration.ofSeconds(21).toNanos());
        CompletableFuture<Caller> dave = callers.of("dave", HOST);
        runWaiting();
        assertEquals(2, looks); // bob's first one, and dave's
        assertSame(bob, again.join());
        assertTrue(isIn(bob, "staff"));
        assertTrue(carol.exceptionNow() instanceof RejectedExecutionException);
        assertEquals("dave", dave.join().name());
        assertEquals("carol", caller("carol").name());
        callers.refresh();
        runWaiting();
        assertFalse(isIn(bob, "staff")); // bob was not taken for looked up
    }

    @Test
    void anAddressWithManyNamesHoldsUpNoOther() {
        fill();
        CompletableFuture<Caller> bob = callers.of("bob", "elsewhere");
        waiting.remove().run();
        waiting.remove().run();
        assertTrue(bob.isDone(), "its turn was the second");
        assertTrue(isIn(bob.join(), "staff"));
    }

    /** Or one address could put the names of all others' users behind its own. */
    @Test
    void aUserOfTwoAddressesIsLookedUpWhenTheTurnOfOneComes() {
        fill();
        runWaiting();
        CompletableFuture<Caller> first = callers.of("one", HOST);
        CompletableFuture<Caller> ofEve = callers.of("bob", HOST);
        CompletableFuture<Caller> ofBob = callers.of("bob", "elsewhere");
        var _ = callers.of("bob", "elsewhere");
        assertEquals(3, waiting.size(), "one place for each address");
        waiting.remove().run();
        waiting.remove().run();
        assertTrue(first.isDone() && ofEve.isDone() && ofBob.isDone());
        looks = 0;
        runWaiting();
        assertEquals(0, looks, "the other place has nothing to do any more");
    }

    @Test
    void aPlaceThatIsTooLateLeavesTheLookUpToALaterOne() {
        CompletableFuture<Caller> early = callers.of("bob", HOST);
        clock.addAndGet(Duration.ofSeconds(15).toNanos());
        CompletableFuture<Caller> late = callers.of("bob", "elsewhere");
        clock.addAndGet(Duration.ofSeconds(10).toNanos());
        waiting.remove().run();
        assertFalse(early.isDone());
        waiting.remove().run();
        assertTrue(isIn(early.join(), "staff") && isIn(late.join(), "staff"));
    }

    /** A place of a look-up that has ended must not take part in the next one, which would wait for ever. */
    @Test
    void aPlaceOfAnEarlierLookUpDoesNothing() {
        var _ = callers.of("bob", HOST);
        var _ = callers.of("bob", "elsewhere");
        waiting.remove().run();
        clock.addAndGet(EXPIRY.toNanos() + 1);
        CompletableFuture<Caller> next = callers.of("bob", "elsewhere");
        assertFalse(next.isDone());
        waiting.remove().run();
        assertFalse(next.isDone());
        runWaiting();
        assertTrue(next.isDone());
    }

    @Test
    void theSuperuserWaitsForNoOtherUser() {
        fill();
        assertTrue(callers.of("hmfs", HOST).join().isUnlimited());
    }

    @Test
    void usersAreBoundedAndForgottenForNewOnes() {
        clock.set(-1L << 40); // the clock of a machine may begin anywhere
        callers = new Callers(
                namespace,
                ServerConfig.of(Path.of("p")).access(),
                this::groups,
                waiting::add,
                1,
                clock::get,
                5,
                WAITING_MAX);
        Caller bob = caller("bob");
        bob.connected();
        caller("one");
        CompletableFuture<Caller> two = callers.of("two", HOST);
        clock.addAndGet(Duration.ofSeconds(21).toNanos());
        runWaiting();
        assertTrue(two.isCompletedExceptionally());
        assertTrue(callers.of("three", HOST).isCompletedExceptionally());
        assertSame(bob, caller("bob"));
        assertFalse(callers.of("guest", "10.0.0.9").isDone()); // another address has half of what is left
        assertTrue(callers.of("next", "10.0.0.9").isCompletedExceptionally());
        assertTrue(
                callers.of(System.getProperty("user.name"), "10.0.0.9").join().isUnlimited()); // the superuser has room
        runWaiting();
        clock.addAndGet(Duration.ofSeconds(61).toNanos());
        assertEquals("three", caller("three").name());
        assertEquals(2, callers.size());
        assertEquals("four", caller("four").name()); // what was forgotten does not count any more
        assertTrue(callers.of("five", HOST).isCompletedExceptionally());
        assertSame(bob, caller("bob"));
        assertTrue(isIn(bob, "staff"));
    }
}
