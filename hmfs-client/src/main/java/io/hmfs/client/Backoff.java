package io.hmfs.client;

import java.util.random.RandomGenerator;

/**
 * How long to wait before the next attempt: twice as long each time, up to a longest wait, and of that at random
 * between half and all, so that clients which lost a server together do not come back together. Not thread-safe.
 */
final class Backoff {
    private final long firstNanos;
    private final long longestNanos;
    private final RandomGenerator random;
    private int attempts;

    Backoff(long firstNanos, long longestNanos, RandomGenerator random) {
        this.firstNanos = firstNanos;
        this.longestNanos = Math.max(firstNanos, longestNanos);
        this.random = random;
    }

    /** Attempts that failed since the last success. */
    int attempts() {
        return attempts;
    }

    /** An attempt failed; returns how long to wait. */
    long failed() {
        int doublings = Math.min(attempts++, Long.numberOfLeadingZeros(firstNanos) - 1); // no overflow
        long most = Math.min(longestNanos, firstNanos << doublings);
        return most - random.nextLong(most / 2 + 1);
    }

    void succeeded() {
        attempts = 0;
    }
}
