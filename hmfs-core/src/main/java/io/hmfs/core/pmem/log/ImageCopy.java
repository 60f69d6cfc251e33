package io.hmfs.core.pmem.log;

import io.hmfs.core.pmem.MappedPmem;
import io.hmfs.core.type.Progress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.zip.CRC32C;

/**
 * Copies an image into the zeros of a new pool, and verifies each of its pages by its sum. Of an image, whose space is reserved when it is made, only what was written since is read:
 * the rest reads as zeros. Several threads take a piece at a time, so that the disk always has the next one to read.
 */
final class ImageCopy {
    /** What the progress of a copy is called. */
    static final String PASS = "image";

    private static final int PIECE = 1 << 20;
    private static final int THREADS_MAX = 4;
    private static final byte[] ZEROS = new byte[PIECE];
    private static final int SUMS_PIECE = 64 << 10;

    private final Path directory;
    private final Path image;
    private final FoldList begun;
    private final DamagedPages damaged;
    private final MappedPmem memory;
    private final Progress progress;
    private final int threads;

    private int extent; // the number of the one that is being copied
    private long taken; // of it
    private long copied;
    private boolean failed;

    /** {@code begun}: pages that a fold may have changed, which are not verified here; {@code damaged} gets those that are not what was written. */
    ImageCopy(Path directory, FoldList begun, DamagedPages damaged, MappedPmem memory, Progress progress) {
        this.directory = directory;
        this.image = directory.resolve(LogFiles.IMAGE);
        this.begun = begun;
        this.damaged = damaged;
        this.memory = memory;
        this.progress = progress;
        threads = Math.min(THREADS_MAX, Runtime.getRuntime().availableProcessors());
    }

    /** Returns when all that was written is in the memory. */
    void run() throws IOException {
        ImageExtents extents = ImageExtents.of(image, memory.size());
        progress.at(PASS, 0, extents.bytes());
        try (FileChannel file = FileChannel.open(image, StandardOpenOption.READ);
                FileChannel sums = ImageSums.openToRead(directory);
                ExecutorService copiers = Executors.newFixedThreadPool(
                        threads,
                        Thread.ofPlatform().daemon().name("hmfs-rebuild-", 0).factory())) {
            CompletableFuture<?>[] parts = new CompletableFuture<?>[threads];
            for (int i = 0; i < threads; i++) {
                parts[i] = CompletableFuture.runAsync(() -> copyPieces(extents, file, sums), copiers);
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

    private void copyPieces(ImageExtents extents, FileChannel file, FileChannel sums) {
        byte[] piece = new byte[PIECE];
        ByteBuffer buffer = ByteBuffer.wrap(piece);
        ByteBuffer known = ByteBuffer.allocate(PIECE / ImageSums.PAGE * 4).order(ByteOrder.LITTLE_ENDIAN);
        CRC32C crc = new CRC32C();
        try {
            for (long at = take(extents, buffer); at >= 0; at = take(extents, buffer)) {
                while (buffer.hasRemaining()) {
                    if (file.read(buffer, at + buffer.position()) < 0) {
                        throw new IOException(image + " was cut off while it was read");
                    }
                }
                int count = buffer.limit();
                int pages = ImageSums.pages(piece, count);
                LogFiles.read(sums, known.clear().limit(pages * 4), ImageSums.at(at / ImageSums.PAGE));
                for (int page = 0; page < pages; page++) {
                    if (ImageSums.sum(crc, piece, page * ImageSums.PAGE) != known.getInt(page * 4)) {
                        differs(at / ImageSums.PAGE + page);
                    }
                }
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

    private void differs(long page) {
        if (begun.find(page) < 0) {
            damaged.add(page);
        }
    }

    /** Looks for pages that were written, and are not there any more. */
    private void findLost(ImageExtents extents, FileChannel sums) throws IOException {
        int next = 0;
        ByteBuffer piece = ByteBuffer.allocate(SUMS_PIECE).order(ByteOrder.LITTLE_ENDIAN);
        ImageExtents written = ImageExtents.of(ImageSums.path(directory), ImageSums.fileSize(memory.size()));
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
    }

    /** The place of the next piece, with the buffer's limit at its length; -1 if none is left, or another thread has failed. */
    private synchronized long take(ImageExtents extents, ByteBuffer buffer) {
        while (extent < extents.count() && extents.begin(extent) + taken == extents.end(extent)) {
            extent++;
            taken = 0;
        }
        if (failed || extent == extents.count()) {
            return -1;
        }
        long at = extents.begin(extent) + taken;
        int count = (int) Math.min(PIECE, extents.end(extent) - at);
        buffer.clear().limit(count);
        taken += count;
        progress.at(PASS, copied, extents.bytes());
        copied += count;
        return at;
    }
}
