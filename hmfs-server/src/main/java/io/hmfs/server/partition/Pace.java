package io.hmfs.server.partition;

/** Bounds the bytes that are read in a second. What was not used of the last second may be made up for, and no more. For one thread. */
final class Pace {
    private static final double SECOND = 1e9;

    private long dueNanos;

    /** {@code now}: by the clock that all times here are of. */
    Pace(long now) {
        dueNanos = now;
    }

    /** So many bytes were read; how long to wait before the next are. */
    long nanosAfter(long bytes, long bytesPerSecond, long now) {
        if (now - dueNanos > SECOND) {
            dueNanos = now - (long) SECOND;
        }
        dueNanos += (long) (bytes * SECOND / bytesPerSecond);
        return Math.max(0, dueNanos - now);
    }
}
