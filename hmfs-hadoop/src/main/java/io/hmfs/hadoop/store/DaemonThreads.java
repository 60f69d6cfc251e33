package io.hmfs.hadoop.store;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Pools of threads that end when there is nothing to do, and that do not keep a JVM alive. */
public final class DaemonThreads {
    private static final int IDLE_SECONDS = 10;

    private DaemonThreads() {}

    /** A pool of up to {@code threads}, all with one name. */
    public static ThreadPoolExecutor atMost(int threads, String name) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                threads, threads, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, name);
                    thread.setDaemon(true);
                    return thread;
                });
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /** Returns when no thread of a pool that was shut down is at work. An interrupt does not end the wait, and is kept. */
    public static void awaitEnd(ExecutorService pool) {
        boolean interrupted = Thread.interrupted();
        for (boolean ended = false; !ended; ) {
            try {
                ended = pool.awaitTermination(1, TimeUnit.MINUTES);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
