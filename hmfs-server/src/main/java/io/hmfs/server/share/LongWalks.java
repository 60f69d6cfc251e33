package io.hmfs.server.share;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Walks over trees that turn out to be long: each part of some ten milliseconds is done by one of the {@link BackgroundThreads} while
 * the request's own thread waits. As many parts are done at once as half of the processors, in the order in which they come. So the walks of
 * one user, however many there are, leave the processors to the requests of others.
 */
public final class LongWalks implements AutoCloseable {
    /** Entries that a walk looks at before it is a long one: to hand over what ends there costs more than it saves. */
    public static final int SHORT_ENTRIES = 2_000;

    private static final int THREADS = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);

    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(
            THREADS,
            THREADS,
            1,
            TimeUnit.MINUTES,
            new LinkedBlockingQueue<>(), // the threads that wait bound it
            BackgroundThreads.named("hmfs-walk"));

    public LongWalks() {
        threads.allowCoreThreadTimeOut(true);
    }

    /** Returns what a part returns, or throws what it throws. An interrupt does not end it: it is over soon. */
    public <T> T part(Supplier<T> part) {
        Future<T> future = threads.submit(part::get);
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return future.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException unchecked) {
                throw unchecked;
            }
            throw e.getCause() instanceof Error error ? error : new AssertionError(e.getCause());
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** No part comes any more. */
    @Override
    public void close() {
        threads.shutdown();
    }
}
