package io.hmfs.core;

import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.recovery.Superblock;
import io.hmfs.core.sim.SimPoolFile;
import java.nio.file.Path;
import java.util.UUID;

/** A pool in simulated memory that was just made, and whose namespace has no threads of its own. */
public final class FreshPool {
    private static final long AHEAD_NANOS = 12 * 3_600_000_000_000L;

    private FreshPool() {}

    public static PoolNamespace open(SimPoolFile file) {
        format(file);
        return new PoolNamespace("sim", file, false);
    }

    /** A file whose clock runs ahead of the wall's, so that it counts: the same work leaves the same bytes whenever it runs. */
    public static SimPoolFile repeatable(long regionSize, int regions) {
        SimPoolFile file = new SimPoolFile(regionSize, regions);
        format(file);
        Pmem pmem = file.pmem();
        pmem.set(PoolHeader.CLOCK_LEASE_OFFSET, pmem.get(PoolHeader.CLOCK_LEASE_OFFSET) + AHEAD_NANOS);
        return file;
    }

    private static void format(SimPoolFile file) {
        try {
            Superblock.format(Path.of("sim"), file, new UUID(1, 2), 42, 2);
        } catch (PoolException e) {
            throw new AssertionError(e);
        }
    }
}
