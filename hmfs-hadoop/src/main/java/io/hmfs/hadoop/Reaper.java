package io.hmfs.hadoop;

import io.hmfs.hadoop.store.DataStore;
import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes objects of files that are gone, behind the back of whoever deleted them. Closing the filesystem waits for it; objects
 * that a dying process did not come to stay behind in the data store.
 */
final class Reaper implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(Reaper.class);
    private static final int THREADS_MAX = 4;
    private static final long CLOSE_SECONDS_MAX = 300;

    private final DataStore store;
    private final ThreadPoolExecutor executor;

    Reaper(DataStore store) {
        this.store = store;
        this.executor = new ThreadPoolExecutor(
                THREADS_MAX, THREADS_MAX, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, "hmfs-reaper");
                    thread.setDaemon(true);
                    return thread;
                });
        executor.allowCoreThreadTimeOut(true);
    }

    /** Removes blocks {@code first} to {@code end} (exclusive) of an inode, and what lies behind them, some time. */
    void drop(long inode, long first, long end) {
        executor.execute(() -> dropNow(inode, first, end));
    }

    /** The same before it returns: for a file that may be written again. */
    void dropNow(long inode, long first, long end) {
        try {
            store.delete(inode, first, end);
        } catch (IOException | RuntimeException e) {
            LOG.warn("Objects of inode {} are left in the data store", Long.toHexString(inode), e);
        }
    }

    @Override
    public void close() {
        executor.shutdown();
        try {
            if (!executor.awaitTermination(CLOSE_SECONDS_MAX, TimeUnit.SECONDS)) {
                LOG.warn(
                        "{} deleted files still have objects in the data store",
                        executor.getQueue().size());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
