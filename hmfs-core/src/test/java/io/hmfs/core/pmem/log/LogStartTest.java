package io.hmfs.core.pmem.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.pmem.PoolFile;
import io.hmfs.core.pmem.PoolFiles;
import io.hmfs.core.pmem.log.PowerCutDisk.Kind;
import io.hmfs.core.type.Progress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a start of a pool with a log goes on from wherever the one before has ended, or was cut off, and so does a rebuild. Method: files
 * are copied while they are in use, put back as they were at some step, or stand in the way.
 */
final class LogStartTest {
    private static final long AT = PoolFile.HEADER_SIZE + 64;

    @TempDir
    Path directory;

    private Path here;
    private Path pool;

    @BeforeEach
    void format() throws IOException {
        here = Files.createDirectory(directory.resolve("here"));
        pool = here.resolve("pool");
        LoggedPoolFile.format(pool, options(here), PoolFile.SIZE_MIN, false, _ -> {});
    }

    private static LogOptions options(Path place) {
        return in(place.resolve("log"));
    }

    private static LogOptions in(Path log) {
        return LogOptions.in(log)
                .withSizes(1 << 20, 4 << 20, 256)
                .withOnVolatile(true)
                .withQuiet(LogOptions.NEVER)
                .withProgress(Progress.NONE);
    }

    private LoggedPoolFile open() throws PoolException {
        return LoggedPoolFile.open(pool, options(here));
    }

    private static void loseMachine(Path pool) throws IOException {
        Files.delete(pool);
        Files.delete(LogFiles.ring(pool));
    }

    private static void store(LoggedPoolFile file, long value) {
        file.pmem().set(AT, value);
        file.pmem().persist(AT, 8);
        file.groupCommit().await(file.groupCommit().position());
    }

    /** All files, as a process that is killed now would leave them. */
    private Path copy() throws IOException {
        Path there = Files.createDirectories(directory.resolve("there"));
        try (Stream<Path> files = Files.walk(here)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Path copied = there.resolve(here.relativize(file));
                if (Files.isDirectory(file)) {
                    Files.createDirectories(copied);
                } else {
                    Files.copy(file, copied);
                }
            }
        }
        return there;
    }

    /** [log.7], [log.8] What the start itself has logged is on the disk before it is told, or it is no start. */
    @Test
    void aStartWhoseFirstLinesTheDiskRefusesFails() throws IOException {
        PowerCutDisk disk = new PowerCutDisk(here.resolve("log"), () -> 0);
        Thread starter = Thread.currentThread();
        AtomicBoolean isOpen = new AtomicBoolean();
        AtomicInteger syncs = new AtomicInteger();
        disk.watch((kind, name) -> {
            // The first sync is of the log file's head, the second one of its first block.
            if (kind == Kind.FORCE && name.startsWith("log-") && syncs.incrementAndGet() == 2) {
                while (!isOpen.get() && starter.getState() != Thread.State.WAITING) {
                    Thread.onSpinWait(); // a start that does not wait for this sync is to end before it fails
                }
                throw new IOException("no sync of " + name);
            }
        });
        PoolException e = assertThrows(PoolException.class, () -> {
            try (LoggedPoolFile _ = LoggedPoolFile.open(pool, in(disk.root()))) {
                isOpen.set(true);
            }
        });
        assertTrue(String.valueOf(e.getMessage()).contains("no sync of log-"), e.getMessage());
    }

    /** [log.7] */
    @Test
    void whatADeadProcessHadStoredOutlivesTheMachineAfterTheNextStart() throws IOException {
        Path there;
        try (LoggedPoolFile file = open()) {
            store(file, 1);
            file.pmem().set(AT + Pmem.LINE, 7);
            there = copy();
        }
        Path copied = there.resolve("pool");
        LoggedPoolFile.open(copied, options(there)).close();
        loseMachine(copied);
        try (LoggedPoolFile file = LoggedPoolFile.open(copied, options(there))) {
            assertEquals(
                    List.of(1L, 7L), List.of(file.pmem().get(AT), file.pmem().get(AT + Pmem.LINE)));
        }
    }

    /** Whoever made the file first would own the pool, where all users make files. */
    @Test
    void aRebuildOpensNothingThatStoodInItsWay() throws IOException {
        open().close();
        loseMachine(pool);
        List<Object> planted = new ArrayList<>();
        for (String name : List.of("pool.rebuild", "pool.rebuild.ring")) {
            Path file = Files.createFile(here.resolve(name));
            Files.createLink(directory.resolve(name), file); // so that no other file gets its number
            planted.add(Files.getAttribute(file, "unix:ino"));
        }
        assertEquals(LogFiles.ring(here.resolve("pool.rebuild")), here.resolve("pool.rebuild.ring"));
        open().close();
        assertFalse(planted.contains(Files.getAttribute(pool, "unix:ino")));
        assertFalse(planted.contains(Files.getAttribute(LogFiles.ring(pool), "unix:ino")));
    }

    @Test
    void theDirectoryIsClosedToOtherUsers() throws IOException {
        Path log = here.resolve("log");
        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(log)));
        Files.setPosixFilePermissions(log, PosixFilePermissions.fromString("rwxrwxr-x"));
        PoolException e = assertThrows(PoolException.class, () -> open().close());
        assertTrue(String.valueOf(e.getMessage()).contains("chmod 700"), e.getMessage());
        Files.setPosixFilePermissions(log, PosixFilePermissions.fromString("rwxr-xr-x"));
        open().close();
        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(log)));
    }

    @Test
    void aCleanEndLeavesNothingInMemoryAlone() throws IOException {
        try (LoggedPoolFile file = open()) {
            file.pmem().set(AT, 7);
        }
        loseMachine(pool);
        try (LoggedPoolFile file = open()) {
            assertEquals(7, file.pmem().get(AT));
        }
    }

    /** The pool says the new session, the ring only that it comes. */
    @Test
    void aStartThatDiedBetweenPoolAndRingIsNoMixture() throws IOException {
        open().close();
        try (PoolFile ring = PoolFiles.open(LogFiles.ring(pool), Persistence.PROCESS, false)) {
            long session = ring.pmem().get(RingHeader.SESSION_OFFSET);
            ring.pmem().set(RingHeader.SESSION_OFFSET, session - 1);
        }
        open().close();
    }

    /** [rebuild.1] */
    @Test
    void aRebuildWhoseStartDiedBelongsToItsLog() throws IOException {
        try (LoggedPoolFile file = open()) {
            store(file, 7);
        }
        loseMachine(pool);
        try (LogDirectory log = LogDirectory.open(pool, options(here))) {
            new LogRebuild(pool, log, options(here)).run();
        }
        try (LoggedPoolFile file = open()) {
            assertEquals(7, file.pmem().get(AT));
        }
    }

    /** [rebuild.2] */
    @Test
    void aRebuildLeavesNoPoolWithoutItsRing() throws IOException {
        try (LoggedPoolFile file = open()) {
            store(file, 7);
        }
        loseMachine(pool);
        Path inTheWay = Files.createDirectories(LogFiles.ring(pool).resolve("directory"));
        assertThrows(PoolException.class, this::open);
        assertFalse(Files.exists(pool));
        Files.delete(inTheWay);
        Files.delete(LogFiles.ring(pool));
        try (LoggedPoolFile file = open()) {
            assertEquals(7, file.pmem().get(AT));
        }
    }
}
