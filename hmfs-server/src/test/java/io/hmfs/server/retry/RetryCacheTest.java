package io.hmfs.server.retry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.server.access.ClientKey;
import io.hmfs.server.retry.RetryCache.Claim;
import io.hmfs.wire.Wire;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
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

    private final RetryCaches clients = new RetryCaches(null, System::nanoTime);

    private RetryCache ofClient(long id, long oldest, long next) {
        return clients.join(new ClientKey(id, 5), oldest, next);
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
        assertEquals(4096, outcomes.bytes());
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

    @Test
    void clientsThatWentAwayAreForgottenInThatOrderAndConnectedOnesNever() {
        RetryCache connected = ofClient(-1, 1, 1);
        RetryCache[] away = new RetryCache[RetryCaches.AWAY_MAX + 1];
        for (int i = 0; i < away.length; i++) {
            away[i] = ofClient(i, 1, 1);
        }
        for (RetryCache each : away) {
            each.leave();
        }
        assertSame(connected, ofClient(-1, 1, 1));
        assertNotSame(away[0], ofClient(0, 1, 1));
        assertSame(away[1], ofClient(1, 1, 1));
        assertSame(away[1], ofClient(1, 1, 1), "a second connection");
        away[1].leave();
        assertSame(away[1], ofClient(1, 1, 1), "one of two has ended");
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
        }
        assertNotSame(away[0], ofClient(0, 1, 1));
        assertSame(away[most - 1], ofClient(most - 1, 1, 1));
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
