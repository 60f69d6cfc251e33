package io.hmfs.core.layout;

import io.hmfs.core.pmem.Pmem;

/**
 * Entry of the index directory: one word (docs/format.md#index).
 *
 * <pre>
 *   63        56 55      48 47                                           0
 *   | local depth |  zero   | offset of the segment                      |
 * </pre>
 *
 * <p>The segment holds the keys whose hash agrees with the entry's position in the lowest {@code local depth} bits. An entry
 * changes only in a split, and its depth only grows: an unchanged entry means that no split came between.
 */
public final class DirectoryEntry {
    public static final long SIZE = 8;

    private static final int DEPTH_SHIFT = 56;
    private static final long SEGMENT_MASK = (1L << 48) - 1;

    private DirectoryEntry() {}

    public static long of(int depth, long segment) {
        return ((long) depth << DEPTH_SHIFT) | segment;
    }

    public static int depth(long entry) {
        return (int) (entry >>> DEPTH_SHIFT);
    }

    public static long segment(long entry) {
        return entry & SEGMENT_MASK;
    }

    public static long load(Pmem pmem, long at) {
        return pmem.getAcquire(at);
    }

    public static void store(Pmem pmem, long at, long entry) {
        pmem.setRelease(at, entry);
    }
}
