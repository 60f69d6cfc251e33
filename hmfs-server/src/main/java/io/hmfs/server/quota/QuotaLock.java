package io.hmfs.server.quota;

import io.hmfs.core.lock.LockOrder;
import io.hmfs.core.lock.LockRank;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.StampedLock;

/**
 * A lock that many share and that few take for themselves. Each thread that shares it has an {@linkplain #newEntrance entrance} of its own,
 * so that those who share do not meet; who wants it for himself closes all entrances. Thread-safe.
 */
final class QuotaLock {
    /** Also held by who has it for himself, so that no entrance is opened meanwhile. */
    private final ReentrantLock closing = new ReentrantLock();

    private final List<StampedLock> entrances = new ArrayList<>();

    /** For one thread, or for several that may wait for each other; whoever has its read lock shares the gate. */
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

    /** Waits until nobody is inside; nobody comes in before {@link #open}, on this thread. */
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
