package io.hmfs.server.exec;

import io.hmfs.core.Namespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.FileType;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;

/**
 * Owner, group and mode of the root, which every path begins with: kept here, so that no request has to look them up.
 * Thread-safe.
 */
final class RootDirectory {
    private final Namespace namespace;
    private volatile Seen seen;

    private record Seen(int uid, int gid, int mode) {}

    RootDirectory(Namespace namespace) {
        this.namespace = namespace;
        seen = look();
    }

    private Seen look() {
        Attributes root = new Attributes();
        if (namespace.stat(Namespace.ROOT_PARENT_ID, new Name(), root) != Status.OK) {
            throw new IllegalStateException("the pool has no root directory");
        }
        return new Seen(root.uid, root.gid, root.mode);
    }

    /** After each change of the root: whoever comes last sees what all have done. */
    void changed() {
        synchronized (this) {
            seen = look();
        }
    }

    /** Fills in what a permission check asks for, and the id. */
    void describe(Attributes out) {
        Seen now = seen;
        out.id = Namespace.ROOT_ID;
        out.type = FileType.DIRECTORY;
        out.uid = now.uid;
        out.gid = now.gid;
        out.mode = now.mode;
    }
}
