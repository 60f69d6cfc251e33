package io.hmfs.server.exec;

import io.hmfs.client.ResultCode;
import io.hmfs.core.Namespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.data.IntentJournal;
import io.hmfs.wire.SetModeDecoder;
import io.hmfs.wire.SetOwnerDecoder;
import io.hmfs.wire.SetTimesDecoder;
import io.hmfs.wire.TruncateDecoder;
import io.hmfs.wire.Wire;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Requests that change attributes: mode, owner, times, size.
 *
 * <p>What the user may do is seen in the object itself, so the key lock is held from that look to the change: else the name
 * could be another object by then, moved there by a user who may move it but not change it.
 */
final class ChangeRequests {
    /** No room for another principal; not to be taken for "keep". */
    private static final int FULL = -2;

    private static final int NO_LOCK = -1;

    private final Worker worker;
    private final Namespace namespace;
    private final SetModeDecoder setMode = new SetModeDecoder();
    private final SetOwnerDecoder setOwner = new SetOwnerDecoder();
    private final SetTimesDecoder setTimes = new SetTimesDecoder();
    private final TruncateDecoder truncate = new TruncateDecoder();
    private final Name name = new Name();
    private final Attributes before = Attributes.withAcl();

    ChangeRequests(Worker worker) {
        this.worker = worker;
        namespace = worker.namespace;
    }

    void setMode() {
        worker.checkBlock(SetModeDecoder.BLOCK_LENGTH);
        setMode.wrap(worker.in, Wire.HEADER_SIZE, worker.header.blockLength(), worker.header.version());
        int length = setMode.pathLength();
        PathResolver path = worker.path;
        Status outcome = resolve(path, setMode.baseId(), setMode.limit() + SetModeDecoder.pathHeaderLength(), length);
        if (outcome == Status.OK) {
            int stripe = lock(path);
            try {
                outcome = look(path);
                outcome = outcome == Status.OK ? path.isOwner(before) : outcome;
                worker.once.enter();
                outcome = outcome == Status.OK
                        ? worker.service.changes.chmod(path.parentId, path.name, setMode.mode())
                        : outcome;
            } finally {
                worker.once.leave();
                unlock(stripe);
            }
        }
        changed(path, outcome);
    }

    /** Takes the key's lock if anything has to be seen under it. */
    int lock(PathResolver path) {
        if (!worker.access.isLimited()) {
            return NO_LOCK;
        }
        int stripe = KeyLocks.stripe(path.parentId, path.name);
        worker.service.locks.lock(stripe, worker.waits);
        return stripe;
    }

    void unlock(int stripe) {
        if (stripe != NO_LOCK) {
            worker.service.locks.unlock(stripe);
        }
    }

    /** Sees in {@link #before} what is to be changed: not a symbolic link, but what it leads to. */
    private Status look(PathResolver path) {
        return look(path, before);
    }

    /** The same, seen elsewhere. */
    Status look(PathResolver path, Attributes out) {
        Status outcome = namespace.stat(path.parentId, path.name, out);
        return outcome == Status.OK && out.isSymlink() ? path.unresolved() : outcome;
    }

    private void changed(PathResolver path, Status outcome) {
        worker.reply.status(path.seen(outcome));
    }

    /** Resolves a path to something that can be changed: a name, or the root. */
    Status resolve(PathResolver path, long base, int at, int length) {
        Status outcome = path.resolve(base, worker.in, at, length);
        boolean nameless = path.isBase && base != Namespace.ROOT_ID;
        return outcome == Status.OK && nameless ? Status.INVALID_NAME : outcome;
    }

    void setOwner() {
        worker.checkBlock(SetOwnerDecoder.BLOCK_LENGTH);
        setOwner.wrap(worker.in, Wire.HEADER_SIZE, worker.header.blockLength(), worker.header.version());
        int length = setOwner.pathLength();
        int at = setOwner.limit() + SetOwnerDecoder.pathHeaderLength();
        setOwner.skipPath();
        String owner = setOwner.owner(); // strings: a change of owner is no hot path
        String group = setOwner.group();
        PathResolver path = worker.path;
        Status outcome = resolve(path, setOwner.baseId(), at, length);
        if (outcome == Status.OK) {
            outcome = valid(owner) && valid(group) ? Status.OK : Status.INVALID_ARGUMENT;
        }
        if (outcome == Status.OK) {
            int stripe = lock(path);
            try {
                // For everybody: the pool must not remember the names that somebody gives to what is not there.
                outcome = look(path);
                outcome = outcome == Status.OK ? path.isOwner(before) : outcome;
                worker.once.enter();
                outcome = outcome == Status.OK ? chown(path, owner, group) : outcome;
            } finally {
                worker.once.leave();
                unlock(stripe);
            }
        }
        changed(path, outcome);
    }

    private Status chown(PathResolver path, String owner, String group) {
        Status allowed = worker.access.checkGift(before, owner, group);
        if (allowed != Status.OK) {
            return allowed;
        }
        int uid = principal(owner);
        int gid = principal(group);
        return uid == FULL || gid == FULL
                ? Status.NO_SPACE
                : worker.service.changes.chown(path.parentId, path.name, uid, gid);
    }

    private boolean valid(String principal) {
        name.set(principal);
        return principal.isEmpty() || name.check() == Status.OK;
    }

    private int principal(String text) {
        if (text.isEmpty()) {
            return Namespace.KEEP;
        }
        int id = namespace.principalId(text);
        return id < 0 ? FULL : id;
    }

    void setTimes() {
        worker.checkBlock(SetTimesDecoder.BLOCK_LENGTH);
        setTimes.wrap(worker.in, Wire.HEADER_SIZE, worker.header.blockLength(), worker.header.version());
        int length = setTimes.pathLength();
        PathResolver path = worker.path;
        Status outcome =
                resolve(path, setTimes.baseId(), setTimes.limit() + SetTimesDecoder.pathHeaderLength(), length);
        if (outcome == Status.OK) {
            int stripe =
                    KeyLocks.stripe(path.parentId, path.name); // for all: a version that is to be replaced stays one
            worker.service.locks.lock(stripe, worker.waits);
            try {
                outcome = look(path);
                outcome = outcome == Status.OK ? path.isOwnerOrMayWrite(before) : outcome;
                worker.once.enter();
                outcome = outcome == Status.OK
                        ? namespace.setTimes(path.parentId, path.name, setTimes.mtimeNanos(), setTimes.atimeNanos())
                        : outcome;
            } finally {
                worker.once.leave();
                unlock(stripe);
            }
        }
        worker.reply.status(path.seen(outcome));
    }

    void truncate() {
        worker.checkBlock(TruncateDecoder.BLOCK_LENGTH);
        truncate.wrap(worker.in, Wire.HEADER_SIZE, worker.header.blockLength(), worker.header.version());
        int length = truncate.pathLength();
        PathResolver path = worker.path;
        Status outcome =
                resolve(path, truncate.baseId(), truncate.limit() + TruncateDecoder.pathHeaderLength(), length);
        if (outcome == Status.OK && path.isBase) {
            outcome = Status.IS_DIRECTORY;
        }
        if (outcome != Status.OK) {
            worker.reply.status(outcome);
            return;
        }
        truncateData(path);
    }

    /**
     * The size first: what lies behind it is then nobody's, and goes with the file at the latest. The next start cuts what this one
     * does not come to, so that the record of the size tells of both.
     */
    private void truncateData(PathResolver path) {
        Service.Data data = worker.service.data;
        KeyLocks locks = worker.service.locks;
        int stripe = KeyLocks.stripe(path.parentId, path.name);
        locks.lock(stripe, worker.waits); // the file that is cut in the namespace is the one whose objects are cut
        try {
            Status outcome = look(path);
            if (outcome == Status.OK && !before.isDirectory()) {
                outcome = path.may(before, Access.WRITE);
            }
            if (outcome == Status.OK) {
                truncateFile(data, path);
            } else {
                worker.reply.status(path.seen(outcome));
            }
        } catch (IOException e) {
            worker.reply.failure(
                    ResultCode.IO_ERROR,
                    "cut in the namespace, but not in the store, which the next start of the server tries again: "
                            + e.getMessage());
        } finally {
            locks.unlock(stripe);
        }
    }

    /** Unless somebody writes it. */
    private void truncateFile(Service.@Nullable Data data, PathResolver path) throws IOException {
        Leases leases = worker.service.leases;
        long inode = before.id;
        long stamp = leases.alone(inode, worker.waits);
        try {
            if (worker.leases.isWritten(inode, "TRUNCATE_FILE", truncate.path())) {
                return;
            }
            look(path); // what was committed until now
            Status outcome = data != null && !before.isDirectory() && truncate.size() < before.size
                    ? cut(data, path)
                    : truncateNamespace(path);
            worker.reply.status(path.seen(outcome));
        } finally {
            leases.endAlone(inode, stamp);
        }
    }

    private Status truncateNamespace(PathResolver path) {
        worker.once.enter();
        Status outcome = worker.charges.truncate(path.parentId, path.name, before, truncate.size());
        worker.once.leave();
        return outcome;
    }

    /** Under the key's lock, the file's objects too. What cannot be cut keeps its intent: the next start cuts it. */
    private Status cut(Service.Data data, PathResolver path) throws IOException {
        int slot = data.journal().begin(before.id, path.parentId, path.name, IntentJournal.cut(before.size));
        Status outcome = truncateNamespace(path); // if it throws, the server stops, and the next start settles it
        if (outcome == Status.OK) {
            worker.service.awaitSafe(); // a size that came back after a loss of the machine would lack its bytes
            data.store().truncate(before.id, truncate.size(), before.size);
        }
        data.journal().cancel(slot);
        return outcome;
    }
}
