package io.hmfs.core.engine;

import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.pmem.Pmem;
import java.util.concurrent.atomic.AtomicLong;

/** Inode ids: the partition in the top 16 bits, below it a counter whose lease is durable before it is used; none comes twice. */
public final class IdSource {
    /** Bits of an id below its partition. */
    public static final int PARTITION_SHIFT = 48;

    private static final long LEASE = 1 << 20;

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
