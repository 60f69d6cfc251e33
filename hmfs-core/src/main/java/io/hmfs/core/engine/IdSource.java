package io.hmfs.core.engine;

import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.pmem.Pmem;
import java.util.concurrent.atomic.AtomicLong;

/** Inode ids: the partition in the top 16 bits, below it a counter whose lease is durable before it is used; none comes twice. */
public final class IdSource {
    /** Bits of an id below its partition. */
    public static final int PARTITION_SHIFT = 48;

    private static final long LEASE = 1 << 20;

    // 2025-01-01T00:00Z, and ids for each millisecond since: that is enough for pools that are made before 2051.
    private static final long EPOCH_MILLIS = 1_735_689_600_000L;
    private static final int OF_MILLISECOND_SHIFT = 8;

    /** A pool whose ids are below was made before first ids followed the time: they began at 2, as those of others. */
    private static final long FIRST_MIN = 1L << 40;

    /** The greatest first id, which a clock far ahead gives: there are 2^46 above it in the partition. */
    private static final long FIRST_MAX = (1L << PARTITION_SHIFT) - (1L << 46);

    private final Pmem pmem;
    private final long header;
    private final AtomicLong next;
    private volatile long lease;

    /** Goes on where the pool's lease ends. */
    public IdSource(Pmem pmem, long header) {
        this.pmem = pmem;
        this.header = header;
        this.lease = pmem.get(header + PoolHeader.ID_LEASE_OFFSET);
        this.next = new AtomicLong(lease);
    }

    /**
     * The first id of a pool that is made at this time. So the ids of a pool are not those of another one that was made before it, perhaps
     * in the same place, unless that one gave out more than 256 for each millisecond of its life, or the clock was set back or is
     * wrong by decades: ids stay in their partition whatever it says.
     */
    public static long firstOfPool(long millis) {
        long since = Math.clamp(millis - EPOCH_MILLIS, 0, FIRST_MAX >> OF_MILLISECOND_SHIFT);
        return Math.max(FIRST_MIN, since << OF_MILLISECOND_SHIFT);
    }

    /** Whether ids of this pool may be those of another one, which began at 2, too. */
    public boolean mayRepeat() {
        return next.get() < FIRST_MIN;
    }

    /** The partition of an id, 0–65535. */
    public static int partition(long id) {
        return (int) (id >>> PARTITION_SHIFT);
    }

    public long next() {
        long id = next.getAndIncrement();
        if (id >= lease) {
            extend(id);
        }
        return id;
    }

    /** Gives back the rest of the lease at a clean close. */
    public synchronized void close() {
        store(next.get());
    }

    private synchronized void extend(long id) {
        if (id >= lease) {
            store(id + LEASE);
            lease = id + LEASE;
        }
    }

    private void store(long until) {
        pmem.setRelease(header + PoolHeader.ID_LEASE_OFFSET, until);
        pmem.persist(header + PoolHeader.ID_LEASE_OFFSET, 8);
    }
}
