package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hmfs.core.pmem.Backing;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.pmem.log.LogOptions;
import io.hmfs.core.pmem.log.LoggedPoolFile;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Progress;
import io.hmfs.core.type.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a pool with a log outlives its memory, and parts that do not belong together are refused. Method: real pools; the pool and
 * the ring are removed, exchanged, replaced by old copies.
 */
final class LoggedPoolTest {
    private static final long ROOT = Namespace.ROOT_ID;

    @TempDir
    Path directory;

    private Path pool;
    private Path ring;
    private LogOptions log;

    @BeforeEach
    void format() throws IOException {
        pool = directory.resolve("pool");
        ring = directory.resolve("pool.ring");
        // Segments of 4 KiB: fifty lines fill one, so every test folds.
        log = LogOptions.in(directory.resolve("log"))
                .withSizes(4 << 10, 64 << 10, 1024)
                .withOnVolatile(true)
                .withQuiet(LogOptions.NEVER);
        Hmfs.format(pool, new FormatOptions(FormatOptions.SIZE_MIN, Backing.MAPPED, false, log));
    }

    private ServerNamespace open() throws IOException {
        return Hmfs.openForServer(pool, OpenOptions.logged(log));
    }

    private static void fill(ServerNamespace namespace, String prefix, int count) {
        Attributes out = new Attributes();
        for (int i = 0; i < count; i++) {
            assertEquals(Status.OK, namespace.create(ROOT, Name.of(prefix + i), 0644, 1, 2, out));
        }
    }

    private void loseMachine() throws IOException {
        Files.delete(pool);
        Files.delete(ring);
    }

    private List<String> problems() throws IOException {
        PoolNamespace namespace = new PoolNamespace("check", LoggedPoolFile.open(pool, log), false);
        namespace.scanInBackground();
        List<String> problems = namespace.problems();
        namespace.close();
        return problems;
    }

    @Test
    void whatWasAcknowledgedSurvivesTheLossOfTheMachine() throws IOException {
        Map<String, String> before;
        try (ServerNamespace namespace = open()) {
            fill(namespace, "a", 500);
            before = Snapshot.of(namespace);
        }
        loseMachine();
        assertEquals(List.of(), problems());
        try (ServerNamespace namespace = open()) {
            assertEquals(before, Snapshot.of(namespace));
            fill(namespace, "b", 500);
            before = Snapshot.of(namespace);
        }
        try (ServerNamespace namespace = open()) {
            assertEquals(before, Snapshot.of(namespace));
            fill(namespace, "c", 5);
            before = Snapshot.of(namespace);
        }
        loseMachine();
        try (ServerNamespace namespace = open()) {
            assertEquals(before, Snapshot.of(namespace));
        }
        assertEquals(List.of(), problems());
    }

    @Test
    void aCheckLooksAndARepairRefuses() throws IOException {
        open().close();
        assertEquals(0, Hmfs.check(pool, Progress.NONE).damage());
        refused(
                PoolException.Reason.NOT_A_POOL,
                "which a repair would not write to",
                () -> Hmfs.repair(pool, Progress.NONE));
        open().close();
    }

    @Test
    void aFormatLooksForRoomForTheLogTooAndMakesNothingWithout() throws IOException {
        long most = 1L << 40;
        assumeTrue(Files.getFileStore(directory).getUsableSpace() < most);
        Path other = directory.resolve("other");
        LogOptions large = LogOptions.in(other.resolveSibling("other.log"))
                .withSizes(4 << 10, most, 1024)
                .withOnVolatile(true)
                .withQuiet(LogOptions.NEVER);
        refused(
                PoolException.Reason.NO_SPACE,
                "log files of up to " + most,
                () -> Hmfs.format(other, new FormatOptions(FormatOptions.SIZE_MIN, Backing.MAPPED, false, large)));
        assertFalse(Files.exists(large.directory().resolve("image")));
        assertFalse(large.exists());
        LogOptions enough = large.withSizes(4 << 10, 8 << 10, 1024);
        Hmfs.format(other, new FormatOptions(FormatOptions.SIZE_MIN, Backing.MAPPED, false, enough));
        assertTrue(enough.exists());
    }

    @Test
    void logFilesThatTheImageHoldsAreDropped() throws Exception {
        try (ServerNamespace namespace = open()) {
            fill(namespace, "a", 1000);
        }
        long bytes = 0;
        try (Stream<Path> files = Files.list(directory.resolve("log"))) {
            for (Path file : files.filter(f -> f.getFileName().toString().startsWith("log-"))
                    .toList()) {
                bytes += Files.size(file);
            }
        }
        assertTrue(bytes <= log.logMax(), "log files: " + bytes);
    }

    private static void refused(PoolException.Reason reason, String words, Executable open) {
        PoolException e = assertThrows(PoolException.class, open::run);
        assertEquals(reason, e.reason(), e.getMessage());
        assertTrue(String.valueOf(e.getMessage()).contains(words), e.getMessage());
    }

    /** What may fail. */
    private interface Executable {
        void run() throws IOException;
    }

    @Test
    void partsThatDoNotBelongTogetherAreRefused() throws IOException {
        open().close();
        Path oldPool = Files.copy(pool, directory.resolve("old"));
        Path oldRing = Files.copy(ring, directory.resolve("old.ring"));
        try (ServerNamespace namespace = open()) {
            fill(namespace, "a", 100);
        }
        Path newPool = Files.move(pool, directory.resolve("new"));
        Path newRing = Files.move(ring, directory.resolve("new.ring"));

        Files.copy(oldPool, pool);
        refused(PoolException.Reason.NOT_FOUND, "is rebuilt from the log", this::open);
        Files.copy(newRing, ring);
        refused(PoolException.Reason.NOT_A_POOL, "one of them is an old copy", this::open);
        Files.delete(ring);
        Files.copy(oldRing, ring);
        refused(PoolException.Reason.NOT_A_POOL, "is older than the log", this::open);
        loseMachine();
        open().close(); // a rebuild: another generation
        loseMachine();
        Files.copy(newPool, pool);
        Files.copy(newRing, ring);
        refused(PoolException.Reason.NOT_A_POOL, "is of generation 1, the log of generation 2", this::open);
        loseMachine();
        try (ServerNamespace namespace = open()) {
            assertEquals(100, Snapshot.of(namespace).size());
        }
    }

    @Test
    void anotherPoolsLogIsRefused() throws IOException {
        open().close();
        LogOptions other = LogOptions.in(directory.resolve("other"))
                .withSizes(4 << 10, 64 << 10, 1024)
                .withOnVolatile(true)
                .withQuiet(LogOptions.NEVER);
        Path otherPool = directory.resolve("otherPool");
        Hmfs.format(otherPool, new FormatOptions(FormatOptions.SIZE_MIN, Backing.MAPPED, false, other));
        Hmfs.openForServer(otherPool, OpenOptions.logged(other)).close();
        refused(
                PoolException.Reason.NOT_A_POOL,
                "belongs to another log",
                () -> Hmfs.openForServer(pool, OpenOptions.logged(other)));
        refused(
                PoolException.Reason.NOT_A_POOL,
                "is part of a pool with a log",
                () -> Hmfs.open(pool, new OpenOptions(Persistence.PROCESS, false)));
        refused(
                PoolException.Reason.NOT_FOUND,
                "holds no log",
                () -> Hmfs.openForServer(pool, OpenOptions.logged(LogOptions.in(directory))));
        Path plain = directory.resolve("plain");
        Hmfs.format(plain, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        Files.copy(ring, directory.resolve("plain.ring"));
        refused(PoolException.Reason.NOT_A_POOL, "has no log", () -> Hmfs.open(plain, OpenOptions.logged(log)));
    }

    @Test
    void aLogIsOpenOnce() throws IOException {
        try (ServerNamespace _ = open()) {
            refused(PoolException.Reason.LOCKED, "in use", this::open);
            refused(
                    PoolException.Reason.LOCKED,
                    "in use",
                    () -> Hmfs.format(pool, new FormatOptions(FormatOptions.SIZE_MIN, Backing.MAPPED, true, log)));
        }
    }

    @Test
    void formatReplacesOnlyWhenAsked() throws IOException {
        try (ServerNamespace namespace = open()) {
            fill(namespace, "a", 10);
        }
        refused(
                PoolException.Reason.ALREADY_EXISTS,
                "--overwrite",
                () -> Hmfs.format(pool, new FormatOptions(FormatOptions.SIZE_MIN, Backing.MAPPED, false, log)));
        Hmfs.format(pool, new FormatOptions(FormatOptions.SIZE_MIN, Backing.MAPPED, true, log));
        try (ServerNamespace namespace = open()) {
            assertEquals(Map.of(), Snapshot.of(namespace));
        }
    }
}
