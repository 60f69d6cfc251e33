package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.pmem.Backing;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.pmem.log.LogOptions;
import io.hmfs.core.pmem.log.LoggedPoolFile;
import io.hmfs.core.space.Growth;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Progress;
import io.hmfs.core.type.Status;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a pool with a log grows together with its image, and the loss of the machine takes nothing of what stands in the new part; a
 * growth that was cut off between its files leaves a pool that opens and can be rebuilt. Method: real pools; the steps one by one.
 */
final class LoggedGrowthTest {
    private static final long ROOT = Namespace.ROOT_ID;
    private static final long MORE = 2 * FormatOptions.SIZE_MIN;
    private static final Logger GROWTH = Logger.getLogger(Growth.class.getName());

    @TempDir
    Path directory;

    private final Attributes out = new Attributes();
    private Path pool;
    private Path image;
    private LogOptions log;

    @BeforeAll
    static void hush() {
        GROWTH.setLevel(Level.OFF);
    }

    @AfterAll
    static void speak() {
        GROWTH.setLevel(null);
    }

    @BeforeEach
    void format() throws IOException {
        pool = directory.resolve("pool");
        image = directory.resolve("log").resolve("image");
        log = LogOptions.in(directory.resolve("log"))
                .withOnVolatile(true)
                .withQuiet(LogOptions.NEVER)
                .withProgress(Progress.NONE);
        Hmfs.format(pool, new FormatOptions(FormatOptions.SIZE_MIN, Backing.MAPPED, false, log));
    }

    private void loseMachine() throws IOException {
        Files.delete(pool);
        Files.delete(directory.resolve("pool.ring"));
    }

    private static Name name(int number) {
        return Name.of("file-" + number);
    }

    private void works(long capacity) throws IOException {
        try (Namespace namespace = Hmfs.open(pool, OpenOptions.logged(log))) {
            assertEquals(capacity, namespace.poolStatus().capacity());
            namespace.delete(ROOT, Name.of("one"), out);
            assertEquals(Status.OK, namespace.create(ROOT, Name.of("one"), 0644, 0, 0, out));
        }
    }

    @Test
    void whatStandsInTheNewPartSurvivesTheLossOfTheMachine() throws IOException {
        int files = 0;
        OpenOptions options = OpenOptions.logged(log).withoutWaiting().growingTo(MORE);
        try (Namespace namespace = Hmfs.open(pool, options)) {
            while (namespace.create(ROOT, name(files), 0644, 0, 0, out) == Status.OK) {
                files++;
            }
            assertEquals(MORE, namespace.poolStatus().capacity());
        }
        assertTrue(files > 350_000, "full after " + files); // 64 MiB hold less than 300,000
        assertEquals(MORE, Files.size(image));
        loseMachine();
        PoolNamespace namespace = new PoolNamespace("rebuilt", LoggedPoolFile.open(pool, log), false);
        for (int i = 0; i < files; i++) {
            assertEquals(Status.OK, namespace.stat(ROOT, name(i), out), "file " + i);
        }
        namespace.scanInBackground();
        assertEquals(List.of(), namespace.problems());
        namespace.close();
    }

    /** The image is longer, and nothing else knows. */
    @Test
    void aGrowthMayEndWithTheImage() throws IOException {
        works(FormatOptions.SIZE_MIN);
        try (FileChannel channel = FileChannel.open(image, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.allocate(8), MORE - 8);
        }
        works(FormatOptions.SIZE_MIN);
        loseMachine();
        works(FormatOptions.SIZE_MIN);
        growsAfterAll();
    }

    /** Pool, image and control file have their space, and the superblock does not say so. */
    @Test
    void aGrowthMayEndBeforeItsCommit() throws IOException {
        works(FormatOptions.SIZE_MIN);
        try (LoggedPoolFile file = LoggedPoolFile.open(pool, log, MORE)) {
            file.grow(MORE);
        }
        assertEquals(MORE, Files.size(pool));
        works(FormatOptions.SIZE_MIN);
        loseMachine();
        works(FormatOptions.SIZE_MIN);
        assertEquals(MORE, Files.size(pool), "rebuilt as the control file says");
        growsAfterAll();
    }

    /** It goes before room is asked for, which it may have taken. */
    @Test
    void whatACutOffGrowthLeftInTheImageIsFreeForTheNext() throws IOException {
        works(FormatOptions.SIZE_MIN);
        try (FileChannel channel = FileChannel.open(image, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.allocate(8), MORE - 8);
        }
        try (LoggedPoolFile file = LoggedPoolFile.open(pool, log, MORE)) {
            assertThrows(PoolException.class, () -> file.grow(1L << 60)); // no disk has room for that
        }
        assertEquals(FormatOptions.SIZE_MIN, Files.size(image));
        works(FormatOptions.SIZE_MIN);
    }

    private void growsAfterAll() throws IOException {
        try (Namespace namespace =
                Hmfs.open(pool, OpenOptions.logged(log).withoutWaiting().growingTo(MORE))) {
            for (int i = 0; namespace.poolStatus().capacity() < MORE; i++) {
                assertEquals(Status.OK, namespace.create(ROOT, name(i), 0644, 0, 0, out));
            }
        }
        works(MORE);
        loseMachine();
        works(MORE);
    }
}
