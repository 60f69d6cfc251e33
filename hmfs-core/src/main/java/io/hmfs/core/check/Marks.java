package io.hmfs.core.check;

/** Three bits for each slot of the pool, made region by region as they are needed: 8 MB of heap for 21 million short names. */
final class Marks {
    /** An entry: on the list of its directory. A content: a directory points at it and it points back. */
    static final int REACHED = 0;

    /** The index leads from its key to it. */
    static final int INDEXED = 1;

    /** A directory that the root leads to. */
    static final int ROOTED = 2;

    private static final int KINDS = 3;

    private final PoolView view;
    private final long[][] bits;

    Marks(PoolView view) {
        this.view = view;
        this.bits = new long[view.regions() * KINDS][];
    }

    boolean has(int mark, long at) {
        int region = view.regionOf(at);
        long[] words = bits[region * KINDS + mark];
        int slot = view.slot(region, at);
        return words != null && (words[slot >>> 6] >>> slot & 1) != 0;
    }

    void set(int mark, long at) {
        int region = view.regionOf(at);
        int which = region * KINDS + mark;
        if (bits[which] == null) {
            bits[which] = new long[(view.slotsOf(region) >>> 6) + 1];
        }
        int slot = view.slot(region, at);
        bits[which][slot >>> 6] |= 1L << slot;
    }
}
