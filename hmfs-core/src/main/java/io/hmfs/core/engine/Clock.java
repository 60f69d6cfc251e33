package io.hmfs.core.engine;

import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.pmem.Pmem;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Timestamps in nanoseconds since 1970: unique per operation and strictly increasing, across restarts too, so that one can serve
 * as version and as order. A lease of future time is durable before any timestamp below it is issued; a start's first timestamp
 * is the lease it finds, hence above every one ever issued or stored.
 */
public final class Clock {
    /** How far ahead time is leased: the most that timestamps run ahead of the wall clock after a crash. */
    static final long LEASE_NANOS = 1_000_000_000L;

    private static final VarHandle LAST;

    static {
        try {
            LAST = MethodHandles.lookup().findVarHandle(Clock.class, "last", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Pmem pmem;
    private final long header;
    private final long start;

    @SuppressWarnings("unused") // by VarHandle
    private volatile long last;

    private volatile long lease;

    /** Takes up the clock where the pool's lease ends. */
    public Clock(Pmem pmem, long header) {
        this.pmem = pmem;
        this.header = header;
        long found = pmem.get(header + PoolHeader.CLOCK_LEASE_OFFSET);
        long first = Math.max(found, wall());
        this.lease = found;
        this.last = first;
        extend(first);
        this.start = first;
    }

    /** The first timestamp of this start of the pool: what is older belongs to an earlier one. */
    public long start() {
        return start;
    }

    /** About the present time: no timestamp of its own. */
    public long now() {
        return Math.max(last, wall());
    }

    /** A new timestamp, above every one before. */
    public long next() {
        long wall = wall();
        for (; ; ) {
            long seen = last;
            long next = Math.max(seen + 1, wall);
            if (LAST.compareAndSet(this, seen, next)) {
                if (next >= lease) {
                    extend(next);
                }
                return next;
            }
        }
    }

    /** Counts {@code time} as issued, durably leased, before it is stored anywhere. */
    public void advance(long time) {
        for (; ; ) {
            long seen = last;
            if (seen >= time || LAST.compareAndSet(this, seen, time)) {
                break;
            }
        }
        if (time >= lease) {
            extend(time);
        }
    }

    /** Gives back the rest of the lease at a clean close, so that the next start need not run ahead. */
    public synchronized void close() {
        store(last + 1);
    }

    private synchronized void extend(long time) {
        if (time >= lease) {
            long until = time + LEASE_NANOS;
            store(until);
            lease = until;
        }
    }

    private void store(long until) {
        pmem.setRelease(header + PoolHeader.CLOCK_LEASE_OFFSET, until);
        pmem.persist(header + PoolHeader.CLOCK_LEASE_OFFSET, 8);
    }

    private static long wall() {
        return System.currentTimeMillis() * 1_000_000L;
    }
}
