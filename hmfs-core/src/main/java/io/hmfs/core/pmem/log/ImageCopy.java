package io.hmfs.core.pmem.log;

import io.hmfs.core.pmem.MappedPmem;
import io.hmfs.core.pmem.PoolLock;
import io.hmfs.core.type.Progress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Copies an image into the zeros of a new pool. Of an image, whose space is reserved when it is made, only what was written since is read:
 * the rest reads as zeros. Several threads take a piece at a time, so that the disk always has the next one to read.
 */
final class ImageCopy {
    /** What the progress of a copy is called. */
    static final String PASS = "image";

    private static final int PIECE = 1 << 20;
    private static final int THREADS_MAX = 4;
    private static final byte[] ZEROS = new byte[PIECE];

    private final Path image;
    private final MappedPmem memory;
    private final Progress progress;
    private final int threads;

    /** Begin and end of each part that was written, in order. */
    private long[] extents = new long[16];

    private int extentEnds; // how many of these are in use
    private int extent; // the begin of the one that is being copied
    private long taken; // of it
    private long copied;
    private long total;
    private boolean failed;

    ImageCopy(Path image, MappedPmem memory, Progress progress) {
        this.image = image;
        this.memory = memory;
        this.progress = progress;
        threads = Math.min(THREADS_MAX, Runtime.getRuntime().availableProcessors());
    }

    /** Returns when all that was written is in the memory. */
    void run() throws IOException {
        findExtents();
        progress.at(PASS, 0, total);
        try (FileChannel file = FileChannel.open(image, StandardOpenOption.READ);
                ExecutorService copiers = Executors.newFixedThreadPool(
                        threads,
                        Thread.ofPlatform().daemon().name("hmfs-rebuild-", 0).factory())) {
            CompletableFuture<?>[] parts = new CompletableFuture<?>[threads];
            for (int i = 0; i < threads; i++) {
                parts[i] = CompletableFuture.runAsync(() -> copyPieces(file), copiers);
            }
            CompletableFuture.allOf(parts).join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof UncheckedIOException unread) {
                throw unread.getCause();
            }
            throw e;
        }
        progress.at(PASS, total, total);
    }

    private void findExtents() throws IOException {
        try (PoolLock file = PoolLock.acquire(image)) {
            file.sync(); // some filesystems say of what is in memory alone that it was not written
            for (long from = file.dataFrom(0); from < memory.size(); from = file.dataFrom(extents[extentEnds - 1])) {
                if (extentEnds == extents.length) {
                    extents = Arrays.copyOf(extents, 2 * extentEnds);
                }
                extents[extentEnds] = from;
                extents[extentEnds + 1] = Math.min(file.holeFrom(from), memory.size());
                total += extents[extentEnds + 1] - from;
                extentEnds += 2;
            }
        }
    }

    private void copyPieces(FileChannel file) {
        byte[] piece = new byte[PIECE];
        ByteBuffer buffer = ByteBuffer.wrap(piece);
        try {
            for (long at = take(buffer); at >= 0; at = take(buffer)) {
                while (buffer.hasRemaining()) {
                    if (file.read(buffer, at + buffer.position()) < 0) {
                        throw new IOException(image + " was cut off while it was read");
                    }
                }
                int count = buffer.limit();
                if (!Arrays.equals(piece, 0, count, ZEROS, 0, count)) {
                    memory.copyIn(piece, 0, at, count);
                }
            }
        } catch (IOException e) {
            end();
            throw new UncheckedIOException(e);
        } catch (RuntimeException | Error e) {
            end();
            throw e;
        }
    }

    private synchronized void end() {
        failed = true;
    }

    /** The place of the next piece, with the buffer's limit at its length; -1 if none is left, or another thread has failed. */
    private synchronized long take(ByteBuffer buffer) {
        while (extent < extentEnds && extents[extent] + taken == extents[extent + 1]) {
            extent += 2;
            taken = 0;
        }
        if (failed || extent == extentEnds) {
            return -1;
        }
        long at = extents[extent] + taken;
        int count = (int) Math.min(PIECE, extents[extent + 1] - at);
        buffer.clear().limit(count);
        taken += count;
        progress.at(PASS, copied, total);
        copied += count;
        return at;
    }
}
