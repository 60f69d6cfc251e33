package io.hmfs.core.index;

import io.hmfs.core.layout.DirectoryEntry;
import io.hmfs.core.layout.IndexHeader;
import io.hmfs.core.pmem.Pmem;

/**
 * The extendible directory: 2^depth entries, indexed by the lowest bits of the hash, in an area that has room for 2^depthMax. Its
 * monitor serializes doubling and the commits of splits; readers never take it.
 */
final class IndexDirectory {
    private final Pmem pmem;
    private final long header;
    private final long at;
    private final int depthMax;

    /** Copy of the durable word in DRAM; lags behind it, never runs ahead. */
    private volatile int depth;

    IndexDirectory(Pmem pmem, long header) {
        this.pmem = pmem;
        this.header = header;
        this.at = IndexHeader.directoryAt(pmem, header);
        this.depthMax = (int) IndexHeader.directoryDepth(pmem, header);
        this.depth = (int) IndexHeader.depth(pmem, header);
    }

    int depth() {
        return depth;
    }

    int depthMax() {
        return depthMax;
    }

    /** Where the entry of a hash stands in a directory of this depth. */
    long slot(long hash, int depth) {
        return at + ((hash & ((1L << depth) - 1)) << 3);
    }

    /** Doubles the directory. The caller holds the monitor and has found {@code depth() < depthMax()}. */
    void grow() {
        int before = depth;
        long half = DirectoryEntry.SIZE << before;
        // [double.1] Every segment now has two entries; no reader reaches the upper ones yet; they are durable before
        // [double.2] the one word that brings them into use, which in turn is durable before a split relies on it.
        for (long entry = at; entry < at + half; entry += DirectoryEntry.SIZE) {
            DirectoryEntry.store(pmem, entry + half, DirectoryEntry.load(pmem, entry));
        }
        pmem.persist(at + half, half);
        IndexHeader.depth(pmem, header, before + 1);
        pmem.persist(header + IndexHeader.DEPTH_OFFSET, Long.BYTES);
        depth = before + 1;
    }

    /**
     * Sends the half of a segment's hashes that has bit {@code local} set to another segment. Touches only entries that still say
     * (local, source), so doing it again changes nothing. Not fenced. The caller holds the monitor, and {@code local < depth()}.
     */
    void redirect(long pattern, int local, long source, long target) {
        long before = DirectoryEntry.of(local, source);
        long lower = DirectoryEntry.of(local + 1, source);
        long upper = DirectoryEntry.of(local + 1, target);
        long end = 1L << depth;
        for (long index = pattern; index < end; index += 1L << local) {
            long entry = at + (index << 3);
            if (DirectoryEntry.load(pmem, entry) == before) {
                DirectoryEntry.store(pmem, entry, ((index >>> local) & 1) == 0 ? lower : upper);
            }
            pmem.writeBack(entry, DirectoryEntry.SIZE);
        }
    }

    /** The entry at a position, 0 to 2^depth − 1. */
    long entry(long index) {
        return DirectoryEntry.load(pmem, at + (index << 3));
    }
}
