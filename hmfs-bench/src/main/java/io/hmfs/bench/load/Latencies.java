package io.hmfs.bench.load;

/** Counts latencies in buckets of a sixteenth of their power of two. */
final class Latencies {
    private static final int SHIFT = 4;
    private static final int SHARES = 1 << SHIFT;

    private final long[] counts = new long[Long.SIZE * SHARES];
    private long total;
    private long max;

    void add(long nanos) {
        long value = Math.max(nanos, 0);
        int magnitude = Math.max(Long.SIZE - Long.numberOfLeadingZeros(value), SHIFT + 1);
        counts[(magnitude << SHIFT) + (int) (value >>> (magnitude - 1 - SHIFT) & (SHARES - 1))]++;
        total++;
        max = Math.max(max, value);
    }

    void add(Latencies other) {
        for (int i = 0; i < counts.length; i++) {
            counts[i] += other.counts[i];
        }
        total += other.total;
        max = Math.max(max, other.max);
    }

    long max() {
        return max;
    }

    /** The latency that so many of a thousand do not exceed, to a sixteenth. */
    long perMille(int share) {
        long wanted = (total * share + 999) / 1000;
        long seen = 0;
        for (int i = 0; i < counts.length; i++) {
            seen += counts[i];
            if (seen >= wanted && counts[i] > 0) {
                int magnitude = i >>> SHIFT;
                long base = magnitude <= SHIFT + 1 ? 0 : 1L << (magnitude - 1);
                return Math.min(max, base + (((i & (SHARES - 1)) + 1L) << Math.max(magnitude - 1 - SHIFT, 0)));
            }
        }
        return max;
    }
}
