package io.hmfs.server.op;

import io.hmfs.core.Namespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Status;
import io.hmfs.server.path.PathResolver;
import io.hmfs.server.request.Request;

/**
 * The object whose attributes a request changes. What the user may do depends on the object, so the lock of its name is held from the look
 * at it to the change: without it another object, which the user may move but not change, could take the name in between.
 */
final class ChangeTarget {
    private static final long NONE = 0;

    private final Attributes object = Attributes.withAcl();
    private boolean isLocked;
    private long alone; // the inode of a file that this request has alone, or NONE
    private long aloneStamp;

    /** What {@link #look} has seen. */
    Attributes object() {
        return object;
    }

    /** Resolves a path to something that can be changed: a name, or the root. */
    static Status resolve(Request request, long base, int at, int length) {
        Status outcome = request.path().resolve(base, request.in(), at, length);
        boolean nameless = request.path().isBase && base != Namespace.ROOT_ID;
        return outcome == Status.OK && nameless ? Status.INVALID_NAME : outcome;
    }

    /** Takes the lock of the name if anything is checked for this user; {@link #unlock} follows. */
    void lockToCheck(Request request) {
        if (request.access().isLimited()) {
            lock(request);
        }
    }

    /** Takes the lock of the name; {@link #unlock} follows. */
    void lock(Request request) {
        request.lockKey();
        isLocked = true;
    }

    /**
     * Takes the lock of the name, and has the file alone, if it is one: for a change that may end grants, and depends on what the file is,
     * also where it has other names. {@link #unlock} follows, also if this throws.
     */
    void lockAlone(Request request) {
        lock(request);
        if (look(request) == Status.OK && !object.isDirectory()) {
            aloneStamp = request.partition().leases().alone(object.id, request.mayWait());
            alone = object.id;
        }
    }

    void unlock(Request request) {
        if (alone != NONE) {
            request.partition().leases().endAlone(alone, aloneStamp);
            alone = NONE;
        }
        if (isLocked) {
            request.unlockKey();
            isLocked = false;
        }
    }

    /** Sees the object: not a symbolic link, but what it leads to. */
    Status look(Request request) {
        PathResolver path = request.path();
        Status outcome = request.namespace().stat(path.parentId, path.name, object);
        return outcome == Status.OK && object.isSymlink() ? path.unresolved() : outcome;
    }

    /** Sees the object, and that the user owns it. */
    Status lookAsOwner(Request request) {
        Status outcome = look(request);
        return outcome == Status.OK ? request.path().isOwner(object) : outcome;
    }
}
