package io.hmfs.core;

import io.hmfs.core.lock.LockOrder;
import io.hmfs.core.sim.SimPmem;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Runs one piece of work in a thread of its own, as far as it is told, event by event, while the test's thread stands still. Work
 * that waits for a lock, or for other work without one, comes no further until it is told to go on. The thread is used again for
 * the next piece.
 */
public final class Stepper implements AutoCloseable {
    /** Work that loads so much between two events waits for other work. */
    private static final int LOADS_MAX = 3000;

    /** How often in a row a thread must be seen to wait. */
    private static final int SIGHTS = 3;

    /** After so many looks at a thread that seems to run its stack is looked at. */
    private static final int PAUSES = 256;

    /** How often work is told to come to its end. */
    private static final int ENDS_MAX = 10_000;

    /** Ends work that is not to come to its end. */
    static final class Killed extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private final Thread worker = Thread.ofPlatform().daemon().unstarted(this::serve);
    private volatile @Nullable Runnable work;
    private volatile @Nullable Throwable error;
    private volatile boolean stopped;

    /** Whether the worker has seen that it may go on; until then its thread's state says nothing. */
    private volatile boolean running;

    private volatile boolean killed;
    private volatile boolean closed;
    private long limit;
    private volatile long events;
    private int loads;

    public Stepper() {
        worker.start();
    }

    private void serve() {
        while (!closed) {
            Runnable due = work;
            if (due == null) {
                LockSupport.park(this);
                continue;
            }
            running = true;
            LockOrder.forget(); // work that was killed has kept its locks
            try {
                due.run();
            } catch (RuntimeException | Error e) {
                error = killed ? null : e;
            }
            work = null;
        }
    }

    /** Before each event of the work; of other threads' events it knows nothing. */
    public void event() {
        if (Thread.currentThread().equals(worker)) {
            long passed = events;
            stopFrom(passed);
            loads = 0;
            events = passed + 1;
        }
    }

    /** Before each load of the work. */
    void load() {
        if (Thread.currentThread().equals(worker) && ++loads > LOADS_MAX) {
            loads = 0;
            stopFrom(Long.MAX_VALUE);
        }
    }

    private synchronized void stopFrom(long event) {
        boolean waits = event == Long.MAX_VALUE;
        while (!killed && (waits || (event != Long.MAX_VALUE && event >= limit))) {
            stopped = true;
            while (stopped) {
                try {
                    wait();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
            running = true;
            waits = false; // told to go on, it looks again
        }
        if (killed) {
            throw new Killed();
        }
    }

    /** Takes up new work, and stops before its first event. What was left of the work before comes to its end. */
    public void begin(Runnable next) {
        for (int tries = 0; work != null; tries++) {
            if (tries == ENDS_MAX) {
                throw new AssertionError("the work before never ends");
            }
            finish();
        }
        killed = false;
        error = null;
        events = 0;
        loads = 0;
        limit = 0;
        stopped = false;
        running = false;
        work = next;
        LockSupport.unpark(worker);
        await();
    }

    /** Lets the work come to just before its event {@code event}, or to its end. */
    public void runTo(long event) {
        go(event);
        await();
    }

    /** Lets the work pass this number of events. */
    void advance(long count) {
        runTo(events + count);
    }

    /** To its end. */
    public void finish() {
        runTo(Long.MAX_VALUE);
    }

    /** How many events the work has passed. */
    long events() {
        return events;
    }

    public boolean isDone() {
        return work == null;
    }

    /** Ends the work at its next event; that of the others, which may wait for it, must be told as well. */
    private void kill() {
        killed = true;
        go(limit);
    }

    private synchronized void go(long to) {
        limit = to;
        running &= !stopped;
        stopped = false;
        notifyAll();
    }

    /** Ends the work of all, wherever it is; the namespace is of no use afterwards. */
    static void killAll(Stepper[] steppers, PoolNamespace namespace, SimPmem pmem) {
        for (Stepper stepper : steppers) {
            stepper.kill();
        }
        pmem.beforeEachLoad(() -> {
            throw new Killed();
        });
        try {
            namespace.stat(Namespace.ROOT_ID, Name.of("any"), new Attributes()); // fail-stop frees all lock waiters
        } catch (Killed | IllegalStateException e) {
            // as it should
        }
        for (Stepper stepper : steppers) {
            stepper.join();
        }
        pmem.beforeEachLoad(null);
    }

    /** Until the work has come to an end, of whatever kind. */
    @SuppressWarnings("ThreadPriorityCheck") // the wait is for another thread's few instructions
    private void join() {
        while (work != null) {
            Thread.yield();
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // the wait is for another thread's few instructions
    private void await() {
        int sights = 0;
        int latches = 0; // one look alone may meet a thread that passes by
        for (int pauses = 1; work != null && !stopped; pauses++) {
            Thread.yield();
            sights = waitsForLock() ? sights + 1 : 0;
            if (pauses % PAUSES == 0) {
                latches = waitsForLatch() ? latches + 1 : 0;
            }
            if (sights == SIGHTS || latches == SIGHTS) {
                synchronized (this) {
                    limit = Math.min(limit, events); // no further, once it has the lock
                }
                return;
            }
        }
        Throwable thrown = error;
        if (thrown != null) {
            throw new AssertionError(thrown);
        }
    }

    private boolean waitsForLock() {
        Thread.State state = worker.getState();
        boolean waits =
                state == Thread.State.TIMED_WAITING || state == Thread.State.WAITING || state == Thread.State.BLOCKED;
        return waits && running && !stopped && work != null;
    }

    /** Some waits neither sleep nor look at the pool: for latches of the index, and for a key lock under a sweeper's. */
    private boolean waitsForLatch() {
        for (StackTraceElement frame : worker.getStackTrace()) {
            String method = frame.getClassName() + "." + frame.getMethodName();
            if (method.equals("io.hmfs.core.index.Stripes.lock")
                    || method.equals("io.hmfs.core.lock.LockTable.awaitOthers")) {
                return running && !stopped && work != null;
            }
        }
        return false;
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(worker);
    }
}
