package io.hmfs.core.pmem.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.pmem.LogFigures;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.pmem.PoolFile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: what waits for the disk is told when it is safe, and that it never will be; a log that cannot be written acknowledges nothing and
 * loses nothing. Method: real files, whose channel is closed under the writer.
 */
final class LogGroupCommitTest {
    private static final long SIZE = PoolFile.SIZE_MIN;
    private static final long AT = PoolFile.HEADER_SIZE + 64;

    @TempDir
    Path directory;

    private Path pool;
    private LogOptions options;

    @BeforeEach
    void format() throws PoolException {
        pool = directory.resolve("pool");
        options = LogOptions.in(directory.resolve("log"))
                .withSizes(1 << 20, 4 << 20, 256)
                .withOnVolatile(true)
                .withQuiet(LogOptions.NEVER);
        LoggedPoolFile.format(pool, options, SIZE, false, _ -> {});
    }

    private LoggedPoolFile open() throws PoolException {
        return LoggedPoolFile.open(pool, options);
    }

    private void loseMachine() throws IOException {
        Files.deleteIfExists(pool);
        Files.deleteIfExists(LogFiles.ring(pool));
    }

    private List<Path> segments() throws IOException {
        return LogFiles.segments(options.directory());
    }

    /** Stores n in word n, for each n, each in a block of its own. */
    private static void store(LoggedPoolFile file, int from, int to) {
        for (int n = from; n < to; n++) {
            file.pmem().set(AT + n * 64L, n);
            file.pmem().persist(AT + n * 64L, 8);
            file.groupCommit().await(file.groupCommit().position());
        }
    }

    private static int stored(LoggedPoolFile file) {
        int n = 1;
        while (file.pmem().get(AT + n * 64L) == n) {
            n++;
        }
        for (int later = n; later < 100; later++) {
            assertEquals(0, file.pmem().get(AT + later * 64L), "word " + later + " is there, " + n + " is not");
        }
        return n;
    }

    /** A sync for the beginning of a change would keep its end waiting for another. */
    @Test
    void aChangeOfSeveralFencesCostsOneSync() throws Exception {
        int changes = 200;
        try (LoggedPoolFile file = open()) {
            long before = file.groupCommit().figures().syncs();
            long start = System.nanoTime();
            for (int n = 0; n < changes; n++) {
                for (int line = 0; line < 4; line++) {
                    file.pmem().set(AT + line * 64L, n);
                    file.pmem().persist(AT + line * 64L, 8);
                    Thread.sleep(0, 100_000); // the writer has time to take it
                }
                file.groupCommit().await(file.groupCommit().position());
            }
            long syncs = file.groupCommit().figures().syncs() - before;
            long pauses =
                    (System.nanoTime() - start) / LogWriter.IDLE_NANOS + 1; // after each of which it writes unasked
            assertTrue(
                    syncs >= changes && syncs - pauses < 1.5 * changes,
                    syncs + " syncs for " + changes + " changes and " + pauses + " pauses");
        }
    }

    /** By which the writer knows whether a caller is alone. No empty record may come, which would be what is waited for here. */
    @Test
    void theWriterHearsHowManyWaited() throws Exception {
        try (LoggedPoolFile file = open()) {
            LogGroupCommit commit = (LogGroupCommit) file.groupCommit();
            CountDownLatch told = new CountDownLatch(3);
            assertEquals(0, commit.advanced());
            commit.whenDurable(commit.position() + 1, told::countDown, _ -> {});
            assertEquals(1, commit.advanced());
            commit.whenDurable(commit.position() + 1, told::countDown, _ -> {});
            commit.whenDurableAnyway(commit.position() + 1, told::countDown, _ -> {});
            assertEquals(2, commit.advanced());
            store(file, 1, 2);
            told.await();
            assertEquals(0, commit.advanced());
        }
    }

    /** Work in the background would have half a change written, whose end an answer waits for. */
    @Test
    void whatWaitsForOthersAsksForNothing() throws Exception {
        try (LoggedPoolFile file = open()) {
            LogGroupCommit commit = (LogGroupCommit) file.groupCommit();
            List<Long> asked = new ArrayList<>();
            commit.use(new LogSink() {
                @Override
                public void ask(long position) {
                    asked.add(position);
                }

                @Override
                public LogFigures figures() {
                    return LogFigures.NONE;
                }
            });
            CountDownLatch told = new CountDownLatch(2);
            file.pmem().set(AT + 64, 1);
            file.pmem().persist(AT + 64, 8);
            long position = commit.position();
            commit.whenDurableAnyway(position, told::countDown, _ -> {});
            assertEquals(List.of(), asked);
            commit.whenDurable(position, told::countDown, _ -> {});
            assertTrue(List.of(position).equals(asked) || file.ring().durable() >= position); // it may be there already
            told.await(); // nothing was asked of the writer, which writes after a while
        }
    }

    /** No thread waits for it, and a power failure must not take more than a moment of it. */
    @Test
    void whatNoThreadWaitsForIsWrittenAllTheSame() throws Exception {
        try (LoggedPoolFile file = open()) {
            file.pmem().set(AT + 64, 1);
            file.pmem().persist(AT + 64, 8);
            long position = file.groupCommit().position();
            while (file.groupCommit().figures().durableLines() < position) {
                Thread.sleep(1);
            }
        }
    }

    @Test
    void afterAnErrorOfTheDiskNothingIsAcknowledgedAndNothingIsLost() throws Exception {
        LoggedPoolFile file = open();
        store(file, 1, 4);
        AtomicReference<Throwable> heard = new AtomicReference<>();
        file.groupCommit().onFailure(heard::set);
        FileChannel channel = file.writer().file();
        assertNotNull(channel);
        channel.close(); // from here on every write fails
        file.pmem().set(AT + 4 * 64L, 4);
        file.pmem().persist(AT + 4 * 64L, 8);
        long position = file.groupCommit().position();
        AtomicReference<Throwable> patient = new AtomicReference<>();
        file.groupCommit()
                .whenDurableAnyway(position, () -> patient.set(new AssertionError("acknowledged")), patient::set);
        LogFailedException e =
                assertThrows(LogFailedException.class, () -> file.groupCommit().await(position));
        assertTrue(String.valueOf(e.getMessage()).contains(segments().getLast().toString()), e.getMessage());
        AtomicReference<Throwable> held = new AtomicReference<>();
        file.groupCommit().whenDurable(position, () -> held.set(new AssertionError("acknowledged")), held::set);
        assertTrue(held.get() instanceof LogFailedException, String.valueOf(held.get()));
        while (heard.get() == null) {
            Thread.onSpinWait(); // told after the threads that wait
        }
        assertTrue(heard.get() instanceof LogFailedException, String.valueOf(heard.get()));
        assertTrue(
                patient.get() instanceof LogFailedException,
                String.valueOf(patient.get())); // told before the listeners
        file.groupCommit().await(position - 1); // what was durable is
        file.close();
        try (LoggedPoolFile again = open()) {
            assertEquals(5, stored(again));
        }
        loseMachine();
        try (LoggedPoolFile again = open()) {
            assertEquals(5, stored(again));
        }
    }

    @Test
    void aThreadThatFailsInTheMiddleOfALineFailsTheLog() throws Exception {
        try (LoggedPoolFile file = open()) {
            store(file, 1, 4);
            file.pmem().set(AT + 4 * 64L, 4);
            file.ring().failHalfWay();
            assertThrows(
                    LogFailedException.class,
                    () -> file.groupCommit().await(file.groupCommit().position() + 1));
        }
        try (LoggedPoolFile again = open()) {
            assertEquals(5, stored(again));
        }
    }

    @Test
    void actionsRunWhenTheirPositionIsDurable() throws Exception {
        try (LoggedPoolFile file = open()) {
            CountDownLatch ran = new CountDownLatch(100);
            AtomicLong early = new AtomicLong();
            for (int n = 1; n <= 100; n++) {
                file.pmem().set(AT + n * 64L, n);
                file.pmem().persist(AT + n * 64L, 8);
                long position = file.groupCommit().position();
                file.groupCommit()
                        .whenDurable(
                                position,
                                () -> {
                                    if (file.ring().durable() < position) {
                                        early.incrementAndGet();
                                    }
                                    ran.countDown();
                                },
                                _ -> early.incrementAndGet());
            }
            ran.await();
            assertEquals(0, early.get());
        }
    }
}
