package io.hmfs.server.exec;

import io.hmfs.core.Namespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Directories that were removed with all that is below them: each leaves the tree in one step, a rename to where no path leads
 * ({@link Namespace#limbo}), and is removed there bit by bit by a {@link TreeReaper}, now or after the next start. While there is something
 * in limbo, ids of directories in it may still be in somebody's hands: {@link #holds} tells. Thread-safe.
 */
final class Limbo {
    private static final String PATH = "/" + Name.limbo();
    private static final long PAUSE_NANOS = 1_000_000;

    /** How long a full pool waits for the reaper to get on: it takes microseconds for an entry, or as long as a disk for its data. */
    private static final int PAUSES_MAX = 200;

    private final Namespace namespace;
    private final NameChanges changes;

    // Changed under the monitor, read without:
    private volatile long added;
    private volatile long reaped;
    private volatile boolean closed;

    private final AtomicLong removed = new AtomicLong();

    Limbo(Namespace namespace, NameChanges changes) {
        this.namespace = namespace;
        this.changes = changes;
    }

    /** What an earlier run may have left in it counts; before the first request. */
    void recover() {
        if (namespace.limbo(false, new Attributes()) == Status.OK) {
            add();
        }
    }

    /** Makes it, if need be; before {@link #take}. */
    Status open(Attributes out) {
        return namespace.limbo(true, out);
    }

    /** Moves a directory with this id into it. The caller holds the lock of the name, and has looked who stands there. */
    Status take(Attributes limbo, long parent, Name name, long id) {
        add(); // before: whoever meets it there must ask
        Name unique = Name.of(Long.toHexString(id));
        Status status = changes.rename(parent, name, limbo.id, unique, false, new Attributes());
        add(); // after: a pass of the reaper that has begun before may have missed it
        return status;
    }

    private synchronized void add() {
        added++;
        notifyAll();
    }

    /** Waits for something to reap; then what {@link #reaped} is to be told when all that is there now has been. -1: no more. */
    synchronized long await() throws InterruptedException {
        while (added == reaped && !closed) {
            wait();
        }
        return closed ? -1 : added;
    }

    synchronized void reaped(long until) {
        reaped = until;
    }

    /** The reaper has removed some more entries. */
    void removed(int entries) {
        removed.addAndGet(entries);
    }

    synchronized void close() {
        closed = true;
        notifyAll();
    }

    boolean isClosed() {
        return closed;
    }

    /** Whether there may be something in it. */
    boolean isBusy() {
        return added != reaped;
    }

    /** Whether a directory is in it, or gone. In the time that a climb to the root takes, and only while there is something in it. */
    boolean holds(long directory) {
        if (!isBusy()) {
            return false;
        }
        StringBuilder path = new StringBuilder();
        return namespace.path(directory, path) != Status.OK || path.indexOf(PATH) == 0;
    }

    /** Whether the reaper has removed something meanwhile: what to ask when the pool is full. */
    boolean isMakingRoom() {
        long before = removed.get();
        for (int i = 0; i < PAUSES_MAX && isBusy() && !closed && removed.get() == before; i++) {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        return removed.get() != before;
    }
}
