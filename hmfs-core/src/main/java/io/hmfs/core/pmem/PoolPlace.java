package io.hmfs.core.pmem;

import io.hmfs.core.pmem.PoolException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the place of a file survives, found out before a pool is made or opened there. */
public final class PoolPlace {
    private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs", "devtmpfs");
    private static final int PAGE = 4096;

    private PoolPlace() {}

    /** Whether a file is on DAX persistent memory; if there is none yet, one that is made there would be. Leaves nothing behind. */
    public static boolean isDax(Path path) throws PoolException {
        if (Files.isRegularFile(path) || isDevice(path)) {
            return PoolMemory.of(path, Sysfs.SYSTEM).dax();
        }
        if (Files.isDirectory(path)) {
            throw new PoolException(Reason.NOT_A_POOL, path + ": is a directory; name a file in it");
        }
        Path directory = path.toAbsolutePath().getParent();
        try {
            // Of a name that no file has: what stands beside the pool is not ours.
            Path probe = Files.createTempFile(directory, "hmfs-", ".probe");
            try {
                Files.write(probe, new byte[PAGE]);
                return PoolMemory.of(probe, Sysfs.SYSTEM).dax();
            } finally {
                Files.delete(probe);
            }
        } catch (NoSuchFileException e) {
            throw new PoolException(Reason.NOT_FOUND, path + ": there is no such directory; make it first", e);
        } catch (PoolException e) {
            throw e;
        } catch (IOException e) {
            throw new PoolException(Reason.IO, path + " cannot be made: " + e, e);
        }
    }

    /** The kind of filesystem, if it is one in memory, that is lost with the machine; else null. The path, or what it is in, is there. */
    public static @Nullable String inMemory(Path path) throws PoolException {
        Path there = path.toAbsolutePath();
        while (!Files.exists(there) && there.getParent() != null) {
            there = there.getParent();
        }
        try {
            String type = Files.getFileStore(there).type();
            return IN_MEMORY.contains(type) ? type : null;
        } catch (IOException e) {
            throw new PoolException(Reason.IO, there + " cannot be examined: " + e, e);
        }
    }

    /** Whether a path names a device and no file, so that nothing can stand beside it, and it has to be kept. */
    public static boolean isDevice(Path path) {
        return DaxDevice.isDevice(path);
    }

    /** Bytes of device DAX. */
    public static long deviceSize(Path path) throws PoolException {
        return DaxDevice.of(path, Sysfs.SYSTEM).size();
    }

    /** What a file or a device that {@link #isDax} is false for lacks, after its name. */
    public static String shortfall(Path path) throws PoolException {
        return PoolMemory.of(path, Sysfs.SYSTEM).shortfall();
    }

    /** Throws if a device is in the place of a pool that has a log: such a pool is removed and made anew. */
    public static void requireFile(Path path) throws PoolException {
        if (isDevice(path)) {
            throw new PoolException(
                    Reason.NOT_A_POOL,
                    path + " is a device, and a pool with a log is a file: put it into memory (/dev/shm) or on a disk");
        }
    }
}
