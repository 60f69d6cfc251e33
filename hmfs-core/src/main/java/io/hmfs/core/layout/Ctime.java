package io.hmfs.core.layout;

/**
 * The ctime word of an entry, which is one unit with the owner word: time in units of 4,096 ns &lt;&lt; 13 | mark of a unit not yet
 * written back &lt;&lt; 12 | permission bits. The time is coarse so that mode, owner and a whole group id change with it at once.
 */
public final class Ctime {
    public static final int MODE_MAX = 07777;

    /** Set while the unit may not be durable yet: a reader writes it back first (I2). */
    public static final long DIRTY = 1L << 12;

    /** Nanoseconds that the time counts in. */
    public static final long UNIT = 1L << 12;

    private static final int TIME_SHIFT = 13;

    private Ctime() {}

    /** Of a new object, rounded down: what is shown is the latest of all its times, hence its mtime, to the nanosecond. */
    public static long of(long nanos, int mode) {
        return (nanos / UNIT) << TIME_SHIFT | mode;
    }

    /**
     * Of a change at this time, rounded up so that it shows after what was shown before, and always above the word before: a word
     * that never comes back lets a reader trust two equal looks at its unit. Changes of one object that follow each other faster
     * than a unit of time lie ahead of the clock.
     */
    public static long next(long before, long nanos, int mode) {
        long units = (nanos + UNIT - 1) / UNIT;
        return Math.max(units, (before >>> TIME_SHIFT) + 1) << TIME_SHIFT | mode;
    }

    /** Nanoseconds since 1970. */
    public static long time(long word) {
        return (word >>> TIME_SHIFT) * UNIT;
    }

    public static int mode(long word) {
        return (int) word & MODE_MAX;
    }
}
