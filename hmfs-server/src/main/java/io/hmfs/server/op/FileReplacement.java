package io.hmfs.server.op;

import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.access.Access;
import io.hmfs.server.lease.Leases;
import io.hmfs.server.lock.KeyLocks;
import io.hmfs.server.path.PathResolver;
import io.hmfs.server.quota.QuotaLockHolder;
import io.hmfs.server.request.Request;
import io.hmfs.server.tree.OrphanDirectory;
import io.hmfs.wire.CreateDecoder;
import org.jspecify.annotations.Nullable;

/**
 * Replaces a file by a new one in one step: the new file is made where no path leads, then takes the other one's place by a rename
 * (ADR 0120). So a reader sees the old file or the new one, and so does the next start after a crash.
 */
final class FileReplacement {
    private final Attributes seen = Attributes.withAcl();
    private final DiscardedFile removed;
    private @Nullable Name temporary;

    /** {@code removed}: described by {@link #run}. */
    FileReplacement(DiscardedFile removed) {
        this.removed = removed;
    }

    /** Whether the user may replace what has the name: OK, NOT_FOUND, or why not. */
    Status check(Request request) {
        PathResolver path = request.path();
        Status outcome = request.namespace().stat(path.parentId, path.name, seen);
        if (outcome != Status.OK) {
            return outcome;
        }
        if (seen.isDirectory()) {
            return Status.IS_DIRECTORY;
        }
        if (seen.isSymlink()) {
            return path.unresolved();
        }
        outcome = request.access().isLimited() ? path.may(seen, Access.WRITE) : Status.OK;
        return outcome == Status.OK && path.isParentSticky() ? path.mayTakeAway(seen) : outcome;
    }

    /**
     * Replaces what has the name; the request's attributes describe the new file. NOT_FOUND: nothing was there. STALE: it is not the version
     * that {@code condition} tells, if that is not null.
     */
    Status run(Request request, NewEntry entry, @Nullable CreateDecoder condition) {
        request.lockKey(); // what is seen here is what is replaced
        try {
            Status outcome = check(request);
            if (outcome != Status.OK || condition == null) {
                return outcome == Status.OK ? replace(request, entry) : outcome;
            }
            return replaceVersion(request, entry, condition);
        } finally {
            request.unlockKey();
        }
    }

    /** The lock of the name keeps other requests from replacing or cutting the file, having it alone keeps them from committing a size. */
    private Status replaceVersion(Request request, NewEntry entry, CreateDecoder condition) {
        Leases leases = request.partition().leases();
        long inode = seen.id;
        long stamp = leases.alone(inode, request.mayWait());
        try {
            Status outcome = request.namespace().stat(request.path().parentId, request.path().name, seen);
            if (outcome != Status.OK) {
                return outcome;
            }
            boolean expected = seen.id == condition.expectedInode()
                    && seen.mtimeNanos == condition.expectedMtimeNanos()
                    && seen.size == condition.expectedSize();
            outcome = expected ? request.number() : Status.STALE;
            return outcome == Status.OK ? replace(request, entry) : outcome;
        } finally {
            leases.endAlone(inode, stamp);
        }
    }

    /** Quotas above lose the bytes of the old file, no name comes or goes: so there is nothing that they could refuse. */
    private Status replace(Request request, NewEntry entry) {
        QuotaLockHolder quotas = request.accounting().quotaLock;
        quotas.enter(request.path().parentId);
        try {
            return makeAndPlace(request, entry);
        } finally {
            quotas.leave();
        }
    }

    private Status makeAndPlace(Request request, NewEntry entry) {
        OrphanDirectory orphans = request.partition().orphans();
        Attributes made = request.attributes();
        Name name = temporary == null ? orphans.temporaryName() : temporary;
        Status outcome = orphans.createTemporaryFile(name, entry.mode(), request.uid(), entry.gid(), entry.acl(), made);
        if (outcome == Status.EXISTS) { // one that could not be dropped, which the next start does
            name = orphans.temporaryName();
            outcome = orphans.createTemporaryFile(name, entry.mode(), request.uid(), entry.gid(), entry.acl(), made);
        }
        temporary = name;
        if (outcome != Status.OK) {
            return outcome;
        }
        long inode = made.id;
        try {
            outcome = place(request, name);
        } catch (KeyLocks.MustWaitException e) {
            orphans.dropTemporaryFile(name);
            throw e;
        }
        if (outcome != Status.OK) {
            orphans.dropTemporaryFile(name);
            return outcome;
        }
        PathResolver path = request.path();
        Status there = request.namespace().stat(path.parentId, path.name, made); // with the times of the rename
        if (there != Status.OK || made.id != inode) {
            throw new IllegalStateException("inode " + inode + " was put in place and is not there: " + there);
        }
        return Status.OK;
    }

    /** Under the lock of the name. The rename is the commit, so it bears the number of the request. */
    private Status place(Request request, Name name) {
        PathResolver path = request.path();
        Status outcome = request.partition()
                .orphans()
                .place(name, path.parentId, path.name, request.change(), removed.attributes(), request.mayWait());
        if (outcome == Status.OK) {
            request.accounting().replaced(removed.attributes());
            removed.settle(request);
        }
        return outcome;
    }
}
