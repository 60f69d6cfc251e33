package io.hmfs.server.data;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.RemovedFiles;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.type.RemovedFile;
import io.hmfs.server.Await;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Goal: a file is told as removed only if it is, for certain, to those who may know, and a clear of theirs reaches the pool once, by the table's thread. Method: a table on a
 * pool that is played by a stack, with a log that has what it is told to have.
 */
class RemovalTableTest {
    private static final RemovalUser SUPERUSER = new RemovalUser(0, 0, true);
    private static final RemovalUser OWNER = new RemovalUser(7, 70, false);
    private static final RemovalUser REMOVER = new RemovalUser(8, 80, false);
    private static final RemovalUser STRANGER = new RemovalUser(9, 90, false);

    private final Map<Long, Long> timeOf = new HashMap<>();
    private final ArrayDeque<Long> removed = new ArrayDeque<>(); // the last that was removed is handed out first
    private final Set<Long> handedOut = new HashSet<>();
    private final List<Long> done = new ArrayList<>();
    private final List<Long> givenBack = new ArrayList<>();
    private final List<Runnable> held = new CopyOnWriteArrayList<>();
    private final Set<Thread> poolThreads = ConcurrentHashMap.newKeySet();
    private @Nullable RuntimeException poolFails;
    private long position;
    private long ageNanos;
    private long time =
            (System.currentTimeMillis() + 60_000) * 1_000_000L; // no file seems old for the time that a test takes
    private long nanos;

    private final RemovedFiles files = new RemovedFiles() {
        @Override
        public synchronized boolean next(RemovedFile out) {
            poolThreads.add(Thread.currentThread());
            if (poolFails != null) {
                throw poolFails;
            }
            Long inode = removed.pollLast();
            if (inode == null) {
                return false;
            }
            handedOut.add(inode);
            out.token = -inode;
            out.id = inode;
            out.size = 10 * inode;
            out.uid = OWNER.uid();
            out.removedNanos = timeOf.getOrDefault(inode, 0L) - ageNanos;
            return true;
        }

        @Override
        public synchronized void done(long token) {
            poolThreads.add(Thread.currentThread());
            assertTrue(handedOut.remove(-token));
            done.add(-token);
        }

        @Override
        public synchronized void giveBack(long token) {
            assertTrue(handedOut.remove(-token));
            givenBack.add(-token);
        }

        @Override
        public synchronized long count() {
            return (long) removed.size() + handedOut.size();
        }

        @Override
        public synchronized long time() {
            return ++time;
        }

        @Override
        public void await(long nanos) {
            LockSupport.parkNanos(1_000_000);
        }
    };

    private final RemovalTable table = new RemovalTable(
            (ServerNamespace) Proxy.newProxyInstance(
                    ServerNamespace.class.getClassLoader(),
                    new Class<?>[] {ServerNamespace.class},
                    (_, method, arguments) -> {
                        return switch (method.getName()) {
                            case "removedFiles" -> files;
                            case "logPosition" -> position;
                            case "whenDurableAnyway" -> {
                                held.add((Runnable) arguments[1]);
                                yield null;
                            }
                            default -> throw new AssertionError(method);
                        };
                    }),
            () -> nanos);

    private void remove(long inode) {
        synchronized (files) {
            removed.add(inode);
            timeOf.put(inode, files.time());
        }
    }

    private Set<Long> told(long olderThanNanos) {
        table.work();
        return page(olderThanNanos);
    }

    private Set<Long> page(long olderThanNanos) {
        return page(SUPERUSER, olderThanNanos);
    }

    private Set<Long> page(RemovalUser user, long olderThanNanos) {
        Set<Long> inodes = new TreeSet<>();
        ByteBuffer page = ByteBuffer.allocate(1_024 * RemovalTable.ENTRY_BYTES);
        for (int from = 0; from < RemovalTable.PLACES; ) {
            int next = table.page(user, from, olderThanNanos, page.clear());
            assertTrue(next > from, "a page that goes on where it began");
            from = next;
            page.flip();
            while (page.hasRemaining()) {
                long inode = page.getLong();
                assertTrue(inodes.add(inode));
                assertEquals(10 * inode, page.getLong(), "its size");
            }
        }
        return inodes;
    }

    @Test
    void whatIsRemovedIsToldAndClearedOnce() {
        remove(1);
        remove(2);
        assertEquals(Set.of(1L, 2L), told(0));
        assertFalse(table.clear(SUPERUSER, 0));
        assertFalse(table.clear(SUPERUSER, 3));
        assertFalse(table.clear(SUPERUSER, -1));
        assertTrue(table.clear(SUPERUSER, 1));
        assertFalse(table.clear(SUPERUSER, 1));
        remove(3);
        remove(4);
        assertFalse(table.clear(SUPERUSER, 4), "which is not in the table yet");
        assertEquals(Set.of(2L, 3L), told(0), "what was cleared before it was removed is on record");
        assertEquals(List.of(1L, 4L), done);
    }

    @Test
    void aFileIsToldToAndClearedByItsOwnerWhoRemovedItAndSuperusers() {
        for (long inode = 1; inode <= 4; inode++) {
            remove(inode);
            table.removedBy(inode, inode == 2 ? REMOVER.mark() : OWNER.mark());
        }
        table.work();
        assertEquals(Set.of(1L, 2L, 3L, 4L), page(OWNER, 0));
        assertEquals(Set.of(2L), page(REMOVER, 0));
        assertEquals(Set.of(), page(STRANGER, 0));
        for (long inode = 1; inode <= 4; inode++) {
            assertFalse(table.clear(STRANGER, inode), "a stranger cleared " + inode);
        }
        assertFalse(table.clear(REMOVER, 1));
        assertTrue(table.clear(REMOVER, 2));
        assertTrue(table.clear(OWNER, 1));
        assertTrue(table.clear(SUPERUSER, 3));
        assertEquals(Set.of(4L), told(0));
        assertEquals(List.of(2L, 1L, 3L), done);
    }

    @Test
    void aStrangerWhoClearsAFileBeforeItCameSaysNothingOfIt() {
        for (long inode = 1; inode <= 4; inode++) {
            remove(inode);
        }
        table.removedBy(2, REMOVER.mark());
        assertFalse(table.clear(STRANGER, 1));
        assertFalse(table.clear(REMOVER, 2));
        assertFalse(table.clear(OWNER, 3));
        assertEquals(Set.of(1L, 4L), told(0));
        assertEquals(Set.of(2L, 3L), new HashSet<>(done));
    }

    /** Or else one user could keep another's files from being told, by asking for them all the time. */
    @Test
    void aStrangerWhoAsksDoesNotKeepAFileQuiet() {
        long age = TimeUnit.MINUTES.toNanos(5);
        remove(1);
        table.work();
        nanos += age;
        assertEquals(Set.of(), page(STRANGER, age));
        assertEquals(Set.of(1L), page(OWNER, age));
        assertEquals(Set.of(), page(OWNER, age), "one client has taken it up");
    }

    @Test
    void whoRemovedIsForgottenForOthersInTheEndAndNeverMistaken() {
        remove(1);
        table.removedBy(1, REMOVER.mark());
        table.work();
        for (long inode = 2; inode < 1_000_000; inode++) {
            table.removedBy(inode, STRANGER.mark());
        }
        assertEquals(Set.of(), page(REMOVER, 0));
        assertEquals(Set.of(), page(STRANGER, 0));
        assertFalse(table.clear(STRANGER, 1));
        assertTrue(table.clear(OWNER, 1));
    }

    /** While a file waits in the pool, whatever is told might be of it. */
    @Test
    void aClearSaysNothingOfAFileThatIsRemovedLater() {
        remove(1);
        assertFalse(table.clear(SUPERUSER, 2));
        remove(2);
        assertEquals(Set.of(1L, 2L), told(0));
        assertEquals(List.of(), done);
        assertTrue(table.clear(SUPERUSER, 2));
        assertEquals(Set.of(1L), told(0));
    }

    @Test
    void whatIsNotCertainIsNotToldAndAClearWaits() {
        position = 1;
        remove(1);
        remove(2);
        assertEquals(Set.of(), told(0));
        assertTrue(table.clear(SUPERUSER, 1));
        assertEquals(Set.of(), told(0));
        assertEquals(List.of(), done);
        held.forEach(Runnable::run);
        assertEquals(List.of(), done, "the log's thread does not work on the pool");
        assertEquals(Set.of(2L), told(0));
        assertEquals(List.of(1L), done);
        assertEquals(1, held.size());
    }

    @Test
    void theLogsThreadNeverWorksOnThePool() throws Exception {
        position = 1;
        remove(1);
        remove(2);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        table.start(failure::set);
        Await.until("the table waits for the log", () -> !held.isEmpty());
        assertTrue(table.clear(SUPERUSER, 1));
        Thread log = Thread.ofPlatform().start(held.getFirst());
        log.join();
        Await.until("the clear reaches the pool", () -> files.count() == 1);
        table.close();
        assertEquals(1, poolThreads.size(), poolThreads.toString());
        assertFalse(poolThreads.contains(log));
        assertFalse(poolThreads.contains(Thread.currentThread()));
        assertNull(failure.get());
    }

    @Test
    void anErrorOfTheThreadIsTold() throws Exception {
        poolFails = new IllegalStateException("planted");
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        table.start(failure::complete);
        assertSame(poolFails, failure.get(10, TimeUnit.SECONDS));
        table.close();
    }

    @Test
    void clearsInTheOrderOfRemovalReachThePool() {
        int count = 20_000; // handed out in the opposite order
        for (long inode = 1; inode <= count; inode++) {
            remove(inode);
        }
        for (long inode = 1; inode <= count; inode++) {
            table.clear(SUPERUSER, inode);
            if (inode % 1_024 == 0) {
                table.work();
            }
        }
        table.work();
        assertEquals(count, done.size());
        assertEquals(0, files.count());
        assertEquals(Set.of(), told(0));
    }

    @Test
    void theTableGrowsWithWhatItHolds() {
        long count = 100_000;
        Set<Long> all = new HashSet<>();
        for (long inode = 1; inode <= count; inode++) {
            remove(inode);
            all.add(inode);
        }
        assertEquals(all, told(0));
        for (long inode = 1; inode <= count; inode += 2) {
            assertTrue(table.clear(SUPERUSER, inode));
            all.remove(inode);
        }
        for (long inode = count + 1; inode <= 2 * count; inode++) {
            remove(inode);
            all.add(inode);
        }
        assertEquals(all, told(0));
        all.forEach(inode -> table.clear(SUPERUSER, inode));
        assertEquals(Set.of(), told(0));
        assertEquals(2 * count, done.size());
    }

    @Test
    void aPeerThatPollsHidesNothingFromAnotherForLong() {
        long age = TimeUnit.MINUTES.toNanos(5);
        remove(1);
        table.work();
        Random random = new Random(7);
        int asked = 0;
        int told = 0;
        long ask = age;
        for (; nanos < TimeUnit.HOURS.toNanos(20); nanos += TimeUnit.SECONDS.toNanos(1)) {
            page(TimeUnit.MINUTES.toNanos(1));
            if (nanos >= ask) {
                ask += age + random.nextLong(age);
                asked++;
                told += page(age).size();
            }
        }
        assertTrue(told > asked / 4, told + " of " + asked);
    }

    @Test
    void whatWasToldIsToldAgainLaterOnly() {
        long age = TimeUnit.MILLISECONDS.toNanos(50);
        remove(1);
        assertEquals(Set.of(), told(age));
        nanos += age - 1;
        assertEquals(Set.of(), told(age));
        nanos++;
        assertEquals(Set.of(1L), told(age));
        assertEquals(Set.of(), told(age), "another client has taken it up");
        nanos += age;
        assertEquals(Set.of(1L), told(0), "as by a client that does not take it up");
        assertEquals(Set.of(1L), told(age));
        ageNanos = TimeUnit.HOURS.toNanos(2);
        remove(2);
        assertEquals(Set.of(2L), told(TimeUnit.HOURS.toNanos(1)), "removed long ago, when no client asked");
    }

    @Test
    void aCloseGivesBackWhatIsNotCleared() {
        remove(1);
        remove(2);
        remove(3);
        told(0);
        table.clear(SUPERUSER, 2);
        table.close();
        assertEquals(Set.of(1L, 3L), new HashSet<>(givenBack));
        assertEquals(List.of(2L), done);
    }
}
