package io.hmfs.server.tree;

import io.hmfs.core.ServerNamespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Status;
import io.hmfs.core.type.TreeCount;

/** What is below a directory, as quotas count: a name for each entry, and the bytes of files. */
public final class TreeSum extends TreeCount {
    private static final long PART = 1 << 20;
    private static final byte[] NO_NAME = {};

    private boolean isWhole = true;

    private TreeSum() {}

    /** Counts all of it; what is asked for must not change meanwhile. The object itself counts. */
    public static TreeSum of(ServerNamespace namespace, Attributes top) {
        TreeSum sum = new TreeSum();
        sum.add(top);
        if (top.isDirectory()) {
            sum.push(new Level(null, top.id, NO_NAME));
        }
        while (!sum.isAtEnd()) {
            namespace.count(sum, PART);
        }
        return sum;
    }

    /** Whether all of it is counted: nothing that stands behind a damaged entry is. */
    public boolean isWhole() {
        return isWhole;
    }

    public long names() {
        return files + directories;
    }

    /** The bytes that an object counts for: the text of a symbolic link is no data. */
    public static long bytesOf(Attributes object) {
        return object.isDirectory() || object.isSymlink() ? 0 : object.size;
    }

    @Override
    protected Status enter(Level level, Attributes directory) {
        return Status.OK;
    }

    @Override
    public Status damaged(Level level) {
        isWhole = false;
        return Status.OK;
    }
}
