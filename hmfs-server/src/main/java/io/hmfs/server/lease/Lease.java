package io.hmfs.server.lease;

import io.hmfs.server.access.ClientKey;
import io.hmfs.server.share.UserShares;
import org.jspecify.annotations.Nullable;

/** One row of {@link Leases}, whose locks protect what changes in it. */
final class Lease {
    private static final String HOST_UNKNOWN = "a host that has not come back since the server started";

    /** A client that has, or had, leases. */
    static final class Holder {
        final ClientKey client;
        volatile String host = HOST_UNKNOWN;
        volatile long renewedNanos;
        final UserShares.Account account; // of its user

        Holder(ClientKey client, UserShares.Account account, long now) {
            this.client = client;
            this.account = account;
            renewedNanos = now;
        }

        boolean is(ClientKey other) {
            return client.id() == other.id() && client.mark() == other.mark();
        }
    }

    final long inode;
    final Holder holder;
    final long number;

    /** Of the pool; NONE: not yet, or the pool is full, and the lease is known to this start alone. Guarded by this. */
    long record;

    volatile boolean ended;
    volatile @Nullable Lease next; // in its stripe

    Lease(long inode, Holder holder, long number, long record) {
        this.inode = inode;
        this.holder = holder;
        this.number = number;
        this.record = record;
    }
}
