package io.hmfs.server.data;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * How far the data of files is known to be durable, so that a commit of a size below that need not wait for the disk. A table of
 * fixed size that forgets: of a file that is not in it nothing is known, and its data is synced once more. Thread-safe; {@link #covers}
 * takes no lock.
 */
final class SyncedSizes {
    private static final int SLOT_BITS = 14;
    private static final int SLOTS = 1 << SLOT_BITS; // files that are written at a time, with room to spare

    private final Object[] locks = new Object[64];
    private final AtomicLongArray stamps =
            new AtomicLongArray(SLOTS); // grows with its slot's changes and with writes; odd: in between
    private final AtomicLongArray inodes = new AtomicLongArray(SLOTS); // 0: none
    private final AtomicLongArray sizes = new AtomicLongArray(SLOTS);

    SyncedSizes() {
        for (int i = 0; i < locks.length; i++) {
            locks[i] = new Object();
        }
    }

    static int slot(long inode) {
        return (int) ((inode * 0x9E3779B97F4A7C15L) >>> (Long.SIZE - SLOT_BITS));
    }

    private Object lock(int slot) {
        return locks[slot & (locks.length - 1)];
    }

    /** Whether all that was written below this size, and answered, is known to be durable. */
    boolean covers(long inode, long size) {
        int slot = slot(inode);
        long stamp = stamps.get(slot);
        return (stamp & 1) == 0
                && inodes.get(slot) == inode
                && sizes.get(slot) >= size
                && stamps.get(slot) == stamp; // else the size may be of another file
    }

    /** After a write, before it is answered: from this position on the file is not durable. */
    void written(long inode, long position) {
        int slot = slot(inode);
        synchronized (lock(slot)) {
            stamps.addAndGet(slot, 2);
            if (inodes.get(slot) == inode) {
                sizes.set(slot, Math.min(sizes.get(slot), position));
            }
        }
    }

    /** Before a sync; for {@link #synced}. */
    long beginSync(long inode) {
        return stamps.get(slot(inode));
    }

    /**
     * After a sync of what lies between two positions. It counts if no write has come between, and if all below {@code from} is durable.
     *
     * @param stamp what {@link #beginSync} returned
     * @param isDurableBelow whether the caller knows that all below {@code from} is durable; if not, this table has to know it
     */
    void synced(long inode, long from, long to, long stamp, boolean isDurableBelow) {
        int slot = slot(inode);
        synchronized (lock(slot)) {
            boolean isKnown = inodes.get(slot) == inode;
            if (stamps.get(slot) == stamp && (isDurableBelow || from == 0 || (isKnown && sizes.get(slot) >= from))) {
                long size = isKnown ? Math.max(sizes.get(slot), to) : to;
                stamps.incrementAndGet(slot);
                inodes.set(slot, inode);
                sizes.set(slot, size);
                stamps.incrementAndGet(slot);
            }
        }
    }
}
