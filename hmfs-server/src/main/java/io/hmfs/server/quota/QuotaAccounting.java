package io.hmfs.server.quota;

import io.hmfs.core.ServerNamespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Change;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.access.Access;
import io.hmfs.server.lock.KeyLocks;
import io.hmfs.server.path.NameVersions;
import io.hmfs.server.tree.OrphanDirectory;
import io.hmfs.server.tree.TreeSum;
import org.jspecify.annotations.Nullable;

/**
 * The changes of one worker that make names or bytes more or fewer: each is charged to the quotas above before it is made, and given back
 * if it is not. Each shares the {@link QuotaLock}; where there is no quota that is all. A thread that may not wait throws
 * {@link KeyLocks.MustWaitException} where it would have to, before anything is changed.
 */
public final class QuotaAccounting {
    private final ServerNamespace namespace;
    private final NameVersions versions;
    private final Quotas quotas;
    private final Access access;
    private final boolean waits;
    private final Attributes seen = new Attributes();
    public final QuotaLockHolder quotaLock;
    public final RenameAccounting moves;

    /**
     * The accounting of one thread.
     *
     * @param access knows the sentence if a quota refuses a change
     * @param waits whether the thread may wait for the quota lock
     */
    public QuotaAccounting(
            ServerNamespace namespace,
            NameVersions versions,
            Quotas quotas,
            OrphanDirectory orphans,
            Access access,
            boolean waits) {
        this.namespace = namespace;
        this.versions = versions;
        this.quotas = quotas;
        this.access = access;
        this.waits = waits;
        quotaLock = new QuotaLockHolder(quotas, waits);
        moves = new RenameAccounting(namespace, quotas, orphans, access, quotaLock);
    }

    // ---- Changes of a batch, which share the quota lock

    /**
     * Before a change of a batch in this directory; {@link #leaveBatch} follows if it is OK. NO_SUCH_DIRECTORY; null: the change would have to
     * wait, and this thread may not.
     */
    public @Nullable Status joinBatch(long directory) {
        if (!quotaLock.joinBatch(directory)) {
            return null;
        }
        if (Quotas.isGone(above(directory))) {
            quotaLock.leaveBatch();
            return Status.NO_SUCH_DIRECTORY;
        }
        return Status.OK;
    }

    /** Called once for each change that has joined a batch, when the batch has been executed or dropped. */
    public void leaveBatch() {
        quotaLock.leaveBatch();
    }

    private Quota[] above(long directory) {
        return quotas.isAny() ? quotaLock.chainOf(directory) : Quotas.NONE;
    }

    /** Whether a change of the batch in this directory counts for a quota. */
    public boolean isCharged(long directory) {
        return above(directory).length > 0;
    }

    /** Charges a change of the batch: OK or which quota refuses it. Null: one does, and nothing is counted or told of that. */
    public @Nullable Status charge(long directory, long names, long bytes, boolean telling) {
        Quota[] chain = above(directory);
        if (chain.length == 0) {
            return Status.OK;
        }
        if (telling) {
            return quotas.charge(chain, names, bytes, access);
        }
        return quotas.tryCharge(chain, names, bytes) ? Status.OK : null;
    }

    /** Adds to what stands above a directory of the batch, whatever the limits. */
    public void add(long directory, long names, long bytes) {
        Quota[] chain = above(directory);
        if (chain.length > 0) {
            quotas.add(chain, names, bytes);
        }
    }

    /** How much a file of the batch grows if it gets this size; 0 where no quota asks. */
    public long growth(long parent, Name name, long id, long size) {
        if (!isCharged(parent)) {
            return 0;
        }
        Status there = namespace.stat(parent, name, seen);
        boolean grows = there == Status.OK && seen.id == id && !seen.isDirectory() && size > seen.size;
        return grows ? size - seen.size : 0;
    }

    // ---- A change by itself

    static boolean isRefusal(Status status) {
        return status == Status.NAME_QUOTA_EXCEEDED || status == Status.SPACE_QUOTA_EXCEEDED;
    }

    private Status charge(long names, long bytes) {
        if (quotaLock.above.length == 0) {
            return Quotas.isGone(quotaLock.above) ? Status.NO_SUCH_DIRECTORY : Status.OK;
        }
        return quotas.charge(quotaLock.above, names, bytes, access);
    }

    private void add(long names, long bytes) {
        if (quotaLock.above.length > 0) {
            quotas.add(quotaLock.above, names, bytes);
        }
    }

    /** The answer to a new name that was not made: EXISTS if a quota refused what is there already, whatever it would cost. */
    public Status refused(Status status, long parent, Name name, Attributes out) {
        boolean there = isRefusal(status) && namespace.stat(parent, name, out) == Status.OK;
        return there ? Status.EXISTS : status;
    }

    public Status mkdir(long parent, Name name, int mode, int uid, int gid, long[] acl, Change change, Attributes out) {
        quotaLock.enter(parent);
        try {
            Status status = charge(1, 0);
            if (status != Status.OK) {
                return refused(status, parent, name, out);
            }
            status = made(namespace.mkdir(parent, name, mode, uid, gid, acl, change, out));
            if (status == Status.OK) {
                quotaLock.made(out.id);
            }
            return status;
        } finally {
            quotaLock.leave();
        }
    }

    public Status symlink(long parent, Name name, byte[] target, int uid, int gid, Change change, Attributes out) {
        quotaLock.enter(parent);
        try {
            Status status = charge(1, 0);
            return status == Status.OK
                    ? made(namespace.symlink(parent, name, target, uid, gid, change, out))
                    : refused(status, parent, name, out);
        } finally {
            quotaLock.leave();
        }
    }

    private Status made(Status status) {
        if (status != Status.OK) {
            add(-1, 0);
        }
        return status;
    }

    /** Under the quota lock: a new file has taken the place of this one, and is empty. */
    public void replaced(Attributes removed) {
        add(0, -TreeSum.bytesOf(removed));
    }

    public Status rmdir(long parent, Name name, Change change) {
        long removed = 0;
        quotaLock.enter(parent);
        try {
            if (Quotas.isGone(quotaLock.above)) {
                return Status.NO_SUCH_DIRECTORY;
            }
            boolean limited = quotas.isAny() && namespace.stat(parent, name, seen) == Status.OK && quotas.has(seen.id);
            if (limited && !waits) {
                throw KeyLocks.mustWait(); // to forget a quota the quota lock is taken exclusively
            }
            Status status = versions.rmdir(parent, name, change);
            if (status == Status.OK) {
                add(-1, 0);
                removed = limited && quotas.isRemoved(seen.id) ? seen.id : 0; // and not another one that took its name
            }
            return status;
        } finally {
            quotaLock.leave();
            if (removed != 0) {
                quotas.removed(removed);
            }
        }
    }

    /** With the lock of the key, and its object as it is. */
    public Status truncate(long parent, Name name, Attributes before, long size, Change change) {
        quotaLock.enter(parent);
        try {
            long more = size < 0 || before.isDirectory() ? 0 : size - before.size;
            Status status = charge(0, Math.max(more, 0));
            if (status == Status.OK) {
                status = namespace.truncate(parent, name, size, change);
                add(0, status == Status.OK ? Math.min(more, 0) : -Math.max(more, 0));
            }
            return status;
        } finally {
            quotaLock.leave();
        }
    }
}
