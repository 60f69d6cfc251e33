package io.hmfs.core.space;

import io.hmfs.core.alloc.SlotAllocator;
import io.hmfs.core.dir.ChildList;
import io.hmfs.core.engine.DeadCounts;
import io.hmfs.core.engine.Engine;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.recovery.BackgroundScan;
import java.util.concurrent.locks.LockSupport;

/**
 * Makes room in a full pool, so that what was deleted can be used again at once: waits for the scan after a start, sweeps the
 * directories in which something is known to have died, now and then all of them, and waits for the readers that hold freed slots
 * back. One thread at a time; the others find what it has freed.
 */
public final class Reclaimer {
    private static final long PAUSE_NANOS = 1_000_000L;

    /** How long a reader's pin is waited for: operations take microseconds, a thread that was not scheduled takes longer. */
    private static final int PAUSES_MAX = 200;

    /** At most one part in so many of the time goes into sweeps of the whole pool, or a full pool would do nothing else. */
    private static final int SHARE = 10;

    private final Engine engine;
    private final ChildList lists;
    private final BackgroundScan scan;
    private final boolean hasScan;
    private long sweepAllDue = System.nanoTime();
    private long freedAt = System.nanoTime();
    private volatile boolean stopped;

    public Reclaimer(Engine engine, ChildList lists, BackgroundScan scan, boolean hasScan) {
        this.engine = engine;
        this.lists = lists;
        this.scan = scan;
        this.hasScan = hasScan;
    }

    /** Whether anything was freed, or may have been. The caller has not pinned an epoch. */
    public boolean run() {
        long asked = System.nanoTime();
        boolean waited = awaitScan();
        return reclaim(asked, waited);
    }

    private synchronized boolean reclaim(long asked, boolean waited) {
        if (stopped) {
            return false;
        }
        if (freedAt - asked > 0) {
            return true; // another thread has done it while we waited
        }
        boolean freed = sweepAndFree();
        if (!freed && !waited) {
            awaitUnderWay();
            freed = sweepAndFree();
        }
        return waited || freed;
    }

    private boolean sweepAndFree() {
        boolean swept = sweepCounted();
        sweepAllIfDue();
        return awaitReaders() || swept; // what a sweep of the whole pool has found waits for readers, too
    }

    /**
     * Returns when every operation has ended that was under way: what one of them has deleted and not counted yet, or swept and not
     * retired yet, no other thread can see, and a caller must not be told that there is no room while there is.
     */
    private void awaitUnderWay() {
        long ended = engine.epochs.current() + 2;
        for (int i = 0; i < PAUSES_MAX && !stopped && engine.epochs.tryAdvance() < ended; i++) {
            if (i > 0) {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    /** Asks a run under way to end soon. */
    public void cutShort() {
        stopped = true;
    }

    /** Lets no thread make room any more, waits for one that does, and then does {@code last}. */
    public void stop(Runnable last) {
        cutShort();
        synchronized (this) {
            last.run();
        }
    }

    /** The scan after a start may not have come to all the free slots yet. False if it had ended before. */
    private boolean awaitScan() {
        if (!hasScan || scan.isDone()) {
            return false;
        }
        while (!scan.isDone() && !stopped) {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        return true;
    }

    private boolean sweepCounted() {
        boolean swept = false;
        DeadCounts dead = engine.dead;
        for (long directory = dead.next(0);
                directory != 0 && !stopped;
                directory = dead.next(DeadCounts.after(directory))) {
            int pin = engine.epochs.pin();
            try {
                long content = engine.findContent(directory);
                swept |= content != Pmem.NULL && lists.sweep(content, ChildList.Sweep.ALL);
            } finally {
                engine.epochs.unpin(pin);
            }
        }
        return swept;
    }

    private void sweepAllIfDue() {
        long start = System.nanoTime();
        if (start - sweepAllDue < 0) {
            return;
        }
        scan.sweepAll();
        long end = System.nanoTime();
        sweepAllDue = end + (SHARE - 1) * (end - start);
    }

    /** Frees what waits for readers. False if nothing waited. */
    private boolean awaitReaders() {
        boolean some = false;
        for (SlotAllocator slots : engine.slots()) {
            some |= slots.hasRetired();
        }
        for (int i = 0; i < PAUSES_MAX && !stopped && !reclaimAll(); i++) {
            some = true;
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        freedAt = System.nanoTime();
        return some;
    }

    private boolean reclaimAll() {
        boolean all = true;
        for (SlotAllocator slots : engine.slots()) {
            all &= slots.reclaim();
        }
        return all;
    }
}
