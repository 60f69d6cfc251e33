package io.hmfs.core.pmem.log;

import io.hmfs.core.pmem.MappedPmem;
import io.hmfs.core.pmem.Pmem;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The part of the log that is still in memory, which outlives the process: records by log sequence number (LSN), from 1.
 *
 * <pre>
 *   durable &le; written by the log's writer &lt; … published … &le; reserved &le; durable + capacity, or its owner waits
 * </pre>
 *
 * A number is reserved before its line is copied, and the thread that has reserved publishes: so a record waits only for threads that
 * are copying 64 bytes. The records up to {@link #advance} are published without a gap; only these go to the disk.
 */
final class LogRing {
    /** The offset of an empty record, which changes nothing. */
    static final long NO_LINE = -1;

    private static final int SPINS = 64;
    private static final int YIELDS = 16;
    private static final long PARK_NANOS = 20_000;

    private final MappedPmem memory;
    private final long capacity;

    /** All up to here are published; runs behind, and is brought up by a thread that asks. */
    private final AtomicLong published;

    /** As the word of the ring, for threads that ask while the ring is being closed: what waits for the disk does not keep it from that. */
    private volatile long durable;

    private volatile @Nullable LogFailedException failure;

    private LogRing(MappedPmem memory) {
        this.memory = memory;
        this.capacity = memory.get(RingHeader.CAPACITY_OFFSET);
        this.durable = memory.getAcquire(RingHeader.DURABLE_OFFSET);
        this.published = new AtomicLong(durable);
    }

    static long size(int capacity) {
        return RingHeader.RECORDS_OFFSET + capacity * RingRecord.SIZE;
    }

    /** Makes a ring in zeroed memory whose log ends at {@code end}. The magic comes last. */
    static void format(MappedPmem memory, UUID log, UUID boot, int capacity, long generation, long end) {
        memory.set(RingHeader.VERSION_OFFSET, RingHeader.VERSION);
        memory.set(RingHeader.LOG_HIGH_OFFSET, log.getMostSignificantBits());
        memory.set(RingHeader.LOG_LOW_OFFSET, log.getLeastSignificantBits());
        memory.set(RingHeader.CAPACITY_OFFSET, capacity);
        memory.set(RingHeader.BOOT_HIGH_OFFSET, boot.getMostSignificantBits());
        memory.set(RingHeader.BOOT_LOW_OFFSET, boot.getLeastSignificantBits());
        memory.set(RingHeader.GENERATION_OFFSET, generation);
        memory.set(RingHeader.RESERVED_OFFSET, end);
        memory.set(RingHeader.DURABLE_OFFSET, end);
        memory.setRelease(RingHeader.MAGIC_OFFSET, RingHeader.MAGIC);
    }

    static boolean isRing(MappedPmem memory) {
        return memory.get(RingHeader.MAGIC_OFFSET) == RingHeader.MAGIC
                && memory.get(RingHeader.VERSION_OFFSET) == RingHeader.VERSION
                && memory.get(RingHeader.CAPACITY_OFFSET) > 0
                && memory.get(RingHeader.CAPACITY_OFFSET) <= 1 << 24
                && memory.size() >= size((int) memory.get(RingHeader.CAPACITY_OFFSET));
    }

    static UUID log(MappedPmem memory) {
        return new UUID(memory.get(RingHeader.LOG_HIGH_OFFSET), memory.get(RingHeader.LOG_LOW_OFFSET));
    }

    static UUID boot(MappedPmem memory) {
        return new UUID(memory.get(RingHeader.BOOT_HIGH_OFFSET), memory.get(RingHeader.BOOT_LOW_OFFSET));
    }

    /**
     * Opens a ring that no other process uses. [log.6] Numbers that a dead process had reserved and not published: at the end they are
     * taken back; before a published one they become records that change nothing. No fence has returned that covers such a number
     * or a later one, so no store relies on what these write-backs would have kept.
     */
    static LogRing open(MappedPmem memory) {
        LogRing ring = new LogRing(memory);
        long durable = ring.durable();
        long reserved = Math.min(memory.get(RingHeader.RESERVED_OFFSET), durable + ring.capacity);
        while (reserved > durable && !ring.isPublished(reserved)) {
            reserved--;
        }
        for (long lsn = durable + 1; lsn < reserved; lsn++) {
            if (!ring.isPublished(lsn)) {
                ring.publishEmpty(lsn);
            }
        }
        memory.setRelease(RingHeader.RESERVED_OFFSET, reserved);
        return ring;
    }

    MappedPmem memory() {
        return memory;
    }

    long capacity() {
        return capacity;
    }

    private long at(long lsn) {
        return RingHeader.RECORDS_OFFSET + (lsn & (capacity - 1)) * RingRecord.SIZE;
    }

    private boolean isPublished(long lsn) {
        return memory.getAcquire(at(lsn)) >= lsn; // above: published, on the disk, and the slot used again
    }

    /** The last number that was given away. */
    long reserved() {
        return memory.getAcquire(RingHeader.RESERVED_OFFSET);
    }

    /** All up to here is on the disk. */
    long durable() {
        return durable;
    }

    /** The writer's alone. */
    void setDurable(long lsn) {
        memory.setRelease(RingHeader.DURABLE_OFFSET, lsn);
        durable = lsn;
    }

    /** [log.1] Takes the next number, and waits until the ring has room for it: a record that is not on the disk yet is never overwritten. */
    long reserve() {
        long lsn = memory.getAndAdd(RingHeader.RESERVED_OFFSET, 1) + 1;
        for (int attempt = 0; lsn - durable() > capacity; attempt++) {
            pause(attempt);
        }
        return lsn;
    }

    /**
     * [log.2] Copies a line as it was at one moment: all eight words are read again, until two passes agree. A copy that took one
     * word before and the next word after a store would be an image that no power failure leaves.
     */
    void copy(long lsn, Pmem pool, long line) {
        long to = at(lsn) + RingRecord.LINE_OFFSET;
        memory.set(at(lsn) + RingRecord.OFFSET_OFFSET, line);
        for (long word = 0; word < Pmem.LINE; word += 8) {
            memory.set(to + word, pool.getAcquire(line + word));
        }
        boolean changed = true;
        while (changed) {
            changed = false;
            for (long word = 0; word < Pmem.LINE; word += 8) {
                long value = pool.getAcquire(line + word);
                if (value != memory.get(to + word)) {
                    memory.set(to + word, value);
                    changed = true;
                }
            }
        }
    }

    /** [log.3] Makes a filled record one of the log. */
    void publish(long lsn) {
        memory.setRelease(at(lsn), lsn);
    }

    private void publishEmpty(long lsn) {
        memory.set(at(lsn) + RingRecord.OFFSET_OFFSET, NO_LINE);
        publish(lsn);
    }

    /** Publishes an empty record behind {@code durable}, unless that number is another thread's: the writer waits for no room, which it makes itself. */
    boolean publishEmptyBehind(long durable) {
        if (!memory.cas8(RingHeader.RESERVED_OFFSET, durable, durable + 1)) {
            return false;
        }
        publishEmpty(durable + 1);
        return true;
    }

    /** All up to the result are published. */
    long advance() {
        long known = published.get();
        long lsn = known;
        while (isPublished(lsn + 1)) {
            lsn++;
        }
        while (lsn > known && !published.compareAndSet(known, lsn)) {
            known = published.get();
        }
        return Math.max(known, lsn);
    }

    /** What {@link #advance} has come to; all that a fence has covered before this call is in it. */
    long published() {
        return published.get();
    }

    /**
     * [log.4] A fence: all numbers up to this one are published, by whomever. What is stored afterwards can then only be in
     * copies with a higher number.
     */
    void awaitPublished(long lsn) {
        for (int attempt = 0; published.get() < lsn && advance() < lsn; attempt++) {
            pause(attempt);
        }
    }

    /** The line of a published record that is not on the disk yet, or {@link #NO_LINE}. */
    long line(long lsn) {
        return memory.get(at(lsn) + RingRecord.OFFSET_OFFSET);
    }

    /** A word, 0 to 7, of a record's line. */
    long word(long lsn, int index) {
        return memory.get(at(lsn) + RingRecord.LINE_OFFSET + index * 8L);
    }

    void fail(LogFailedException cause) {
        failure = cause;
    }

    /** A thread has reserved a number and cannot publish it. */
    void failHalfWay() {
        if (failure == null) {
            failure = new LogFailedException(
                    "a line could not be copied to the log",
                    new IllegalStateException("see the error before this one"));
        }
    }

    boolean hasFailed() {
        return failure != null;
    }

    /** Throws if nothing more comes to the disk. */
    void check() {
        LogFailedException cause = failure;
        if (cause != null) {
            throw new LogFailedException(cause.getMessage() == null ? "the log has failed" : cause.getMessage(), cause);
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // the thread that is waited for copies 64 bytes, if the scheduler lets it
    private void pause(int attempt) {
        if (attempt < SPINS) {
            Thread.onSpinWait();
        } else if (attempt < SPINS + YIELDS) {
            Thread.yield();
        } else {
            check();
            LockSupport.parkNanos(PARK_NANOS);
        }
    }
}
