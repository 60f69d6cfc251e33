package io.hmfs.server.exec;

import io.hmfs.core.Namespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;

/** What is below a directory, as quotas count: a name for each entry, and the bytes of files; one with several names counts with each. */
final class TreeSum extends TreeWalk {
    private static final long PART = 1 << 20;

    long names;
    long bytes;

    private TreeSum(Namespace namespace) {
        super(namespace, "");
    }

    /** Walks all of it; what is asked for must not change meanwhile. The object itself counts. */
    static TreeSum of(Namespace namespace, Attributes top) {
        TreeSum sum = new TreeSum(namespace);
        sum.count(top);
        if (top.isDirectory()) {
            sum.begin(top);
        }
        while (!sum.isAtEnd()) {
            sum.run(PART);
        }
        return sum;
    }

    /** The bytes that an object counts for: the text of a symbolic link is no data. */
    static long bytesOf(Attributes object) {
        return object.isDirectory() || object.isSymlink() ? 0 : object.size;
    }

    private void count(Attributes object) {
        names++;
        bytes += bytesOf(object);
    }

    @Override
    Status enter(Attributes directory, Access.Where where) {
        return Status.OK;
    }

    @Override
    Status entry(Level level, Name name, Attributes entry) {
        count(entry);
        return Status.OK;
    }
}
