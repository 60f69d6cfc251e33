package io.hmfs.server.exec;

import io.hmfs.client.ResultCode;
import io.hmfs.core.Namespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.wire.RemoveTreeDecoder;
import io.hmfs.wire.SummaryDecoder;
import io.hmfs.wire.Wire;

/** Requests about a directory and all that is below it (docs/adr/0113). Executed where a thread may take its time. */
final class TreeRequests {
    private static final int ENTRIES_DEFAULT = 250_000; // some ten milliseconds
    private static final int ENTRIES_MAX = 1_000_000;
    private static final int CLEARED_MAX = 100_000;
    private static final int DEEP_PARTS_MAX = 16; // until a walk is where it can be cut off
    private static final int ATTEMPTS_MAX = 8;

    private final Worker worker;
    private final Namespace namespace;
    private final SummaryDecoder summary = new SummaryDecoder();
    private final RemoveTreeDecoder remove = new RemoveTreeDecoder();
    private final Attributes found = Attributes.withAcl();
    final TreeListing listing;

    TreeRequests(Worker worker) {
        this.worker = worker;
        namespace = worker.namespace;
        listing = new TreeListing(worker);
    }

    /**
     * Whether a directory may be removed with all below it, as HDFS asks before it does: each directory that is not empty may be read,
     * written and passed, and its sticky bit lets all of it be taken away.
     */
    private final class Clearance extends TreeWalk {
        private final Access access = worker.access;
        long names = 1; // its own
        long bytes;

        Clearance(String top) {
            super(TreeRequests.this.namespace, top);
        }

        @Override
        Status enter(Attributes directory, Access.Where where) {
            return Status.OK; // an empty one may always go
        }

        @Override
        Status entry(Level level, Name name, Attributes entry) {
            names++;
            bytes += TreeSum.bytesOf(entry);
            Status status = Status.OK;
            if (!level.isChecked) {
                level.isChecked = true;
                status = access.check(level.directory, Access.READ | Access.WRITE | Access.EXECUTE, this::path);
            }
            return status == Status.OK ? access.checkSticky(level.directory, entry, () -> path(name)) : status;
        }
    }

    /** One step for who asks, whatever the size of the tree; the rest is {@link TreeReaper}'s. */
    void remove() {
        worker.checkBlock(RemoveTreeDecoder.BLOCK_LENGTH);
        remove.wrap(worker.in, Wire.HEADER_SIZE, worker.header.blockLength(), worker.header.version());
        if (worker.service.data == null) {
            worker.reply.failure(
                    ResultCode.INVALID_ARGUMENT,
                    "the data of these files is not the server's to remove: delete them one by one, and their data with them");
            return;
        }
        int length = remove.pathLength();
        PathResolver path = worker.path;
        Status outcome =
                path.resolve(remove.baseId(), worker.in, remove.limit() + RemoveTreeDecoder.pathHeaderLength(), length);
        if (outcome == Status.OK) {
            outcome = path.isBase ? Status.IS_ROOT : path.mayInParent(Access.WRITE);
        }
        if (outcome == Status.OK) {
            outcome = removeTree(path);
        }
        if (outcome == Status.STALE && worker.service.limbo.isClosed()) {
            worker.reply.failure(ResultCode.SHUTTING_DOWN, "the server stops; nothing was removed");
        } else {
            worker.reply.status(path.seen(outcome));
        }
    }

    /** What was looked at without a lock, for it may take long, is what goes, or it is looked at again. */
    private Status removeTree(PathResolver path) {
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            Status outcome = namespace.stat(path.parentId, path.name, found);
            if (outcome == Status.OK) {
                outcome = found.isDirectory() ? clear(path) : Status.NOT_DIRECTORY;
            }
            if (outcome == Status.OK) {
                outcome = take(path, found.id);
                if (outcome == Status.OK) {
                    worker.service.quotas.removed(found.id);
                }
            }
            if (outcome != Status.STALE || worker.service.limbo.isClosed()) {
                return outcome;
            }
        }
        return Status.STALE;
    }

    private Status clear(PathResolver path) {
        return worker.access.isLimited() ? clear(new Clearance(path.whole())) : Status.OK;
    }

    private Status clear(Clearance clearance) {
        Status outcome = clearance.begin(found);
        while (outcome == Status.OK && !clearance.isAtEnd()) {
            outcome = worker.service.limbo.isClosed() ? Status.STALE : clearance.run(CLEARED_MAX);
        }
        return outcome;
    }

    /** STALE: another directory has its name by now. */
    private Status take(PathResolver path, long id) {
        Limbo limbo = worker.service.limbo;
        Attributes there = new Attributes();
        Status outcome = limbo.open(there);
        if (outcome != Status.OK) {
            return outcome;
        }
        Attributes holder = new Attributes();
        Quotas.Departure departure;
        int stripe = KeyLocks.stripe(path.parentId, path.name);
        worker.service.locks.lock(stripe, worker.waits);
        try {
            departure = worker.charges.moves.departure(path.parentId);
            outcome = namespace.stat(path.parentId, path.name, found);
            if (outcome == Status.OK && found.id != id) {
                return Status.STALE;
            }
            if (outcome == Status.OK && path.isParentSticky()) {
                outcome = path.mayTakeAway(found);
            }
            if (outcome == Status.OK && (worker.access.isLimited() || departure.isCounted())) {
                outcome = limbo.hold(there, path.parentId, path.name, id, holder);
            } else if (outcome == Status.OK) {
                worker.once.enter();
                return limbo.take(there, path.parentId, path.name, id);
            }
        } finally {
            worker.once.leave();
            worker.charges.passage.leave();
            worker.service.locks.unlock(stripe);
        }
        return outcome == Status.OK
                ? clearHeld(path, new Limbo.Held(there.id, holder.id, path.parentId, path.name, id), departure)
                : outcome;
    }

    /**
     * What came in since it was looked at is looked at too, where nothing comes in any more: else whoever may move what he may not
     * remove would have it removed. Only the step out of there is the change that the client asked for, so that after a crash before it
     * the change is not taken for executed. What a quota above has counted of it is summed up here too, where nothing changes.
     */
    private Status clearHeld(PathResolver path, Limbo.Held tree, Quotas.Departure departure) {
        Limbo limbo = worker.service.limbo;
        Quotas quotas = worker.service.quotas;
        Clearance again = new Clearance(path.whole());
        Status outcome = clear(again);
        if (outcome == Status.OK) {
            worker.once.enter();
            outcome = limbo.release(tree);
            worker.once.leave();
        }
        if (outcome == Status.OK) {
            quotas.giveBack(departure, again.names, again.bytes);
            limbo.letGo(tree);
        } else {
            int stripe = KeyLocks.stripe(path.parentId, path.name);
            worker.service.locks.lock(stripe, worker.waits);
            quotas.close();
            try {
                limbo.putBack(tree);
                quotas.back(departure, tree.id());
            } finally {
                quotas.open();
                worker.service.locks.unlock(stripe);
            }
        }
        return outcome;
    }

    void summary() {
        worker.checkBlock(SummaryDecoder.BLOCK_LENGTH);
        summary.wrap(worker.in, Wire.HEADER_SIZE, worker.header.blockLength(), worker.header.version());
        int length = summary.pathLength();
        PathResolver path = worker.path;
        Status outcome =
                path.resolve(summary.baseId(), worker.in, summary.limit() + SummaryDecoder.pathHeaderLength(), length);
        if (outcome == Status.OK) {
            outcome = look(namespace, path, found);
        }
        if (outcome == Status.OK) {
            outcome = sum(path);
        }
        if (outcome != Status.OK) {
            worker.reply.status(path.seen(outcome));
        }
    }

    /** Looks at what a path leads to, which must be no link. */
    static Status look(Namespace namespace, PathResolver path, Attributes found) {
        boolean isBase = path.isBase && path.parentId != Namespace.ROOT_PARENT_ID;
        Status status = isBase
                ? namespace.statDirectory(path.parentId, found)
                : namespace.stat(path.parentId, path.name, found);
        return status == Status.OK && found.isSymlink() ? path.unresolved() : status;
    }

    private Status sum(PathResolver path) {
        summary.skipPath();
        int length = summary.fromLength();
        worker.in.check(summary.limit() + SummaryDecoder.fromHeaderLength(), length);
        byte[] from = new byte[length];
        summary.getFrom(from, 0, length);
        Summing sum = new Summing(namespace, worker.access, path.whole());
        Status status = from.length > 0 ? sum.read(found, from) : sum.begin(found);
        long asked = summary.entriesMax();
        long part = asked == 0 ? ENTRIES_DEFAULT : Math.min(asked, ENTRIES_MAX);
        for (int i = 0; i < DEEP_PARTS_MAX && status == Status.OK; i++) {
            status = namespace.count(sum, part);
            byte[] next = status == Status.OK ? sum.write() : null;
            if (next != null) {
                worker.reply.sum(sum.bytes, sum.files, sum.directories, worker.service.quotas.limits(found.id), next);
                return Status.OK;
            }
            if (worker.service.limbo.isClosed()) {
                break;
            }
            sum.narrow();
        }
        if (status == Status.OK) {
            worker.reply.failure(
                    ResultCode.TOO_LARGE,
                    "the tree is too deep to be summed up in parts: sum up the directories in it one by one");
        }
        return status;
    }
}
