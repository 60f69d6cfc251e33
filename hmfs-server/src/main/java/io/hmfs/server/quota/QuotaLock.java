package io.hmfs.server.quota;

import io.hmfs.core.lock.LockOrder;
import io.hmfs.core.lock.LockRank;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.StampedLock;

/**
 * A lock that many threads share and that few take exclusively. Each thread that shares it has an {@linkplain #newEntrance entrance} of its
 * own, so that sharers write no common cache line; a thread that takes it exclusively closes all entrances. Thread-safe.
 */
final class QuotaLock {
    /** Also held while the lock is taken exclusively, so that no entrance is added meanwhile. */
    private final ReentrantLock closing = new ReentrantLock();

    private final List<StampedLock> entrances = new ArrayList<>();

    /**
     * For one thread, or for several that may wait for each other; a thread with its read lock shares this lock. Not while the calling
     * thread shares it: pipelines are made before their first request.
     */
    StampedLock newEntrance() {
        StampedLock entrance = new StampedLock();
        closing.lock();
        try {
            entrances.add(entrance);
        } finally {
            closing.unlock();
        }
        return entrance;
    }

    /** Takes the lock exclusively: waits until no thread shares it, and none can before {@link #open}, on this thread. */
    void close() {
        LockOrder.waiting(LockRank.QUOTA, 0);
        closing.lock();
        for (StampedLock each : entrances) {
            each.writeLock();
        }
        LockOrder.taken(LockRank.QUOTA, 0);
    }

    void open() {
        LockOrder.released(LockRank.QUOTA, 0);
        for (StampedLock each : entrances) {
            each.tryUnlockWrite();
        }
        closing.unlock();
    }
}
