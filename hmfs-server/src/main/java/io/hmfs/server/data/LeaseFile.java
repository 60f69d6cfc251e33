package io.hmfs.server.data;

import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.UUID;

/**
 * The leases that there are, so that the next start knows them. A mapped file of slots, little-endian, behind one slot with magic and
 * cluster:
 * <pre>
 *   0       8       16       24     32       40      48    64
 *   | state | inode | client | mark | number | order | 0 … |
 *     0: free, else 1 in the top bit, below it a hash of what follows
 * </pre>
 * The death of the process loses nothing. That of the machine may bring back a lease that had ended, and forget one; but not bring back one
 * that was <em>taken</em>: its slot is freed durably. Of two for one inode the one with the higher order came later. Thread-safe.
 */
public final class LeaseFile {
    static final int SLOTS = 65_536;

    /** No slot: all are taken. */
    public static final int NONE = -1;

    private static final int SLOT_SIZE = 64;
    private static final long MAGIC = 0x0A53455341454C48L;
    private static final int INODE = 8;
    private static final int CLIENT = 16;
    private static final int MARK = 24;
    private static final int NUMBER = 32;
    private static final int ORDER = 40;
    private static final int END = 48;
    private static final long TAKEN = 1L << 63;

    private final MappedByteBuffer slots;
    private final boolean durable;
    private final int[] free = new int[SLOTS];
    private int freeCount;
    private long order;

    /** Called for each lease found at start. */
    @FunctionalInterface
    public interface Visitor {
        void lease(int slot, long inode, long client, long mark, long number, long order);
    }

    /** Opens the file, making it if need be; what is of another cluster is forgotten. {@code durable}: the machine may die. */
    public LeaseFile(Path file, UUID cluster, boolean durable) throws IOException {
        this.durable = durable;
        long size = (SLOTS + 1L) * SLOT_SIZE;
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE)) {
            ByteBuffer zeros = ByteBuffer.allocate(1 << 16);
            for (long at = channel.size(); at < size; at = channel.size()) { // a mapped hole on a full disk kills
                zeros.clear().limit((int) Math.min(zeros.capacity(), size - at));
                channel.write(zeros, at);
            }
            slots = channel.map(FileChannel.MapMode.READ_WRITE, 0, size);
        }
        slots.order(ByteOrder.LITTLE_ENDIAN);
        boolean own = slots.getLong(0) == MAGIC
                && slots.getLong(INODE) == cluster.getMostSignificantBits()
                && slots.getLong(CLIENT) == cluster.getLeastSignificantBits();
        if (!own) {
            for (int slot = 0; slot < SLOTS; slot++) {
                slots.putLong(at(slot), 0);
            }
            slots.putLong(INODE, cluster.getMostSignificantBits());
            slots.putLong(CLIENT, cluster.getLeastSignificantBits());
            slots.putLong(0, MAGIC);
            slots.force();
        }
    }

    private static int at(int slot) {
        return (slot + 1) * SLOT_SIZE;
    }

    /** Shows what an earlier run left; to be called once, before the first {@link #put}. */
    public synchronized void replay(Visitor visitor) {
        for (int slot = SLOTS - 1; slot >= 0; slot--) {
            int at = at(slot);
            long state = slots.getLong(at);
            if (state == 0 || state != checksum(at)) {
                slots.putLong(at, 0); // free, or torn by a power failure
                free[freeCount++] = slot;
                continue;
            }
            order = Math.max(order, slots.getLong(at + ORDER));
            visitor.lease(
                    slot,
                    slots.getLong(at + INODE),
                    slots.getLong(at + CLIENT),
                    slots.getLong(at + MARK),
                    slots.getLong(at + NUMBER),
                    slots.getLong(at + ORDER));
        }
    }

    /** Keeps a lease; its slot, or {@link #NONE}. */
    public synchronized int put(long inode, long client, long mark, long number) {
        if (freeCount == 0) {
            return NONE;
        }
        int slot = free[--freeCount];
        int at = at(slot);
        slots.putLong(at + INODE, inode);
        slots.putLong(at + CLIENT, client);
        slots.putLong(at + MARK, mark);
        slots.putLong(at + NUMBER, number);
        slots.putLong(at + ORDER, ++order);
        long state = checksum(at);
        VarHandle.releaseFence(); // the state last: the death of the process leaves a prefix of the stores
        slots.putLong(at, state);
        return slot;
    }

    /** Forgets one; {@code taken}: for good, also if the machine dies next. */
    public void clear(int slot, boolean taken) {
        if (slot == NONE) {
            return;
        }
        int at = at(slot);
        slots.putLong(at, 0);
        if (taken && durable) {
            slots.force(at, SLOT_SIZE);
        }
        synchronized (this) {
            free[freeCount++] = slot;
        }
    }

    private long checksum(int at) {
        long hash = 0;
        for (int offset = INODE; offset < END; offset += Long.BYTES) {
            hash = (hash ^ slots.getLong(at + offset)) * 0x9E3779B97F4A7C15L;
            hash ^= hash >>> 29;
        }
        return TAKEN | hash;
    }
}
