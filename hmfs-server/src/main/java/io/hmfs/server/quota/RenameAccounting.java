package io.hmfs.server.quota;

import io.hmfs.core.ServerNamespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.access.Access;
import io.hmfs.server.tree.OrphanDirectory;
import io.hmfs.server.tree.TreeSum;
import java.util.Arrays;
import java.util.stream.LongStream;

/**
 * What renames of one worker, and the removal of whole trees, take from the quotas above where something was to those above where it
 * comes to. Where both are the same only what is replaced counts; else the quota lock is taken exclusively, so that
 * what moves can be summed up.
 */
public final class RenameAccounting {
    private final ServerNamespace namespace;
    private final Quotas quotas;
    private final OrphanDirectory orphans;
    private final Access access;
    private final QuotaLockHolder quotaLock;
    private final Attributes seen = new Attributes();

    // Of the current move, if it is one from below some quotas to below others:
    private Quota[] from = Quotas.NONE;
    private Quota[] to = Quotas.NONE;
    private boolean isCharged;
    private long names;
    private long bytes;
    private long replacedNames;
    private long replacedBytes;
    private long replacedQuota;

    RenameAccounting(
            ServerNamespace namespace,
            Quotas quotas,
            OrphanDirectory orphans,
            Access access,
            QuotaLockHolder quotaLock) {
        this.namespace = namespace;
        this.quotas = quotas;
        this.orphans = orphans;
        this.access = access;
        this.quotaLock = quotaLock;
    }

    /**
     * Before a rename, with the locks of both keys: what moves is charged where it comes to. {@link #replaced} if it is made,
     * {@link #ended} in any case. What moves from below one quota to below another is summed up, which may take long: a thread that may
     * not wait throws {@code MustWaitException}.
     */
    public Status begin(long source, Name sourceName, long target, Name targetName, boolean replace) {
        quotaLock.enter(source);
        if (!quotas.isAny()) {
            return Status.OK;
        }
        from = quotaLock.above;
        to = quotaLock.chainOf(target);
        if (Quotas.isGone(from) || Quotas.isGone(to)) {
            return Status.NO_SUCH_DIRECTORY;
        }
        if (Arrays.equals(from, to)) {
            return Status.OK;
        }
        quotaLock.leave();
        quotaLock.close(source, target);
        from = quotaLock.above;
        to = quotaLock.chainOf(target);
        if (Quotas.isGone(from) || Quotas.isGone(to)) {
            return Status.NO_SUCH_DIRECTORY;
        }
        return charge(source, sourceName, target, targetName, replace);
    }

    private Status charge(long source, Name sourceName, long target, Name targetName, boolean replace) {
        Status status = namespace.stat(source, sourceName, seen);
        if (status != Status.OK) {
            return status;
        }
        if (seen.isDirectory() && LongStream.of(namespace.above(target)).anyMatch(each -> each == seen.id)) {
            return Status.LOOP; // before all of it is summed up for a move that cannot be
        }
        // What is held in the orphan directory counts where it was, and does not move.
        boolean isKnown = seen.isDirectory() && !orphans.isBusy();
        Quota itself = isKnown ? quotas.counted(seen.id) : null;
        boolean isWhole;
        if (itself == null) {
            TreeSum sum = TreeSum.of(namespace, seen);
            isWhole = sum.isWhole();
            names = sum.names();
            bytes = sum.bytes;
        } else {
            isWhole = itself.isWhole;
            names = itself.usedNames;
            bytes = itself.usedBytes;
        }
        if (!isWhole) {
            return Status.DAMAGED; // what it would take along is not known
        }
        boolean taken = namespace.stat(target, targetName, seen) == Status.OK;
        if (taken && !replace) {
            return Status.EXISTS;
        }
        replacedNames = taken ? 1 : 0;
        replacedBytes = taken ? TreeSum.bytesOf(seen) : 0;
        status = quotas.charge(without(to, from), names - replacedNames, bytes - replacedBytes, access);
        isCharged = status == Status.OK;
        return status;
    }

    /** The rename was made, and has replaced this; id 0: nothing. */
    public void replaced(Attributes removed) {
        if (removed.id == 0) {
            return;
        }
        replacedQuota = quotas.has(removed.id) ? removed.id : 0;
        if (!isCharged) {
            quotas.add(quotaLock.above, -1, -TreeSum.bytesOf(removed));
        }
    }

    /** It has ended so. */
    public void ended(Status outcome, long source, Name sourceName) {
        if (isCharged) {
            // Between two names of one file nothing moves.
            if (outcome == Status.OK && namespace.stat(source, sourceName, seen) != Status.OK) {
                quotas.add(without(from, to), -names, -bytes);
                quotas.add(without(from, without(from, to)), -replacedNames, -replacedBytes);
            } else {
                quotas.add(without(to, from), replacedNames - names, replacedBytes - bytes);
            }
            isCharged = false;
        }
        quotaLock.leave();
        if (replacedQuota != 0) {
            quotas.removed(replacedQuota);
            replacedQuota = 0;
        }
    }

    private static Quota[] without(Quota[] some, Quota[] others) {
        return Arrays.stream(some)
                .filter(each -> !Arrays.asList(others).contains(each))
                .toArray(Quota[]::new);
    }

    /**
     * Called before a tree leaves this directory for the orphan directory, with the lock of its key: if a quota is above, the quota lock is
     * taken exclusively. Returns what leaves. {@link QuotaLockHolder#leave} follows.
     */
    public Quotas.Departure departure(long parent) {
        quotaLock.enter(parent);
        if (quotaLock.above.length > 0) {
            quotaLock.leave();
            quotaLock.close(parent, parent);
        }
        return quotas.departure(quotaLock.above);
    }
}
