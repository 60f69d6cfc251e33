package io.hmfs.core.pmem.log;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hmfs.core.pmem.PoolFile;
import io.hmfs.core.pmem.log.PowerCutDisk.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a log file has space ahead while it is written, where the disk has any. What a power failure makes of it is in {@link LogPowerTest}.
 * Method: a disk that refuses what it is told to.
 */
final class LogSpaceTest {
    private static final long AT = PoolFile.HEADER_SIZE + 64;
    private static final int STORES = 110; // some log files

    @TempDir
    Path directory;

    private Path pool;
    private PowerCutDisk disk;
    private LogOptions options;

    @BeforeEach
    void format() throws IOException {
        pool = directory.resolve("pool");
        disk = new PowerCutDisk(Files.createDirectory(directory.resolve("log")), () -> 0);
        options = LogOptions.in(disk.root())
                .withSizes(4 << 10, 1 << 20, 64)
                .withOnVolatile(true)
                .withQuiet(LogOptions.NEVER);
        LoggedPoolFile.format(pool, options, PoolFile.SIZE_MIN, false, _ -> {});
        disk.settle();
    }

    /** Stores each number in a line of its own, each acknowledged before the next. */
    private static void store(LoggedPoolFile file, int from, int to) {
        for (int n = from; n <= to; n++) {
            file.pmem().set(AT + n * 64L, n);
            file.pmem().persist(AT + n * 64L, 8);
            file.groupCommit().await(file.groupCommit().position());
        }
    }

    @Test
    void aFileHasSpaceAheadWhileItIsWrittenAndNoneAfterwards() throws Exception {
        try (LoggedPoolFile file = LoggedPoolFile.open(pool, options)) {
            store(file, 1, 1);
            long length = Files.size(LogFiles.segments(options.directory()).getLast());
            store(file, 2, 15);
            assertEquals(
                    length, Files.size(LogFiles.segments(options.directory()).getLast()));
        }
        Path segment = LogFiles.segments(options.directory()).getLast();
        LogReader.End end = new LogReader(LogControl.read(options.directory().resolve(LogFiles.CONTROL)))
                .read(LogFiles.segments(options.directory()), 0, Long.MAX_VALUE, (_, _, _) -> {});
        assertEquals(Files.size(segment), end.position());
    }

    /** Space ahead is a convenience. */
    @Test
    void aDiskThatHasNoSpaceAheadHasRoomForTheLogAllTheSame() throws IOException {
        AtomicInteger writes = new AtomicInteger();
        disk.watch((kind, name) -> {
            // Of each file its head, a block, and then the space behind it.
            writes.set(kind == Kind.CREATE && name.startsWith("log-") ? 0 : writes.get());
            if (kind == Kind.WRITE && name.startsWith("log-") && writes.incrementAndGet() == 3) {
                throw new IOException("No space left on device");
            }
        });
        try (LoggedPoolFile file = LoggedPoolFile.open(pool, options)) {
            store(file, 1, STORES);
        }
        Files.delete(pool);
        Files.delete(LogFiles.ring(pool));
        try (LoggedPoolFile file = LoggedPoolFile.open(pool, options)) {
            for (int n = 1; n <= STORES; n++) {
                assertEquals(n, file.pmem().get(AT + n * 64L));
            }
        }
    }
}
