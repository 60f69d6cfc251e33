package io.hmfs.server.lock;

import io.hmfs.core.lock.LockOrder;
import io.hmfs.core.lock.LockRank;
import io.hmfs.core.type.Name;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Locks on (parent, name) for requests that decide by what they saw there: they remove, move, overwrite or cut it, or change its
 * attributes. Other creates take none: a name that is taken stays so. Striped; two are taken in ascending order.
 *
 * <p>A thread that holds one may wait for the disk. So a thread that serves connections does not wait for a lock: where it meets one that
 * is held its request ends with {@link MustWaitException}, before it has changed anything, and goes to a thread that may wait.
 */
public final class KeyLocks {
    private static final int STRIPES = 1024; // a power of two

    private final ReentrantLock[] locks = new ReentrantLock[STRIPES];

    public KeyLocks() {
        for (int i = 0; i < STRIPES; i++) {
            locks[i] = new ReentrantLock();
        }
    }

    /** Which one is another matter in each process. */
    public static int stripe(long parent, Name name) {
        return (int) (NameHash.of(parent, name) >>> 32) & STRIPES - 1;
    }

    /** The request would have to wait: for another one that has a lock, or for the disk. */
    public static final class MustWaitException extends RuntimeException {
        private static final long serialVersionUID = 1;

        MustWaitException() {
            super("the request would have to wait, and this thread must not", null, false, false);
        }
    }

    /** The request has waited, and what it has seen of its paths before may be wrong; it has changed nothing. */
    public static final class BeginAgainException extends RuntimeException {
        private static final long serialVersionUID = 1;

        BeginAgainException() {
            super("the request has waited, and its path may have changed", null, false, false);
        }
    }

    /** The request goes to a thread that may wait. */
    public static MustWaitException mustWait() {
        return new MustWaitException();
    }

    /** The request is executed from its beginning. */
    public static BeginAgainException beginAgain() {
        return new BeginAgainException();
    }

    /** Returns whether another thread had it, and this one has waited. */
    public boolean lock(int stripe, boolean waits) {
        if (waits && !locks[stripe].isHeldByCurrentThread()) {
            LockOrder.waiting(LockRank.REQUEST_KEY, stripe);
        }
        if (tryLock(stripe)) {
            return false;
        }
        if (!waits) {
            throw mustWait();
        }
        locks[stripe].lock();
        LockOrder.taken(LockRank.REQUEST_KEY, stripe);
        return true;
    }

    /** Whether this thread has the lock. */
    public boolean isHeld(int stripe) {
        return locks[stripe].isHeldByCurrentThread();
    }

    /** False: another thread has the lock, and this one is not to wait. */
    public boolean tryLock(int stripe, boolean waits) {
        if (!waits) {
            return tryLock(stripe);
        }
        lock(stripe, true);
        return true;
    }

    public boolean tryLock(int stripe) {
        boolean free = locks[stripe].tryLock();
        if (free) {
            LockOrder.taken(LockRank.REQUEST_KEY, stripe);
        }
        return free;
    }

    public void unlock(int stripe) {
        LockOrder.released(LockRank.REQUEST_KEY, stripe);
        locks[stripe].unlock();
    }

    /** Returns whether it has waited for one of them. */
    public boolean lock(int one, int other, boolean waits) {
        int first = Math.min(one, other);
        boolean hasWaited = lock(first, waits);
        try {
            return lock(Math.max(one, other), waits) || hasWaited; // reentrant, if it is the same one
        } catch (MustWaitException e) {
            unlock(first);
            throw e;
        }
    }

    public void unlock(int one, int other) {
        unlock(one);
        unlock(other);
    }
}
