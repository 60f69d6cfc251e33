package io.hmfs.core;

import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.recovery.Superblock;
import io.hmfs.core.sim.SimPoolFile;
import java.nio.file.Path;
import java.util.UUID;

/** A pool in simulated memory that was just made, and whose namespace has no threads of its own. */
final class FreshPool {
    private FreshPool() {}

    static PoolNamespace open(SimPoolFile file) {
        try {
            Superblock.format(Path.of("sim"), file, new UUID(1, 2), 42);
        } catch (PoolException e) {
            throw new AssertionError(e);
        }
        return new PoolNamespace("sim", file, false);
    }
}
