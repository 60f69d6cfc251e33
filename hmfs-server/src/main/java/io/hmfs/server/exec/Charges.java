package io.hmfs.server.exec;

import io.hmfs.core.Namespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;

/**
 * The changes of one worker that make names or bytes more or fewer: each is charged to the quotas above before it is made, and given back
 * if it is not. It goes through the gate of {@link Quotas}; where there is no quota that is all. A thread that may not wait throws
 * {@link KeyLocks.TakenException} where it would have to, before anything is changed.
 */
final class Charges {
    private final Worker worker;
    private final Namespace namespace;
    private final Quotas quotas;
    private final Attributes seen = new Attributes();
    final Passage passage;
    final MoveCharges moves;

    Charges(Worker worker) {
        this.worker = worker;
        namespace = worker.namespace;
        quotas = worker.service.quotas;
        passage = new Passage(worker);
        moves = new MoveCharges(worker, passage);
    }

    static boolean isRefusal(Status status) {
        return status == Status.NAME_QUOTA_EXCEEDED || status == Status.SPACE_QUOTA_EXCEEDED;
    }

    private Status charge(long names, long bytes) {
        if (passage.above.length == 0) {
            return Quotas.isGone(passage.above) ? Status.NO_SUCH_DIRECTORY : Status.OK;
        }
        return quotas.charge(passage.above, names, bytes, worker.access);
    }

    private void add(long names, long bytes) {
        if (passage.above.length > 0) {
            quotas.add(passage.above, names, bytes);
        }
    }

    /** What is there already is so, whatever it would cost. */
    private Status refused(Status status, long parent, Name name, Attributes out) {
        boolean there = isRefusal(status) && namespace.stat(parent, name, out) == Status.OK;
        return there ? Status.EXISTS : status;
    }

    Status create(long parent, Name name, int mode, int uid, int gid, long[] acl, Attributes out) {
        passage.enter(parent);
        try {
            Status status = charge(1, 0);
            if (status != Status.OK) {
                return refused(status, parent, name, out);
            }
            status = acl.length == 0
                    ? namespace.create(parent, name, mode, uid, gid, out)
                    : namespace.create(parent, name, mode, uid, gid, acl, out);
            return made(status);
        } finally {
            passage.leave();
        }
    }

    Status mkdir(long parent, Name name, int mode, int uid, int gid, long[] acl, Attributes out) {
        passage.enter(parent);
        try {
            Status status = charge(1, 0);
            return status == Status.OK
                    ? made(namespace.mkdir(parent, name, mode, uid, gid, acl, out))
                    : refused(status, parent, name, out);
        } finally {
            passage.leave();
        }
    }

    Status symlink(long parent, Name name, byte[] target, int uid, int gid, Attributes out) {
        passage.enter(parent);
        try {
            Status status = charge(1, 0);
            return status == Status.OK
                    ? made(namespace.symlink(parent, name, target, uid, gid, out))
                    : refused(status, parent, name, out);
        } finally {
            passage.leave();
        }
    }

    private Status made(Status status) {
        if (status != Status.OK) {
            add(-1, 0);
        }
        return status;
    }

    /** Inside the gate, which the caller has entered with the lock of the key. */
    Status delete(long parent, Name name, Attributes removed) {
        if (Quotas.isGone(passage.above)) {
            return Status.NO_SUCH_DIRECTORY;
        }
        Status status = namespace.delete(parent, name, removed);
        if (status == Status.OK) {
            add(-1, -TreeSum.bytesOf(removed));
        }
        return status;
    }

    /** Inside the gate: a new file has taken the place of this one, and is empty. */
    void replaced(Attributes removed) {
        add(0, -TreeSum.bytesOf(removed));
    }

    Status rmdir(long parent, Name name) {
        long removed = 0;
        passage.enter(parent);
        try {
            if (Quotas.isGone(passage.above)) {
                return Status.NO_SUCH_DIRECTORY;
            }
            boolean limited = quotas.isAny() && namespace.stat(parent, name, seen) == Status.OK && quotas.has(seen.id);
            if (limited && !worker.waits) {
                throw KeyLocks.taken(); // to forget a quota the gate is closed
            }
            Status status = worker.service.changes.rmdir(parent, name);
            if (status == Status.OK) {
                add(-1, 0);
                removed = limited && quotas.isRemoved(seen.id) ? seen.id : 0; // and not another one that took its name
            }
            return status;
        } finally {
            passage.leave();
            if (removed != 0) {
                worker.once.leave(); // what comes is not the change that has the request's number
                quotas.removed(removed);
            }
        }
    }

    /** With the lock of the key: what the size was is not to change before it does. */
    Status append(long parent, Name name, long id, long size) {
        passage.enter(parent);
        try {
            long more = 0;
            if (passage.above.length > 0) {
                Status there = namespace.stat(parent, name, seen);
                boolean grows = there == Status.OK && seen.id == id && !seen.isDirectory() && size > seen.size;
                more = grows ? size - seen.size : 0;
            }
            Status status = charge(0, more);
            if (status == Status.OK) {
                status = namespace.append(parent, name, id, size);
                add(0, status == Status.OK ? 0 : -more);
            }
            return status;
        } finally {
            passage.leave();
        }
    }

    /** With the lock of the key, and its object as it is. */
    Status truncate(long parent, Name name, Attributes before, long size) {
        passage.enter(parent);
        try {
            long more = size < 0 || before.isDirectory() ? 0 : size - before.size;
            Status status = charge(0, Math.max(more, 0));
            if (status == Status.OK) {
                status = namespace.truncate(parent, name, size);
                add(0, status == Status.OK ? Math.min(more, 0) : -Math.max(more, 0));
            }
            return status;
        } finally {
            passage.leave();
        }
    }
}
