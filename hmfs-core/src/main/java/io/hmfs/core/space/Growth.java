package io.hmfs.core.space;

import io.hmfs.core.alloc.Regions;
import io.hmfs.core.engine.Engine;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.pmem.PoolFile;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Makes a pool larger while it serves, ahead of need and in steps, up to the size that its file was opened for. First the file has
 * the space, then the superblock says so durably, then regions are handed out there; a crash in between leaves a file that is
 * longer than its pool, which opens. When there is no space to be had the pool goes on as it is, and the growth is tried again.
 */
public final class Growth {
    private static final System.Logger LOG = System.getLogger(Growth.class.getName());

    /** A step is an eighth of what there is: few steps in the life of a pool, and little that is reserved in vain. */
    private static final int STEP_SHARE = 8;

    private static final int STEP_REGIONS_MIN = 16;
    private static final int STEP_REGIONS_MAX = 1024;

    /** A step is begun when less than this part of one is left. */
    private static final int AHEAD_SHARE = 4;

    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long PAUSE_NANOS = 1_000_000;

    /** How long readers that may go by the old size are waited for at a time. */
    private static final int PAUSES_MAX = 200;

    /** How long a thread that found the pool full waits for them: much longer than any of them takes. */
    private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final String path;
    private final PoolFile file;
    private final Pmem pmem;
    private final Engine engine;
    private final Regions regions;

    /** When regions were handed out last. */
    private long grownAt = System.nanoTime();

    /** When there was no space last; only while there is a {@link #problem}. */
    private long failedAt;

    /** For how long after that no operation tries again: each would, once the pool is full. */
    private long backOffNanos = TimeUnit.SECONDS.toNanos(1);

    private volatile @Nullable String problem;
    private volatile boolean stopped;

    public Growth(String path, PoolFile file, Engine engine) {
        this.path = path;
        this.file = file;
        this.pmem = file.pmem();
        this.engine = engine;
        this.regions = engine.regions;
    }

    /** Why the pool could not grow when that was tried last, or null. */
    @Nullable
    public String problem() {
        return problem;
    }

    /** Asks for an end soon. */
    public void stop() {
        stopped = true;
    }

    /** For tests, which are not to depend on time. */
    public synchronized void backOff(long nanos) {
        backOffNanos = nanos;
    }

    /** Grows ahead of need until there is no more to grow to. A background thread's whole life. */
    public void runUntilInterrupted() {
        while (!stopped && !Thread.currentThread().isInterrupted() && (isPending() || next() > file.fileSize())) {
            if (regions.awaitFewerFree(stepRegions() / AHEAD_SHARE) && !grow()) {
                LockSupport.parkNanos(problem == null ? PAUSE_NANOS : RETRY_NANOS);
            }
        }
    }

    /**
     * For a thread that found the pool full before the growth ahead of need was done. Whether there are new regions; then it should try
     * again. The caller has not pinned an epoch.
     */
    public boolean makeRoom() {
        long asked = System.nanoTime();
        synchronized (this) {
            if (grownAt - asked > 0) {
                return true; // by another thread, while this one waited
            }
            boolean isTried = regions.free() == 0 && !hasJustFailed();
            while (isTried) {
                if (grow()) {
                    return true;
                }
                isTried = isPending() && !stopped && System.nanoTime() - asked < WAIT_NANOS;
            }
            return false;
        }
    }

    private boolean hasJustFailed() {
        return problem != null && System.nanoTime() - failedAt < backOffNanos;
    }

    /** Whether the file has grown, and regions wait to be handed out until all readers know that. */
    private synchronized boolean isPending() {
        return regions.max() < Math.min(file.regionsMax(), PoolHeader.REGIONS_MAX);
    }

    private int stepRegions() {
        return Math.clamp(regions.max() / STEP_SHARE, STEP_REGIONS_MIN, STEP_REGIONS_MAX);
    }

    /** The size to grow to next; the present one if there is none. */
    private long next() {
        long size = file.fileSize();
        long whole = (file.sizeMax() - size) / regions.size();
        long left = Math.min(whole, PoolHeader.REGIONS_MAX - regions.max());
        return size + Math.clamp(left, 0, stepRegions()) * regions.size();
    }

    /** One step. Whether there are new regions; if not, and the file has grown, they are still waited for. */
    public synchronized boolean grow() {
        long before = file.fileSize();
        long size = next();
        if (!isPending() && (size == before || !reserve(size))) {
            return false;
        }
        boolean grown = !stopped && handOut();
        if (grown) {
            LOG.log(
                    System.Logger.Level.INFO,
                    path + " has grown from " + before + " to " + file.fileSize() + " bytes; it may grow to "
                            + file.sizeMax());
        }
        return grown;
    }

    private boolean reserve(long size) {
        long before = file.fileSize();
        try {
            file.grow(size);
        } catch (PoolException e) {
            if (problem == null && !stopped) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        path + " cannot grow from " + before + " to " + size
                                + " bytes. It goes on with what it has, and"
                                + " tries again, also every " + TimeUnit.NANOSECONDS.toSeconds(RETRY_NANOS) + " s: "
                                + e.getMessage());
            }
            failedAt = System.nanoTime();
            problem = e.getMessage();
            return false;
        }
        problem = null;
        // [grow.3] The commit: the file has the space, and the pool from now on too. Durable before anything stands
        // there.
        pmem.setRelease(file.header() + PoolHeader.GROWN_OFFSET, size);
        pmem.persist(file.header() + PoolHeader.GROWN_OFFSET, 8);
        return true;
    }

    /** Waits for threads that pinned before the memory was as large as it is now: they may go by its old size. */
    private boolean handOut() {
        long seen = engine.epochs.current();
        for (int i = 0; i < PAUSES_MAX && !stopped; i++) {
            // [grow.4] Two epochs on, every reader has pinned since.
            if (engine.epochs.tryAdvance() >= seen + 2) {
                regions.extend();
                grownAt = System.nanoTime();
                return true;
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        return false;
    }
}
