package io.hmfs.core.pmem;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * {@link Pmem} over one mapped segment: the only one in production, so that its calls inline. A position outside of the pool
 * is an {@link IndexOutOfBoundsException}, a misaligned one an {@link IllegalArgumentException}, and a closed pool an
 * {@link IllegalStateException}; but the caller that closes a pool must have stopped its users before, because a downcall that is
 * under way when the memory goes away kills the JVM.
 */
public final class MappedPmem extends Pmem {
    private static final VarHandle LONG =
            ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle().withInvokeExactBehavior();

    /** Up to here a loop of stores beats the call of the runtime's fill. */
    private static final long ZERO_BY_WORDS_MAX = 512;

    /** Bytes written back per downcall: the JVM cannot reach a safepoint during one. */
    private static final long WRITE_BACK_MAX = 64 << 10;

    /** All that is mapped: more than the pool where that may grow. */
    private final MemorySegment mapping;

    private final MemorySegment.Scope scope;
    private final long base;

    /** The mapping as far as the pool reaches, so that its own checks are those of the pool. Replaced by {@link #resize}. */
    private MemorySegment pool;

    private long size;
    private final Persistence persistence;
    private final boolean writesBack;

    /** {@code pool} is aligned to a line at least, and its size is a multiple of 8. */
    MappedPmem(MemorySegment pool, Persistence persistence) {
        if (pool.address() % LINE != 0) {
            throw new IllegalArgumentException(
                    "a pool starts at a multiple of " + LINE + " bytes, not at " + pool.address());
        }
        this.mapping = pool;
        this.pool = pool;
        this.scope = pool.scope();
        this.base = pool.address();
        this.size = pool.byteSize();
        this.persistence = persistence;
        this.writesBack = persistence == Persistence.PMEM;
    }

    /** Zeroed memory of this process without a file, which survives nothing: for tests and benchmarks. */
    public static MappedPmem inMemory(long size) {
        return inMemory(size, Persistence.PROCESS);
    }

    /** As {@link #inMemory(long)}; with {@link Persistence#PMEM} it does all that it would do on persistent memory. */
    public static MappedPmem inMemory(long size, Persistence persistence) {
        return new MappedPmem(Arena.ofAuto().allocate(size, 4096), persistence);
    }

    /** The processor's instruction behind {@link #writeBack}: CLWB, CLFLUSHOPT or CLFLUSH. */
    public static String writeBackInstruction() {
        return NativeLibrary.writeBackInstruction();
    }

    /**
     * Lets the pool reach to here within its mapping, where the file must have its space. Accesses are as fast as with a size that
     * never changes, because a thread may go by the old one for some time: what lies behind it may be led to only when every thread
     * has since passed a barrier, such as a pin of an epoch.
     */
    void resize(long newSize) {
        pool = mapping.asSlice(0, newSize);
        size = newSize;
        VarHandle.fullFence();
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public Persistence persistence() {
        return persistence;
    }

    @Override
    public long get(long at) {
        return (long) LONG.get(pool, at);
    }

    @Override
    public long getAcquire(long at) {
        return (long) LONG.getAcquire(pool, at);
    }

    @Override
    public void set(long at, long value) {
        LONG.set(pool, at, value);
    }

    @Override
    public void setRelease(long at, long value) {
        LONG.setRelease(pool, at, value);
    }

    @Override
    public boolean cas8(long at, long expected, long value) {
        return LONG.compareAndSet(pool, at, expected, value);
    }

    /** Atomic fetch-and-add, sequentially consistent; for the counters of the log ring, which stand in no pool. */
    public long getAndAdd(long at, long delta) {
        return (long) LONG.getAndAdd(pool, at, delta);
    }

    @Override
    public boolean cas16(long at, long expectedLow, long expectedHigh, long low, long high) {
        if ((at & 15) != 0) {
            throw new IllegalArgumentException("cas16 needs a multiple of 16, not " + at);
        }
        return NativeLibrary.cas16(address(at, 16), expectedLow, expectedHigh, low, high);
    }

    @Override
    public void prefetch(long at) {
        NativeLibrary.prefetch(base + at); // never faults, so nothing is checked
    }

    @Override
    public void copyIn(byte[] source, int offset, long at, int count) {
        MemorySegment.copy(source, offset, pool, ValueLayout.JAVA_BYTE, at, count);
    }

    @Override
    public void copyOut(long at, byte[] target, int offset, int count) {
        MemorySegment.copy(pool, ValueLayout.JAVA_BYTE, at, target, offset, count);
    }

    @Override
    public void zero(long at, long count) {
        if (((at | count) & 7) != 0) {
            throw new IllegalArgumentException("zero needs multiples of 8, not " + at + " and " + count);
        }
        Objects.checkFromIndexSize(at, count, size);
        if (count > ZERO_BY_WORDS_MAX) {
            pool.asSlice(at, count).fill((byte) 0);
            return;
        }
        for (long word = at; word < at + count; word += 8) {
            LONG.set(pool, word, 0L);
        }
    }

    @Override
    public void writeBack(long at, long count) {
        long address = address(at, count);
        if (writesBack) {
            for (long done = 0; done < count; done += WRITE_BACK_MAX) {
                NativeLibrary.writeBack(address + done, Math.min(WRITE_BACK_MAX, count - done));
            }
        }
    }

    @Override
    public void fence() {
        if (writesBack) {
            NativeLibrary.fence();
        } else {
            VarHandle.storeStoreFence();
        }
    }

    /** Makes pages present ahead of their use, without changing them. */
    void populate(long at, long count) throws PoolException {
        int error = NativeLibrary.populate(address(at, count), count);
        if (error != 0) {
            throw new PoolException(
                    PoolException.Reason.IO, "pages at " + at + " cannot be made present: " + Errno.text(error));
        }
    }

    /** What the segment's own checks do for the VarHandle, done for a downcall. */
    private long address(long at, long count) {
        Objects.checkFromIndexSize(at, count, size);
        if (!scope.isAlive()) {
            throw new IllegalStateException("the pool is closed");
        }
        return base + at;
    }
}
