package io.hmfs.core.dir;

/**
 * For each of some directories the children that were linked last: so a new child can say which one stands {@link #DISTANCE} behind it on the list. In DRAM
 * and racy on purpose: what is told is a hint, of which memory to ask for ahead of its use.
 */
final class RecentChildren {
    /** So many entries are shown in the time that memory takes, or more. A power of two. */
    static final int DISTANCE = 16;

    private static final int RING = DISTANCE + 2; // the directory, how many it was told, and the last of them

    /** Logarithms of the number of rings and of the bytes of a pool for each ring: a pool of 128 MiB or more has 2,048 rings, a smaller one fewer. */
    private static final int RINGS_MIN = 3;

    private static final int RINGS_MAX = 11;
    private static final int POOL_OF_A_RING = 16;

    private final int shift;
    private final long[] rings;

    /** For a pool of so many bytes at most. */
    RecentChildren(long capacity) {
        int log = Long.SIZE - 1 - Long.numberOfLeadingZeros(capacity) - POOL_OF_A_RING;
        int count = Math.clamp(log, RINGS_MIN, RINGS_MAX);
        shift = Long.SIZE - count;
        rings = new long[RING << count];
    }

    /** Notes that a child comes to the head of the list of a directory; the one that is {@link #DISTANCE} behind it there, or 0 if that is not known. */
    long noted(long directory, long child) {
        int ring = (int) ((directory * 0x9E3779B97F4A7C15L) >>> shift) * RING;
        if (rings[ring] != directory) {
            rings[ring] = directory;
            rings[ring + 1] = 0;
        }
        long count = rings[ring + 1];
        rings[ring + 1] = count + 1;
        int at = ring + 2 + (int) (count & (DISTANCE - 1));
        long before = count < DISTANCE ? 0 : rings[at];
        rings[at] = child;
        return before;
    }
}
