package io.hmfs.core.pmem.log;

import io.hmfs.core.pmem.MappedPmem;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.Pmem;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;

/**
 * {@link Pmem} over mapped memory and a log: a write-back appends the line to the log ring, a fence is an order in the log. Every
 * prefix of the log is an image that a power failure of persistent memory could have left (docs/adr/0014).
 *
 * <p>A line is logged also when the engine does not ask for it: at the next fence of the thread that stored there, or before. So between
 * operations nearly no line differs from the log, and reading what others have written back costs no record.
 */
public final class LoggedPmem extends Pmem {
    private final MappedPmem memory;
    private final LogRing ring;
    private final AtomicIntegerArray shared = DirtyLines.counters();
    private final @Nullable DirtyLines[] stripes = new @Nullable DirtyLines[RingHeader.STRIPES];
    private final ThreadLocal<DirtyLines> lines = ThreadLocal.withInitial(this::claim);

    LoggedPmem(MappedPmem memory, LogRing ring) {
        this.memory = memory;
        this.ring = ring;
    }

    /** A table for this thread: a new one, or that of a thread that has ended, with what it left. */
    private DirtyLines claim() {
        synchronized (stripes) {
            Thread thread = Thread.currentThread();
            for (int i = 0; i < stripes.length; i++) {
                DirtyLines stripe = stripes[i];
                if (stripe == null) {
                    stripe = new DirtyLines(ring, memory, shared, i, thread);
                    stripes[i] = stripe;
                    return stripe;
                }
                if (!stripe.owner.isAlive()) {
                    stripe.owner = thread;
                    return stripe;
                }
            }
        }
        throw new IllegalStateException(
                "more than " + RingHeader.STRIPES + " threads at a time in a pool of mode logged: use fewer");
    }

    /** Makes sure that this thread may use the pool, before it does anything there. */
    void enter() {
        lines.get();
    }

    /**
     * [log.7] Logs all lines that a dead process had stored to and not logged: before any thread relies on them. To be called before
     * any other use. They keep their places in the tables until copies are published, so this may be cut off anywhere.
     *
     * @return how many there were
     */
    int logLeftovers() {
        int count = 0;
        synchronized (stripes) {
            for (int i = 0; i < stripes.length; i++) {
                DirtyLines stripe = new DirtyLines(ring, memory, shared, i, Thread.currentThread());
                int left = stripe.adopt();
                if (left > 0) {
                    count += left;
                    stripe.fence();
                }
            }
        }
        return count;
    }

    /** Logs what is left in the tables of all threads, which have stopped using the pool. */
    void logAll() {
        synchronized (stripes) {
            for (DirtyLines stripe : stripes) {
                if (stripe != null) {
                    stripe.fence();
                }
            }
        }
    }

    /** A bad offset is an error here, and never a line in a table: that would meet the next start too. */
    private void before(long at, long count) {
        Objects.checkFromIndexSize(at, count, memory.size());
        lines.get().note(at & -LINE);
    }

    @Override
    public long size() {
        return memory.size();
    }

    @Override
    public Persistence persistence() {
        return Persistence.LOGGED;
    }

    @Override
    public long get(long at) {
        return memory.get(at);
    }

    @Override
    public long getAcquire(long at) {
        return memory.getAcquire(at);
    }

    @Override
    public void set(long at, long value) {
        before(at, 8);
        memory.set(at, value);
    }

    @Override
    public void setRelease(long at, long value) {
        before(at, 8);
        memory.setRelease(at, value);
    }

    @Override
    public boolean cas8(long at, long expected, long value) {
        before(at, 8);
        return memory.cas8(at, expected, value);
    }

    @Override
    public boolean cas16(long at, long expectedLow, long expectedHigh, long low, long high) {
        before(at, 16);
        return memory.cas16(at, expectedLow, expectedHigh, low, high);
    }

    @Override
    public void prefetch(long at, long count) {
        memory.prefetch(at, count);
    }

    @Override
    public void copyIn(byte[] source, int offset, long at, int count) {
        Objects.checkFromIndexSize(at, count, memory.size());
        DirtyLines mine = lines.get();
        for (long from = at; from < at + count; from = (from & -LINE) + LINE) {
            int part = (int) (Math.min((from & -LINE) + LINE, at + count) - from);
            mine.note(from & -LINE);
            memory.copyIn(source, offset + (int) (from - at), from, part);
        }
    }

    @Override
    public void copyOut(long at, byte[] target, int offset, int count) {
        memory.copyOut(at, target, offset, count);
    }

    @Override
    public void zero(long at, long count) {
        Objects.checkFromIndexSize(at, count, memory.size());
        DirtyLines mine = lines.get();
        for (long from = at; from < at + count; from = (from & -LINE) + LINE) {
            mine.note(from & -LINE);
            memory.zero(from, Math.min((from & -LINE) + LINE, at + count) - from);
        }
    }

    @Override
    public void writeBack(long at, long count) {
        VarHandle.loadLoadFence(); // what this thread has read here comes before the look at which thread stored it
        Objects.checkFromIndexSize(at, count, memory.size());
        DirtyLines mine = lines.get();
        for (long line = at & -LINE; line < at + count; line += LINE) {
            mine.writeBack(line);
        }
    }

    /** Logs lines as they are now, whatever the log has of them, and returns when they are published: memory may write back what it likes. */
    void log(long at, long count) {
        DirtyLines mine = lines.get();
        for (long line = at; line < at + count; line += LINE) {
            mine.log(line);
        }
        mine.awaitWriteBacks();
    }

    @Override
    public void fence() {
        lines.get().fence();
    }

    /** [log.12] Leaves what else this thread has stored for its next fence: a reader would wait for the disk with it. */
    @Override
    public void persistRead(long at, long count) {
        writeBack(at, count);
        lines.get().awaitWriteBacks();
    }
}
