package io.hmfs.server.quota;

import io.hmfs.core.lock.LockOrder;
import io.hmfs.core.lock.LockRank;
import io.hmfs.server.lock.KeyLocks;
import java.util.Arrays;
import java.util.concurrent.locks.StampedLock;

/**
 * One worker's hold of the {@link QuotaLock}, and what it knows of which quotas stand above which directory. A thread that may not wait
 * throws {@link KeyLocks.MustWaitException} where it would have to.
 */
public final class QuotaLockHolder {
    private static final int PLACES = 256; // a power of two

    private final Quotas quotas;
    private final boolean waits;
    private final StampedLock entrance;

    /** What stands above directories, as long as the version holds. */
    private final long[] directories = new long[PLACES];

    private final Quota[][] chains = new Quota[PLACES][];
    private long version = -1;

    private long stamp;
    private boolean isClosed;
    private int batched;

    /** The quotas above the directory that was entered with. */
    Quota[] above = Quotas.NONE;

    QuotaLockHolder(Quotas quotas, boolean waits) {
        this.quotas = quotas;
        this.waits = waits;
        entrance = quotas.newEntrance();
    }

    /** Before a change in this directory; {@link #leave} follows. */
    public void enter(long directory) {
        enter(directory, waits);
    }

    private void enter(long directory, boolean waits) {
        for (; ; ) {
            share(waits);
            above = quotas.isAny() ? chainOf(directory) : Quotas.NONE;
            Quota uncounted = above.length == 0 ? null : quotas.uncounted(above);
            if (uncounted == null) {
                return;
            }
            leave();
            if (!waits) {
                throw KeyLocks.mustWait();
            }
            quotas.count(uncounted);
        }
    }

    private void share(boolean waits) {
        if (stamp != 0 || isClosed) {
            throw new IllegalStateException("inside already");
        }
        stamp = entrance.tryReadLock();
        if (stamp == 0 && !waits) {
            throw KeyLocks.mustWait();
        }
        if (stamp == 0) {
            LockOrder.waiting(LockRank.QUOTA, 0);
            stamp = entrance.readLock();
        }
        LockOrder.taken(LockRank.QUOTA, 0);
    }

    /** Takes the quota lock exclusively, with all quotas above these two counted. {@link #leave} follows. */
    void close(long one, long other) {
        if (!waits) {
            throw KeyLocks.mustWait();
        }
        for (; ; ) {
            quotas.close();
            isClosed = true;
            above = chainOf(one);
            Quota uncounted = quotas.uncounted(above);
            uncounted = uncounted == null ? quotas.uncounted(chainOf(other)) : uncounted;
            if (uncounted == null) {
                return;
            }
            leave();
            quotas.count(uncounted);
        }
    }

    /** Also if it was not entered. */
    public void leave() {
        if (isClosed) {
            isClosed = false;
            quotas.open();
        } else if (stamp != 0) {
            LockOrder.released(LockRank.QUOTA, 0);
            entrance.unlockRead(stamp);
            stamp = 0;
        }
        above = Quotas.NONE;
    }

    /** The quotas above a directory. Inside. */
    Quota[] chainOf(long directory) {
        if (version != quotas.version()) {
            version = quotas.version();
            Arrays.fill(directories, 0);
        }
        int place = place(directory);
        if (directories[place] == directory && directory != 0) {
            return chains[place];
        }
        Quota[] chain = quotas.above(directory);
        if (!Quotas.isGone(chain)) { // the client may have made the id up, and it may come yet
            remember(directory, chain);
        }
        return chain;
    }

    /**
     * Remembers the quotas above a directory that was just made in the one that was entered: they are the same. So a request that makes a path of
     * directories climbs to the root once, and not for each of them. Called inside.
     */
    void made(long directory) {
        if (quotas.isAny()) {
            remember(directory, above);
        }
    }

    private void remember(long directory, Quota[] chain) {
        int place = place(directory);
        chains[place] = chain;
        directories[place] = directory;
    }

    private static int place(long directory) {
        return (int) ((directory * 0x9E3779B97F4A7C15L) >>> 32) & (PLACES - 1);
    }

    /**
     * Before a change of a batch in this directory: the quota lock is shared, and what stands above the directory is counted, until
     * {@link #leaveBatch}. False if the thread would have to wait for that and may not.
     */
    boolean joinBatch(long directory) {
        if (batched == 0 && waits) {
            enter(directory);
            batched = 1;
            return true;
        }
        if (batched == 0) {
            stamp = entrance.tryReadLock();
            if (stamp == 0) {
                return false;
            }
            LockOrder.taken(LockRank.QUOTA, 0);
        }
        Quota[] chain = quotas.isAny() ? chainOf(directory) : Quotas.NONE;
        if (chain.length > 0 && quotas.uncounted(chain) != null) {
            if (batched == 0) {
                leave();
            }
            return false;
        }
        batched++;
        return true;
    }

    /** Called once for each change that has joined a batch, when the batch has been executed or dropped. */
    void leaveBatch() {
        if (--batched == 0) {
            leave();
        }
    }
}
