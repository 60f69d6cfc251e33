package io.hmfs.server.data;

import io.hmfs.core.type.Name;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;

/**
 * Which files are about to be removed or cut, so that their objects go even if the server dies between the two steps. A mapped file of
 * slots, little-endian:
 * <pre>
 *   0            8       16       24      32           34                  512
 *   | state      | inode | parent | size  | name length | name …           |
 *     0: free, else 1 in the top bit, below it a hash of what follows
 * </pre>
 * size = what the file has before; 1 in the top bit: it is cut, not removed.
 * A slot is filled before the name is removed and freed after the objects are gone. A slot found at start whose name still stands
 * for the inode is about a removal that never happened; any other one is about objects to remove. Hence a slot of a file that
 * stays must be freed <em>durably</em> before the name can change: {@link #cancel}. A file that was to be cut is cut at the size that
 * it has at the start, when nobody writes to it. {@link RemovalRecord} has other hashes than the builtin store: of one cluster, and of one boot
 * of the machine as long as the removal is not certain; a slot with none of them is free. Thread-safe.
 */
public final class IntentJournal implements AutoCloseable {
    /** Its name in the data directory. */
    public static final String FILE = "removals";

    static final int SLOT_SIZE = 512; // one sector: it reaches a disk as a whole
    static final int SLOTS = 16_384;

    /** No slot. */
    static final int NONE = -1;

    private static final int INODE = 8;
    private static final int PARENT = 16;
    private static final int SIZE = 24;
    private static final int NAME_LENGTH = 32;
    private static final int NAME = 34;
    private static final long TAKEN = 1L << 63;
    private static final long CUT = 1L << 63;

    private final MappedByteBuffer slots;
    private final boolean durable;
    private final long seed;
    private final long intentSeed;
    private final int[] free = new int[SLOTS];
    private volatile int freeCount;

    /** Called for each intent found at start. */
    @FunctionalInterface
    public interface Visitor {
        void intent(int slot, long inode, long parent, Name name, long size);
    }

    /** Opens the journal, making it if need be. {@code durable}: intents survive power failure. */
    public IntentJournal(Path file, boolean durable) throws IOException {
        this(file, durable, 0, 0);
    }

    /** Whose hashes begin with {@code seed}; with {@code intentSeed} until {@link #settle}. */
    IntentJournal(Path file, boolean durable, long seed, long intentSeed) throws IOException {
        this.durable = durable;
        this.seed = seed;
        this.intentSeed = intentSeed;
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE)) {
            reserve(channel);
            slots = channel.map(FileChannel.MapMode.READ_WRITE, 0, (long) SLOTS * SLOT_SIZE);
        }
        slots.order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Writes the zeros of a new file: a mapped hole on a full disk would kill the process at the first store. */
    private static void reserve(FileChannel channel) throws IOException {
        long end = (long) SLOTS * SLOT_SIZE;
        ByteBuffer zeros = ByteBuffer.allocate(1 << 16);
        for (long at = channel.size(); at < end; at = channel.size()) {
            zeros.clear().limit((int) Math.min(zeros.capacity(), end - at));
            channel.write(zeros, at);
        }
        channel.force(true);
    }

    /** Shows what an earlier run left; to be called once, before the first {@link #begin}. */
    public synchronized void replay(Visitor visitor) {
        Name name = new Name();
        for (int slot = SLOTS - 1; slot >= 0; slot--) {
            int at = slot * SLOT_SIZE;
            long state = slots.getLong(at);
            int nameLength = Short.toUnsignedInt(slots.getShort(at + NAME_LENGTH));
            if (state == 0 || nameLength > Name.LENGTH_MAX || !isWhole(state, at, nameLength)) {
                slots.putLong(at, 0); // free, or torn by a power failure: then the removal did not begin
                free[freeCount++] = slot;
                continue;
            }
            slots.get(at + NAME, name.buffer(), 0, nameLength);
            name.seal(nameLength);
            visitor.intent(slot, slots.getLong(at + INODE), slots.getLong(at + PARENT), name, slots.getLong(at + SIZE));
        }
    }

    private boolean isWhole(long state, int at, int nameLength) {
        return state == checksum(at, nameLength, seed) || state == checksum(at, nameLength, intentSeed);
    }

    /** The size of a file that is to be cut, as an intent has it. */
    public static long cut(long size) {
        return size | CUT;
    }

    /** Whether an intent with this size is about a file that is to be cut. */
    public static boolean isCut(long size) {
        return (size & CUT) != 0;
    }

    /** What the file had before. */
    public static long size(long cut) {
        return cut & ~CUT;
    }

    /** Records that this file is about to be removed, or cut; on return a crash cannot forget it. Waits while all slots are taken. */
    public int begin(long inode, long parent, Name name, long size) {
        int slot = prepare(inode, parent, name, size);
        if (durable) {
            slots.force(slot * SLOT_SIZE, SLOT_SIZE);
        }
        return slot;
    }

    /** The same, except that on return a crash of the machine can; several are safe after one {@link #force}. */
    public int prepare(long inode, long parent, Name name, long size) {
        int slot = take();
        fill(slot, inode, parent, name, size);
        return slot;
    }

    /** The same without waiting; {@link #NONE}: all slots are taken. */
    int tryPrepare(long inode, long parent, Name name, long size) {
        int slot = poll();
        if (slot != NONE) {
            fill(slot, inode, parent, name, size);
        }
        return slot;
    }

    private void fill(int slot, long inode, long parent, Name name, long size) {
        int at = slot * SLOT_SIZE;
        slots.putLong(
                at + (NAME + name.length() & -Long.BYTES),
                0); // first: what an older, longer name left in the last word
        slots.putLong(at + INODE, inode);
        slots.putLong(at + PARENT, parent);
        slots.putLong(at + SIZE, size);
        slots.putShort(at + NAME_LENGTH, (short) name.length());
        slots.put(at + NAME, name.buffer(), 0, name.length());
        long state = checksum(at, name.length(), intentSeed);
        VarHandle.releaseFence(); // the state last: the death of the process leaves a prefix of the stores
        slots.putLong(at, state);
    }

    /** The removal is certain, also if the machine dies. */
    void settle(int slot) {
        int at = slot * SLOT_SIZE;
        slots.putLong(at, checksum(at, Short.toUnsignedInt(slots.getShort(at + NAME_LENGTH)), seed));
    }

    long inode(int slot) {
        return slots.getLong(slot * SLOT_SIZE + INODE);
    }

    long fileSize(int slot) {
        return slots.getLong(slot * SLOT_SIZE + SIZE);
    }

    /** After {@link #prepare}: what is prepared is not forgotten any more. */
    public void force() {
        if (durable) {
            slots.force();
        }
    }

    /** The objects are gone. May be lost in a crash: removing them again does no harm. */
    public void done(int slot) {
        slots.putLong(slot * SLOT_SIZE, 0);
        give(slot);
    }

    /** The file stays, or is cut. */
    public void cancel(int slot) {
        int at = slot * SLOT_SIZE;
        slots.putLong(at, 0);
        if (durable) {
            slots.force(at, SLOT_SIZE);
        }
        give(slot);
    }

    /** The inodes of all intents. */
    public Set<Long> inodes() {
        Set<Long> inodes = new HashSet<>();
        for (int at = 0; at < SLOTS * SLOT_SIZE; at += SLOT_SIZE) {
            if (slots.getLong(at) != 0) {
                inodes.add(slots.getLong(at + INODE));
            }
        }
        return inodes;
    }

    /** Slots that can be taken without waiting. */
    public int freeSlots() {
        return freeCount;
    }

    private synchronized int poll() {
        return freeCount == 0 ? NONE : free[--freeCount];
    }

    private synchronized int take() {
        boolean interrupted = false;
        while (freeCount == 0) {
            try {
                wait();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return free[--freeCount];
    }

    private synchronized void give(int slot) {
        free[freeCount++] = slot;
        notifyAll();
    }

    /** Mixes the slot's words up to the end of the name; what lies behind it in the last word is zero. */
    private long checksum(int at, int nameLength, long first) {
        long hash = first;
        for (int offset = INODE; offset < NAME + nameLength; offset += Long.BYTES) {
            hash = (hash ^ slots.getLong(at + offset)) * 0x9E3779B97F4A7C15L;
            hash ^= hash >>> 29;
        }
        return TAKEN | hash;
    }

    @Override
    public void close() {
        slots.force();
    }
}
