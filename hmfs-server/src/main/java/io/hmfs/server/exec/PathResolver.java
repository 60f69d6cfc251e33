package io.hmfs.server.exec;

import io.hmfs.core.Namespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;

/**
 * Walks (base directory, remaining path) component by component to the directory that holds the last one. Reused for every
 * request of a thread: allocates nothing (I7).
 */
final class PathResolver {
    private static final int MKDIR_ATTEMPTS_MAX = 8;

    private final Namespace namespace;
    private final byte[] path = new byte[Wire.PATH_MAX];
    private final Attributes parent = new Attributes();
    private boolean parentSeen;
    private boolean make;
    private int makeMode;
    private int makeUid;
    private long base;

    /** The last component; empty if the path names the base itself. */
    final Name name = new Name();

    /** The directory that holds {@link #name}; for the root {@link Namespace#ROOT_PARENT_ID}. */
    long parentId;

    /** Whether the path names the base directory itself. */
    boolean isBase;

    PathResolver(Namespace namespace) {
        this.namespace = namespace;
    }

    /** Makes missing parents in the next {@link #resolve}, owned by this user with their own parent's group. */
    void makeParents(int mode, int uid) {
        make = true;
        makeMode = mode;
        makeUid = uid;
    }

    /** Resolves all but the last component. OK: {@link #parentId} and {@link #name} are set. */
    Status resolve(long baseId, WireBuffer in, int index, int length) {
        base = baseId;
        Status status = length > Wire.PATH_MAX ? Status.NAME_TOO_LONG : walk(in, index, length);
        make = false;
        return seen(status);
    }

    private Status walk(WireBuffer in, int index, int length) {
        in.getBytes(index, path, 0, length);
        parentSeen = false;
        parentId = base;
        int begin = length > 0 && path[0] == '/' ? 1 : 0;
        isBase = begin == length;
        if (isBase) {
            name.seal(0);
            parentId = base == Namespace.ROOT_ID ? Namespace.ROOT_PARENT_ID : base;
            return Status.OK;
        }
        if (make) {
            Status valid = checkAll(begin, length); // else the parents of an impossible name would be left behind
            if (valid != Status.OK) {
                return valid;
            }
        }
        while (true) {
            int end = endOfComponent(begin, length);
            Status status = take(begin, end);
            if (status != Status.OK || end == length) {
                return status;
            }
            status = descend();
            if (status != Status.OK) {
                return status;
            }
            begin = end + 1;
        }
    }

    private Status checkAll(int first, int length) {
        for (int begin = first; begin <= length; ) {
            int end = endOfComponent(begin, length);
            Status status = take(begin, end);
            if (status != Status.OK) {
                return status;
            }
            begin = end + 1;
        }
        return Status.OK;
    }

    private int endOfComponent(int begin, int length) {
        int end = begin;
        while (end < length && path[end] != '/') {
            end++;
        }
        return end;
    }

    private Status take(int begin, int end) {
        name.set(path, begin, end - begin);
        return name.check();
    }

    private Status descend() {
        Status status = namespace.stat(parentId, name, parent);
        if (status == Status.NOT_FOUND && make) {
            status = makeDirectory();
        }
        if (status != Status.OK) {
            parentSeen = false;
            return status;
        }
        if (!parent.isDirectory()) {
            return Status.NOT_DIRECTORY;
        }
        parentId = parent.id;
        parentSeen = true;
        return Status.OK;
    }

    private Status makeDirectory() {
        for (int attempt = 0; attempt < MKDIR_ATTEMPTS_MAX; attempt++) {
            int gid = parentGid();
            Status status = namespace.mkdir(parentId, name, makeMode, makeUid, gid, parent);
            if (status != Status.EXISTS) {
                return status;
            }
            status = namespace.stat(parentId, name, parent); // somebody else was faster
            if (status != Status.NOT_FOUND) {
                return status;
            }
        }
        return Status.NOT_FOUND;
    }

    /** The group of the directory that holds the last component; 0 if it is gone, and the operation will find so too. */
    int parentGid() {
        if (!parentSeen) {
            if (namespace.statDirectory(parentId, parent) != Status.OK) {
                return 0;
            }
            parentSeen = true;
        }
        return parent.gid;
    }

    /** What an outcome means to a caller who gave a whole path: a parent that went away in between was not found. */
    Status seen(Status status) {
        return seen(status, base);
    }

    static Status seen(Status status, long baseId) {
        return status == Status.NO_SUCH_DIRECTORY && baseId == Namespace.ROOT_ID ? Status.NOT_FOUND : status;
    }
}
