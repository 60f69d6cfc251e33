package io.hmfs.server.data;

import io.hmfs.core.type.Name;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

/**
 * Which files are gone whose objects a client has still to remove: where the data is not the server's (docs/adr/0122). An
 * {@link IntentJournal} that nothing waits for, neither the disk nor a free slot.
 *
 * <p>A slot is filled before its file is removed, <em>settled</em> when the removal is certain, and cleared when a client says that the
 * objects are gone. Only what is settled is told and can be cleared. The death of the process loses nothing. That of the machine drops what is not
 * settled, which may be about a file that came back, and may forget what the system had not written to the disk yet. Without a slot a removal
 * leaves its objects to {@code hmfs gc}. Thread-safe.
 */
public final class RemovalRecord {
    /** No slot: all are taken. */
    public static final int NONE = IntentJournal.NONE;

    /** The most that there are. */
    public static final int SLOTS = IntentJournal.SLOTS;

    /** Bytes of a file in {@link #page}: inode, size. */
    public static final int ENTRY_BYTES = 2 * Long.BYTES;

    private static final System.Logger LOG = System.getLogger(RemovalRecord.class.getName());
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");
    private static final long MIX = 0x9E3779B97F4A7C15L;
    private static final int CHAINS = 1 << 14;

    private final IntentJournal journal;
    private final LongAdder unrecorded = new LongAdder();
    private final AtomicBoolean toldFull = new AtomicBoolean();

    // Of settled slots, under this object's lock:
    private final long[] inodes = new long[SLOTS]; // 0: the slot is not settled
    private final long[] toldNanos = new long[SLOTS]; // when it was settled, or told to somebody
    private final int[] heads = new int[CHAINS]; // of slots whose inodes share a hash; a slot's number + 1
    private final int[] next = new int[SLOTS];
    private volatile int count;

    /** Tells whether a file is still there under the name that it was to lose. */
    @FunctionalInterface
    public interface Standing {
        boolean stands(long parent, Name name, long inode);
    }

    private RemovalRecord(IntentJournal journal) {
        this.journal = journal;
    }

    /** Opens the record, making it if need be; what is of another cluster is forgotten. */
    public static RemovalRecord open(Path file, UUID cluster) throws IOException {
        try {
            return open(file, cluster, boot());
        } catch (IOException e) {
            throw new IOException(
                    "cannot open the record of removed files " + file + ": " + e + "; make it writable", e);
        }
    }

    /** The same in a boot of the machine. */
    static RemovalRecord open(Path file, UUID cluster, long boot) throws IOException {
        long seed = ((cluster.getMostSignificantBits() * MIX) ^ cluster.getLeastSignificantBits()) * MIX;
        return new RemovalRecord(new IntentJournal(file, false, seed, seed ^ (boot * MIX)));
    }

    private static long boot() throws IOException {
        UUID id = UUID.fromString(Files.readString(BOOT_ID).strip());
        return id.getMostSignificantBits() ^ id.getLeastSignificantBits();
    }

    /** Takes up what an earlier run left; to be called once, before the first {@link #begin}. */
    public void recover(Standing standing) {
        long now = System.nanoTime();
        journal.replay((slot, inode, parent, name, size) -> {
            if (standing.stands(parent, name, inode)) {
                journal.done(slot);
            } else {
                settle(slot, now);
            }
        });
        journal.close(); // on the disk before a name can change: what was freed here must not come back
    }

    /** Records that this file is about to be removed; {@link #NONE}: there is no room, and {@link #lost} is to follow if it is removed. */
    public int begin(long inode, long parent, Name name, long size) {
        return journal.tryPrepare(inode, parent, name, size);
    }

    /** It was not removed. */
    public void cancel(int slot) {
        journal.done(slot);
    }

    /** It was, for certain. */
    public void settle(int slot) {
        settle(slot, System.nanoTime());
    }

    private synchronized void settle(int slot, long now) {
        journal.settle(slot);
        long inode = journal.inode(slot);
        int chain = chain(inode);
        inodes[slot] = inode;
        toldNanos[slot] = now;
        next[slot] = heads[chain];
        heads[chain] = slot + 1;
        count++;
    }

    private static int chain(long inode) {
        return (int) ((inode * MIX) >>> 50);
    }

    /** It was, and is not on record. */
    public void lost() {
        unrecorded.increment();
        if (!toldFull.getAndSet(true)) {
            LOG.log(
                    Level.WARNING,
                    "{0} removed files wait for clients to remove their objects, and no more are recorded: "
                            + "look whether clients can delete in the data store; hmfs gc --delete removes all of them",
                    SLOTS);
        }
    }

    /** The objects of this file are gone. May be lost in a crash: removing them again does no harm. False: it was not on record. */
    public synchronized boolean clear(long inode) {
        int chain = chain(inode);
        int before = NONE;
        for (int slot = heads[chain] - 1; slot != NONE; slot = next[slot] - 1) {
            if (inodes[slot] == inode) {
                if (before == NONE) {
                    heads[chain] = next[slot];
                } else {
                    next[before] = next[slot];
                }
                inodes[slot] = 0;
                count--;
                journal.done(slot);
                return true;
            }
            before = slot;
        }
        return false;
    }

    /**
     * Writes inode and size of files that were settled, or told, longer ago than this (0: all, and then it does not count as told), from a slot on,
     * as many as there is room for.
     * Returns where it goes on; {@link #SLOTS}: that was all.
     */
    public synchronized int page(int from, long olderThanNanos, ByteBuffer out) {
        long now = System.nanoTime();
        int slot = from;
        for (; slot < SLOTS && out.remaining() >= ENTRY_BYTES; slot++) {
            if (inodes[slot] != 0 && now - toldNanos[slot] >= olderThanNanos) {
                toldNanos[slot] = olderThanNanos == 0 ? toldNanos[slot] : now; // whoever asks next takes others
                out.putLong(inodes[slot]).putLong(journal.fileSize(slot));
            }
        }
        return slot;
    }

    /** Files on record. */
    public int count() {
        return count;
    }

    /** Files that were removed while there was no room, since the start. */
    public long unrecorded() {
        return unrecorded.sum();
    }
}
