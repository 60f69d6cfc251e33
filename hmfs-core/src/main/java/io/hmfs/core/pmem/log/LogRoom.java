package io.hmfs.core.pmem.log;

import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.pmem.PoolFile;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;

/** Whether there is room for all of a pool with a log, before any of it is made or replaced. */
final class LogRoom {
    private LogRoom() {}

    /** Throws unless the log's directory has room for image and log files, and the pool's place for pool and ring. */
    static void require(Path pool, LogOptions options, long size) throws IOException {
        long ring = Math.max(PoolFile.SIZE_MIN, LogRing.size(options.ringRecords()));
        Path log = options.directory();
        Path place = pool.toAbsolutePath();
        while (!Files.isDirectory(place) && place.getParent() != null) {
            place = place.getParent();
        }
        FileStore logStore = Files.getFileStore(log);
        FileStore poolStore = Files.getFileStore(place);
        long image = size + ImageSums.fileSize(size);
        String onDisk = "an image of " + image + " bytes with its sums and log files of up to " + options.logMax();
        String inMemory = "a pool of " + size + " bytes and its ring of " + ring;
        long logFree = logStore.getUsableSpace() + present(log);
        long poolFree = poolStore.getUsableSpace() + present(pool) + present(LogFiles.ring(pool));
        if (logStore.equals(poolStore)) {
            long free = logFree + poolFree - logStore.getUsableSpace();
            require(log + " and " + pool, onDisk + ", " + inMemory, image + size + options.logMax() + ring, free);
        } else {
            require(log.toString(), onDisk, image + options.logMax(), logFree);
            require(pool.toString(), inMemory, size + ring, poolFree);
        }
    }

    private static void require(String where, String what, long bytes, long free) throws PoolException {
        if (bytes > free) {
            throw new PoolException(
                    PoolException.Reason.NO_SPACE,
                    where + " will need " + bytes + " bytes (" + what + "), but the filesystem has " + free
                            + " free: choose a smaller pool (--size), a smaller log (--log-max, for the server too) or another"
                            + " place");
        }
    }

    /** Bytes of what is there, and would be replaced: a file, or the image and the log files of a directory. */
    private static long present(Path path) throws IOException {
        if (!Files.isDirectory(path)) {
            return Files.exists(path) ? Files.size(path) : 0;
        }
        long bytes = present(path.resolve(LogFiles.IMAGE)) + present(ImageSums.path(path));
        for (Path segment : LogFiles.segments(path)) {
            bytes += Files.size(segment);
        }
        return bytes;
    }
}
