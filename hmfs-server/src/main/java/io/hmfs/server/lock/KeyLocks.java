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

    public static int stripe(long parent, Name name) {
        return (int) (hash(parent, name) >>> 32) & STRIPES - 1;
    }

    /** Of which the upper half is good. */
    public static long hash(long parent, Name name) {
        long hash = parent * 0x9E3779B97F4A7C15L;
        for (int i = 0; i < name.words(); i++) {
            hash = (hash ^ name.word(i)) * 0xC2B2AE3D27D4EB4FL;
        }
        return hash;
    }

    /** The request would have to wait: for another one that has a lock, or for the disk. */
    public static final class MustWaitException extends RuntimeException {
        private static final long serialVersionUID = 1;

        MustWaitException() {
            super("the request would have to wait, and this thread must not", null, false, false);
        }
    }

    /** The request goes to a thread that may wait. */
    public static MustWaitException mustWait() {
        return new MustWaitException();
    }

    public void lock(int stripe, boolean waits) {
        if (!waits) {
            if (!tryLock(stripe)) {
                throw mustWait();
            }
            return;
        }
        if (!locks[stripe].isHeldByCurrentThread()) {
            LockOrder.waiting(LockRank.REQUEST_KEY, stripe);
        }
        locks[stripe].lock();
        LockOrder.taken(LockRank.REQUEST_KEY, stripe);
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

    public void lock(int one, int other, boolean waits) {
        int first = Math.min(one, other);
        lock(first, waits);
        try {
            lock(Math.max(one, other), waits); // reentrant, if it is the same one
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
