package io.hmfs.core.pmem;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * The file behind a pool: a header area that is always there, and regions that are allocated one after the other. What stands
 * in them is the engine's. A pool file is open at most once at a time, on the whole machine.
 */
public abstract class PoolFile implements AutoCloseable {
    /** Bytes of the header area: the superblock's page, then a table with one word for each region. */
    public static final long HEADER_SIZE = 4096 + 65536 * 8L;

    /** Bytes of a region in production; {@link #regionSize} is what holds for one file. */
    public static final long REGION_SIZE = 4L << 20;

    /** Regions that a pool can have at most: as many as the header's table has words. */
    public static final int REGIONS_LIMIT = 65536;

    /** Smallest file: what the header needs, and a few regions with either backing. */
    public static final long SIZE_MIN = 16L << 20;

    private static final byte[] PMDK_SIGNATURE = "PMEMOBJ\0".getBytes(StandardCharsets.US_ASCII);

    /** For implementations, of which tests have one of their own. */
    protected PoolFile() {}

    /**
     * Makes a pool file, zeroed, of really reserved space. It opens only once the caller has stored a superblock, so a crash
     * before that leaves nothing that could be taken for a pool; a failure removes the file.
     *
     * @param size bytes, at least {@link #SIZE_MIN}
     * @param overwrite whether an existing file, unless it is open, may be replaced
     * @return the file, opened with the strongest mode that its memory allows without emulation
     */
    public static PoolFile create(Path path, long size, Backing backing, boolean overwrite) throws PoolException {
        if (size < SIZE_MIN) {
            throw new IllegalArgumentException("a pool file needs at least " + SIZE_MIN + " bytes, not " + size);
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
                                + " is a PMDK pool, which does not grow: open it without a larger maximum, or make a mapped"
                                + " pool");
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
        if (lock.size() < SIZE_MIN) {
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

    /** The mode to give memory of which {@code dax} is known, or why it cannot have the one that was asked for. */
    static Persistence permitted(Path path, Persistence asked, boolean dax, boolean emulatePmem) throws PoolException {
        if (asked == Persistence.LOGGED) {
            throw new IllegalArgumentException("a logged pool opens with its log");
        }
        if (asked == Persistence.PMEM && !dax && !emulatePmem) {
            throw new PoolException(
                    PoolException.Reason.NOT_DAX,
                    path
                            + " is not on DAX persistent memory, so the mode pmem could not keep its promise. Put the pool on a"
                            + " filesystem mounted with -o dax, or choose the mode process (or --emulate-pmem, for"
                            + " measurements only)");
        }
        return asked;
    }

    /** The memory; offset 0 is the base of the mapping. */
    public abstract Pmem pmem();

    /** What an answer has to wait for beyond the fence: nothing, unless the pool is logged. */
    public Durability durability() {
        return Durability.AT_FENCE;
    }

    /** What backs the file. */
    public abstract Backing backing();

    /** Whether the memory really is DAX, such that a write-back reaches persistent memory. */
    public abstract boolean dax();

    /** Bytes of the file as it is now, to compare with what the superblock recorded. */
    public abstract long fileSize();

    /** Bytes to which {@link #grow} can make the file larger while it is open. */
    public long sizeMax() {
        return fileSize();
    }

    /**
     * Tells how far the pool reaches, once its superblock was read: what stands behind is left of a growth that did not come to
     * its end, and is no part of it.
     *
     * @return false if no pool of this size can be in this file
     */
    public boolean bound(long size) {
        return size == fileSize();
    }

    /**
     * Makes the file larger, by really reserved zeros that survive what the file does, and its memory as well; see {@link
     * MappedPmem}. A failure leaves it as it was. A file of PMDK cannot (ADR 0105): its {@link #sizeMax} is its size, so it is not
     * asked.
     *
     * @param size bytes, more than {@link #fileSize} and at most {@link #sizeMax}
     */
    public void grow(long size) throws PoolException {
        throw new UnsupportedOperationException(backing() + " does not grow");
    }

    /** Takes a growth back, before anything stands in what it gave. */
    public void shrink(long size) throws PoolException {
        throw new UnsupportedOperationException(backing() + " does not grow");
    }

    /** Offset of the header area, a multiple of 4096: {@link #HEADER_SIZE} bytes, zero after {@link #create}. */
    public abstract long header();

    /** Bytes of each region. */
    public long regionSize() {
        return REGION_SIZE;
    }

    /** Regions that fit at most; with PMDK an estimate from above. */
    public abstract int regionsMax();

    /**
     * Allocates a region, atomically with regard to a crash: calling again with the same index, after a restart too, gives the
     * same region, and none is lost. The first call for an index comes after those for all smaller ones; one thread at a time.
     *
     * @return offset of {@link #regionSize} bytes, a multiple of 4096, zero as long as nobody stored there; or {@link
     *     Pmem#NULL} when the pool is full
     */
    public abstract long regionAt(int index) throws PoolException;

    /** The region that {@link #regionAt} has given for an index before, or {@link Pmem#NULL}; allocates nothing. */
    public long regionTaken(int index) throws PoolException {
        return regionAt(index);
    }

    /** Makes the pages of a range present ahead of their use, without changing them; may take long. */
    public abstract void populate(long at, long count) throws PoolException;

    /** Unmaps and unlocks the file; nobody may be using {@link #pmem} any more. Closing again does nothing. */
    @Override
    public abstract void close();
}
