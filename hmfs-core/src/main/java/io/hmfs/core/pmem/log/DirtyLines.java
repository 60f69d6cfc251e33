package io.hmfs.core.pmem.log;

import io.hmfs.core.pmem.MappedPmem;
import io.hmfs.core.pmem.Pmem;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * The lines that one thread has stored to and not logged since, in memory that outlives the process. A line goes in <em>before</em>
 * the first store to it and out after a copy of it is published, so every line of the pool that differs from image and log stands
 * in some table: a start logs these, and no more.
 *
 * <p>A table is a cache with one place for a line: a line whose place is taken drives the other out, which is logged then. Memory
 * may write back what it likes when it likes, so that is always allowed.
 */
final class DirtyLines {
    private static final long HASH = 0x9E3779B97F4A7C15L;
    private static final int PLACE_BITS = Integer.numberOfTrailingZeros(RingHeader.STRIPE_LINES);
    private static final int SHARED_BITS = 16;
    private static final long NONE = -1;

    private final LogRing ring;
    private final MappedPmem memory;
    private final Pmem pool;
    private final AtomicIntegerArray shared;
    private final long table;

    /** Which places are taken, a bit each. */
    private final long[] taken = new long[RingHeader.STRIPE_LINES / Long.SIZE];

    private long last = NONE;
    private long lsn;

    /** The thread that this table belongs to; guarded by {@link LoggedPmem}. */
    Thread owner;

    DirtyLines(LogRing ring, Pmem pool, AtomicIntegerArray shared, int stripe, Thread owner) {
        this.ring = ring;
        this.memory = ring.memory();
        this.pool = pool;
        this.shared = shared;
        this.table = RingHeader.STRIPES_OFFSET + (long) stripe * RingHeader.STRIPE_LINES * 8;
        this.owner = owner;
    }

    /** How many tables have a line, by hash of the line: no more than an estimate from above, but zero is exact. */
    static AtomicIntegerArray counters() {
        return new AtomicIntegerArray(1 << SHARED_BITS);
    }

    private static int place(long line) {
        return (int) (((line >>> 6) * HASH) >>> (Long.SIZE - PLACE_BITS));
    }

    private static int counter(long line) {
        return (int) (((line >>> 6) * HASH) >>> (Long.SIZE - SHARED_BITS));
    }

    /** [log.5] To be called before a store to this line. */
    void note(long line) {
        if (line == last) {
            return;
        }
        int place = place(line);
        long at = table + place * 8L;
        long entry = memory.get(at);
        if (entry != (line | 1)) {
            if (entry != 0) {
                append(entry & -2);
                shared.getAndDecrement(counter(entry & -2));
            }
            taken[place >>> 6] |= 1L << place;
            shared.getAndIncrement(counter(line));
            memory.setRelease(at, line | 1); // line 0 is a line
        }
        VarHandle.storeStoreFence(); // before the store that it announces
        last = line;
    }

    /** Logs a line, unless all that was stored there is in the log already. */
    void writeBack(long line) {
        int place = place(line);
        if (memory.get(table + place * 8L) == (line | 1)) {
            append(line);
            clear(place, line);
        } else if (shared.get(counter(line)) != 0) {
            append(line); // another thread's, which keeps it in its table
        } else {
            lsn = ring.reserved(); // the thread that logged it has published it, at this number or before
        }
    }

    /** Logs a line, whatever the log has of it. */
    void log(long line) {
        append(line);
    }

    /** Returns when all that this thread has stored is published; leaves no line of its own in the table. */
    void fence() {
        for (int i = 0; i < taken.length; i++) {
            for (long bits = taken[i]; bits != 0; bits &= bits - 1) {
                int place = i * Long.SIZE + Long.numberOfTrailingZeros(bits);
                long line = memory.get(table + place * 8L) & -2;
                append(line);
                clear(place, line);
            }
        }
        awaitWriteBacks();
    }

    /** Returns when the lines that this thread has written back are published. */
    void awaitWriteBacks() {
        ring.awaitPublished(lsn);
    }

    private void append(long line) {
        lsn = ring.reserve();
        boolean published = false;
        try {
            ring.copy(lsn, pool, line);
            ring.publish(lsn);
            published = true;
        } finally {
            if (!published) {
                ring.failHalfWay(); // a gap that no thread fills: no fence could return any more
            }
        }
    }

    private void clear(int place, long line) {
        if (last == line) {
            last = NONE;
        }
        taken[place >>> 6] &= ~(1L << place);
        memory.setRelease(table + place * 8L, 0);
        shared.getAndDecrement(counter(line));
    }

    /** Takes up what a dead process left in this table; {@link #fence} logs it. */
    int adopt() {
        int count = 0;
        for (int place = 0; place < RingHeader.STRIPE_LINES; place++) {
            long entry = memory.get(table + place * 8L);
            if (entry != 0) {
                taken[place >>> 6] |= 1L << place;
                shared.getAndIncrement(counter(entry & -2));
                count++;
            }
        }
        return count;
    }
}
