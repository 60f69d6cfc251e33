package io.hmfs.core.sim;

import io.hmfs.core.pmem.Backing;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.pmem.PoolFile;
import java.util.Objects;
import java.util.Random;

/**
 * A pool file of simulated memory, laid out as a mapped one, but small: regions of a chosen size, and a header area that has
 * table words for these regions only. Regions are a matter of arithmetic, so a crash cannot touch their allocation.
 */
public final class SimPoolFile extends PoolFile {
    private static final long PAGE = 4096;

    private final SimPmem pmem;
    private final long regionSize;
    private final int regionsLimit;
    private long fileSize;
    private boolean diskFull;

    /** An empty pool file; {@code regionSize} is a multiple of 64, but only one of 4096 gives regions that start a page. */
    public SimPoolFile(long regionSize, int regions) {
        this(regionSize, regions, Persistence.PMEM);
    }

    public SimPoolFile(long regionSize, int regions, Persistence persistence) {
        this(regionSize, regions, regions, persistence);
    }

    private SimPoolFile(long regionSize, int regions, int regionsLimit, Persistence persistence) {
        this(
                new SimPmem(headerSize(regionsLimit) + regionSize * regionsLimit, persistence),
                regionSize,
                regionsLimit,
                headerSize(regionsLimit) + regionSize * regions);
    }

    private SimPoolFile(SimPmem pmem, long regionSize, int regionsLimit, long fileSize) {
        this.pmem = pmem;
        this.regionSize = regionSize;
        this.regionsLimit = regionsLimit;
        this.fileSize = fileSize;
        pmem.resize(fileSize);
    }

    /** One that can grow, from {@code regions} to {@code regionsMax}. */
    public static SimPoolFile growing(long regionSize, int regions, int regionsMax) {
        return new SimPoolFile(regionSize, regions, regionsMax, Persistence.PMEM);
    }

    private static long headerSize(int regions) {
        return (PAGE + (regions + 1) * 8L + PAGE - 1) & -PAGE; // with the word behind the last
    }

    /** This pool file after a power loss that left {@code image}. The file is as long as it was. */
    public SimPoolFile crashed(CrashImage image) {
        return new SimPoolFile(pmem.crashed(image), regionSize, regionsLimit, fileSize);
    }

    /** This pool file after a power loss now; one of at most {@code images} images that it could leave. */
    public SimPoolFile crashed(Random random, int images) {
        int[] left = {random.nextInt(images)};
        CrashImage[] chosen = new CrashImage[1];
        pmem.images(images, random.nextLong(), image -> {
            if (left[0]-- >= 0) {
                chosen[0] = image;
            }
        });
        return crashed(chosen[0]);
    }

    /** This pool file after the death of the process alone. */
    public SimPoolFile killed() {
        return new SimPoolFile(pmem.killed(), regionSize, regionsLimit, fileSize);
    }

    /** The same, with what it had not made durable in flight still: the power may yet fail. */
    public SimPoolFile died() {
        return new SimPoolFile(pmem.died(), regionSize, regionsLimit, fileSize);
    }

    @Override
    public SimPmem pmem() {
        return pmem;
    }

    @Override
    public Backing backing() {
        return Backing.MAPPED;
    }

    @Override
    public boolean dax() {
        return pmem.persistence() == Persistence.PMEM;
    }

    @Override
    public long fileSize() {
        return fileSize;
    }

    @Override
    public long sizeMax() {
        return headerSize(regionsLimit) + regionSize * regionsLimit;
    }

    @Override
    public boolean bound(long size) {
        if (size <= headerSize(regionsLimit) || size > fileSize) {
            return false;
        }
        resize(size);
        return true;
    }

    @Override
    public void grow(long size) throws PoolException {
        if (diskFull) {
            throw new PoolException(PoolException.Reason.NO_SPACE, "the simulated disk is full");
        }
        resize(size);
    }

    /** Whether the disk has nothing for a growth. */
    public void diskFull(boolean full) {
        diskFull = full;
    }

    private void resize(long size) {
        fileSize = size;
        pmem.resize(size);
    }

    @Override
    public long header() {
        return 0;
    }

    @Override
    public long regionSize() {
        return regionSize;
    }

    @Override
    public int regionsMax() {
        return (int) ((fileSize - headerSize(regionsLimit)) / regionSize);
    }

    @Override
    public long regionAt(int index) {
        Objects.checkIndex(index, REGIONS_LIMIT);
        return index < regionsMax() ? headerSize(regionsLimit) + index * regionSize : Pmem.NULL;
    }

    @Override
    public void populate(long at, long count) {
        Objects.checkFromIndexSize(at, count, pmem.size());
    }

    @Override
    public void close() {}
}
