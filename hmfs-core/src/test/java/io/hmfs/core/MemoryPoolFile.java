package io.hmfs.core;

import io.hmfs.core.pmem.Backing;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.pmem.PoolFile;

/** A pool file over memory of this process; the first region is the header. */
public class MemoryPoolFile extends PoolFile {
    private final Pmem pmem;
    private final long regionSize;
    private final int regions;

    public MemoryPoolFile(Pmem pmem, long regionSize, int regions) {
        this.pmem = pmem;
        this.regionSize = regionSize;
        this.regions = regions;
    }

    @Override
    public Pmem pmem() {
        return pmem;
    }

    @Override
    public Backing backing() {
        return Backing.MAPPED;
    }

    @Override
    public boolean dax() {
        return false;
    }

    @Override
    public long fileSize() {
        return pmem.size();
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
        return regions;
    }

    @Override
    public long regionAt(int index) {
        return index < regions ? (index + 1) * regionSize : Pmem.NULL;
    }

    @Override
    public void populate(long at, long count) {}

    @Override
    public void close() {}
}
