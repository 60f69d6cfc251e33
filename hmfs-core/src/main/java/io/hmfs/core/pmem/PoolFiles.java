package io.hmfs.core.pmem;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** Makes and opens pool files, whatever backs them. */
public final class PoolFiles {
    private static final byte[] PMDK_SIGNATURE = "PMEMOBJ\0".getBytes(StandardCharsets.US_ASCII);

    private PoolFiles() {}

    /**
     * Makes a pool file, zeroed, of really reserved space. It opens only once the caller has stored a superblock, so a crash
     * before that leaves nothing that could be taken for a pool; a failure removes the file.
     *
     * @param size bytes, at least {@link PoolFile#SIZE_MIN}
     * @param overwrite whether an existing file, unless it is open, may be replaced
     * @return the file, opened with the strongest mode that its memory allows without emulation
     */
    public static PoolFile create(Path path, long size, Backing backing, boolean overwrite) throws PoolException {
        if (size < PoolFile.SIZE_MIN) {
            throw new IllegalArgumentException(
                    "a pool file needs at least " + PoolFile.SIZE_MIN + " bytes, not " + size);
        }
        NativeLibrary.require();
        PoolLock lock = PoolLock.reserve(path, size, overwrite);
        try {
            return switch (backing) {
                case MAPPED -> MappedPoolFile.create(path, lock);
                case PMDK -> PmdkPoolFile.create(path, lock);
            };
        } catch (PoolException | RuntimeException | Error e) {
            lock.abandon();
            throw e;
        }
    }

    /**
     * Opens a pool file; what backs it is found from its first bytes. Whether it holds a pool of HMFS is for the caller to
     * check, by the superblock in the header area.
     *
     * @param emulatePmem allow {@link Persistence#PMEM} on any memory: for measurements only
     */
    public static PoolFile open(Path path, Persistence persistence, boolean emulatePmem) throws PoolException {
        return open(path, persistence, emulatePmem, 0);
    }

    /**
     * The same, of a file that may grow while it is open.
     *
     * @param sizeMax bytes to which it may; without effect unless it has less
     */
    public static PoolFile open(Path path, Persistence persistence, boolean emulatePmem, long sizeMax)
            throws PoolException {
        NativeLibrary.require();
        PoolLock lock = PoolLock.acquire(path);
        try {
            requireSize(path, lock);
            if (!isPmdk(path)) {
                return MappedPoolFile.open(path, lock, persistence, emulatePmem, sizeMax);
            }
            if (sizeMax > lock.size()) {
                throw new PoolException(
                        PoolException.Reason.NO_SPACE,
                        path
                                + " is a PMDK pool, which does not grow: open it without a larger maximum, or make a"
                                + " mapped pool");
            }
            return PmdkPoolFile.open(path, lock, persistence, emulatePmem);
        } catch (PoolException | RuntimeException | Error e) {
            lock.close();
            throw e;
        }
    }

    /**
     * Opens a pool file to be looked at: stores to its memory are errors. PMDK itself, where it backs the file, still brings its own
     * structures in order.
     */
    public static PoolFile openReadOnly(Path path) throws PoolException {
        NativeLibrary.require();
        PoolLock lock = PoolLock.acquire(path);
        try {
            requireSize(path, lock);
            return isPmdk(path)
                    ? PmdkPoolFile.open(path, lock, Persistence.PROCESS, false)
                    : MappedPoolFile.openReadOnly(path, lock);
        } catch (PoolException | RuntimeException | Error e) {
            lock.close();
            throw e;
        }
    }

    private static void requireSize(Path path, PoolLock lock) throws PoolException {
        if (lock.size() < PoolFile.SIZE_MIN) {
            throw new PoolException(
                    PoolException.Reason.TRUNCATED,
                    path + " has " + lock.size()
                            + " bytes, less than any pool: it was cut off, or is no pool. Restore it"
                            + " from a copy, or make a new one with format --overwrite");
        }
    }

    /** Whether a file is a pool of PMDK, by its first bytes. */
    public static boolean isPmdk(Path path) throws PoolException {
        try (InputStream bytes = Files.newInputStream(path)) {
            return Arrays.equals(bytes.readNBytes(PMDK_SIGNATURE.length), PMDK_SIGNATURE);
        } catch (IOException e) {
            throw new PoolException(PoolException.Reason.IO, path + " cannot be read: " + e, e);
        }
    }
}
