package io.hmfs.server.lease;

import io.hmfs.core.Records;
import io.hmfs.server.share.UserShares.Resource;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The rows of {@link Leases}, at most one for a file, in a list for each stripe of inodes: put in front by any thread, taken out by one
 * that has the stripe alone. Each has a record of the pool. Thread-safe.
 */
final class LeaseRows {
    static final int STRIPES = 1024; // a power of two
    static final int STRIPE_SHIFT = 54;

    private final AtomicReferenceArray<@Nullable Lease> heads = new AtomicReferenceArray<>(STRIPES);
    private final AtomicInteger count = new AtomicInteger();
    private final Records records;

    LeaseRows(Records records) {
        this.records = records;
    }

    static int stripe(long inode) {
        return (int) ((inode * 0x9E3779B97F4A7C15L) >>> STRIPE_SHIFT);
    }

    int count() {
        return count.get();
    }

    /** Of a stripe. */
    @Nullable
    Lease first(int stripe) {
        return heads.get(stripe);
    }

    @Nullable
    Lease find(long inode) {
        return find(inode, heads.get(stripe(inode)));
    }

    private static @Nullable Lease find(long inode, @Nullable Lease head) {
        for (Lease each = head; each != null; each = each.next) {
            if (each.inode == inode && !each.ended) {
                return each;
            }
        }
        return null;
    }

    /**
     * Unless the file has one: that one, or null. Its record, durable after the thread's next fence, is put when the row has its place: of
     * two that come at once only one ever has a record.
     */
    @Nullable
    Lease add(long inode, Lease.Holder holder, long number) {
        Lease lease = new Lease(inode, holder, number, Records.NONE);
        Lease there = put(lease);
        if (there == null) {
            synchronized (lease) {
                if (!lease.ended) {
                    lease.record =
                            records.put(Records.Kind.LEASE, inode, holder.client.id(), holder.client.mark(), number);
                }
            }
        }
        return there;
    }

    /** Adds a row unless the file has one: that one, or null. */
    @Nullable
    Lease put(Lease lease) {
        int stripe = stripe(lease.inode);
        Lease head;
        do {
            head = heads.get(stripe);
            Lease there = find(lease.inode, head);
            if (there != null) {
                return there;
            }
            lease.next = head;
        } while (!heads.compareAndSet(stripe, head, lease)); // what is new is in front
        count.incrementAndGet();
        lease.holder.account.add(Resource.LEASES, 1);
        return null;
    }

    /** Durable after the thread's next fence. */
    void end(Lease lease) {
        synchronized (lease) {
            if (lease.ended) {
                return;
            }
            lease.ended = true;
            records.clear(lease.record);
        }
        count.decrementAndGet();
        lease.holder.account.add(Resource.LEASES, -1);
    }

    /** Takes out what has ended, of a stripe that the caller has alone. */
    void unlink(int stripe) {
        Lease before = null;
        Lease each = heads.get(stripe);
        while (each != null) {
            Lease next = each.next;
            if (!each.ended) {
                before = each;
            } else if (before != null) {
                before.next = next;
            } else if (!heads.compareAndSet(stripe, each, next)) { // another was put in front
                each = heads.get(stripe);
                continue;
            }
            each = next;
        }
    }
}
