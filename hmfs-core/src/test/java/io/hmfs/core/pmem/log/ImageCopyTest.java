package io.hmfs.core.pmem.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.MemoryPoolFile;
import io.hmfs.core.pmem.MappedPmem;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.pmem.PoolFile;
import io.hmfs.core.pmem.PoolFiles;
import io.hmfs.core.type.Progress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a rebuilt pool has every byte that its image has, and of an image that is mostly unwritten little is read. Method: sparse images,
 * copied and compared byte by byte.
 */
final class ImageCopyTest {
    private static final long SIZE = 32 << 20;

    @TempDir
    Path directory;

    private record Told(String pass, long done, long total) {}

    private final List<Told> told = new ArrayList<>();
    private final DamagedPages damaged = new DamagedPages();

    private Path image(long... places) throws IOException {
        Path image = directory.resolve("image");
        try (FileChannel file = FileChannel.open(image, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.wrap(new byte[1]), SIZE - 1);
            SplittableRandom random = new SplittableRandom(7);
            for (long place : places) {
                byte[] bytes = new byte[(int) Math.min(5000, SIZE - place)];
                random.nextBytes(bytes);
                file.write(ByteBuffer.wrap(bytes), place);
            }
        }
        LogControl control = new LogControl(directory.resolve("control"), UUID.randomUUID(), 1, SIZE);
        ImageSums.make(directory, control, Progress.NONE);
        return image;
    }

    private void copy(PoolFile into, Progress progress) throws IOException {
        new ImageCopy(directory, new FoldList(0), damaged, into, SIZE, progress).run();
    }

    private PoolFile copy() throws IOException {
        PoolFile pool = PoolFiles.createToGrow(directory.resolve("pool"), SIZE);
        try {
            copy(pool, (pass, done, total) -> told.add(new Told(pass, done, total)));
            damaged.requireAllInLog(directory);
            return pool;
        } catch (IOException | RuntimeException e) {
            pool.close();
            throw e;
        }
    }

    @Test
    void everyByteThatWasWrittenIsCopied() throws IOException {
        // The last ends at the end of the image, another crosses the border of two pieces.
        Path image = image(0, (1 << 20) - 100, 5 << 20, 17_000_123, SIZE - 4000);
        try (PoolFile pool = copy()) {
            byte[] expected = Files.readAllBytes(image);
            byte[] found = new byte[(int) SIZE];
            pool.pmem().copyOut(0, found, 0, found.length);
            assertEquals(-1, Arrays.mismatch(expected, found));
        }
        Told last = told.getLast();
        assertEquals(new Told("image", last.total(), last.total()), last);
        assertEquals(0, told.getFirst().done());
    }

    @Test
    void whatWasNeverWrittenIsNotRead() throws IOException {
        image(20 << 20);
        try (PoolFile _ = copy()) {
            long total = told.getLast().total();
            assertTrue(total >= 5000 && total < SIZE / 8, "read " + total + " bytes");
        }
    }

    @Test
    void anImageThatWasCutOffIsNamed() throws IOException {
        Path image = image(0, SIZE - 4000);
        PoolFile pool = PoolFiles.createToGrow(directory.resolve("pool"), SIZE);
        Progress cut = (_, done, total) -> {
            if (done == 0 && total > 0) {
                truncate(image);
            }
        };
        try (pool) {
            IOException refused = assertThrows(IOException.class, () -> copy(pool, cut));
            assertEquals(image + " was cut off while it was read", refused.getMessage());
        }
    }

    @Test
    void nothingIsCopiedToWhereThePoolHasNoSpaceYet() throws IOException {
        // A page on each side of a multiple of 4 MiB, where the pool's end is at some time.
        long[] places =
                LongStream.range(1, 8).map(piece -> (piece << 22) - 4096).toArray();
        Path image = image(places);
        PoolFile pool = new MemoryPoolFile(MappedPmem.inMemory(SIZE), SIZE, 0) {
            private long size;

            @Override
            public long fileSize() {
                return size;
            }

            @Override
            public void grow(long larger) {
                awaitCopiers();
                for (long place : places) {
                    assertTrue(place + 4096 < size || pmem().get(place) == 0, "copied to " + place + " beside " + size);
                    assertTrue(place + 4096 < size || pmem().get(place + 4096) == 0, place + ", behind " + size);
                }
                size = larger;
            }
        };
        copy(pool, Progress.NONE);
        byte[] found = new byte[(int) SIZE];
        pool.pmem().copyOut(0, found, 0, found.length);
        assertEquals(-1, Arrays.mismatch(Files.readAllBytes(image), found));
    }

    /** Until each of them waits for space, or for more work. */
    private static void awaitCopiers() {
        int copiers = Math.min(4, Runtime.getRuntime().availableProcessors());
        long waiting = 0;
        while (waiting < copiers) {
            waiting = Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getName().startsWith("hmfs-rebuild-"))
                    .filter(thread -> thread.getState() == Thread.State.WAITING)
                    .count();
        }
    }

    @Test
    void aPoolThatGetsNoSpaceEndsTheCopy() throws IOException {
        image(5 << 20, 20 << 20);
        PoolException full = new PoolException(PoolException.Reason.NO_SPACE, "the memory is full");
        PoolFile pool = new MemoryPoolFile(MappedPmem.inMemory(SIZE), SIZE, 0) {
            @Override
            public long fileSize() {
                return 0;
            }

            @Override
            public void grow(long larger) throws PoolException {
                awaitCopiers();
                throw full;
            }
        };
        assertSame(full, assertThrows(PoolException.class, () -> copy(pool, Progress.NONE)));
    }

    private static void truncate(Path image) {
        try (FileChannel file = FileChannel.open(image, StandardOpenOption.WRITE)) {
            file.truncate(100);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
