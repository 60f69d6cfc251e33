package io.hmfs.core.engine;

import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.pmem.Pmem;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Says when a directory has gathered so many dead children that a sweep pays: counts in DRAM, by hash of the directory, racy on
 * purpose: a lost count only delays a sweep, and a full pool sweeps everything now and then. A directory that is due counts on, so
 * that a full pool does not overlook what the sweeper has not come to yet.
 */
public final class DeadCounts {
    private static final int STRIPES = 1 << 10;
    private static final int FEW = 256;
    private static final int QUEUE_MAX = 1 << 12;

    private final long[] directories = new long[STRIPES];
    private final long[] counts = new long[STRIPES];
    private final LinkedBlockingQueue<Long> due = new LinkedBlockingQueue<>(QUEUE_MAX);
    private final LongAdder left = new LongAdder();

    /** Counts one child of a directory that has died. */
    public void died(Pmem pmem, long directory, long content) {
        left.increment();
        add(pmem, directory, content, 1);
    }

    /** Counts those that were left by an earlier start, or, if negative, that a sweep has taken off their list. */
    public void left(long more) {
        left.add(more);
    }

    /** How many of those that were counted are on their lists yet; exact when nothing is under way. */
    public long left() {
        return left.sum();
    }

    /** Counts children of a directory that died or were seen dead, so that it is swept some day. */
    public void add(Pmem pmem, long directory, long content, long dead) {
        int stripe = stripe(directory);
        if (directories[stripe] != directory) {
            directories[stripe] = directory;
            counts[stripe] = 0;
        }
        long before = counts[stripe];
        counts[stripe] = before + dead;
        // A sweep walks the whole list: it pays when a good part of the list is dead.
        long many = Math.max(FEW, pmem.get(content + DirContentRecord.LENGTH_OFFSET) / 4);
        if ((before + dead) / many > before / many) {
            due.offer(directory); // once for each so many: a full queue has it again later
        }
    }

    /**
     * Forgets and tells one directory in which something has died since it was last asked for, searching from stripe {@code from};
     * 0 when there is none further on. A directory whose stripe another one took meanwhile is not told: a caller that needs all sweeps
     * all.
     */
    public long next(int from) {
        for (int stripe = from; stripe < STRIPES; stripe++) {
            if (counts[stripe] > 0) {
                counts[stripe] = 0;
                return directories[stripe];
            }
        }
        return 0;
    }

    /** Where {@link #next} goes on after it has told {@code directory}. */
    public static int after(long directory) {
        return stripe(directory) + 1;
    }

    private static int stripe(long directory) {
        return (int) ((directory * 0x9E3779B97F4A7C15L) >>> 54);
    }

    /** Waits for a directory that is due; null if interrupted. */
    public @Nullable Long take() {
        try {
            return due.take();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }
}
