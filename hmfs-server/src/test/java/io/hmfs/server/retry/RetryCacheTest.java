package io.hmfs.server.retry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.server.access.ClientKey;
import io.hmfs.server.retry.RetryCache.Claim;
import io.hmfs.server.share.UserShares;
import io.hmfs.server.share.UserShares.Resource;
import io.hmfs.wire.Wire;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: of requests with one sequence one is executed, and all others get its answer or learn that it is forgotten.
 * Method: sequences by hand, then four threads that all come with each sequence.
 */
@Timeout(300)
class RetryCacheTest {
    private static final int KEPT = RetryCache.KEPT;

    private static final long USER = 5;
    private static final long ANSWER_BYTES_MAX = 16 << 20;

    private long now;
    private final UserShares shares = new UserShares(Map.of(Resource.ANSWER_BYTES, ANSWER_BYTES_MAX));
    private final RetryCaches clients = new RetryCaches(null, shares, () -> now);

    private RetryCache ofClient(long id, long oldest, long next) {
        return of(USER, id, oldest, next);
    }

    private RetryCache of(long user, long id, long oldest, long next) {
        return Objects.requireNonNull(clients.join(new ClientKey(id, user), oldest, next));
    }

    /** A reply as long as that, with the sequence behind its correlation id. */
    private static ByteBuf reply(long sequence, int length) {
        return Unpooled.buffer(length)
                .writeIntLE(length - Wire.LENGTH_SIZE)
                .writeZero(Wire.HEADER_SIZE)
                .writeLongLE(99)
                .writeLongLE(sequence)
                .writerIndex(length);
    }

    private static void finish(RetryCache outcomes, long sequence, int length) {
        ByteBuf before = Unpooled.buffer().writeLong(-1).writeBytes(reply(sequence, length));
        outcomes.finish(sequence, before, Long.BYTES, length);
    }

    /** Asks for the answer as the request 7; false if it is forgotten. */
    private static boolean replays(RetryCache outcomes, long sequence, int length) {
        ByteBuf out = Unpooled.buffer();
        if (!outcomes.replay(sequence, 7, out::ensureWritable)) {
            return false;
        }
        assertEquals(length, out.readableBytes());
        assertEquals(7, out.getLongLE(Wire.LENGTH_SIZE + Wire.HEADER_SIZE));
        assertEquals(sequence, out.getLongLE(Wire.LENGTH_SIZE + Wire.HEADER_SIZE + Long.BYTES));
        return true;
    }

    @Test
    void theSecondRequestGetsTheFirstAnswerUnderItsOwnCorrelationId() {
        RetryCache outcomes = ofClient(1, 1, 1);
        assertEquals(Claim.NEW, outcomes.claim(1, true));
        assertEquals(Claim.RUNNING, outcomes.claim(1, true));
        assertFalse(replays(outcomes, 1, 100));
        finish(outcomes, 1, 100);
        for (int i = 0; i < 3; i++) {
            assertEquals(Claim.DONE, outcomes.claim(1, true));
            assertTrue(replays(outcomes, 1, 100));
        }
    }

    @Test
    void aLongAnswerIsNotKeptAndItsChangeNotExecutedAgain() {
        RetryCache outcomes = ofClient(1, 1, 1);
        for (int length : new int[] {4096, 4097}) {
            assertEquals(Claim.NEW, outcomes.claim(length, true));
            finish(outcomes, length, length);
            assertEquals(Claim.DONE, outcomes.claim(length, true));
        }
        assertTrue(replays(outcomes, 4096, 4096));
        assertFalse(replays(outcomes, 4097, 4097));
        assertEquals(RetryCache.OWN_BYTES, outcomes.bytes(), "it fits in what each client has");
    }

    @Test
    void asManyAreRememberedAsIsToldAndNotOneLess() {
        RetryCache outcomes = ofClient(1, 1, 1);
        for (long each = 1; each <= KEPT; each++) {
            assertEquals(Claim.NEW, outcomes.claim(each, true));
            finish(outcomes, each, 40 + (int) each % 300);
        }
        for (long each = 1; each <= KEPT; each++) {
            assertEquals(Claim.DONE, outcomes.claim(each, true));
            assertTrue(replays(outcomes, each, 40 + (int) each % 300));
        }
        assertEquals(Claim.NEW, outcomes.claim(KEPT + 1, true));
        assertEquals(Claim.FORGOTTEN, outcomes.claim(1, true));
        assertFalse(replays(outcomes, 1, 41));
        assertEquals(Claim.DONE, outcomes.claim(2, true));
    }

    @Test
    void whatIsOvertakenWhileItIsExecutedLeavesTheSlotToTheOther() {
        RetryCache outcomes = ofClient(1, 1, 1);
        assertEquals(Claim.NEW, outcomes.claim(1, true));
        assertEquals(Claim.NEW, outcomes.claim(KEPT + 1, true));
        finish(outcomes, 1, 60);
        assertEquals(Claim.RUNNING, outcomes.claim(KEPT + 1, true));
        finish(outcomes, KEPT + 1, 80);
        assertTrue(replays(outcomes, KEPT + 1, 80));
    }

    @Test
    void nothingBelowWhatTheClientWaitsForIsExecuted() {
        RetryCache outcomes = ofClient(1, 1, 1);
        assertEquals(Claim.NEW, outcomes.claim(1, true));
        assertSame(outcomes, ofClient(1, 4, 9));
        assertEquals(Claim.FORGOTTEN, outcomes.claim(3, true), "it was never seen, and is acknowledged");
        assertEquals(Claim.NEW, outcomes.claim(4, true), "sent over the last connection, perhaps, and never seen");
    }

    @Test
    void aClientThatIsNotRememberedGetsNothingExecutedThatItHasSentBefore() {
        RetryCache outcomes = ofClient(1, 3, 9);
        for (long each = 1; each < 9; each++) {
            assertEquals(Claim.FORGOTTEN, outcomes.claim(each, true));
        }
        assertEquals(Claim.NEW, outcomes.claim(9, true));
    }

    private static final long SHARE = (ANSWER_BYTES_MAX - ANSWER_BYTES_MAX / 8) / 2;

    @Test
    void clientsThatWentAwayAreForgottenInThatOrderAndConnectedOnesNever() {
        RetryCache connected = ofClient(-1, 1, 1);
        int room = (int) (SHARE / 2 / RetryCache.OWN_BYTES); // half of the share is for those that are connected
        RetryCache[] away = new RetryCache[room];
        for (int i = 0; i < room; i++) {
            away[i] = ofClient(i, 1, 1);
        }
        for (RetryCache each : away) {
            each.leave();
            now += RetryCaches.KEPT_NANOS / room;
        }
        assertSame(connected, ofClient(-1, 1, 1));
        assertSame(away[1], ofClient(1, 1, 1));
        assertSame(away[1], ofClient(1, 1, 1), "a second connection");
        away[1].leave();
        assertSame(away[1], ofClient(1, 1, 1), "one of two has ended");
        now += RetryCaches.KEPT_NANOS / room + room; // the first has been away for long
        away[1].leave();
        away[1].leave();
        assertSame(away[2], ofClient(2, 1, 1));
        assertNotSame(away[0], ofClient(0, 1, 1));
    }

    @Test
    void whatClientsThatWentAwayKeepIsBoundedInBytesToo() {
        int most = 40;
        RetryCache[] away = new RetryCache[most];
        for (int i = 0; i < most; i++) {
            away[i] = ofClient(i, 1, 1);
            for (long each = 1; each <= KEPT; each++) {
                away[i].claim(each, true);
                finish(away[i], each, 1024); // one MiB each
            }
            away[i].leave();
            assertTrue(shares.used(Resource.ANSWER_BYTES) <= SHARE);
            now += RetryCaches.KEPT_NANOS;
        }
        assertNotSame(away[0], ofClient(0, 1, 1));
        assertSame(away[most - 1], ofClient(most - 1, 1, 1));
        assertTrue(shares.used(Resource.ANSWER_BYTES) <= SHARE / 2 + (2 << 20));
    }

    @Test
    void whereTheUserHasNoRoomANewAnswerTakesThatOfAnOlderOne() {
        List<RetryCache> clientsOfOne = new ArrayList<>();
        int kept = 0;
        for (int i = 0; i < 20; i++) {
            RetryCache each = ofClient(i, 1, 1);
            clientsOfOne.add(each);
            for (long sequence = 1; sequence <= KEPT; sequence++) {
                each.claim(sequence, true);
                finish(each, sequence, 1024);
                assertEquals(Claim.DONE, each.claim(sequence, true));
                assertTrue(isKept(each, sequence), "the newest is kept");
            }
            for (long sequence = 1; sequence <= KEPT; sequence++) {
                assertEquals(Claim.DONE, each.claim(sequence, true), "and none is executed again");
                kept += isKept(each, sequence) ? 1 : 0;
            }
        }
        assertTrue(kept >= 3 * KEPT, kept + " are kept");
        assertTrue(shares.used(Resource.ANSWER_BYTES) <= SHARE);
        int more = 20;
        while (clients.join(new ClientKey(more, USER), 1, 1) != null) { // for which there is the other half
            more++;
            assertTrue(more < 1_000, "no more clients are let in");
        }
        assertTrue(more > 100, more + " clients");
        RetryCache ofAnother = of(USER + 1, 1, 1, 1);
        ofAnother.claim(1, true);
        finish(ofAnother, 1, 1024);
        assertTrue(isKept(ofAnother, 1), "another user has a share");
        clientsOfOne.forEach(RetryCache::leave);
        assertNotNull(clients.join(new ClientKey(more, USER), 1, 1), "those that went away make room");
    }

    private static boolean isKept(RetryCache client, long sequence) {
        return client.replay(sequence, 1, Unpooled.buffer()::ensureWritable);
    }

    @Test
    void anotherUserWithTheSameNumberIsAnotherClient() {
        assertNotSame(clients.join(new ClientKey(1, 5), 1, 1), clients.join(new ClientKey(1, 6), 1, 1));
    }

    @Test
    void ofThreadsThatComeWithTheSameSequencesOneExecutesEach() throws Exception {
        int threads = 4;
        int sequences = 50 * KEPT;
        RetryCache outcomes = ofClient(1, 1, 1);
        AtomicIntegerArray executed = new AtomicIntegerArray(sequences + 1);
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                all.add(pool.submit(() -> {
                    for (int each = 1; each <= sequences; each++) {
                        int length = 40 + each % 200;
                        switch (outcomes.claim(each, true)) {
                            case NEW -> {
                                executed.incrementAndGet(each);
                                finish(outcomes, each, length);
                            }
                            case DONE -> replays(outcomes, each, length); // which is forgotten by now, perhaps
                            case RUNNING, FORGOTTEN, RECORDED -> {} // by its executing thread; by one a ring ahead
                        }
                    }
                }));
            }
            for (Future<?> each : all) {
                each.get();
            }
        } finally {
            pool.shutdownNow();
        }
        for (int each = 1; each <= sequences; each++) {
            assertEquals(1, executed.get(each), "sequence " + each);
        }
    }
}
