package io.hmfs.server.exec;

import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.wire.CreateDecoder;
import org.jspecify.annotations.Nullable;

/**
 * A create that replaces a file, in one step: the new file is made where no path leads, then takes the other one's place by a rename
 * (ADR 0120). So whoever looks sees the old file or the new one, and so does the next start after a crash. Of one worker.
 */
final class Overwrite {
    private final Worker worker;
    private final RemoveRequests removes;
    private Name draft;

    Overwrite(Worker worker, RemoveRequests removes) {
        this.worker = worker;
        this.removes = removes;
        draft = worker.service.limbo.draftName();
    }

    /**
     * The new file is in the worker's attributes, what it replaced in {@link RemoveRequests#removed}. NOT_FOUND: nothing was there. STALE: it
     * is not the version that {@code condition} tells, if that is not null.
     */
    Status run(PathResolver path, int mode, int gid, long[] acl, @Nullable CreateDecoder condition) {
        KeyLocks locks = worker.service.locks;
        int stripe = KeyLocks.stripe(path.parentId, path.name);
        locks.lock(stripe, worker.waits); // what is seen here is what is replaced
        try {
            Status outcome = removes.mayRemove(path, true);
            if (outcome != Status.OK || condition == null) {
                return outcome == Status.OK ? replace(path, mode, gid, acl) : outcome;
            }
            return replaceVersion(path, mode, gid, acl, condition);
        } finally {
            locks.unlock(stripe);
        }
    }

    /** The key's lock keeps others from replacing or cutting the file; that nobody commits a size takes having it alone. */
    private Status replaceVersion(PathResolver path, int mode, int gid, long[] acl, CreateDecoder condition) {
        Leases leases = worker.service.leases;
        Attributes seen = removes.seen();
        long inode = seen.id;
        long stamp = leases.alone(inode, worker.waits);
        try {
            Status outcome = worker.namespace.stat(path.parentId, path.name, seen);
            if (outcome != Status.OK) {
                return outcome;
            }
            boolean expected = seen.id == condition.expectedInode()
                    && seen.mtimeNanos == condition.expectedMtimeNanos()
                    && seen.size == condition.expectedSize();
            outcome = expected ? worker.number() : Status.STALE;
            return outcome == Status.OK ? replace(path, mode, gid, acl) : outcome;
        } finally {
            leases.endAlone(inode, stamp);
        }
    }

    /** Quotas above lose the bytes of the old file, no name comes or goes: so there is nothing that they could refuse. */
    private Status replace(PathResolver path, int mode, int gid, long[] acl) {
        Passage passage = worker.charges.passage;
        passage.enter(path.parentId);
        try {
            return replaceHere(path, mode, gid, acl);
        } finally {
            passage.leave();
        }
    }

    private Status replaceHere(PathResolver path, int mode, int gid, long[] acl) {
        Limbo limbo = worker.service.limbo;
        Status outcome = limbo.draft(draft, mode, worker.uid, gid, acl, worker.attributes);
        if (outcome == Status.EXISTS) { // one that could not be dropped, which the next start does
            draft = limbo.draftName();
            outcome = limbo.draft(draft, mode, worker.uid, gid, acl, worker.attributes);
        }
        if (outcome != Status.OK) {
            return outcome;
        }
        long made = worker.attributes.id;
        outcome = place(path.parentId, path.name);
        if (outcome != Status.OK) {
            limbo.dropDraft(draft);
            return outcome;
        }
        Status there =
                worker.namespace.stat(path.parentId, path.name, worker.attributes); // with the times of the rename
        if (there != Status.OK || worker.attributes.id != made) {
            throw new IllegalStateException("inode " + made + " was put in place and is not there: " + there);
        }
        return Status.OK;
    }

    /** Under the key's lock. It is the commit, so it bears the number of the request. */
    private Status place(long parent, Name name) {
        Attributes removed = removes.removed();
        int slot = removes.begin(parent, name);
        worker.once.enter();
        Status outcome = worker.service.limbo.place(draft, parent, name, removed);
        worker.once.leave();
        if (outcome == Status.OK) {
            worker.charges.replaced(removed);
        }
        removes.settle(slot, outcome == Status.OK, parent, name);
        return outcome;
    }
}
