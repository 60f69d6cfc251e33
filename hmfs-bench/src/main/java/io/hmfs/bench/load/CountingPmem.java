package io.hmfs.bench.load;

import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.Pmem;

/**
 * The memory of a real pool, with a count of what passes. For one thread: a run that is counted is not the one that is timed.
 */
final class CountingPmem extends Pmem {
    private static final int REGION_SHIFT = 22;
    private static final int LINES_SEEN = 16;

    private final Pmem pmem;
    private final long header;
    private final long[] seen = new long[LINES_SEEN];
    private int seenCount;

    /** Fences, and lines whose write-back was asked for. */
    long fences;

    long linesWrittenBack;

    /** Different lines of index buckets that were read, since {@link #begin}. */
    long indexLines;

    CountingPmem(Pmem pmem, long header) {
        this.pmem = pmem;
        this.header = header;
    }

    /** Begins an operation: lines that were read before count again. */
    void begin() {
        seenCount = 0;
    }

    private void note(long at) {
        long line = at >>> 6;
        for (int i = 0; i < seenCount; i++) {
            if (seen[i] == line) {
                return;
            }
        }
        if (seenCount < LINES_SEEN && isIndex(at)) {
            seen[seenCount++] = line;
            indexLines++;
        }
    }

    /** A mapped file has its regions one after the other, the first behind as much space as a region takes. */
    private boolean isIndex(long at) {
        long region = (at >>> REGION_SHIFT) - 1;
        return region >= 0
                && (pmem.get(header + PoolHeader.REGION_TABLE_OFFSET + 8 * region) & RegionKind.MASK)
                        == RegionKind.INDEX_SEGMENTS.code();
    }

    @Override
    public long size() {
        return pmem.size();
    }

    @Override
    public Persistence persistence() {
        return pmem.persistence();
    }

    @Override
    public long get(long at) {
        note(at);
        return pmem.get(at);
    }

    @Override
    public long getAcquire(long at) {
        note(at);
        return pmem.getAcquire(at);
    }

    @Override
    public void set(long at, long value) {
        pmem.set(at, value);
    }

    @Override
    public void setRelease(long at, long value) {
        pmem.setRelease(at, value);
    }

    @Override
    public boolean cas8(long at, long expected, long value) {
        return pmem.cas8(at, expected, value);
    }

    @Override
    public boolean cas16(long at, long expectedLow, long expectedHigh, long low, long high) {
        return pmem.cas16(at, expectedLow, expectedHigh, low, high);
    }

    @Override
    public void prefetch(long at, long count) {
        pmem.prefetch(at, count);
    }

    @Override
    public void copyIn(byte[] source, int offset, long at, int count) {
        pmem.copyIn(source, offset, at, count);
    }

    @Override
    public void copyOut(long at, byte[] target, int offset, int count) {
        pmem.copyOut(at, target, offset, count);
    }

    @Override
    public void zero(long at, long count) {
        pmem.zero(at, count);
    }

    @Override
    public void writeBack(long at, long count) {
        linesWrittenBack += ((at + count + LINE - 1) >>> 6) - (at >>> 6);
        pmem.writeBack(at, count);
    }

    @Override
    public void fence() {
        fences++;
        pmem.fence();
    }
}
