package io.hmfs.server.share;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: at the disk no user waits for another one's flood, and no user's flood takes the room of all.
 * Method: a disk whose work is done when the test says so, one piece after the other.
 */
class FairQueueTest {
    private static final long MAX = 64 << 20;
    private static final int CHUNK = 64 << 10;
    private static final int THREADS = 8;

    private final ArrayDeque<Runnable> disk = new ArrayDeque<>();
    private final FairQueue queue = new FairQueue(disk::add, THREADS, MAX);
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

    // ---- how many threads each has

    /** Work that holds its thread until it is told to end. */
    private final class Slow implements FairQueue.Work {
        private final FairQueue.Share share;
        private final long bytes;
        private final CountDownLatch ends = new CountDownLatch(1);

        Slow(FairQueue.Share share, long bytes) {
            this.share = share;
            this.bytes = bytes;
        }

        @Override
        public long bytes() {
            return bytes;
        }

        @Override
        public void run() {
            begun.add(share);
            try {
                ends.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            slowQueue.done(share, this);
        }
    }

    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    private final FairQueue slowQueue = new FairQueue(threads, THREADS, MAX);
    private final LinkedBlockingQueue<FairQueue.Share> begun = new LinkedBlockingQueue<>();

    @AfterEach
    void stopThreads() {
        threads.shutdownNow();
    }

    private List<Slow> slow(FairQueue.Share share, int count) {
        return IntStream.range(0, count).mapToObj(_ -> slowPiece(share, 1)).toList();
    }

    private Slow slowPiece(FairQueue.Share share, long bytes) {
        Slow piece = new Slow(share, bytes);
        slowQueue.execute(share, piece);
        return piece;
    }

    private FairQueue.Share begins() throws InterruptedException {
        FairQueue.Share share = begun.poll(1, TimeUnit.MINUTES);
        assertNotNull(share, "nothing begins");
        return share;
    }

    /** Waits until the threads have taken what they were given, and nothing more begins. */
    private void nothingBegins() throws Exception {
        FairQueue.Share last = slowQueue.join("last", 1);
        List<Slow> mark = slow(last, 1); // begins only where a thread is free, behind all that may begin before
        assertSame(last, begins());
        mark.getFirst().ends.countDown();
    }

    @Test
    void aUserWhoseWorkTakesLongHasHalfOfTheThreadsThatOthersDoNotUse() throws Exception {
        List<Slow> ofA = slow(a, 20);
        for (int i = 0; i < THREADS / 2; i++) {
            assertSame(a, begins());
        }
        nothingBegins();
        List<Slow> ofB = slow(b, 20);
        for (int i = 0; i < THREADS / 4; i++) {
            assertSame(b, begins());
        }
        nothingBegins();
        ofA.getFirst().ends.countDown(); // three threads are free, b has two and a has three
        assertSame(b, begins());
        nothingBegins();
        ofA.forEach(each -> each.ends.countDown());
        ofB.forEach(each -> each.ends.countDown());
        for (int i = THREADS / 2 + THREADS / 4 + 1; i < 40; i++) {
            begins();
        }
        assertEquals(List.of(), List.copyOf(begun));
    }

    private final FairQueue.Share a = slowQueue.join("a", 1);
    private final FairQueue.Share b = slowQueue.join("b", 1);

    /** Both have two threads and a piece that waits, and two threads are free: when the piece that is returned ends, both may begin, b first. */
    private Slow bothWait(List<Slow> others) throws Exception {
        Slow ends = slowPiece(a, 1);
        others.add(slowPiece(a, 1));
        others.addAll(slow(b, 2));
        others.addAll(slow(slowQueue.join("c", 1), 2));
        for (int i = 0; i < 6; i++) {
            begins();
        }
        others.add(slowPiece(b, 1));
        others.add(slowPiece(a, 2 * FairQueue.TURN_BYTES)); // it stands behind, since it needs more than a turn
        return ends;
    }

    @Test
    void anEndLetsTwoBeginWhereTwoMay() throws Exception {
        List<Slow> others = new ArrayList<>();
        bothWait(others).ends.countDown();
        // On two threads: b is taken first, and either may tell first that it has begun.
        List<FairQueue.Share> two = List.of(begins(), begins());
        assertEquals(Set.of(a, b), Set.copyOf(two), "a has one thread, and two are free");
        others.forEach(each -> each.ends.countDown());
    }

    @Test
    void oneThreadIsEnough() {
        FairQueue alone = new FairQueue(Runnable::run, 1, MAX);
        FairQueue.Share share = alone.join("a", 1);
        List<String> order = new ArrayList<>();
        alone.execute(share, new Within(alone, share, () -> {
            order.add("begins");
            alone.execute(share, new Within(alone, share, () -> order.add("within")));
            order.add("ends");
        }));
        assertEquals(List.of("begins", "ends", "within"), order);
        assertEquals(0, alone.requests());
    }

    @Test
    void workThatWasLeftIsDoneByThreadsThatStop() throws Exception {
        List<Slow> all = slow(a, THREADS);
        for (int i = 0; i < THREADS / 2; i++) {
            begins();
        }
        nothingBegins();
        threads.shutdown();
        all.forEach(each -> each.ends.countDown());
        for (int i = THREADS / 2; i < THREADS; i++) {
            assertSame(a, begins());
        }
        assertTrue(threads.awaitTermination(1, TimeUnit.MINUTES));
        assertEquals(0, slowQueue.requests());
    }

    @Test
    void workThatCannotBeHandedOverIsDoneLater() throws Exception {
        List<Slow> others = new ArrayList<>();
        Slow first = bothWait(others);
        threads.shutdown();
        first.ends.countDown(); // both may begin, and there is one thread for them
        assertSame(b, begins());
        others.forEach(each -> each.ends.countDown());
        assertSame(a, begins());
        assertTrue(threads.awaitTermination(1, TimeUnit.MINUTES));
        assertEquals(0, slowQueue.requests());
    }

    @Test
    void workThatFailsKeepsNoThread() {
        FairQueue one = new FairQueue(disk::add, 1, MAX);
        FairQueue.Share share = one.join("a", 1);
        List<String> order = new ArrayList<>();
        one.execute(share, new Within(one, share, () -> {
            one.execute(share, new Within(one, share, () -> order.add("within")));
            throw new IllegalStateException("planted");
        }));
        assertThrows(IllegalStateException.class, disk.remove()::run);
        disk.remove().run();
        assertEquals(List.of("within"), order);
    }

    private record Within(FairQueue of, FairQueue.Share share, Runnable task) implements FairQueue.Work {
        @Override
        public long bytes() {
            return 1;
        }

        @Override
        public void run() {
            task.run();
            of.done(share, this);
        }
    }
}
