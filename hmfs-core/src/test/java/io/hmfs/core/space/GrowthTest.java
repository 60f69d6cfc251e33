package io.hmfs.core.space;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.FreshPool;
import io.hmfs.core.Hmfs;
import io.hmfs.core.Namespace;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.PoolStatus;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.TestPool;
import io.hmfs.core.check.PoolCheck;
import io.hmfs.core.layout.CorruptPoolException;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.pmem.Backing;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.recovery.Superblock;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Progress;
import io.hmfs.core.type.Status;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a pool grows while it serves, to its maximum and no further, and goes on when there is no space to be had. Method: real files
 * that are filled; simulated ones, whose disk is full when the test says so, and without threads of their own.
 */
final class GrowthTest {
    private static final long ROOT = Namespace.ROOT_ID;
    private static final int THREADS = 4;
    private static final Path SIM = Path.of("sim");
    private static final long MIB = 1L << 20;
    private static final Logger GROWTH = Logger.getLogger(Growth.class.getName());

    @TempDir
    Path directory;

    private final Attributes out = new Attributes();

    @BeforeAll
    static void hush() {
        GROWTH.setLevel(Level.OFF);
    }

    @AfterAll
    static void speak() {
        GROWTH.setLevel(null);
    }

    private static Name name(long number) {
        return Name.of("file-" + number);
    }

    private Status create(Namespace namespace, long number) {
        return namespace.create(ROOT, name(number), 0644, 0, 0, out);
    }

    private Path format() throws IOException {
        Path pool = directory.resolve("pool");
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        return pool;
    }

    @Test
    void aPoolGrowsWhileItServesAndStopsAtItsMaximum() throws IOException {
        Path pool = format();
        long files = 0;
        try (Namespace namespace = Hmfs.open(pool, OpenOptions.process().growingTo(160 * MIB + 5))) {
            assertEquals(64 * MIB, namespace.poolStatus().capacity());
            while (create(namespace, files) == Status.OK) {
                files++;
            }
            PoolStatus status = namespace.poolStatus();
            assertEquals(160 * MIB, status.capacity(), "whole regions");
            assertEquals(160 * MIB, status.capacityMax());
            assertEquals(status.regionsMax(), status.regionsUsed());
            assertNull(status.growthProblem());
        }
        assertTrue(files > 500_000, "full after " + files); // 64 MiB hold less than 300,000
        assertEquals(160 * MIB, Files.size(pool));
        assertEquals(0, Hmfs.check(pool, Progress.NONE).damage());
        try (Namespace namespace = Hmfs.open(pool, OpenOptions.process())) {
            assertEquals(160 * MIB, namespace.poolStatus().capacity());
            for (long number = 0; number < files; number++) {
                assertEquals(Status.OK, namespace.stat(ROOT, name(number), out), "file " + number);
            }
            assertEquals(Status.NO_SPACE, create(namespace, files));
        }
    }

    /** A thread that follows an offset into the new part must go by the new size; one that finds the pool full must wait for the growth. */
    @Test
    void aPoolGrowsUnderSeveralThreads() throws IOException, InterruptedException {
        Path pool = format();
        Queue<Throwable> errors = new ConcurrentLinkedQueue<>();
        AtomicLong files = new AtomicLong();
        try (Namespace namespace = Hmfs.open(pool, OpenOptions.process().growingTo(128 * MIB))) {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                assertEquals(Status.OK, namespace.mkdir(ROOT, Name.of("directory" + i), 0755, 0, 0, out));
                long parent = out.id;
                threads.add(Thread.ofPlatform().start(() -> {
                    try {
                        files.addAndGet(fillAndLook(namespace, parent));
                    } catch (RuntimeException | Error e) {
                        errors.add(e);
                    }
                }));
            }
            for (Thread thread : threads) {
                thread.join();
            }
            assertEquals(List.of(), List.copyOf(errors));
            assertEquals(128 * MIB, namespace.poolStatus().capacity());
        }
        assertTrue(files.get() > 300_000, "full after " + files); // 64 MiB hold less; how they are shared out is chance
        assertEquals(0, Hmfs.check(pool, Progress.NONE).damage());
    }

    private static long fillAndLook(Namespace namespace, long parent) {
        Attributes attributes = new Attributes();
        long files = 0;
        while (namespace.create(parent, name(files), 0644, 0, 0, attributes) == Status.OK) {
            files++;
            assertEquals(Status.OK, namespace.stat(parent, name(files / 2), attributes));
        }
        return files;
    }

    @Test
    void aPoolOfPmdkSaysThatItDoesNotGrow() throws IOException {
        Path pool = directory.resolve("pool");
        Hmfs.format(pool, new FormatOptions(FormatOptions.SIZE_MIN, Backing.PMDK, false));
        PoolException refused = assertThrows(
                PoolException.class, () -> Hmfs.open(pool, OpenOptions.process().growingTo(128 * MIB)));
        assertTrue(String.valueOf(refused.getMessage()).contains("does not grow"), refused.getMessage());
        Hmfs.open(pool, OpenOptions.process().growingTo(32 * MIB)).close();
    }

    @Test
    void aSizeThatNoPoolCanHaveIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> OpenOptions.process().growingTo(OpenOptions.SIZE_MAX + 1));
        assertThrows(IllegalArgumentException.class, () -> OpenOptions.process().growingTo(-1));
    }

    private static SimPoolFile small() {
        return SimPoolFile.growing(16 << 10, 10, 14);
    }

    private long fill(Namespace namespace) {
        long files = 0;
        while (create(namespace, files) == Status.OK) {
            files++;
        }
        return files;
    }

    @Test
    void withoutSpaceItGoesOnAndGrowsOnceThereIsSome() {
        SimPoolFile file = small();
        ServerNamespace namespace = FreshPool.open(file);
        file.diskFull(true);
        long files = fill(namespace);
        PoolStatus full = namespace.poolStatus();
        assertEquals(10, full.regionsMax());
        assertTrue(full.capacityMax() > full.capacity());
        assertEquals("the simulated disk is full", full.growthProblem());
        assertEquals(Status.OK, namespace.delete(ROOT, name(0), out));
        assertEquals(Status.OK, create(namespace, 0));
        assertEquals(Status.NO_SPACE, create(namespace, files));
        file.diskFull(false);
        TestPool.growth(namespace).backOff(Long.MAX_VALUE);
        assertEquals(Status.NO_SPACE, create(namespace, files), "not tried so soon");
        TestPool.growth(namespace).backOff(0);
        assertEquals(Status.OK, create(namespace, files));
        assertNull(namespace.poolStatus().growthProblem());
        assertEquals(14, namespace.poolStatus().regionsMax());
        TestPool.scan(namespace);
        assertEquals(List.of(), TestPool.problems(namespace));
    }

    /** The size that a pool has grown to has no checksum; its regions and its file tell what it must be. */
    @Test
    void aDamagedSizeIsFoundAndRepaired() throws PoolException {
        SimPoolFile file = small();
        ServerNamespace namespace = FreshPool.open(file);
        long files = fill(namespace);
        namespace.close();
        long at = PoolHeader.GROWN_OFFSET;
        long right = file.pmem().get(at);
        assertEquals(file.sizeMax(), right);
        assertEquals(0, PoolCheck.check(SIM, file, Progress.NONE).damage());
        for (long wrong : new long[] {0, 5, right ^ 1L << 40, right - (16 << 10)}) {
            file.pmem().set(at, wrong);
            assertEquals(1, PoolCheck.check(SIM, file, Progress.NONE).damage(), "found: " + wrong);
            PoolCheck.repair(SIM, file, Progress.NONE);
            assertEquals(right, file.pmem().get(at), "repaired: " + wrong);
        }
        file.pmem().set(at, right + (64 << 10));
        PoolException cutOff = assertThrows(PoolException.class, () -> PoolCheck.check(SIM, file, Progress.NONE));
        assertEquals(PoolException.Reason.TRUNCATED, cutOff.reason());
        file.pmem().set(at, right);
        Superblock.check(SIM, file);
        ServerNamespace again = TestPool.open(file);
        assertEquals(Status.OK, again.stat(ROOT, name(files - 1), out));
    }

    /** Cleared, with a bit less, or another size: a start must not believe it, because the next growth cuts off what stands behind. */
    @Test
    void aDamagedSizeCutsNothingOff() throws IOException {
        Path pool = format();
        long files = 0;
        try (Namespace namespace = Hmfs.open(pool, OpenOptions.process().growingTo(96 * MIB))) {
            while (create(namespace, files) == Status.OK) {
                files++;
            }
        }
        long right = 96 * MIB;
        storeSize(pool, right);
        for (long wrong : new long[] {0, 5, 32 * MIB, 64 * MIB, 92 * MIB}) {
            for (long sizeMax : new long[] {0, 100 * MIB, 128 * MIB}) {
                storeSize(pool, wrong);
                PoolException refused = assertThrows(
                        PoolException.class,
                        () -> Hmfs.open(pool, OpenOptions.process().growingTo(sizeMax))
                                .close(),
                        "size " + wrong + ", growing to " + sizeMax);
                String told = String.valueOf(refused.getMessage());
                assertTrue(told.contains("behind the pool's end") || told.contains("was cut off"), told);
                assertEquals(right, Files.size(pool), "size " + wrong + ", growing to " + sizeMax);
            }
        }
        assertEquals(1, Hmfs.check(pool, Progress.NONE).damage());
        Hmfs.repair(pool, Progress.NONE);
        try (Namespace namespace = Hmfs.open(pool, OpenOptions.process())) {
            for (long number = 0; number < files; number++) {
                assertEquals(Status.OK, namespace.stat(ROOT, name(number), out), "file " + number);
            }
        }
    }

    @Test
    void whatACutOffGrowthLeftIsNotGrownIntoUnasked() throws IOException {
        Path pool = format();
        try (FileChannel channel = FileChannel.open(pool, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.allocate(8), 160 * MIB - 8);
        }
        for (long sizeMax : new long[] {0, 32 * MIB, 64 * MIB, 100 * MIB}) {
            try (Namespace namespace = Hmfs.open(pool, OpenOptions.process().growingTo(sizeMax))) {
                assertEquals(Math.max(64 * MIB, sizeMax), namespace.poolStatus().capacityMax());
            }
            assertEquals(160 * MIB, Files.size(pool), "nothing was done");
        }
    }

    private static void storeSize(Path pool, long size) throws IOException {
        ByteBuffer word = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(0, size);
        try (FileChannel channel = FileChannel.open(pool, StandardOpenOption.WRITE)) {
            channel.write(word, PoolHeader.GROWN_OFFSET);
        }
    }

    /** A word in the table behind the last region says that the pool was larger; if it was not, a repair clears it. */
    @Test
    void aWordBehindTheLastRegionIsRefusedAndRepaired() throws PoolException {
        SimPoolFile file = new SimPoolFile(16 << 10, 10);
        ServerNamespace namespace = FreshPool.open(file);
        long files = fill(namespace);
        namespace.close();
        file.pmem().set(PoolHeader.REGION_TABLE_OFFSET + 8 * 10, 1);
        assertThrows(CorruptPoolException.class, () -> TestPool.open(file));
        assertEquals(1, PoolCheck.check(SIM, file, Progress.NONE).damage());
        PoolCheck.repair(SIM, file, Progress.NONE);
        ServerNamespace again = TestPool.open(file);
        assertEquals(Status.OK, again.stat(ROOT, name(files - 1), out));
    }

    /** A thread that pinned before the growth may go by the old size of the memory for as long as it is pinned. */
    @Test
    void nothingIsHandedOutBeforeAllReadersKnowTheNewSize() {
        SimPoolFile file = small();
        ServerNamespace namespace = FreshPool.open(file);
        file.diskFull(true);
        long files = fill(namespace);
        file.diskFull(false);
        TestPool.growth(namespace).backOff(0);
        boolean[] inside = {true};
        Status listed = namespace.list(ROOT, new ListCursor(), (_, _) -> {
            inside[0] = TestPool.growth(namespace).grow();
            return false;
        });
        assertEquals(Status.OK, listed);
        assertFalse(inside[0]);
        assertEquals(file.sizeMax(), file.fileSize(), "the space is there already");
        assertEquals(10, namespace.poolStatus().regionsMax());
        assertEquals(Status.OK, create(namespace, files));
        assertEquals(14, namespace.poolStatus().regionsMax());
    }

    @Test
    void aPoolThatMayNotGrowDoesNot() {
        SimPoolFile file = new SimPoolFile(16 << 10, 10);
        ServerNamespace namespace = FreshPool.open(file);
        assertTrue(fill(namespace) > 50);
        assertEquals(10, namespace.poolStatus().regionsMax());
        assertNull(namespace.poolStatus().growthProblem());
    }
}
