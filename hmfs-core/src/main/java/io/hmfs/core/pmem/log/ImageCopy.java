package io.hmfs.core.pmem.log;

import io.hmfs.core.pmem.MappedPmem;
import io.hmfs.core.pmem.PoolFile;
import io.hmfs.core.pmem.PoolLock;
import io.hmfs.core.pmem.UncachedReader;
import io.hmfs.core.type.Progress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Copies an image into the zeros of a new pool, and verifies each of its pages by its sum. Of an image, whose space is reserved when it is made, only what was written since is read:
 * the rest reads as zeros. Several threads take a piece at a time, so that the disk always has the next one to read, and another gives the pool its space meanwhile:
 * the kernel has to clear it (ADR 0244).
 */
final class ImageCopy {
    /** What the progress of a copy is called. */
    static final String PASS = "image";

    private static final int PIECE = 1 << 20;
    private static final int THREADS_MAX = 4;

    /** In which the pool grows: in each the kernel may be asked for huge pages in vain. */
    private static final int STEPS_MAX = 32;

    private static final long HUGE_PAGE = 2 << 20;
    private static final byte[] ZEROS = new byte[PIECE];
    private static final int SUMS_PIECE = 64 << 10;

    private interface Work {
        void run() throws IOException;
    }

    /** A part of the image, of whole pages. */
    private record Piece(long at, int count) {}

    private final Path directory;
    private final Path image;
    private final FoldList begun;
    private final DamagedPages damaged;
    private final PoolFile pool;
    private final MappedPmem memory;
    private final long size;
    private final long end; // of its whole pages; a broken one at the end is in no region
    private final Progress progress;
    private final int threads;

    private int extent; // the number of the one that is being copied
    private long taken; // of it
    private long copied;
    private long reserved; // bytes of the pool that have their space
    private boolean failed;

    /**
     * {@code begun}: pages that a fold may have changed, which are not verified here; {@code damaged} gets those that are not what was written; {@code pool}
     * grows to {@code size}.
     */
    ImageCopy(Path directory, FoldList begun, DamagedPages damaged, PoolFile pool, long size, Progress progress) {
        this.directory = directory;
        this.image = directory.resolve(LogFiles.IMAGE);
        this.begun = begun;
        this.damaged = damaged;
        this.pool = pool;
        this.memory = (MappedPmem) pool.pmem();
        this.size = size;
        this.end = size & -ImageSums.PAGE;
        this.reserved = pool.fileSize();
        this.progress = progress;
        threads = Math.min(THREADS_MAX, Runtime.getRuntime().availableProcessors());
    }

    /** Returns when all that was written is in the memory. */
    void run() throws IOException {
        ImageExtents extents = ImageExtents.of(image, end);
        progress.at(PASS, 0, extents.bytes());
        try (PoolLock file = PoolLock.acquire(image);
                FileChannel sums = ImageSums.openToRead(directory);
                ExecutorService copiers = Executors.newFixedThreadPool(
                        threads + 1,
                        Thread.ofPlatform().daemon().name("hmfs-rebuild-", 0).factory())) {
            CompletableFuture<?>[] parts = new CompletableFuture<?>[threads + 1];
            parts[threads] = CompletableFuture.runAsync(() -> run(this::reserve), copiers);
            for (int i = 0; i < threads; i++) {
                parts[i] = CompletableFuture.runAsync(() -> run(() -> copyPieces(extents, file, sums)), copiers);
            }
            CompletableFuture.allOf(parts).join();
            findLost(extents, sums);
        } catch (CompletionException e) {
            if (e.getCause() instanceof UncheckedIOException unread) {
                throw unread.getCause();
            }
            throw e;
        }
        progress.at(PASS, extents.bytes(), extents.bytes());
    }

    /** One thread's part; if it fails, the others end. */
    private void run(Work work) {
        try {
            work.run();
        } catch (IOException e) {
            end();
            throw new UncheckedIOException(e);
        } catch (RuntimeException | Error e) {
            end();
            throw e;
        }
    }

    /** Gives the pool its space, from its begin on, as the copiers take the image from its begin on. */
    private void reserve() throws IOException {
        long step = (size / STEPS_MAX + HUGE_PAGE - 1) & -HUGE_PAGE;
        while (reserved < size && !hasFailed()) {
            long next = Math.min(size, (reserved / step + 1) * step);
            pool.grow(next);
            setReserved(next);
        }
    }

    private synchronized boolean hasFailed() {
        return failed;
    }

    private synchronized void setReserved(long bytes) {
        reserved = bytes;
        notifyAll();
    }

    /** Waits until the pool has its first {@code bytes}; false if they will not come. */
    private synchronized boolean awaitReserved(long bytes) {
        boolean interrupted = false;
        while (reserved < bytes && !failed) {
            try {
                wait();
            } catch (InterruptedException e) {
                interrupted = true; // what it has read is copied all the same
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return !failed;
    }

    private void copyPieces(ImageExtents extents, PoolLock file, FileChannel sums) throws IOException {
        try (UncachedReader reader = new UncachedReader(file, PIECE)) {
            byte[] piece = new byte[PIECE];
            ByteBuffer known = ByteBuffer.allocate(PIECE / ImageSums.PAGE * 4).order(ByteOrder.LITTLE_ENDIAN);
            CRC32C crc = new CRC32C();
            for (Piece next = take(extents); next != null; next = take(extents)) {
                long at = next.at;
                int count = next.count;
                if (reader.read(at, piece, count) < count) {
                    throw new IOException(image + " was cut off while it was read");
                }
                int pages = ImageSums.pages(piece, count);
                LogFiles.read(sums, known.clear().limit(pages * 4), ImageSums.at(at / ImageSums.PAGE));
                for (int page = 0; page < pages; page++) {
                    if (ImageSums.sum(crc, piece, page * ImageSums.PAGE) != known.getInt(page * 4)) {
                        differs(at / ImageSums.PAGE + page);
                    }
                }
                if (!Arrays.equals(piece, 0, count, ZEROS, 0, count) && awaitReserved(at + count)) {
                    memory.copyIn(piece, 0, at, count);
                }
            }
        }
    }

    private void differs(long page) {
        if (begun.find(page) < 0) {
            damaged.add(page);
        }
    }

    /** Looks for pages that were written, and are not there any more. */
    private void findLost(ImageExtents extents, FileChannel sums) throws IOException {
        int next = 0;
        ByteBuffer piece = ByteBuffer.allocate(SUMS_PIECE).order(ByteOrder.LITTLE_ENDIAN);
        ImageExtents written = ImageExtents.of(ImageSums.path(directory), ImageSums.fileSize(end));
        for (int i = 0; i < written.count(); i++) {
            for (long from = Math.max(ImageSums.AT, written.begin(i)); from < written.end(i); from += SUMS_PIECE) {
                piece.clear().limit((int) Math.min(SUMS_PIECE, written.end(i) - from));
                LogFiles.read(sums, piece, from);
                for (int at = 0; at < piece.limit(); at += 4) {
                    long page = (from + at - ImageSums.AT) / 4;
                    while (next < extents.count() && extents.end(next) <= page * ImageSums.PAGE) {
                        next++;
                    }
                    boolean isThere = next < extents.count() && extents.begin(next) <= page * ImageSums.PAGE;
                    if (piece.getInt(at) != 0 && !isThere) {
                        differs(page);
                    }
                }
            }
        }
    }

    private synchronized void end() {
        failed = true;
        notifyAll();
    }

    /** The next piece; null if none is left, or another thread has failed. */
    private synchronized @Nullable Piece take(ImageExtents extents) {
        while (extent < extents.count() && extents.begin(extent) + taken == extents.end(extent)) {
            extent++;
            taken = 0;
        }
        if (failed || extent == extents.count()) {
            return null;
        }
        long at = extents.begin(extent) + taken;
        int count = (int) Math.min(PIECE, extents.end(extent) - at);
        taken += count;
        progress.at(PASS, copied, extents.bytes());
        copied += count;
        return new Piece(at, count);
    }
}
