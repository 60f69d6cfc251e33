package io.hmfs.server.pipeline;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Work on a thread of its own, of which a test runs one step at a time: to the next {@link #pause} in it, or to its end. Of the test and
 * all such threads only one runs in any moment.
 */
final class SteppedWork implements AutoCloseable {
    private static final ThreadLocal<@Nullable SteppedWork> CURRENT = new ThreadLocal<>();

    private final ExecutorService thread =
            Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().factory());
    private final Semaphore mayGo = new Semaphore(0);
    private final Semaphore stands = new Semaphore(0);
    private boolean ended = true; // passed on by the semaphores, as is the next
    private boolean waits;
    private Future<?> work = CompletableFuture.completedFuture(null);

    private final boolean looks;

    /** {@code looks}: whether this work stands still where it looks directories up, or where it changes them. */
    SteppedWork(boolean looks) {
        this.looks = looks;
    }

    /** New work, which does nothing until it is told to. */
    void begin(Runnable task) {
        ended = false;
        work = thread.submit(() -> {
            CURRENT.set(this);
            mayGo.acquireUninterruptibly();
            try {
                task.run();
            } finally {
                ended = true;
                stands.release();
            }
        });
    }

    boolean hasEnded() {
        return ended;
    }

    /** Runs one step. What the work has thrown is thrown on. */
    void step() throws InterruptedException, ExecutionException {
        mayGo.release();
        stands.acquire();
        if (ended) {
            work.get();
        }
    }

    /** The end of a step of work that stands still here; of other threads nothing. */
    static void pause(boolean atLook) {
        SteppedWork current = CURRENT.get();
        if (current != null && current.looks == atLook) {
            current.stands.release();
            current.mayGo.acquireUninterruptibly();
        }
    }

    /** Whether it waits for a lock, which other work has. */
    boolean waits() {
        return waits;
    }

    /** Other work has come to its end: it may have the lock now, or wait again. */
    void goOn() {
        waits = false;
    }

    /** Goes on when other work of the test has ended, which has a lock that this work would wait for. */
    static void waitForOthers() {
        SteppedWork current = CURRENT.get();
        if (current == null) {
            throw new AssertionError("waits for a lock that no other work has");
        }
        current.waits = true;
        current.stands.release();
        current.mayGo.acquireUninterruptibly();
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
