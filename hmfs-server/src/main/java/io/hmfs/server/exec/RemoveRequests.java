package io.hmfs.server.exec;

import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.data.RemovalRecord;
import io.hmfs.wire.DeleteDecoder;
import io.hmfs.wire.RenameDecoder;
import io.hmfs.wire.RmdirDecoder;
import io.hmfs.wire.Wire;
import java.util.Objects;

/**
 * Requests that take a name away: delete, rmdir, rename; and what an {@link Overwrite} shares with them.
 *
 * <p>A removed file's objects must go too, whatever crashes: the intent is recorded before the file leaves the namespace, and freed when
 * its objects are gone, which the server sees to where it keeps the data, and clients elsewhere ({@link RemovalRecord}). The key lock is held from the look at the file to its removal
 * and, by renames, over both keys, so that what leaves is what the intent says and nothing that stays has an intent.
 */
final class RemoveRequests {
    static final int NO_SLOT = RemovalRecord.NONE;
    private static final int ATTEMPTS_MAX = 64;

    private final Worker worker;
    private final JoinedDeletes joined;
    private final DeleteDecoder delete = new DeleteDecoder();
    private final RmdirDecoder rmdir = new RmdirDecoder();
    private final RenameDecoder rename = new RenameDecoder();
    private final Attributes seen = Attributes.withAcl();
    private final Attributes removed = new Attributes();

    RemoveRequests(Worker worker) {
        this.worker = worker;
        joined = new JoinedDeletes(worker);
    }

    JoinedDeletes joined() {
        return joined;
    }

    void forgetRemoved() {
        removed.id = 0;
        removed.size = 0;
        removed.nlink = 0;
    }

    /** What was seen last of what is to go. */
    Attributes seen() {
        return seen;
    }

    /** The file that the current request removed; id 0: none. */
    Attributes removed() {
        return removed;
    }

    private Status openDelete() {
        worker.checkBlock(DeleteDecoder.BLOCK_LENGTH);
        delete.wrap(worker.in, Wire.HEADER_SIZE, worker.header.blockLength(), worker.header.version());
        int length = delete.pathLength();
        return worker.path.resolve(
                delete.baseId(), worker.in, delete.limit() + DeleteDecoder.pathHeaderLength(), length);
    }

    /** Whether the current request, a delete where the data is not the server's, is left to be executed with others. */
    boolean join(Session session) {
        PathResolver path = worker.path;
        if (openDelete() != Status.OK
                || path.isBase
                || path.mayInParent(Access.WRITE) != Status.OK
                || path.isParentSticky()) {
            return false;
        }
        KeyLocks locks = worker.service.locks;
        int stripe = KeyLocks.stripe(path.parentId, path.name);
        if (!locks.tryLock(stripe)) {
            return false;
        }
        if (!worker.charges.passage.join(path.parentId)) {
            locks.unlock(stripe);
            return false;
        }
        if (!worker.once.beginJoined(session)) {
            worker.charges.passage.left();
            locks.unlock(stripe);
            return false;
        }
        joined.add(session, delete.baseId(), path.parentId, path.name, stripe);
        return true;
    }

    void delete() {
        PathResolver path = worker.path;
        Status outcome = openDelete();
        if (outcome == Status.OK) {
            outcome = path.isBase ? Status.IS_DIRECTORY : path.mayInParent(Access.WRITE);
        }
        if (outcome == Status.OK) {
            worker.once.enter();
            outcome = remove(path);
            worker.once.leave();
        }
        if (outcome == Status.OK) {
            worker.reply.done(removed.id, removed.size);
        } else {
            worker.reply.status(path.seen(outcome));
        }
    }

    /**
     * Removes a file and hands its objects to the reaper, if they are the server's. That the directory may be written was seen
     * before.
     */
    private Status remove(PathResolver path) {
        forgetRemoved();
        KeyLocks locks = worker.service.locks;
        int stripe = KeyLocks.stripe(path.parentId, path.name);
        locks.lock(stripe, worker.waits);
        try {
            Status outcome = mayRemove(path, false);
            if (outcome == Status.OK) {
                worker.charges.passage.enter(path.parentId);
                outcome = remove(path.parentId, path.name);
            }
            return outcome;
        } finally {
            worker.charges.passage.leave();
            locks.unlock(stripe);
        }
    }

    /**
     * What depends on the file itself: a sticky bit, and for an overwriting create that it may be written. Where the caller has the key's
     * lock and OK is answered for an overwriting create, {@link #seen} is what is there.
     */
    Status mayRemove(PathResolver path, boolean overwriting) {
        boolean sticky = path.isParentSticky();
        boolean written = overwriting && worker.access.isLimited();
        if (!sticky && !overwriting && !isRecorded()) {
            return Status.OK;
        }
        Status outcome = worker.namespace.stat(path.parentId, path.name, seen);
        if (outcome == Status.OK && seen.isDirectory()) {
            return Status.IS_DIRECTORY;
        }
        if (outcome == Status.OK && overwriting && seen.isSymlink()) {
            return path.unresolved();
        }
        if (outcome == Status.OK && written) {
            outcome = path.may(seen, Access.WRITE);
        }
        return outcome == Status.OK && sticky ? path.mayTakeAway(seen) : outcome;
    }

    private boolean isRecorded() {
        return worker.service.data != null || worker.service.removals != null;
    }

    /** Under the key's lock, what is there in {@link #seen}. */
    private Status remove(long parent, Name name) {
        int slot = begin(parent, name);
        Status outcome = worker.charges.delete(parent, name, removed);
        settle(slot, outcome == Status.OK, parent, name);
        return outcome;
    }

    /** No intent for one of several names: a name that is gone does not tell that its file is. */
    int begin(long parent, Name name) {
        return !isRecorded() || seen.nlink > 1 || seen.isSymlink() ? NO_SLOT : begin(seen, parent, name);
    }

    private int begin(Attributes file, long parent, Name name) {
        Service.Data data = worker.service.data;
        if (data == null) {
            return recorded().begin(file.id, parent, name, file.size);
        }
        // Under this name for certain: came it back under another one, after a loss of the machine, it would be taken
        // for gone.
        worker.service.awaitSafe();
        return data.journal().begin(file.id, parent, name, file.size);
    }

    private RemovalRecord recorded() {
        return Objects.requireNonNull(worker.service.removals, "only where removals are recorded");
    }

    /**
     * After what {@link #begin} announced. A file that has names left keeps its objects, and a symbolic link has none: as far as data goes
     * nothing was removed.
     */
    void settle(int slot, boolean gone, long parent, Name name) {
        boolean isLast = gone && removed.nlink == 0 && !removed.isSymlink();
        if (isLast) {
            worker.service.leases.removed(removed.id);
        }
        if (gone && isRecorded() && removed.id != seen.id) {
            throw new IllegalStateException("removed inode " + removed.id + ", had seen " + seen.id);
        }
        if (isLast && isRecorded()) {
            reap(slot == NO_SLOT ? begin(removed, parent, name) : slot);
            return;
        }
        if (slot != NO_SLOT) {
            cancel(slot);
        }
        keepLinked();
    }

    private void cancel(int slot) {
        Service.Data data = worker.service.data;
        if (data != null) {
            data.journal().cancel(slot);
        } else {
            recorded().cancel(slot);
        }
    }

    private void keepLinked() {
        if (removed.nlink > 0 || removed.isSymlink()) {
            forgetRemoved();
        }
    }

    /** The objects go when the removal is safe: a file that came back after a loss of the machine would lack them. */
    private void reap(int slot) {
        Service.Data data = worker.service.data;
        if (data == null) {
            recordGone(recorded(), slot);
            return;
        }
        long inode = removed.id;
        long size = removed.size;
        long position = worker.namespace.logPosition();
        if (position == 0) {
            data.reaper().add(inode, size, slot);
        } else {
            worker.namespace.whenDurable(position, () -> data.reaper().add(inode, size, slot), worker.service::fail);
        }
    }

    private void recordGone(RemovalRecord record, int slot) {
        long position = worker.namespace.logPosition();
        if (slot == NO_SLOT) {
            record.lost();
        } else if (position == 0) {
            record.settle(slot);
        } else {
            worker.namespace.whenDurable(position, () -> record.settle(slot), worker.service::fail);
        }
    }

    void rmdir() {
        worker.checkBlock(RmdirDecoder.BLOCK_LENGTH);
        rmdir.wrap(worker.in, Wire.HEADER_SIZE, worker.header.blockLength(), worker.header.version());
        int length = rmdir.pathLength();
        PathResolver path = worker.path;
        Status outcome =
                path.resolve(rmdir.baseId(), worker.in, rmdir.limit() + RmdirDecoder.pathHeaderLength(), length);
        if (outcome == Status.OK) {
            outcome = path.isBase ? Status.IS_ROOT : path.mayInParent(Access.WRITE);
        }
        if (outcome == Status.OK) {
            worker.once.enter();
            outcome = removeDirectory(path);
            worker.once.leave();
        }
        worker.reply.status(path.seen(outcome));
    }

    private Status removeDirectory(PathResolver path) {
        if (!path.isParentSticky()) {
            return worker.charges.rmdir(path.parentId, path.name);
        }
        KeyLocks locks = worker.service.locks;
        int stripe = KeyLocks.stripe(path.parentId, path.name);
        locks.lock(stripe, worker.waits);
        try {
            Status outcome = mayTakeAway(path);
            return outcome == Status.OK ? worker.charges.rmdir(path.parentId, path.name) : outcome;
        } finally {
            locks.unlock(stripe);
        }
    }

    private Status mayTakeAway(PathResolver path) {
        Status outcome = worker.namespace.stat(path.parentId, path.name, seen);
        return outcome == Status.OK ? path.mayTakeAway(seen) : outcome;
    }

    private void openRename() {
        worker.checkBlock(RenameDecoder.BLOCK_LENGTH);
        rename.wrap(worker.in, Wire.HEADER_SIZE, worker.header.blockLength(), worker.header.version());
    }

    /** Whether the current request, a rename, may remove a file. */
    boolean isReplacing() {
        openRename();
        return rename.flags().replace();
    }

    void rename() {
        openRename();
        boolean replace = rename.flags().replace();
        PathResolver source = worker.path;
        PathResolver target = worker.otherPath;
        int sourceLength = rename.sourceLength();
        int sourceAt = rename.limit() + RenameDecoder.sourceHeaderLength();
        rename.skipSource();
        int targetLength = rename.targetLength();
        int targetAt = rename.limit() + RenameDecoder.targetHeaderLength();
        forgetRemoved();
        Status outcome = source.resolve(rename.sourceBaseId(), worker.in, sourceAt, sourceLength);
        if (outcome == Status.OK) {
            outcome = target.resolve(rename.targetBaseId(), worker.in, targetAt, targetLength);
        }
        if (outcome == Status.OK) {
            outcome = source.isBase ? Status.IS_ROOT : target.isBase ? Status.EXISTS : source.mayInParent(Access.WRITE);
        }
        if (outcome == Status.OK) {
            outcome = target.mayInParent(Access.WRITE);
        }
        if (outcome == Status.OK) {
            worker.once.enter();
            outcome = move(source, target, replace);
            worker.once.leave();
        }
        if (outcome == Status.OK) {
            worker.reply.done(removed.id, removed.size);
        } else {
            worker.reply.status(source.seen(outcome));
        }
    }

    private Status move(PathResolver source, PathResolver target, boolean replace) {
        KeyLocks locks = worker.service.locks;
        int one = KeyLocks.stripe(source.parentId, source.name);
        int other = KeyLocks.stripe(target.parentId, target.name);
        locks.lock(one, other, worker.waits);
        Status outcome = Status.STALE; // unless it comes to an end
        try {
            outcome = mayMove(source, target, replace);
            if (outcome == Status.OK) {
                outcome =
                        worker.charges.moves.begin(source.parentId, source.name, target.parentId, target.name, replace);
            }
            if (outcome != Status.OK) {
                return outcome;
            }
            outcome = replace ? replace(source, target) : rename(source, target, false);
        } finally {
            worker.charges.moves.ended(outcome, source.parentId, source.name);
            locks.unlock(one, other);
        }
        return outcome;
    }

    /** What sticky bits say about the object that moves and about the one that it replaces. */
    private Status mayMove(PathResolver source, PathResolver target, boolean replace) {
        Status outcome = source.isParentSticky() ? mayTakeAway(source) : Status.OK;
        if (outcome == Status.OK && replace && target.isParentSticky()) {
            outcome = mayTakeAway(target);
            return outcome == Status.NOT_FOUND ? Status.OK : outcome;
        }
        return outcome;
    }

    private Status replace(PathResolver source, PathResolver target) {
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            Status there = worker.namespace.stat(target.parentId, target.name, seen);
            if (there == Status.OK && !seen.isDirectory()) {
                int slot = begin(target.parentId, target.name);
                Status outcome = rename(source, target, true);
                boolean gone = outcome == Status.OK && removed.id != 0; // 0: a file renamed to itself
                settle(slot, gone, target.parentId, target.name);
                return outcome;
            }
            if (there == Status.OK && worker.service.data == null) {
                there = worker.namespace.stat(source.parentId, source.name, seen);
                // A directory has no objects. What stands there by now is no file that one could take the place of.
                return there != Status.OK
                        ? there
                        : seen.isDirectory() ? rename(source, target, true) : Status.IS_DIRECTORY;
            }
            Status outcome = rename(source, target, false);
            if (outcome != Status.EXISTS || there == Status.OK) {
                return outcome; // else a create came in between: look again
            }
        }
        return Status.EXISTS;
    }

    private Status rename(PathResolver source, PathResolver target, boolean replace) {
        Limbo limbo = worker.service.limbo;
        Status outcome = limbo.move(source.parentId, source.name, target.parentId, target.name, replace, removed);
        if (outcome == Status.OK) {
            worker.charges.moves.replaced(removed);
        }
        return outcome;
    }
}
