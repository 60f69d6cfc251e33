package io.hmfs.server.lease;

import io.hmfs.core.Records;
import io.hmfs.core.lock.LockOrder;
import io.hmfs.core.lock.LockRank;
import io.hmfs.server.access.ClientKey;
import io.hmfs.server.lock.KeyLocks;
import io.hmfs.server.share.UserShares;
import io.hmfs.server.share.UserShares.Resource;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.StampedLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Which client writes which file (ADR 0121, ADR 0131). Each lease is a record of the pool. A lease is of one stream of a client, told by
 * the client and a number of its own; the client renews all of its leases at once. A client that has not renewed within the soft limit may
 * be displaced by another that wants the file, after the hard limit its leases are gone. A lease that is not here is lost: a request that
 * bears it is refused.
 *
 * <p>Commits and chunks of a file are executed while it is {@linkplain #share shared}. A request that takes it from its writer, or replaces
 * one version of it, has it {@linkplain #alone alone}: nothing is under way then, and whatever comes later is checked anew. Both by stripes
 * of inodes. Looking a lease up allocates nothing. Thread-safe.
 */
public final class Leases {
    private static final int STRIPES = LeaseRows.STRIPES;
    private static final int PLACES = STRIPES << 6;
    private static final int PLACE_SHIFT = LeaseRows.STRIPE_SHIFT - 6;
    private static final int LOOKS_PER_LIMIT = 20; // for clients that have been silent

    /** No lease. */
    public static final long NONE = 0;

    /** Leases that all clients together may ask for; each user has a share. */
    public static final int MAX = 65_536;

    /** How long a writer may be silent. */
    public record Limits(Duration soft, Duration hard) {}

    private final Records records;
    private final LeaseRows rows;
    private final UserShares shares;
    private final StampedLock[] locks = new StampedLock[STRIPES];

    /**
     * Of each place, of which a stripe has some, the newest file that was taken from a writer, or given to a second one, since the start;
     * 0: none. Ids grow. So a file whose maker has no lease yet can only have been taken if no older one is here, and no later take hides
     * that; a newer one, made and taken while the maker was on the way to its lease, costs the maker that lease.
     */
    private final AtomicLongArray taken = new AtomicLongArray(PLACES);

    private final ConcurrentHashMap<ClientKey, Lease.Holder> holders = new ConcurrentHashMap<>();
    private final AtomicLong dropped;
    private final long softNanos;
    private final long hardNanos;
    private final LongSupplier nanos;

    /** With the leases that the last start left: their holders have the soft limit to come back. */
    public Leases(Records records, Limits limits, UserShares shares) {
        this(records, limits, shares, System::nanoTime);
    }

    /** The same, by another clock. */
    public Leases(Records records, Limits limits, UserShares shares, LongSupplier nanos) {
        this.shares = shares;
        softNanos = limits.soft.toNanos();
        hardNanos = limits.hard.toNanos();
        this.nanos = nanos;
        this.records = records;
        rows = new LeaseRows(records);
        dropped = new AtomicLong(nanos.getAsLong());
        for (int i = 0; i < STRIPES; i++) {
            locks[i] = new StampedLock();
        }
        records.each(
                Records.Kind.LEASE,
                (at, inode, client, mark, number) ->
                        rows.put(new Lease(inode, holder(new ClientKey(client, mark)), number, at)));
    }

    private static int place(long inode) {
        return (int) ((inode * 0x9E3779B97F4A7C15L) >>> PLACE_SHIFT);
    }

    /** Of a file that the caller has alone, and with it all others of the place. */
    private void take(long inode) {
        int place = place(inode);
        taken.set(place, Math.max(taken.get(place), inode));
    }

    /**
     * Until {@link #unshare}, no other thread has the file alone. A thread that must not wait ends with {@link KeyLocks.MustWaitException}.
     */
    public long share(long inode, boolean waits) {
        if (!waits) {
            return taken(tryShare(inode));
        }
        int stripe = LeaseRows.stripe(inode);
        LockOrder.waiting(LockRank.LEASE, stripe);
        long stamp = locks[stripe].readLock();
        LockOrder.taken(LockRank.LEASE, stripe);
        return stamp;
    }

    /** As {@link #share}, without waiting; 0: another thread has the file alone. */
    public long tryShare(long inode) {
        int stripe = LeaseRows.stripe(inode);
        long stamp = locks[stripe].tryReadLock();
        if (stamp != 0) {
            LockOrder.taken(LockRank.LEASE, stripe);
        }
        return stamp;
    }

    public void unshare(long inode, long stamp) {
        int stripe = LeaseRows.stripe(inode);
        LockOrder.released(LockRank.LEASE, stripe);
        locks[stripe].unlockRead(stamp);
    }

    /** Until {@link #endAlone}, no commit and no chunk of the file is under way. */
    public long alone(long inode, boolean waits) {
        int stripe = LeaseRows.stripe(inode);
        if (waits) {
            LockOrder.waiting(LockRank.LEASE, stripe);
        }
        long stamp = waits ? locks[stripe].writeLock() : taken(locks[stripe].tryWriteLock());
        LockOrder.taken(LockRank.LEASE, stripe);
        return stamp;
    }

    public void endAlone(long inode, long stamp) {
        int stripe = LeaseRows.stripe(inode);
        LockOrder.released(LockRank.LEASE, stripe);
        locks[stripe].unlockWrite(stamp);
    }

    private static long taken(long stamp) {
        if (stamp == 0) {
            throw KeyLocks.mustWait();
        }
        return stamp;
    }

    private boolean isSilent(Lease.Holder holder, long limitNanos) {
        return nanos.getAsLong() - holder.renewedNanos > limitNanos;
    }

    /** Whether a client has this lease. It has it as long as the file is shared. */
    public boolean isHeld(long inode, ClientKey client, long number) {
        Lease lease = rows.find(inode);
        return lease != null && lease.number == number && lease.holder.is(client) && !isSilent(lease.holder, hardNanos);
    }

    /** Whether no client writes the file. */
    public boolean isClosed(long inode) {
        Lease lease = rows.find(inode);
        return lease == null || isSilent(lease.holder, hardNanos);
    }

    /**
     * A lease on a file that was just made. It could be seen before: if another client has a lease on it already, had one, or recovered it,
     * this one is lost already. Durable after {@link #fence}, which may be one for several files.
     */
    public void give(long inode, ClientKey client, String host, long number) {
        Lease there = add(inode, client, host, number);
        if (there == null
                && taken.get(place(inode))
                        >= inode) { // after it was put in: a thread that takes looks in the other order
            end(inode, client, number);
        }
    }

    /** What this thread has given and ended is as durable as what it has changed in the namespace. */
    public void fence() {
        records.fence();
    }

    /**
     * A lease on a file that was made before the start. If any client has taken a file of its place since, it may have been this one: then
     * the lease is lost. Waits for no lock.
     */
    public void giveAgain(long inode, ClientKey client, String host, long number) {
        long stamp = tryShare(inode);
        if (stamp != 0) { // else another thread is taking one now
            if (taken.get(place(inode)) == 0) {
                give(inode, client, host, number);
                records.fence();
            }
            unshare(inode, stamp);
        }
    }

    /** Puts a lease in unless the file has one: that one, or null. */
    private @Nullable Lease add(long inode, ClientKey client, String host, long number) {
        Lease there = rows.find(inode);
        if (there != null) {
            return there;
        }
        Lease.Holder holder = holder(client);
        holder.host = host;
        holder.renewedNanos = nanos.getAsLong();
        return rows.add(inode, holder, number);
    }

    /**
     * A lease on a file that the caller has alone; also if it is given again. Null: given, durably; else the writer that has it, in words.
     */
    @Nullable
    public String take(long inode, ClientKey client, String host, long number) {
        Lease there = rows.find(inode);
        if (there != null && there.number == number && there.holder.is(client)) {
            there.holder.host = host;
            return null;
        }
        String owner = displaceSilent(there);
        if (owner != null) {
            return owner;
        }
        Lease faster = add(inode, client, host, number); // the client that has just made it
        if (faster != null) {
            return name(faster);
        }
        records.fence();
        take(inode);
        return null;
    }

    /** Sees to it that no client writes a file that the caller has alone, or tells which one does: as {@link #take}. */
    @Nullable
    public String displaceSilent(long inode) {
        return displaceSilent(rows.find(inode));
    }

    private @Nullable String displaceSilent(@Nullable Lease there) {
        if (there != null && !isSilent(there.holder, softNanos)) {
            return name(there);
        }
        if (there != null) {
            displace(there.inode);
        }
        return null;
    }

    /** Ends the lease of the writer of a file that the caller has alone, also that of a maker whose lease is about to be given. */
    public void displace(long inode) {
        take(inode); // before the look
        for (Lease each = rows.find(inode); each != null; each = rows.find(inode)) {
            rows.end(each);
        }
        records.fence(); // † a lease that was taken must not come back after a crash: before the answer
        rows.unlink(LeaseRows.stripe(inode));
    }

    private static String name(Lease lease) {
        return name(lease.holder.client.id()) + " on " + lease.holder.host;
    }

    /** What a client is called. */
    public static String name(long clientId) {
        return "HMFSClient_" + Long.toHexString(clientId);
    }

    /** A client has no more use for its lease; nothing if it has lost it. Durable after {@link #fence}. */
    public void end(long inode, ClientKey client, long number) {
        Lease there = rows.find(inode);
        if (there == null || there.number != number || !there.holder.is(client)) {
            return;
        }
        endHere(there);
    }

    private void endHere(Lease lease) {
        rows.end(lease);
        tidy(lease.inode);
    }

    /** Takes out rows that have ended, unless the file, or another of its stripe, is shared: then a later call does. Waits for no lock. */
    public void tidy(long inode) {
        int stripe = LeaseRows.stripe(inode);
        long stamp = locks[stripe].tryWriteLock();
        if (stamp != 0) {
            rows.unlink(stripe);
            locks[stripe].unlockWrite(stamp);
        }
    }

    /**
     * There is no such file any more, and so no lease on it. One that its maker gets only now stays until the maker ends it. Waits for no
     * lock.
     */
    public void removed(long inode) {
        Lease there = rows.count() == 0 ? null : rows.find(inode);
        if (there != null) {
            endHere(there);
        }
    }

    /** Whether a client's user has its share of leases; those that are on their way do not count. */
    public boolean isFull(ClientKey client) {
        return holder(client).account.isFull(Resource.LEASES);
    }

    /** Why a client gets no more, when {@link #isFull}. */
    public String refusal(ClientKey client) {
        return holder(client).account.refusal(Resource.LEASES);
    }

    /** Clients can connect from here on: one that had a lease before the start has the soft limit to renew it. */
    public void begin() {
        long now = nanos.getAsLong();
        holders.values().forEach(each -> each.renewedNanos = now);
    }

    /** A client is there: its leases go on, unless it has been silent for too long. Now and then, silent clients lose theirs. */
    public void renew(ClientKey client, boolean waits) {
        Lease.Holder holder = holders.get(client);
        long now = nanos.getAsLong();
        if (holder != null && !isSilent(holder, hardNanos)) {
            holder.renewedNanos = now;
        }
        long last = dropped.get();
        if (now - last <= hardNanos / LOOKS_PER_LIMIT) {
            return;
        }
        if (!waits) {
            throw KeyLocks.mustWait();
        }
        if (dropped.compareAndSet(last, now)) {
            dropSilent();
        }
    }

    private void dropSilent() {
        for (int i = 0; i < STRIPES; i++) {
            if (rows.first(i) == null) {
                continue;
            }
            LockOrder.waiting(LockRank.LEASE, i);
            long stamp = locks[i].writeLock();
            LockOrder.taken(LockRank.LEASE, i);
            try {
                for (Lease each = rows.first(i); each != null; each = each.next) {
                    if (isSilent(each.holder, hardNanos)) {
                        take(each.inode);
                        rows.end(each);
                    }
                }
                records.fence();
                rows.unlink(i);
            } finally {
                LockOrder.released(LockRank.LEASE, i);
                locks[i].unlockWrite(stamp);
            }
        }
        holders.values().forEach(each -> {
            if (isSilent(each, hardNanos) && holders.remove(each.client, each)) {
                each.account.leave();
            }
        });
    }

    /** Leases that there are. */
    public int count() {
        return rows.count();
    }

    private Lease.Holder holder(ClientKey client) {
        Lease.Holder known = holders.get(client);
        if (known != null && !isSilent(known, hardNanos)) {
            return known;
        }
        return Objects.requireNonNull(holders.compute(client, (key, old) -> {
            if (old != null && !isSilent(old, hardNanos)) {
                return old;
            }
            Lease.Holder fresh = new Lease.Holder(client, shares.join(client.mark()), nanos.getAsLong());
            if (old != null) {
                old.account.leave();
            }
            return fresh;
        }));
    }
}
