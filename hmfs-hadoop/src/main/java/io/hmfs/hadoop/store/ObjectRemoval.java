package io.hmfs.hadoop.store;

import io.hmfs.client.HmfsClient;
import io.hmfs.client.Removals;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes objects of files that are gone, in threads of its own, and tells the server, which has such files on
 * record. A client that dies leaves files on record: now and then a thread asks for those that are on record for
 * long, and removes their objects too. Closing waits for the objects of files that this client has removed.
 * Thread-safe.
 */
public final class ObjectRemoval implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(ObjectRemoval.class);
    private static final int THREADS_MAX = 4;
    private static final long CLOSE_SECONDS_MAX = 300;
    private static final long TELL_SECONDS_MAX = 2;
    private static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(1); // files of this time are told of at once
    private static final long LOOK_MILLIS = 1;
    private static final int FAILURES_MAX = 8; // each time

    /** The first look comes after this part of the time, so that short-lived clients do not look at all. */
    private static final int EARLY = 8;

    private final DataStore store;
    private final Removals removals;
    private final long blockSize;
    private final long takeOverNanos;
    private final ThreadPoolExecutor executor;
    private final Thread thread = new Thread(this::run, "hmfs-removals");

    private final AtomicInteger dropping = new AtomicInteger(); // the client's thread must not wait for a lock

    // Under this object's lock:
    private final long[] gone = new long[Removals.TOLD_MAX]; // inodes that the server is still to be told of
    private int goneCount;
    private boolean closed;

    private long closeUntil; // of the thread that closes

    /** {@code takeOver}: how long a file of another client is on record before this one removes its objects. */
    public ObjectRemoval(DataStore store, HmfsClient client, Duration takeOver) {
        this.store = store;
        this.removals = new Removals(client);
        this.blockSize = client.server().blockSize();
        this.takeOverNanos = takeOver.toNanos();
        this.executor = DaemonThreads.atMost(THREADS_MAX, "hmfs-object-removal");
        thread.setDaemon(true);
    }

    /** Starts to tell the server, and to look for what other clients have left. Ends with {@link #close}. */
    public void start() {
        thread.start();
    }

    /** Removes the objects of a file that is gone, later. */
    public void drop(long inode, long size) {
        dropping.incrementAndGet();
        try {
            executor.execute(() -> {
                try {
                    remove(inode, size);
                } finally {
                    dropping.decrementAndGet();
                }
            });
        } catch (RuntimeException e) {
            dropping.decrementAndGet();
            throw e;
        }
    }

    /** Removes the objects of a file. @return false if some may be left */
    private boolean remove(long inode, long size) {
        boolean removed = cut(inode, 0, blocks(size));
        if (removed) {
            isGone(inode);
        }
        return removed;
    }

    /** Blocks of a file of {@code size} bytes. */
    private long blocks(long size) {
        return (size + blockSize - 1) / blockSize;
    }

    /**
     * Removes the objects behind the new end of a file that was truncated from {@code before} to {@code size} bytes.
     */
    public void truncated(long inode, long size, long before) {
        var unused = cut(inode, blocks(size), blocks(before));
    }

    /**
     * Removes blocks {@code first} to {@code end} (exclusive) and those that follow.
     *
     * @return false if some may be left
     */
    private boolean cut(long inode, long first, long end) {
        try {
            store.delete(inode, first, end);
            return true;
        } catch (IOException | RuntimeException e) {
            LOG.warn("Objects of inode {} are left in the data store", Long.toHexString(inode), e);
            return false;
        }
    }

    private void isGone(long inode) {
        long[] full;
        synchronized (this) {
            gone[goneCount++] = inode;
            if (goneCount == 1) {
                notifyAll();
            }
            if (goneCount < gone.length) {
                return;
            }
            full = takeGone(); // in this step: another thread would find no room
        }
        var unused = tell(full);
    }

    private synchronized long[] takeGone() {
        long[] inodes = Arrays.copyOf(gone, goneCount);
        goneCount = 0;
        return inodes;
    }

    /** Is not waited for: a file that the server does not hear of is removed once more. */
    private CompletableFuture<Void> tell(long[] inodes) {
        return inodes.length == 0 ? CompletableFuture.completedFuture(null) : removals.tell(inodes);
    }

    private void run() {
        long look = System.nanoTime() + random(takeOverNanos / EARLY);
        while (awaitWork(look)) {
            try {
                var unused = tell(takeGone());
                if (System.nanoTime() - look >= 0) {
                    takeOver();
                }
            } catch (RuntimeException e) {
                LOG.warn("What was removed is not told, or not looked for; it will be the next time", e);
            }
            if (System.nanoTime() - look >= 0) {
                look = System.nanoTime() + takeOverNanos + random(takeOverNanos);
            }
        }
    }

    /** A random time, so that many clients do not ask at once. */
    private static long random(long nanos) {
        return ThreadLocalRandom.current().nextLong(nanos + 1);
    }

    /**
     * Waits until there is something to tell, and a moment for more, or until it is time to look.
     *
     * @return false if closed
     */
    private synchronized boolean awaitWork(long look) {
        long until = look;
        try {
            for (boolean any = false; !closed; ) {
                if (!any && goneCount > 0) {
                    any = true;
                    until = Math.min(look - System.nanoTime(), TELL_NANOS) + System.nanoTime();
                }
                long left = until - System.nanoTime();
                if (left <= 0) {
                    return true;
                }
                TimeUnit.NANOSECONDS.timedWait(this, left + 999_999); // not a busy millisecond
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return false;
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    /** Starts at a random place: files that cannot be removed must not keep this client from the others. */
    private void takeOver() {
        try {
            int begin = ThreadLocalRandom.current().nextInt(Removals.PLACES);
            int failures = takeOver(begin, 0);
            takeOver(0, failures); // the server does not tell again of files behind begin
        } catch (IOException e) {
            LOG.debug("What other clients have left is not known: {}", e.getMessage());
        }
    }

    /** Takes over files from a place on, until too many cannot be removed. @return how many could not be removed */
    private int takeOver(int begin, int failedBefore) throws IOException {
        int failures = failedBefore;
        Removals.Pending part;
        int from = begin;
        do {
            if (isClosed() || failures == FAILURES_MAX) {
                return failures; // files that this client was told of are withheld from others for a time
            }
            part = removals.pending(TimeUnit.NANOSECONDS.toMillis(takeOverNanos), from);
            for (Removals.RemovedFile file : part.files()) {
                if (isClosed() || failures == FAILURES_MAX) {
                    return failures;
                }
                failures += remove(file.inode(), file.size()) ? 0 : 1;
            }
            from = part.next();
        } while (!part.isLast());
        return failures;
    }

    /** Waits for what was dropped, and tells the server: call it while there is a connection, then {@link #close}. */
    public void settle() {
        closeUntil = System.nanoTime() + TimeUnit.SECONDS.toNanos(CLOSE_SECONDS_MAX);
        try {
            synchronized (this) {
                closed = true;
                notifyAll();
            }
            while (dropping.get() > 0 && closeUntil - System.nanoTime() > 0) {
                Thread.sleep(LOOK_MILLIS);
            }
            tell(takeGone()).get(TELL_SECONDS_MAX, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.debug("The server does not know what was removed", e); // so another client will remove it once more
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            notifyAll();
        }
        executor.shutdown();
        try {
            if (!executor.awaitTermination(closeUntil - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                LOG.warn(
                        "{} deleted files still have objects in the data store",
                        executor.getQueue().size());
            }
            long left = TimeUnit.NANOSECONDS.toMillis(closeUntil - System.nanoTime());
            thread.join(Math.max(1, left)); // it uses the store, which is closed next
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
