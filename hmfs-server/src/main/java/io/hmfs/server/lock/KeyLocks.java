package io.hmfs.server.lock;

import io.hmfs.core.lock.LockOrder;
import io.hmfs.core.lock.LockRank;
import io.hmfs.core.type.Name;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Locks on (parent, name) for requests that remove a file or move a name: what one of them saw under its key is what it removes.
 * Creates take none: a name that is taken stays so. Striped; two are taken in ascending order.
 *
 * <p>A thread that holds one may wait for the disk. So a thread that serves connections does not wait for a lock: where it meets one that
 * is held its request ends with {@link TakenException}, before it has changed anything, and goes to a thread that may wait.
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

    /** Another request has the lock. */
    public static final class TakenException extends RuntimeException {
        private static final long serialVersionUID = 1;

        TakenException() {
            super("a key is locked by a request that may wait for the disk", null, false, false);
        }
    }

    /** The request goes to a thread that may wait. */
    public static TakenException taken() {
        return new TakenException();
    }

    public void lock(int stripe, boolean waits) {
        if (!waits) {
            if (!tryLock(stripe)) {
                throw taken();
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
        } catch (TakenException e) {
            unlock(first);
            throw e;
        }
    }

    public void unlock(int one, int other) {
        unlock(one);
        unlock(other);
    }
}
