package io.hmfs.server.exec;

import io.hmfs.core.type.Name;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Locks on (parent, name) for requests that remove a file or move a name: what one of them saw under its key is what it removes.
 * Creates take none: a name that is taken stays so. Striped; two are taken in ascending order.
 */
final class KeyLocks {
    private static final int STRIPES = 1024; // a power of two

    private final ReentrantLock[] locks = new ReentrantLock[STRIPES];

    KeyLocks() {
        for (int i = 0; i < STRIPES; i++) {
            locks[i] = new ReentrantLock();
        }
    }

    static int stripe(long parent, Name name) {
        long hash = parent * 0x9E3779B97F4A7C15L;
        for (int i = 0; i < name.words(); i++) {
            hash = (hash ^ name.word(i)) * 0xC2B2AE3D27D4EB4FL;
        }
        return (int) (hash >>> 32) & STRIPES - 1;
    }

    void lock(int stripe) {
        locks[stripe].lock();
    }

    void unlock(int stripe) {
        locks[stripe].unlock();
    }

    void lock(int one, int other) {
        locks[Math.min(one, other)].lock();
        locks[Math.max(one, other)].lock(); // reentrant, if it is the same one
    }

    void unlock(int one, int other) {
        locks[one].unlock();
        locks[other].unlock();
    }
}
