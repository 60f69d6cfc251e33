package io.hmfs.core.pmem;

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

    /** For implementations, of which tests have one of their own. */
    protected PoolFile() {}

    /** The memory; offset 0 is the base of the mapping. */
    public abstract Pmem pmem();

    /** What an answer has to wait for beyond the fence: nothing, unless the pool is logged. */
    public GroupCommit groupCommit() {
        return GroupCommit.AT_FENCE;
    }

    /** What backs the file. */
    public abstract Backing backing();

    /** Whether the memory really is DAX, such that a write-back reaches persistent memory. */
    public abstract boolean dax();

    /** Whether a device has the place of the file: of a size that is not the pool's own. */
    public boolean isDevice() {
        return false;
    }

    /** What the memory is and how stores become durable, in words. */
    public String memory() {
        return dax() ? "DAX" : "not DAX";
    }

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

    /** Offset of the header area, a multiple of 4096: {@link #HEADER_SIZE} bytes, zero after {@link PoolFiles#create}. */
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
     * @return offset of {@link #regionSize} bytes, a multiple of 4096, zero until something is stored there; or {@link
     *     Pmem#NULL} when the pool is full
     */
    public abstract long regionAt(int index) throws PoolException;

    /** The region that {@link #regionAt} has given for an index before, or {@link Pmem#NULL}; allocates nothing. */
    public long regionTaken(int index) throws PoolException {
        return regionAt(index);
    }

    /** Makes the pages of a range present ahead of their use, without changing them; may take long. */
    public abstract void populate(long at, long count) throws PoolException;

    /** Unmaps and unlocks the file; no thread may be using {@link #pmem} any more. Closing again does nothing. */
    @Override
    public abstract void close();
}
