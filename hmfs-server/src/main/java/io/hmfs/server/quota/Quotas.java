package io.hmfs.server.quota;

import io.hmfs.core.Records;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Status;
import io.hmfs.server.access.Access;
import io.hmfs.server.lease.Leases;
import io.hmfs.server.tree.OrphanDirectory;
import io.hmfs.server.tree.TreeSum;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.StampedLock;
import org.jspecify.annotations.Nullable;

/**
 * The quotas of directories (docs/adr/0114): limits, kept in {@link Records} of the pool, and what is below each directory that has
 * one, kept in memory and counted on first need. {@link QuotaAccounting} asks on behalf of changes.
 *
 * <p>Which directories with a quota stand above another directory changes only under the exclusive {@link QuotaLock}, which each change
 * shares: a directory moves from below one quota to below another, or a quota comes or goes. So what a thread has found out about that
 * holds as long as {@link #version} does. Nothing changes below a quota that is not {@linkplain Quota#isCounted counted}: so it can be
 * counted with that lock shared. Order of locks: key locks, {@link Leases}, the quota lock, {@link OrphanDirectory}'s, this monitor.
 * Thread-safe.
 */
public final class Quotas {
    private static final System.Logger LOG = System.getLogger(Quotas.class.getName());

    /** None above. */
    static final Quota[] NONE = {};

    /** The directory is gone, or in the orphan directory. */
    static final Quota[] GONE = new Quota[0];

    /** Whether that is so. */
    @SuppressWarnings("ReferenceEquality") // this very array
    static boolean isGone(Quota[] above) {
        return above == GONE;
    }

    private final ServerNamespace namespace;
    private final OrphanDirectory orphans;
    private final Records records;
    private final QuotaLock lock = new QuotaLock();

    // Changed under the exclusive lock and the monitor, read under either:
    private final Map<Long, Quota> quotas = new HashMap<>();
    private volatile boolean any;
    private long version;

    private long refusals;

    public Quotas(ServerNamespace namespace, OrphanDirectory orphans) {
        this.namespace = namespace;
        this.orphans = orphans;
        records = namespace.records();
    }

    /** Reads the limits, and drops those of directories that are gone; before the first request. */
    public void recover() {
        List<Quota> found = new ArrayList<>();
        records.each(
                Records.Kind.QUOTA,
                (at, directory, names, bytes, _) -> found.add(new Quota(directory, names, bytes, at)));
        Attributes out = new Attributes();
        close();
        try {
            for (Quota each : found) {
                if (namespace.statDirectory(each.id, out) == Status.NO_SUCH_DIRECTORY) {
                    records.clear(each.record);
                } else {
                    put(each); // also of one whose record is damaged: a check of the pool may mend it
                }
            }
            records.fence();
        } finally {
            open();
        }
    }

    StampedLock newEntrance() {
        return lock.newEntrance();
    }

    /** Takes the quota lock exclusively; an earlier {@link #version} no longer holds. */
    public void close() {
        lock.close();
        version++;
    }

    public void open() {
        lock.open();
    }

    /** Whether there is one anywhere. */
    public boolean isAny() {
        return any;
    }

    long version() {
        return version;
    }

    /** The quotas above a directory and its own, the nearest first. Inside the lock. */
    Quota[] above(long directory) {
        return above(namespace.above(directory), 0);
    }

    private Quota[] above(long[] way, int from) {
        List<Quota> found = new ArrayList<>();
        for (int i = from; i < way.length; i++) {
            if (way[i] == orphans.id()) {
                return GONE;
            }
            Quota quota = quotas.get(way[i]);
            if (quota != null) {
                found.add(quota);
            }
        }
        return way.length == 0 ? GONE : found.isEmpty() ? NONE : found.toArray(NONE);
    }

    /** Inside the lock. */
    boolean has(long directory) {
        return quotas.containsKey(directory);
    }

    /** One of them that is not counted; null: all are. */
    synchronized @Nullable Quota uncounted(Quota[] chain) {
        for (Quota each : chain) {
            if (!each.isCounted) {
                return each;
            }
        }
        return null;
    }

    /** Without the quota lock: may take long. */
    void count(Quota quota) {
        synchronized (quota) { // one walk will do
            for (; ; ) {
                int counts;
                synchronized (this) {
                    counts = quota.counts;
                    if (quota.isCounted) {
                        return;
                    }
                }
                Attributes top = new Attributes();
                Status there = namespace.statDirectory(quota.id, top);
                TreeSum sum = there == Status.OK ? TreeSum.of(namespace, top) : null;
                boolean isWhole = sum == null ? there != Status.DAMAGED : sum.isWhole();
                if (!isWhole) {
                    LOG.log(
                            Level.ERROR,
                            "not all that is below {0}, which has a quota, is counted, for there are damaged entries: stop the server, and run hmfs fsck",
                            pathOf(quota));
                }
                synchronized (this) {
                    if (counts == quota.counts) {
                        quota.usedNames = sum == null ? 0 : sum.names();
                        quota.usedBytes = sum == null ? 0 : sum.bytes;
                        quota.isWhole = isWhole;
                        quota.isCounted = true;
                    }
                }
            }
        }
    }

    /** Adds to all of them, or to none: then the answer is which limit that is, and {@code access} knows the sentence. */
    Status charge(Quota[] chain, long names, long bytes, Access access) {
        Quota full;
        boolean ofNames;
        long limit;
        long count;
        synchronized (this) {
            full = null;
            ofNames = false;
            for (Quota each : chain) {
                ofNames = each.isExceededByNames(names);
                if (ofNames || each.isExceededByBytes(bytes)) {
                    full = each;
                    break;
                }
            }
            if (full == null) {
                add(chain, names, bytes);
                return Status.OK;
            }
            refusals++;
            limit = ofNames ? full.names : full.bytesMax();
            count = ofNames ? full.usedNames + names : TreeSum.sum(full.usedBytes, bytes);
        }
        return ofNames
                ? access.refused(Status.NAME_QUOTA_EXCEEDED, QuotaSentences.names(pathOf(full), limit, count))
                : access.refused(Status.SPACE_QUOTA_EXCEEDED, QuotaSentences.space(pathOf(full), limit, count));
    }

    private String pathOf(Quota quota) {
        StringBuilder path = new StringBuilder();
        Status status = namespace.path(quota.id, path);
        return status == Status.OK ? path.toString() : "directory " + Long.toHexString(quota.id);
    }

    /** Adds to all of them, or to none: then false, and the refusal is neither counted nor told. */
    synchronized boolean tryCharge(Quota[] chain, long names, long bytes) {
        for (Quota each : chain) {
            if (each.isExceededByNames(names) || each.isExceededByBytes(bytes)) {
                return false;
            }
        }
        add(chain, names, bytes);
        return true;
    }

    /** Adds to all of them, whatever their limits. */
    synchronized void add(Quota[] chain, long names, long bytes) {
        for (Quota each : chain) {
            each.add(names, bytes);
        }
    }

    private synchronized void put(Quota quota) {
        quotas.put(quota.id, quota);
        any = true;
    }

    private synchronized void drop(long directory) {
        Quota gone = quotas.remove(directory);
        if (gone != null) {
            records.clear(gone.record);
            records.fence();
        }
        any = !quotas.isEmpty();
    }

    /** Sets the limits of a directory; {@link Long#MAX_VALUE}: as it is, {@link Quota#NONE}: no limit. Counts it. */
    public Status set(long directory, long names, long bytes) {
        Quota quota;
        close();
        try {
            if (isGone(above(directory))) {
                return Status.NOT_FOUND;
            }
            quota = quotas.get(directory);
            long newNames = names != Long.MAX_VALUE ? names : quota == null ? Quota.NONE : quota.names;
            long newBytes = bytes != Long.MAX_VALUE ? bytes : quota == null ? Quota.NONE : quota.bytes;
            if (newNames == Quota.NONE && newBytes == Quota.NONE) {
                drop(directory);
                return Status.OK;
            }
            long record = records.put(Records.Kind.QUOTA, directory, newNames, newBytes, 0);
            if (record == Records.NONE) {
                return Status.NO_SPACE;
            }
            records.fence(); // † before the older one goes: a crash leaves one of the two, or both, of which the newer
            // holds
            if (quota == null) {
                quota = new Quota(directory, newNames, newBytes, record);
                put(quota);
            } else {
                records.clear(quota.record);
                records.fence();
                limit(quota, newNames, newBytes, record);
            }
        } finally {
            open();
        }
        count(quota);
        return Status.OK;
    }

    private synchronized void limit(Quota quota, long names, long bytes, long record) {
        quota.names = names;
        quota.bytes = bytes;
        quota.record = record;
        if (quota.usedBytes == Long.MAX_VALUE) {
            quota.countAnew(); // there may be less by now
        }
    }

    /** A copy of what is known of a directory, which is counted for it; null: it has no quota. */
    @Nullable
    public Quota usage(long directory) {
        Quota quota;
        synchronized (this) {
            quota = quotas.get(directory);
        }
        if (quota == null) {
            return null;
        }
        count(quota);
        synchronized (this) {
            Quota copy = new Quota(directory, quota.names, quota.bytes, Records.NONE);
            copy.usedNames = quota.usedNames;
            copy.usedBytes = quota.usedBytes;
            return copy;
        }
    }

    /** What is below a directory, if that is known; behind the closed lock. */
    synchronized @Nullable Quota counted(long directory) {
        Quota quota = quotas.get(directory);
        return quota != null && quota.isCounted ? quota : null;
    }

    /** A copy of its limits. */
    public synchronized Quota limits(long directory) {
        Quota quota = quotas.get(directory);
        return quota == null
                ? new Quota(directory, Quota.NONE, Quota.NONE, Records.NONE)
                : new Quota(directory, quota.names, quota.bytes, Records.NONE);
    }

    /** Whether there is no such directory any more. */
    boolean isRemoved(long directory) {
        return namespace.above(directory).length == 0
                && namespace.statDirectory(directory, new Attributes()) == Status.NO_SUCH_DIRECTORY;
    }

    /** Forgets the quotas of a directory that was removed, and of all that were below it. Outside the lock. */
    public void removed(long directory) {
        if (!any) {
            return;
        }
        List<Long> gone = new ArrayList<>();
        for (long each : directories()) {
            long[] way = namespace.above(each);
            if (way.length == 0 ? isRemoved(each) : Arrays.stream(way).anyMatch(id -> id == directory)) {
                gone.add(each);
            }
        }
        if (!gone.isEmpty()) {
            close();
            try {
                gone.forEach(this::drop);
            } finally {
                open();
            }
        }
    }

    private synchronized List<Long> directories() {
        return List.copyOf(quotas.keySet());
    }

    /** What a tree takes with it when it leaves: it is still counted above where it was until {@link #giveBack}, or comes {@link #back}. */
    public static final class Departure {
        private final Quota[] above;
        private final int[] counts;

        private Departure(Quota[] above, int[] counts) {
            this.above = above;
            this.counts = counts;
        }

        public boolean isCounted() {
            return above.length > 0;
        }
    }

    synchronized Departure departure(Quota[] chain) {
        int[] counts = Arrays.stream(chain).mapToInt(each -> each.counts).toArray();
        return new Departure(chain, counts);
    }

    /** It will not come back. One that was counted since has not met it. */
    public synchronized void giveBack(Departure tree, long names, long bytes) {
        for (int i = 0; i < tree.above.length; i++) {
            Quota each = tree.above[i];
            if (each.counts == tree.counts[i]) {
                each.add(-names, -bytes);
            }
        }
    }

    /**
     * A tree came back, perhaps to another directory: a quota that has it now and did not count it, or counted it and has it no more, is
     * counted anew. Under the exclusive quota lock.
     */
    public void back(Departure tree, long directory) {
        Quota[] now = above(namespace.above(directory), 1);
        if (isGone(now)) {
            return;
        }
        synchronized (this) {
            int[] counts = Arrays.stream(now).mapToInt(each -> each.counts).toArray();
            if (Arrays.equals(now, tree.above) && Arrays.equals(counts, tree.counts)) {
                return;
            }
            for (Quota[] some : List.of(now, tree.above)) {
                for (Quota each : some) {
                    each.countAnew();
                }
            }
        }
    }

    /** Directories that have one. */
    public synchronized int size() {
        return quotas.size();
    }

    /** Changes that were refused for one. */
    public synchronized long refusals() {
        return refusals;
    }
}
