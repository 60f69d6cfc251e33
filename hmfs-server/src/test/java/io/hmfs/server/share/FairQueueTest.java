package io.hmfs.server.share;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Goal: at the disk no user waits for another one's flood, and no user's flood takes the room of all.
 * Method: a disk whose work is done when the test says so, one piece after the other.
 */
class FairQueueTest {
    private static final long MAX = 64 << 20;
    private static final int CHUNK = 64 << 10;

    private final ArrayDeque<Runnable> disk = new ArrayDeque<>();
    private final FairQueue queue = new FairQueue(disk::add, MAX);
    private final List<Piece> done = new ArrayList<>();

    private final class Piece implements FairQueue.Work {
        private final FairQueue.Share share;
        private final int bytes;

        Piece(FairQueue.Share share, int bytes) {
            this.share = share;
            this.bytes = bytes;
            queue.execute(share, this);
        }

        @Override
        public long bytes() {
            return bytes;
        }

        @Override
        public void run() {
            done.add(this);
            queue.done(share, this);
        }
    }

    private void flood(FairQueue.Share share, int pieces, int bytes) {
        for (int i = 0; i < pieces; i++) {
            var _ = new Piece(share, bytes);
        }
    }

    private void run(int pieces) {
        for (int i = 0; i < pieces; i++) {
            disk.remove().run();
        }
    }

    private double bytesDone(FairQueue.Share... shares) {
        List<FairQueue.Share> all = List.of(shares);
        return (double) done.stream()
                .filter(piece -> all.contains(piece.share))
                .mapToLong(Piece::bytes)
                .sum();
    }

    // ---- whose turn it is

    @Test
    void oneReadIsServedWithinATurnOfAFloodOfTenThousandWrites() {
        FairQueue.Share flooder = queue.join("a", 1);
        flood(flooder, 10_000, CHUNK);
        run(3_001); // in the middle of a turn
        Piece read = new Piece(queue.join("b", 1), CHUNK);
        run((int) (FairQueue.TURN_BYTES / CHUNK) + 1);
        assertTrue(done.contains(read), "after " + done.size());
        run(disk.size());
        assertEquals(10_001, done.size());
        assertEquals(0, queue.bytes());
    }

    @Test
    void clientsOfOneUserTakeTurnsToo() {
        flood(queue.join("a", 1), 10_000, CHUNK);
        run(101);
        Piece read = new Piece(queue.join("a", 2), CHUNK);
        run((int) (FairQueue.TURN_BYTES / CHUNK) + 1);
        assertTrue(done.contains(read), "after " + done.size());
    }

    @Test
    void moreClientsDoNotGiveAUserMore() {
        FairQueue.Share[] many = new FairQueue.Share[50];
        for (int i = 0; i < many.length; i++) {
            many[i] = queue.join("a", i);
            flood(many[i], 100, CHUNK);
        }
        FairQueue.Share one = queue.join("b", 1);
        flood(one, 500, CHUNK);
        run(900);
        assertEquals(bytesDone(many), bytesDone(one), 2.0 * FairQueue.TURN_BYTES);
    }

    @Test
    void aConnectionMoreIsTheSameClient() {
        assertSame(queue.join("a", 7), queue.join("a", 7));
        assertNotSame(queue.join("a", 7), queue.join("b", 7));
    }

    @Test
    void bytesAreSharedAndNotRequests() {
        FairQueue.Share large = queue.join("large", 1);
        FairQueue.Share small = queue.join("small", 1);
        FairQueue.Share huge = queue.join("huge", 1);
        flood(huge, 40, 2 << 20); // each of eight turns
        flood(large, 400, 256 << 10);
        flood(small, 20_000, 5_000);
        run(10_000);
        double each = (bytesDone(large) + bytesDone(small) + bytesDone(huge)) / 3.0;
        assertEquals(each, bytesDone(large), 2.0 * (2 << 20));
        assertEquals(each, bytesDone(small), 2.0 * (2 << 20));
        assertEquals(each, bytesDone(huge), 2.0 * (2 << 20));
    }

    @Test
    void whatOneClientSendsBeginsInOrder() {
        FairQueue.Share share = queue.join("a", 1);
        List<Piece> sent = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            sent.add(new Piece(share, 1 + i * 997 % CHUNK));
            var _ = new Piece(queue.join("b", i), CHUNK);
        }
        run(disk.size());
        assertEquals(
                sent, done.stream().filter(piece -> piece.share.equals(share)).toList());
    }

    // ---- how much may wait

    private int untilThereIsNoRoom(FairQueue.Share share) {
        int pieces = 0;
        while (queue.hasRoom(share)) {
            var _ = new Piece(share, CHUNK);
            pieces++;
        }
        return pieces;
    }

    @Test
    void aFloodLeavesRoomForEveryOther() {
        FairQueue.Share first = queue.join("a", 1);
        assertEquals(MAX / 3.0, (double) CHUNK * untilThereIsNoRoom(first), 2.0 * CHUNK);
        assertFalse(queue.hasRoom(queue.join("a", 1)), "by another connection");
        for (int i = 2; i < 100; i++) {
            assertTrue(queue.hasRoom(queue.join("a", i)), "another client of the same user");
            assertTrue(queue.hasRoom(queue.join("b", i)));
        }
        for (int user = 0; user < 100; user++) { // all flood, one after the other
            for (int client = 0; client < 3; client++) {
                untilThereIsNoRoom(queue.join("u" + user, client));
            }
        }
        assertTrue(queue.bytes() <= MAX + CHUNK, queue.bytes() + " bytes");
        int users = queue.users();
        assertTrue(users > 5, users + " users");
        assertEquals(queue.bytes() <= MAX, queue.hasRoom(queue.join("new", 1)));
        run(2);
        assertTrue(queue.hasRoom(queue.join("new", 1)));
    }

    @Test
    void aUserThatComesAgainFindsWhatItLeftHere() {
        FairQueue.Share share = queue.join("a", 1);
        untilThereIsNoRoom(share);
        share.leave();
        assertFalse(queue.hasRoom(queue.join("a", 1)));
        queue.join("a", 1).leave();
        run(disk.size());
        assertSame(share, queue.join("a", 1)); // of the second connection, which is there
        share.leave();
        share.leave();
        assertNotSame(share, queue.join("a", 1)); // nothing is kept of a user that is gone
    }

    @Test
    void aClientThatWaitsForRoomIsToldOnceWhenThereIsSomeAndNotForEachBit() {
        FairQueue.Share flooder = queue.join("a", 1);
        int[] told = {0};
        assertFalse(queue.await(flooder, () -> told[0]++), "there is room");
        int pieces = untilThereIsNoRoom(flooder);
        for (int i = 0; i < 3; i++) {
            assertTrue(queue.await(flooder, () -> told[0]++));
        }
        assertEquals(3, queue.waiting());
        run(2);
        assertTrue(queue.hasRoom(flooder)); // but not much
        assertEquals(0, told[0]);
        run(pieces / 2);
        assertEquals(3, told[0]);
        assertEquals(0, queue.waiting());
        run(disk.size());
        assertEquals(3, told[0]);
    }

    /** Clients of a few users, each with one connection, that wait because another user has it all; how often each was woken. */
    private int[][] crowd(int users, int clients) {
        int[][] woken = new int[users][clients];
        for (int client = 0; client < clients; client++) {
            int index = client;
            for (int[] ofUser : woken) {
                FairQueue.Share share = queue.join("u" + List.of(woken).indexOf(ofUser), client);
                assertTrue(queue.await(share, () -> ofUser[index]++));
            }
        }
        return woken;
    }

    @Test
    void onePieceThatIsDoneWakesAFewAndAllAreWokenInTheEnd() {
        flood(queue.join("a", 1), (int) (MAX / CHUNK) + 1, CHUNK);
        int[][] woken = crowd(5, 1_000);
        while (!disk.isEmpty()) {
            int before = queue.waiting();
            run(1);
            assertTrue(before - queue.waiting() <= FairQueue.WAKES_MAX, before + " to " + queue.waiting());
            IntSummaryStatistics each = Stream.of(woken)
                    .mapToInt(ofUser -> IntStream.of(ofUser).sum())
                    .summaryStatistics();
            assertTrue(each.getMax() - each.getMin() <= 1, "users are woken in turn: " + each);
        }
        assertEquals(0, queue.waiting());
        Stream.of(woken).flatMapToInt(IntStream::of).forEach(times -> assertEquals(1, times));
    }

    @Test
    void theLastPieceThatIsDoneForgetsNoWaitingClient() {
        flood(queue.join("a", 1), 1, 1 + (int) MAX);
        int[][] woken = crowd(5, 1_000);
        run(1);
        assertEquals(0, queue.waiting());
        Stream.of(woken).flatMapToInt(IntStream::of).forEach(times -> assertEquals(1, times));
    }

    @Test
    void aClientThatLeavesWaitsNoMore() {
        FairQueue.Share flooder = queue.join("a", 1);
        untilThereIsNoRoom(flooder);
        int[] told = {0, 0};
        Runnable leaver = () -> told[0]++;
        assertTrue(queue.await(flooder, leaver));
        flooder.forget(leaver);
        assertEquals(0, queue.waiting());
        assertTrue(queue.await(flooder, leaver));
        assertTrue(queue.await(flooder, () -> told[1]++));
        flooder.forget(leaver);
        flooder.forget(leaver);
        assertEquals(1, queue.waiting());
        run(disk.size());
        assertEquals(0, told[0]);
        assertEquals(1, told[1]);
        assertEquals(0, queue.waiting());
    }

    /** Many clients come, wait, go and come again: at the end no client waits, and nothing is kept. */
    @Test
    void noClientWaitsForEver() {
        Random random = new Random(5);
        int[] waiting = {0};
        List<FairQueue.Share> there = new ArrayList<>();
        for (int step = 0; step < 100_000; step++) {
            if (random.nextInt(50) == 0 && !there.isEmpty()) {
                there.remove(random.nextInt(there.size())).leave();
            } else if (random.nextInt(3) > 0) {
                FairQueue.Share share = queue.join("u" + random.nextInt(4), random.nextInt(3));
                there.add(share);
                if (queue.hasRoom(share)) {
                    var _ = new Piece(share, 1 + random.nextInt(4 * CHUNK));
                } else if (queue.await(share, () -> waiting[0]--)) {
                    waiting[0]++;
                }
            } else if (!disk.isEmpty()) {
                run(1);
            }
            assertEquals(waiting[0], queue.waiting());
            assertEquals(disk.size(), queue.requests());
            assertTrue(queue.largestBytes() <= queue.bytes());
        }
        there.forEach(FairQueue.Share::leave);
        run(disk.size());
        assertEquals(0, waiting[0]);
        assertEquals(0, queue.bytes());
        for (int user = 0; user < 4; user++) {
            for (int client = 0; client < 3; client++) {
                FairQueue.Share share = queue.join("u" + user, client);
                share.leave();
                assertNotSame(share, queue.join("u" + user, client), "kept");
            }
        }
    }
}
