package io.hmfs.server.exec;

import io.hmfs.server.data.LeaseFile;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.StampedLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Who writes which file (ADR 0121). A lease is of one stream of a client, told by the client and a number of its own; the client
 * renews all of its leases at once. Who has not renewed within the soft limit may be displaced by whoever wants the file, after the hard
 * limit his leases are gone. A lease that is not here is lost: whoever comes with it is refused.
 *
 * <p>Commits and chunks of a file are executed while it is {@linkplain #share shared}. Who takes it from its writer, or replaces one version
 * of it, has it {@linkplain #alone alone}: nothing is under way then, and whatever comes later is asked anew. Both by stripes of inodes.
 * Looking a lease up allocates nothing. Thread-safe.
 */
public final class Leases {
    private static final int STRIPES = LeaseRows.STRIPES;
    private static final int PLACES = STRIPES << 6;
    private static final int PLACE_SHIFT = LeaseRows.STRIPE_SHIFT - 6;
    private static final int LOOKS_PER_LIMIT = 20; // for who has been silent

    /** Leases that one client may ask for: a bound to what it can fill, which no honest writer meets. */
    static final int OF_CLIENT_MAX = 100_000;

    /** How long a writer may be silent. */
    public record Limits(Duration soft, Duration hard) {
        /** As in HDFS. */
        public static final Limits DEFAULT = new Limits(Duration.ofSeconds(60), Duration.ofMinutes(20));
    }

    private final LeaseRows rows;
    private final StampedLock[] locks = new StampedLock[STRIPES];

    /**
     * Of each place, of which a stripe has some, the newest file that was taken from somebody, or given to a second one, since the start;
     * 0: none. Ids grow. So a file whose maker has no lease yet can only have been taken if no older one is here, and no later take hides
     * that; a newer one, made and taken while the maker was on his way to his lease, costs him that.
     */
    private final AtomicLongArray taken = new AtomicLongArray(PLACES);

    private final ConcurrentHashMap<ClientKey, Lease.Holder> holders = new ConcurrentHashMap<>();
    private final AtomicLong dropped;
    private final long softNanos;
    private final long hardNanos;
    private final LongSupplier nanos;

    private Leases(Limits limits, LongSupplier nanos, @Nullable LeaseFile file) {
        softNanos = limits.soft.toNanos();
        hardNanos = limits.hard.toNanos();
        this.nanos = nanos;
        rows = new LeaseRows(file);
        dropped = new AtomicLong(nanos.getAsLong());
        for (int i = 0; i < STRIPES; i++) {
            locks[i] = new StampedLock();
        }
    }

    /** With the leases that the last start of this cluster left in a file: their holders have the soft limit to come back. */
    public static Leases open(Path path, UUID cluster, Limits limits, boolean durable) throws IOException {
        try {
            return of(limits, System::nanoTime, new LeaseFile(path, cluster, durable));
        } catch (IOException e) {
            throw new IOException("cannot open the file of leases " + path + ": " + e + "; make it writable", e);
        }
    }

    /** By a clock; with a file, or for this start alone. */
    static Leases of(Limits limits, LongSupplier nanos, @Nullable LeaseFile file) {
        Leases leases = new Leases(limits, nanos, file);
        if (file != null) {
            leases.recover(file);
        }
        return leases;
    }

    /** For this start alone. */
    public static Leases inMemory() {
        return of(Limits.DEFAULT, System::nanoTime, null);
    }

    private record Kept(int slot, long inode, ClientKey client, long number, long order) {}

    private void recover(LeaseFile from) {
        List<Kept> kept = new ArrayList<>();
        from.replay((slot, inode, id, mark, number, order) ->
                kept.add(new Kept(slot, inode, new ClientKey(id, mark), number, order)));
        kept.sort(Comparator.comparingLong(Kept::order));
        for (Kept each : kept) {
            Lease older = rows.find(each.inode);
            if (older != null) {
                rows.end(older, true);
            }
            rows.put(new Lease(each.inode, holder(each.client), each.number, each.slot));
        }
    }

    private static int place(long inode) {
        return (int) ((inode * 0x9E3779B97F4A7C15L) >>> PLACE_SHIFT);
    }

    /** Of a file that the caller has alone, and with it all others of the place. */
    private void take(long inode) {
        int place = place(inode);
        taken.set(place, Math.max(taken.get(place), inode));
    }

    /** Until {@link #unshare}, nobody has the file alone. Who must not wait ends with {@link KeyLocks.TakenException}. */
    long share(long inode, boolean waits) {
        StampedLock lock = locks[LeaseRows.stripe(inode)];
        return waits ? lock.readLock() : taken(lock.tryReadLock());
    }

    /** The same without waiting; 0: somebody has it. */
    long tryShare(long inode) {
        return locks[LeaseRows.stripe(inode)].tryReadLock();
    }

    void unshare(long inode, long stamp) {
        locks[LeaseRows.stripe(inode)].unlockRead(stamp);
    }

    /** Until {@link #endAlone}, no commit and no chunk of the file is under way. */
    long alone(long inode, boolean waits) {
        StampedLock lock = locks[LeaseRows.stripe(inode)];
        return waits ? lock.writeLock() : taken(lock.tryWriteLock());
    }

    void endAlone(long inode, long stamp) {
        locks[LeaseRows.stripe(inode)].unlockWrite(stamp);
    }

    private static long taken(long stamp) {
        if (stamp == 0) {
            throw new KeyLocks.TakenException();
        }
        return stamp;
    }

    private boolean isSilent(Lease.Holder holder, long limitNanos) {
        return nanos.getAsLong() - holder.renewedNanos > limitNanos;
    }

    /** Whether a client has this lease. It has it as long as the file is shared. */
    boolean isHeld(long inode, ClientKey client, long number) {
        Lease lease = rows.find(inode);
        return lease != null && lease.number == number && lease.holder.is(client) && !isSilent(lease.holder, hardNanos);
    }

    /** Whether nobody writes the file. */
    boolean isClosed(long inode) {
        Lease lease = rows.find(inode);
        return lease == null || isSilent(lease.holder, hardNanos);
    }

    /**
     * A lease on a file that was just made. It could be seen before: if somebody was faster and has a lease on it, had one, or recovered it,
     * this one is lost already.
     */
    void give(long inode, ClientKey client, String host, long number) {
        Lease there = add(inode, client, host, number);
        if (there == null
                && taken.get(place(inode)) >= inode) { // after it was put in: who takes looks in the other order
            end(inode, client, number);
        }
    }

    /**
     * The same for a file that was made before the start. If anybody has taken a file of its place since, it may have been this one: then
     * the lease is lost. Waits for nobody.
     */
    void giveAgain(long inode, ClientKey client, String host, long number) {
        long stamp = tryShare(inode);
        if (stamp != 0) { // else somebody is taking one now
            if (taken.get(place(inode)) == 0) {
                give(inode, client, host, number);
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
     * A lease on a file that the caller has alone; also if it is given again. Null: given; else who has it, in words. Who must not wait ends
     * with {@link KeyLocks.TakenException} if a silent one is to be displaced.
     */
    @Nullable
    String take(long inode, ClientKey client, String host, long number, boolean waits) {
        Lease there = rows.find(inode);
        if (there != null && there.number == number && there.holder.is(client)) {
            there.holder.host = host;
            return null;
        }
        String owner = displaceSilent(there, waits);
        if (owner != null) {
            return owner;
        }
        Lease faster = add(inode, client, host, number); // who has just made it
        if (faster != null) {
            return name(faster);
        }
        take(inode);
        return null;
    }

    /** Sees to it that nobody writes a file that the caller has alone, or tells who does: as {@link #take}. */
    @Nullable
    String displaceSilent(long inode, boolean waits) {
        return displaceSilent(rows.find(inode), waits);
    }

    private @Nullable String displaceSilent(@Nullable Lease there, boolean waits) {
        if (there != null && !isSilent(there.holder, softNanos)) {
            return name(there);
        }
        if (there != null && !waits) {
            throw new KeyLocks.TakenException(); // for the disk must know it
        }
        if (there != null) {
            displace(there.inode);
        }
        return null;
    }

    /** Whoever writes a file that the caller has alone does no longer, nor does he who has made it and gets his lease next. */
    void displace(long inode) {
        take(inode); // before the look
        for (Lease each = rows.find(inode); each != null; each = rows.find(inode)) {
            rows.end(each, true);
        }
        rows.unlink(LeaseRows.stripe(inode));
    }

    private static String name(Lease lease) {
        return name(lease.holder.client.id()) + " on " + lease.holder.host;
    }

    /** What a client is called. */
    static String name(long clientId) {
        return "HMFSClient_" + Long.toHexString(clientId);
    }

    /** A holder has no more use for his lease; nothing if it is not his any more. */
    void end(long inode, ClientKey client, long number) {
        Lease there = rows.find(inode);
        if (there == null || there.number != number || !there.holder.is(client)) {
            return;
        }
        endHere(there);
    }

    private void endHere(Lease lease) {
        rows.end(lease, false);
        int stripe = LeaseRows.stripe(lease.inode);
        long stamp = locks[stripe].tryWriteLock();
        if (stamp != 0) { // else whoever has the stripe alone next takes it out
            rows.unlink(stripe);
            locks[stripe].unlockWrite(stamp);
        }
    }

    /** There is no such file any more, and so no lease on it. One that its maker gets only now stays until he ends it. Waits for nobody. */
    void removed(long inode) {
        Lease there = rows.count() == 0 ? null : rows.find(inode);
        if (there != null) {
            endHere(there);
        }
    }

    /** Whether a client has as many leases as it may have; those that are on their way to it do not count. */
    boolean isFull(ClientKey client) {
        Lease.Holder holder = holders.get(client);
        return holder != null && holder.count.get() >= OF_CLIENT_MAX;
    }

    /** Clients can come from here on: whoever had a lease before the start has the soft limit for it. */
    void begin() {
        long now = nanos.getAsLong();
        holders.values().forEach(each -> each.renewedNanos = now);
    }

    /** A client is there: its leases go on, unless it has been silent for too long. Now and then, who has been loses his. */
    void renew(ClientKey client, boolean waits) {
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
            throw new KeyLocks.TakenException();
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
            long stamp = locks[i].writeLock();
            for (Lease each = rows.first(i); each != null; each = each.next) {
                if (isSilent(each.holder, hardNanos)) {
                    take(each.inode);
                    rows.end(each, true);
                }
            }
            rows.unlink(i);
            locks[i].unlockWrite(stamp);
        }
        holders.values().removeIf(each -> isSilent(each, hardNanos));
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
        Lease.Holder fresh = new Lease.Holder(client, nanos.getAsLong());
        return holders.merge(client, fresh, (old, made) -> isSilent(old, hardNanos) ? made : old);
    }
}
