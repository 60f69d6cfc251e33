package io.hmfs.bench.load;

import io.hmfs.core.pmem.Backing;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.pmem.PoolFile;

/** A pool file whose memory counts. */
final class CountingFile extends PoolFile {
    private final PoolFile file;
    private final CountingPmem pmem;

    CountingFile(PoolFile file) {
        this.file = file;
        this.pmem = new CountingPmem(file.pmem(), file.header());
    }

    @Override
    public CountingPmem pmem() {
        return pmem;
    }

    @Override
    public Backing backing() {
        return file.backing();
    }

    @Override
    public boolean dax() {
        return file.dax();
    }

    @Override
    public long fileSize() {
        return file.fileSize();
    }

    @Override
    public long header() {
        return file.header();
    }

    @Override
    public int regionsMax() {
        return file.regionsMax();
    }

    @Override
    public long regionAt(int index) throws PoolException {
        return file.regionAt(index);
    }

    @Override
    public void populate(long at, long count) throws PoolException {
        file.populate(at, count);
    }

    @Override
    public void close() {
        file.close();
    }
}
