package io.hmfs.core;

import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Status;
import io.hmfs.core.type.TreeCount;

/** A count that may look into every directory. */
public class Count extends TreeCount {
    /** Of what is in this directory, without itself. */
    public static Count in(ServerNamespace namespace, long directory) {
        Count count = new Count();
        count.push(new Level(null, directory, new byte[0]));
        Status status = namespace.count(count, Long.MAX_VALUE);
        if (status != Status.OK || !count.isAtEnd()) {
            throw new AssertionError("the count says " + status);
        }
        return count;
    }

    @Override
    protected Status enter(Level level, Attributes directory) {
        return Status.OK;
    }

    @Override
    public Status damaged(Level level) {
        return Status.DAMAGED;
    }

    @Override
    public String toString() {
        return files + " files, " + directories + " directories, " + bytes + " bytes";
    }
}
