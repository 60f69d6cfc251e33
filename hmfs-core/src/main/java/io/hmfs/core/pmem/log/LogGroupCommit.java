package io.hmfs.core.pmem.log;

import io.hmfs.core.pmem.GroupCommit;
import io.hmfs.core.pmem.LogFigures;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What waits for the disk: threads and actions, by the number up to which the log must be there. */
final class LogGroupCommit implements GroupCommit {
    private static final System.Logger LOG = System.getLogger(LogGroupCommit.class.getName());
    private static final int SPINS = 100;

    private record Held(long position, Runnable action, Consumer<Throwable> onFailure) implements Comparable<Held> {
        @Override
        public int compareTo(Held other) {
            return Long.compare(position, other.position);
        }
    }

    private final LogRing ring;
    private final LoggedPmem pmem;
    private final PriorityQueue<Held> held = new PriorityQueue<>();
    private final PriorityQueue<Held> patient = new PriorityQueue<>(); // those that do not ask for a write
    private final List<Consumer<Throwable>> listeners = new ArrayList<>();
    private @Nullable LogSink sink;
    private int sleepers;
    private @Nullable LogFailedException failure;

    LogGroupCommit(LogRing ring, LoggedPmem pmem) {
        this.ring = ring;
        this.pmem = pmem;
    }

    void use(LogSink used) {
        sink = used;
    }

    /** A thread or an action waits for this. */
    private synchronized void ask(long position) {
        LogSink known = sink;
        if (known != null) {
            known.ask(position);
        }
    }

    @Override
    public void enter() {
        pmem.enter();
    }

    @Override
    public long position() {
        return ring.published();
    }

    @Override
    public void await(long position) {
        if (ring.durable() >= position) {
            return;
        }
        ask(position);
        for (int i = 0; i < SPINS && ring.durable() < position; i++) {
            Thread.onSpinWait();
        }
        boolean interrupted = false;
        synchronized (this) {
            sleepers++;
            while (ring.durable() < position && failure == null) {
                try {
                    wait();
                } catch (InterruptedException e) {
                    interrupted = true; // the operation is done: whether it is durable must still be known
                }
            }
            sleepers--;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (ring.durable() < position) {
            ring.check();
        }
    }

    @Override
    public void whenDurable(long position, Runnable action, Consumer<Throwable> onFailure) {
        hold(true, new Held(position, action, onFailure));
    }

    @Override
    public void whenDurableAnyway(long position, Runnable action, Consumer<Throwable> onFailure) {
        hold(false, new Held(position, action, onFailure));
    }

    private void hold(boolean asks, Held each) {
        LogFailedException failed;
        synchronized (this) {
            failed = failure;
            if (failed == null && ring.durable() < each.position) {
                if (asks) {
                    held.add(each);
                    ask(each.position);
                } else {
                    patient.add(each);
                }
                return;
            }
        }
        if (ring.durable() >= each.position) {
            each.action.run();
        } else if (failed != null) {
            each.onFailure.accept(failed);
        }
    }

    @Override
    public LogFigures figures() {
        LogSink known = sink;
        return known == null ? LogFigures.NONE : known.figures();
    }

    @Override
    public void onFailure(Consumer<Throwable> listener) {
        LogFailedException failed;
        synchronized (this) {
            failed = failure;
            listeners.add(listener);
        }
        if (failed != null) {
            listener.accept(failed);
        }
    }

    /** The disk has more of the log. @return how many had asked for the log, those that wait for more of it included */
    int advanced() {
        List<Held> ready;
        int waited;
        synchronized (this) {
            waited = sleepers + held.size();
            if (sleepers > 0) {
                notifyAll();
            }
            ready = takeReady(patient, takeReady(held, List.of())); // those that asked run first: clients wait for them
        }
        for (Held each : ready) {
            try {
                each.action.run();
            } catch (RuntimeException e) {
                // Not the log's error, nor that of the other threads that wait: a connection's thread that has ended,
                // say.
                LOG.log(System.Logger.Level.WARNING, "what waited for the log cannot be done", e);
            }
        }
        return waited;
    }

    /** Removes the actions that may run now from the queue, and appends them to those before. Called under the monitor. */
    private List<Held> takeReady(PriorityQueue<Held> queue, List<Held> before) {
        List<Held> ready = before;
        long durable = ring.durable();
        for (Held next = queue.peek(); next != null && next.position <= durable; next = queue.peek()) {
            ready = ready.isEmpty() ? new ArrayList<>() : ready;
            ready.add(queue.remove());
        }
        return ready;
    }

    /** Nothing more comes to the disk: each that waits is told why. The first reason is kept. */
    void fail(Path file, Throwable cause) {
        LogFailedException failed = new LogFailedException(
                "the log cannot be written: " + file + ": " + cause
                        + ". Nothing more is acknowledged; what was is safe."
                        + " Make room or mend the disk, and start again",
                cause);
        List<Held> lost;
        List<Consumer<Throwable>> told;
        synchronized (this) {
            if (failure != null) {
                return;
            }
            failure = failed;
            ring.fail(failed);
            lost = new ArrayList<>(held);
            lost.addAll(patient);
            held.clear();
            patient.clear();
            told = List.copyOf(listeners);
            notifyAll();
        }
        LOG.log(System.Logger.Level.ERROR, failed.getMessage());
        lost.forEach(each -> each.onFailure.accept(failed));
        told.forEach(each -> each.accept(failed));
    }

    /** Waits for a thread to end, whatever else is asked meanwhile. */
    static void join(Thread thread) {
        boolean interrupted = false;
        while (thread.isAlive()) {
            LockSupport.unpark(thread);
            try {
                thread.join(100);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
