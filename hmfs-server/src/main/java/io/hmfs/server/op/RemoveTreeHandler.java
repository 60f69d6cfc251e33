package io.hmfs.server.op;

import io.hmfs.client.ResultCode;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.access.Access;
import io.hmfs.server.lock.KeyLocks;
import io.hmfs.server.partition.Partition;
import io.hmfs.server.path.PathResolver;
import io.hmfs.server.quota.QuotaAccounting;
import io.hmfs.server.quota.Quotas;
import io.hmfs.server.request.Request;
import io.hmfs.server.share.LongWalks;
import io.hmfs.server.tree.OrphanDirectory;
import io.hmfs.server.tree.TreeSum;
import io.hmfs.server.tree.TreeWalk;
import io.hmfs.wire.RemoveTreeDecoder;
import io.hmfs.wire.Wire;
import org.jspecify.annotations.Nullable;

/**
 * RemoveTree: removes a directory with all that is below it (docs/adr/0113). In one step for the client, whatever the size of the tree: it
 * goes to the {@link OrphanDirectory}, and is taken apart there in the background.
 */
public final class RemoveTreeHandler implements Handler {
    private static final int CLEARED_MAX = 100_000; // entries between two looks whether the server stops
    private static final int ATTEMPTS_MAX = 8;

    private final RemoveTreeDecoder remove = new RemoveTreeDecoder();
    private final Attributes found = Attributes.withAcl();
    private int pathAt;
    private int pathLength;
    private @Nullable String damagedIn; // a directory of the tree whose damaged entry refuses it

    /**
     * Whether a directory may be removed with all below it, as HDFS asks before it does: each directory that is not empty may be read,
     * written and passed, and its sticky bit lets all of it be taken away.
     */
    private static final class Clearance extends TreeWalk {
        private final Access access;
        long names = 1; // its own
        long bytes;

        Clearance(Request request) {
            super(request.namespace(), request.path().whole());
            access = request.access();
        }

        @Override
        public Status enter(Attributes directory, Access.Where where) {
            return Status.OK; // an empty one may always go
        }

        @Override
        public Status entry(Level level, Name name, Attributes entry) {
            names++;
            bytes = TreeSum.sum(bytes, TreeSum.bytesOf(entry));
            Status status = Status.OK;
            if (!level.isChecked) {
                level.isChecked = true;
                status = access.check(level.directory, Access.READ | Access.WRITE | Access.EXECUTE, this::path);
            }
            return status == Status.OK ? access.checkSticky(level.directory, entry, () -> path(name)) : status;
        }
    }

    @Override
    public void execute(Request request) {
        request.checkBlock(RemoveTreeDecoder.BLOCK_LENGTH);
        remove.wrap(request.in(), Wire.HEADER_SIZE, request.blockLength(), request.version());
        if (request.partition().data() == null) {
            request.reply()
                    .failure(
                            ResultCode.INVALID_ARGUMENT,
                            "the data of these files is not the server's to remove: delete them one by one, and their data with them");
            return;
        }
        pathLength = remove.pathLength();
        pathAt = remove.limit() + RemoveTreeDecoder.pathHeaderLength();
        damagedIn = null;
        Status outcome = resolve(request);
        if (outcome == Status.OK) {
            outcome = removeTree(request);
        }
        if (outcome == Status.DAMAGED && damagedIn != null) {
            request.reply().damagedIn(damagedIn);
        } else if (outcome == Status.STALE && request.partition().orphans().isClosed()) {
            request.reply().failure(ResultCode.SHUTTING_DOWN, "the server stops; nothing was removed");
        } else {
            request.reply().status(request.path().seen(outcome));
        }
    }

    private Status resolve(Request request) {
        PathResolver path = request.path();
        Status outcome = path.resolve(remove.baseId(), request.in(), pathAt, pathLength);
        if (outcome == Status.OK) {
            outcome = path.isBase ? Status.IS_ROOT : path.mayInParent(Access.WRITE);
        }
        return outcome;
    }

    /** Looks at the tree without a lock, for that may take long, and again if another directory has its name by then. */
    private Status removeTree(Request request) {
        PathResolver path = request.path();
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            Status outcome = request.namespace().stat(path.parentId, path.name, found);
            if (outcome == Status.OK) {
                outcome = found.isDirectory() ? clear(request) : Status.NOT_DIRECTORY;
            }
            if (outcome == Status.OK) {
                outcome = resolve(request); // the rights of now, not of before the look
            }
            if (outcome == Status.OK) {
                outcome = take(request, found.id);
            }
            if (outcome == Status.OK) {
                request.partition().quotas().removed(found.id);
            }
            if (outcome != Status.STALE || request.partition().orphans().isClosed()) {
                return outcome;
            }
        }
        return Status.STALE;
    }

    private Status clear(Request request) {
        return request.access().isLimited() ? clear(request, new Clearance(request)) : Status.OK;
    }

    /** STALE: the server stops. */
    private Status clear(Request request, Clearance clearance) {
        Status outcome = clearance.begin(found);
        for (boolean isLong = false; outcome == Status.OK && !clearance.isAtEnd(); isLong = true) {
            outcome = clearPart(request.partition(), clearance, isLong);
        }
        if (outcome == Status.DAMAGED) {
            damagedIn = clearance.path();
        }
        return outcome;
    }

    private static Status clearPart(Partition partition, Clearance clearance, boolean isLong) {
        if (partition.orphans().isClosed()) {
            return Status.STALE;
        }
        return isLong
                ? partition.walks().part(() -> clearance.run(CLEARED_MAX))
                : clearance.run(LongWalks.SHORT_ENTRIES);
    }

    /** STALE: another directory has its name by now, or the server stops. */
    private Status take(Request request, long id) {
        PathResolver path = request.path();
        OrphanDirectory orphans = request.partition().orphans();
        QuotaAccounting accounting = request.accounting();
        Attributes there = new Attributes();
        Status outcome = orphans.open(there);
        if (outcome != Status.OK) {
            return outcome;
        }
        Attributes holder = new Attributes();
        Quotas.Departure departure;
        request.lockKey();
        try {
            departure = accounting.moves.departure(path.parentId);
            outcome = request.namespace().stat(path.parentId, path.name, found);
            if (outcome == Status.OK && found.id != id) {
                return Status.STALE;
            }
            if (outcome == Status.OK && path.isParentSticky()) {
                outcome = path.mayTakeAway(found);
            }
            if (outcome == Status.OK && (request.access().isLimited() || departure.isCounted())) {
                outcome = orphans.hold(there, path.parentId, path.name, id, holder);
            } else if (outcome == Status.OK) {
                return orphans.take(there, path.parentId, path.name, id, request.change());
            }
        } finally {
            accounting.quotaLock.leave();
            request.unlockKey();
        }
        return outcome == Status.OK
                ? clearHeld(
                        request, new OrphanDirectory.Held(there.id, holder.id, path.parentId, path.name, id), departure)
                : outcome;
    }

    /**
     * Looks at the held tree again, where nothing comes in any more: another user's object that this user moved in after the first look,
     * and may not remove, is met now. Only the step out of there is the change that the client asked for, so that after a crash before it
     * the change is not taken for executed. What a quota above has counted of the tree is summed up here too, where nothing changes.
     */
    private Status clearHeld(Request request, OrphanDirectory.Held tree, Quotas.Departure departure) {
        PathResolver path = request.path();
        OrphanDirectory orphans = request.partition().orphans();
        Quotas quotas = request.partition().quotas();
        Clearance again = new Clearance(request);
        Status outcome = clear(request, again);
        if (outcome == Status.OK) {
            outcome = orphans.release(tree, request.change());
        }
        if (outcome == Status.OK) {
            quotas.giveBack(departure, again.names, again.bytes);
            orphans.letGo(tree);
        } else {
            KeyLocks locks = request.partition().locks();
            int stripe = KeyLocks.stripe(path.parentId, path.name);
            locks.lock(stripe, request.mayWait());
            quotas.close();
            try {
                orphans.putBack(tree);
                quotas.back(departure, tree.id());
            } finally {
                quotas.open();
                locks.unlock(stripe);
            }
        }
        return outcome;
    }
}
