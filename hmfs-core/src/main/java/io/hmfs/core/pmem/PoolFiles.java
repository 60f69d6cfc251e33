package io.hmfs.core.pmem;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** Makes and opens pool files, whatever backs them. */
public final class PoolFiles {
    private static final byte[] PMDK_SIGNATURE = "PMEMOBJ\0".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] POOLSET_SIGNATURE = "PMEMPOOLSET".getBytes(StandardCharsets.US_ASCII);

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
        requireSize(size);
        return create(path, size, backing, overwrite, Sysfs.SYSTEM);
    }

    private static void requireSize(long size) {
        if (size < PoolFile.SIZE_MIN) {
            throw new IllegalArgumentException(
                    "a pool file needs at least " + PoolFile.SIZE_MIN + " bytes, not " + size);
        }
    }

    /**
     * Makes a mapped pool file that has no more than the least of a pool yet and is to grow: so that something else is done while its
     * space is reserved. There is room for all of it when this returns. Not on a device.
     *
     * @param size bytes to which it will {@link PoolFile#grow}, at least {@link PoolFile#SIZE_MIN}
     */
    public static PoolFile createToGrow(Path path, long size) throws PoolException {
        requireSize(size);
        NativeLibrary.require();
        PoolLock lock = PoolLock.reserve(path, PoolFile.SIZE_MIN, false);
        try {
            long free = PoolFile.SIZE_MIN + lock.free();
            if (size > free) {
                throw PoolLock.noSpace(path, size, free);
            }
            return MappedPoolFile.create(lock, PoolMemory.of(path, Sysfs.SYSTEM), PoolFile.SIZE_MIN, size);
        } catch (PoolException | RuntimeException | Error e) {
            lock.abandon();
            throw e;
        }
    }

    static PoolFile create(Path path, long size, Backing backing, boolean overwrite, Sysfs sysfs) throws PoolException {
        NativeLibrary.require();
        boolean onDevice = DaxDevice.isDevice(path);
        PoolLock lock = onDevice ? PoolLock.claim(path, size, sysfs) : PoolLock.reserve(path, size, overwrite);
        try {
            BadBlocks.refuse(path, lock, sysfs);
            PoolMemory memory = PoolMemory.of(path, sysfs);
            if (onDevice) { // PMDK makes all but its own first page empty where it needs that
                MappedPoolFile.empty(path, lock, memory, backing == Backing.MAPPED ? size : 0, overwrite);
            }
            return switch (backing) {
                case MAPPED -> MappedPoolFile.create(lock, memory, size, 0);
                case PMDK -> PmdkPoolFile.create(path, lock, memory);
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
        return open(path, persistence, emulatePmem, sizeMax, Sysfs.SYSTEM);
    }

    static PoolFile open(Path path, Persistence persistence, boolean emulatePmem, long sizeMax, Sysfs sysfs)
            throws PoolException {
        return open(path, sysfs, (lock, memory) -> {
            if (lock.device() == null) {
                lock.fillHoles();
            }
            if (!isPmdk(path, lock)) {
                return MappedPoolFile.open(path, lock, memory, persistence, emulatePmem, sizeMax);
            }
            if (sizeMax > lock.size()) {
                throw new PoolException(
                        PoolException.Reason.NO_SPACE,
                        path
                                + " is a PMDK pool, which does not grow: open it without a larger maximum, or make a"
                                + " mapped pool");
            }
            return PmdkPoolFile.open(path, lock, memory, persistence, emulatePmem);
        });
    }

    /**
     * Opens a pool file to be looked at: stores to its memory are errors. PMDK itself, where it backs the file, still brings its own
     * structures in order.
     */
    public static PoolFile openReadOnly(Path path) throws PoolException {
        return open(
                path,
                Sysfs.SYSTEM,
                (lock, memory) -> isPmdk(path, lock)
                        ? PmdkPoolFile.open(path, lock, memory, Persistence.PROCESS, false)
                        : MappedPoolFile.openReadOnly(path, lock, memory));
    }

    /** Opens a file that is locked and has no bad blocks. */
    private interface Opener {
        PoolFile open(PoolLock lock, PoolMemory memory) throws PoolException;
    }

    private static PoolFile open(Path path, Sysfs sysfs, Opener opener) throws PoolException {
        NativeLibrary.require();
        PoolLock lock = PoolLock.acquire(path, sysfs);
        try {
            BadBlocks.refuse(path, lock, sysfs); // before anything is read
            requireSize(path, lock);
            return opener.open(lock, PoolMemory.of(path, sysfs));
        } catch (PoolException | RuntimeException | Error e) {
            lock.close();
            throw e;
        }
    }

    private static void requireSize(Path path, PoolLock lock) throws PoolException {
        if (lock.size() >= PoolFile.SIZE_MIN) {
            return;
        }
        if (lock.device() == null && begins(path, POOLSET_SIGNATURE)) {
            throw new PoolException(
                    PoolException.Reason.NOT_A_POOL,
                    path + " is a poolset of PMDK, which HMFS does not take: name one file or one device");
        }
        throw new PoolException(
                PoolException.Reason.TRUNCATED,
                path + " has " + lock.size()
                        + " bytes, less than any pool: it was cut off, or is no pool. Restore it"
                        + " from a copy, or make a new one with format --overwrite");
    }

    private static boolean isPmdk(Path path, PoolLock lock) throws PoolException {
        DaxDevice device = lock.device();
        if (device == null) {
            return isPmdk(path);
        }
        try (Arena arena = Arena.ofShared()) { // a device is not read, only mapped
            byte[] first = new byte[PMDK_SIGNATURE.length];
            MemorySegment page = lock.map(device.align(), false, arena);
            MemorySegment.copy(page, ValueLayout.JAVA_BYTE, 0, first, 0, first.length);
            return Arrays.equals(first, PMDK_SIGNATURE);
        }
    }

    /** Whether a file is a pool of PMDK, by its first bytes. */
    public static boolean isPmdk(Path path) throws PoolException {
        return begins(path, PMDK_SIGNATURE);
    }

    private static boolean begins(Path path, byte[] signature) throws PoolException {
        try (InputStream bytes = Files.newInputStream(path)) {
            return Arrays.equals(bytes.readNBytes(signature.length), signature);
        } catch (IOException e) {
            throw new PoolException(PoolException.Reason.IO, path + " cannot be read: " + e, e);
        }
    }
}
