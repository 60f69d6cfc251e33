package io.hmfs.core.pmem;

/**
 * The only door to persistent memory. Production maps a pool ({@code MappedPmem}); tests use a simulator that can lose power
 * between any two stores. All positions are byte offsets from the base of the pool, never addresses, so that a pool reopens
 * anywhere and a bad pointer is an {@link IndexOutOfBoundsException}. Words are little-endian and aligned to their size.
 */
public abstract class Pmem {
    /** The offset that names no object: the superblock stands there. */
    public static final long NULL = 0;

    /** Bytes in a cache line, the unit of write-back. */
    public static final long LINE = 64;

    /** Bytes that this pool spans. */
    public abstract long size();

    /** What a fence promises. */
    public abstract Persistence persistence();

    /** Plain load: may be reordered with other loads. */
    public abstract long get(long at);

    /** Load with acquire order: nothing after it moves before it. */
    public abstract long getAcquire(long at);

    /** Plain store. */
    public abstract void set(long at, long value);

    /** Store with release order: nothing before it moves after it. */
    public abstract void setRelease(long at, long value);

    /** Atomic 8-byte compare-and-set, sequentially consistent. */
    public abstract boolean cas8(long at, long expected, long value);

    /** Atomic 16-byte compare-and-set, sequentially consistent; {@code at} is 16-byte aligned. */
    public abstract boolean cas16(long at, long expectedLow, long expectedHigh, long low, long high);

    /** Copies bytes into the pool, plain order. */
    public abstract void copyIn(byte[] source, int offset, long at, int count);

    /** Copies bytes out of the pool, plain order. */
    public abstract void copyOut(long at, byte[] target, int offset, int count);

    /**
     * Asks for lines, from the one that begins at {@code at} on, ahead of their use. A hint that no result depends on: it waits for nothing, orders nothing, and
     * may do nothing; what is no position of the pool does nothing either.
     */
    public void prefetch(long at, long count) {}

    /** Fills with zeros, plain order. {@code at} and {@code count} are multiples of 8. */
    public abstract void zero(long at, long count);

    /** Starts the write-back of every line that the range touches; ordered by the next {@link #fence}. */
    public abstract void writeBack(long at, long count);

    /** Returns when all earlier write-backs of this thread are durable, as far as {@link #persistence} promises. */
    public abstract void fence();

    /** Writes back and fences: on return the range is durable. */
    public final void persist(long at, long count) {
        writeBack(at, count);
        fence();
    }

    /**
     * Returns when what this thread has read in the range is durable, as far as {@link #persistence} promises: for readers, which answer
     * for nothing else that they have stored.
     */
    public void persistRead(long at, long count) {
        persist(at, count);
    }
}
