package io.hmfs.core;

import io.hmfs.core.pmem.PoolFile;
import io.hmfs.core.space.Growth;
import java.util.List;

/** What tests in other packages ask of an open pool beyond its interface. */
public final class TestPool {
    private TestPool() {}

    /** Opens a pool without background threads. */
    public static ServerNamespace open(PoolFile file) {
        return new PoolNamespace("test", file, false);
    }

    /** What is wrong in a pool at rest. */
    public static List<String> problems(ServerNamespace namespace) {
        return ((PoolNamespace) namespace).problems();
    }

    /** What the background thread does after a start. */
    public static void scan(ServerNamespace namespace) {
        ((PoolNamespace) namespace).scanInBackground();
    }

    /** What the sweeper does for a directory. */
    public static void sweep(ServerNamespace namespace, long directory) {
        ((PoolNamespace) namespace).sweep(directory);
    }

    public static Growth growth(ServerNamespace namespace) {
        return ((PoolNamespace) namespace).growth;
    }
}
