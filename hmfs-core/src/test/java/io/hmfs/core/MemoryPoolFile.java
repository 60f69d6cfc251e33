package io.hmfs.core;

import io.hmfs.core.pmem.Backing;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.pmem.PoolFile;

/** A small pool file over any memory, laid out as a simulated one: a page, a short region table, regions of 32 KiB. */
final class MemoryPoolFile extends PoolFile {
    static final long REGION = 32 << 10;
    static final int REGIONS = 24;
    private static final long HEADER = 8192;
    static final long SIZE = HEADER + REGION * REGIONS;

    private final Pmem pmem;

    MemoryPoolFile(Pmem pmem) {
        this.pmem = pmem;
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
        return REGION;
    }

    @Override
    public int regionsMax() {
        return REGIONS;
    }

    @Override
    public long regionAt(int index) {
        return index < REGIONS ? HEADER + index * REGION : Pmem.NULL;
    }

    @Override
    public void populate(long at, long count) {}

    @Override
    public void close() {}
}
