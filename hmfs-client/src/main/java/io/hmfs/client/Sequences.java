package io.hmfs.client;

/**
 * Numbers changes in the order in which they first go out, and knows the oldest whose answer is still waited for. No
 * number is given that is further above that one than the server's retry cache reaches. Not thread-safe.
 */
final class Sequences {
    private boolean[] open = new boolean[1]; // a ring, as long as a power of two
    private long oldest = 1;
    private long next = 1;
    private int window = 1;

    /** The oldest number that is open; {@link #next} if there is none. */
    long oldest() {
        return oldest;
    }

    /** The next number: all that were given are below it. */
    long next() {
        return next;
    }

    /** The server's retry cache keeps so many answers for this client. */
    void window(int outcomes) {
        window = outcomes;
        long span = Math.max(outcomes, next - oldest);
        boolean[] ring = new boolean[Math.toIntExact(Long.highestOneBit(2 * span - 1))];
        for (long each = oldest; each < next; each++) {
            ring[slot(each, ring)] = open[slot(each, open)];
        }
        open = ring;
    }

    private static int slot(long sequence, boolean[] ring) {
        return (int) sequence & ring.length - 1;
    }

    /** Whether another number may be given now. */
    boolean hasRoom() {
        return next - oldest < window;
    }

    long take() {
        open[slot(next, open)] = true;
        return next++;
    }

    /** The answer to this number is not waited for any more, whatever the reason. */
    void close(long sequence) {
        open[slot(sequence, open)] = false;
        while (oldest < next && !open[slot(oldest, open)]) {
            oldest++;
        }
    }
}
