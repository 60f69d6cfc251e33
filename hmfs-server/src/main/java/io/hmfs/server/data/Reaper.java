package io.hmfs.server.data;

import io.hmfs.core.RemovedFiles;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.type.RemovedFile;
import io.hmfs.server.share.BackgroundThreads;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Removes the objects of removed files on a thread of its own: takes some from the pool, waits until their removal is safe, since a file that came back
 * after a loss of the machine would lack its objects, removes the objects, and tells the pool. What cannot be removed is set aside and tried again later,
 * so that it holds up nothing else. What it does not get to is in the pool for the next start.
 */
public final class Reaper implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Reaper.class.getName());
    private static final int BATCH = 256;
    private static final long IDLE_NANOS = 1_000_000_000L;
    private static final long GATHER_NANOS = 5_000_000L;

    private static final long RETRY_NANOS_MIN = 1_000_000_000L; // doubled each time
    private static final long RETRY_NANOS_MAX = 64_000_000_000L;
    private static final int ASIDE_MAX = 1 << 16; // if so many cannot be removed, others wait in the pool

    private static final int GATHERED_MAX = 1 << 18; // of more, a list of objects may tell some as orphans
    private static final int WATCHED_MAX = 1 << 19;
    private static final long WATCH_NANOS = 600_000_000_000L; // longer than any part of a list of objects takes

    private static final long PAUSE_NANOS = 1_000_000L;
    private static final int PAUSES_MAX = 50;
    private static final long CLOSE_TIMEOUT_MILLIS = 10_000;

    /** A file whose objects could not be removed, and when that is tried again. */
    private record Aside(long token, long inode, long size, long waitNanos, long dueNanos) {}

    private final BlockStore store;
    private final ServerNamespace namespace;
    private final RemovedFiles removed;
    private final long[] tokens = new long[BATCH];
    private final long[] inodes = new long[BATCH];
    private final long[] sizes = new long[BATCH];
    private final long[] waits = new long[BATCH]; // before it is tried again, if it fails
    private final PriorityQueue<Aside> aside =
            new PriorityQueue<>((one, other) -> Long.signum(one.dueNanos - other.dueNanos));
    private volatile @Nullable Thread thread;
    private int taken;
    private int reaped; // of those that were taken
    private boolean toldFailure;
    private volatile boolean closing;
    private volatile boolean stopping;
    private volatile long done;
    private volatile boolean waitsEnd;

    /** Inodes of all that are set aside. */
    private final Set<Long> failing = ConcurrentHashMap.newKeySet();

    /** Taken from the pool for a list of objects; removed before others are taken. */
    private final ArrayDeque<Aside> gathered = new ArrayDeque<>();

    /** Inodes of what was taken while a list of objects is read; what has gone meanwhile stays, for ids are used once. */
    private final Set<Long> watched = ConcurrentHashMap.newKeySet();

    private final AtomicLong asked = new AtomicLong();
    private volatile long answered;
    private volatile long watchedUntilNanos;
    private volatile boolean watches;

    public Reaper(BlockStore store, ServerNamespace namespace) {
        this.store = store;
        this.namespace = namespace;
        this.removed = namespace.removedFiles();
    }

    /** {@code failed}: told of an error that ends it. */
    public void start(Consumer<Throwable> failed) {
        thread = BackgroundThreads.start("hmfs-reaper", () -> run(failed));
    }

    /** Files whose objects are still to be removed. */
    public long backlog() {
        return removed.count();
    }

    private void run(Consumer<Throwable> failed) {
        try {
            while (!stopping) {
                if (taken < BATCH) {
                    gatherMore();
                }
                taken = 0;
                reaped = 0;
                gather();
                if (!closing) {
                    takeAside();
                }
                take();
                if (taken > 0) {
                    awaitSafe();
                    reap();
                } else if (closing) {
                    break;
                } else if (aside.size() < ASIDE_MAX) {
                    removed.await(untilDue());
                } else {
                    LockSupport.parkNanos(this, untilDue());
                }
            }
            giveBack();
        } catch (Throwable unexpected) {
            LOG.log(Level.INFO, "no more objects of removed files are removed: {0}", unexpected.getMessage());
            if (closing) {
                giveBack(); // the pool may still be closed cleanly, and the next start knows no others
            } else {
                failed.accept(unexpected);
            }
        }
    }

    private void giveBack() {
        for (; reaped < taken; reaped++) {
            removed.giveBack(tokens[reaped]);
        }
        aside.forEach(each -> removed.giveBack(each.token));
        gathered.forEach(each -> removed.giveBack(each.token));
    }

    /** Half a batch at most: what cannot be removed must not hold up the rest. */
    private void takeAside() {
        long now = System.nanoTime();
        for (Aside next = aside.peek(); next != null && next.dueNanos - now <= 0 && taken < BATCH / 2; ) {
            aside.remove(); // it counts as failing until it is gone
            tokens[taken] = next.token;
            inodes[taken] = next.inode;
            sizes[taken] = next.size;
            waits[taken++] = Math.min(2 * next.waitNanos, RETRY_NANOS_MAX);
            next = aside.peek();
        }
    }

    private void take() {
        RemovedFile file = new RemovedFile();
        int room = Math.min(BATCH, taken + ASIDE_MAX - aside.size());
        for (; taken < room; taken++) {
            Aside next = gathered.poll();
            if (next != null) {
                file.token = next.token;
                file.id = next.inode;
                file.size = next.size;
            } else if (removed.next(file)) {
                remember(file.id);
            } else {
                return;
            }
            tokens[taken] = file.token;
            inodes[taken] = file.id;
            sizes[taken] = file.size;
            waits[taken] = RETRY_NANOS_MIN;
        }
    }

    /** Answers {@link #watch(long)}: takes all that the pool has, so that their inodes are known. */
    private void gather() {
        long upTo = asked.get();
        if (upTo != answered) {
            watches = true;
            RemovedFile file = new RemovedFile();
            while (gathered.size() < GATHERED_MAX && removed.next(file)) {
                remember(file.id);
                gathered.add(new Aside(file.token, file.id, file.size, 0, 0));
            }
            answered = upTo;
        } else if (watches && watchedUntilNanos - System.nanoTime() < 0) {
            watches = false;
            watched.clear();
        }
    }

    private void remember(long inode) {
        if (watches && watched.size() < WATCHED_MAX) {
            watched.add(inode);
        }
    }

    /** Waits a moment, so that one turn takes several removals: each time this thread is woken it takes a processor from the requests, and no request waits for it. */
    private void gatherMore() {
        if (!closing && !isAsked()) {
            LockSupport.parkNanos(this, GATHER_NANOS);
        }
    }

    private long untilDue() {
        Aside next = aside.peek();
        return next == null ? IDLE_NANOS : Math.clamp(next.dueNanos - System.nanoTime(), PAUSE_NANOS, IDLE_NANOS);
    }

    private void awaitSafe() {
        long position = namespace.logPosition();
        if (position != 0) {
            CompletableFuture<Void> safe = new CompletableFuture<>();
            if (closing || taken == BATCH) { // there is more to do, or no request will ask any more
                namespace.whenDurable(position, () -> safe.complete(null), safe::completeExceptionally);
            } else {
                namespace.whenDurableAnyway(position, () -> safe.complete(null), safe::completeExceptionally);
            }
            safe.join();
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // counted by this thread alone
    private void reap() {
        for (; reaped < taken; reaped++) {
            if (stopping) {
                removed.giveBack(tokens[reaped]);
            } else if (remove(inodes[reaped], sizes[reaped])) {
                removed.done(tokens[reaped]);
                if (failing.contains(inodes[reaped])) {
                    remember(inodes[reaped]);
                    failing.remove(inodes[reaped]);
                }
                done++;
            } else {
                aside.add(new Aside(
                        tokens[reaped],
                        inodes[reaped],
                        sizes[reaped],
                        waits[reaped],
                        System.nanoTime() + waits[reaped]));
                failing.add(inodes[reaped]);
            }
        }
    }

    private boolean remove(long inode, long size) {
        try {
            store.remove(inode, size);
            return true;
        } catch (IOException | RuntimeException e) {
            if (!toldFailure) {
                LOG.log(
                        Level.WARNING,
                        "cannot remove the data of inode " + Long.toHexString(inode)
                                + "; it is tried again, and so are others, which are not told",
                        e);
                toldFailure = true;
            }
            return false;
        }
    }

    /** For a full pool: waits a moment for the data of removed files to go, so that their slots are free; whether some went. */
    public boolean isMakingRoom() {
        long before = done;
        for (int i = 0; i < PAUSES_MAX && done == before && mayRemove() && !waitsEnd; i++) {
            LockSupport.unpark(thread);
            long position = namespace.logPosition();
            namespace.whenDurable(position, () -> {}, _ -> {}); // the reaper itself does not ask
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        return done != before;
    }

    /** Whether there are files that have not failed. */
    private boolean mayRemove() {
        int failed = failing.size();
        return failed < ASIDE_MAX && removed.count() > failed;
    }

    /** Inodes of removed files whose objects could not be removed when that was tried last: they are tried again and are no orphans. */
    public Set<Long> failing() {
        return failing;
    }

    /**
     * Before objects are listed: from now on, for ten minutes, {@link #isRemoved} knows all that is removed by now and that still has data. Waits
     * for that so many nanoseconds at most, or until {@link #endWaits}.
     */
    public void watch(long nanos) {
        long begun = System.nanoTime();
        watchedUntilNanos = begun + WATCH_NANOS;
        long wanted = asked.incrementAndGet();
        while (answered < wanted && !waitsEnd && System.nanoTime() - begun < nanos) {
            LockSupport.unpark(thread);
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    /** Whether a thread waits for {@link #watch(long)}. */
    boolean isAsked() {
        return asked.get() != answered;
    }

    /** Whether the objects of this inode are the reaper's: it was removed. Knows it only after {@link #watch}, and of what could not be removed. */
    public boolean isRemoved(long inode) {
        return watched.contains(inode) || failing.contains(inode);
    }

    /** Threads that wait here wait no more, nor do later ones: the server stops. */
    public void endWaits() {
        waitsEnd = true;
    }

    /** Finishes what there is, within a time limit; the rest is for the next start. To be called while the namespace is open. */
    @Override
    public void close() {
        closing = true;
        endWaits();
        Thread started = thread;
        if (started == null) {
            return;
        }
        LockSupport.unpark(started);
        try {
            started.join(CLOSE_TIMEOUT_MILLIS);
            stopping = true;
            started.join(CLOSE_TIMEOUT_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
