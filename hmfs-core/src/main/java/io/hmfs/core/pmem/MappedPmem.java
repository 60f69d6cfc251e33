package io.hmfs.core.pmem;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * {@link Pmem} over one mapped segment: the only one in production, so that its calls inline. A position outside of the pool
 * is an {@link IndexOutOfBoundsException}, a misaligned one an {@link IllegalArgumentException}, a store to a pool that was opened to be looked at an
 * {@link UnsupportedOperationException}, and any use after {@link #close} an {@link IllegalStateException}; but the caller that closes a pool must have stopped
 * its users before, because an access that is under way when the memory goes away kills the JVM.
 */
public final class MappedPmem extends Pmem {
    private static final VarHandle LONG =
            ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle().withInvokeExactBehavior();

    /**
     * All memory of the process, by address. Through a constant an access is a dozen instructions with the comparison of {@link #word}; through a segment in a
     * field it is twice as many, for what kind of segment that is, how long, and whether it lives (ADR 0194).
     */
    private static final MemorySegment MEMORY = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    /** Up to here a loop of stores beats the call of the runtime's fill. */
    private static final long ZERO_BY_WORDS_MAX = 512;

    /** Bytes written back per downcall: the JVM cannot reach a safepoint during one. */
    private static final long WRITE_BACK_MAX = 64 << 10;

    /** All that is mapped: more than the pool where that may grow. Held here, it stays mapped until its arena is closed. */
    private final MemorySegment mapping;

    private final long base;
    private final Persistence persistence;
    private final boolean writesBack;
    private final boolean fences;

    /** Bytes from {@link #base} on that belong to the pool. */
    private long size;

    /** Words may be read below here, and stored below there: 0 where none may. Replaced by {@link #resize}. */
    private long readsEnd;

    private long storesEnd;
    private boolean closed;

    /** {@code mapping} is aligned to a line at least, and its size is a multiple of 8. */
    MappedPmem(MemorySegment mapping, Persistence persistence) {
        this(mapping, persistence, persistence == Persistence.PMEM);
    }

    /** {@code writesBack}: whether a store needs a write-back to be durable, in the mode {@code PMEM}. */
    MappedPmem(MemorySegment mapping, Persistence persistence, boolean writesBack) {
        if (mapping.address() % LINE != 0) {
            throw new IllegalArgumentException(
                    "a pool starts at a multiple of " + LINE + " bytes, not at " + mapping.address());
        }
        this.mapping = mapping;
        this.base = mapping.address();
        this.persistence = persistence;
        this.writesBack = writesBack;
        this.fences =
                persistence == Persistence.PMEM; // without write-backs, too: a store has to leave the store buffer
        resize(mapping.byteSize());
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
        size = Objects.checkIndex(newSize, mapping.byteSize() + 1);
        readsEnd = Math.max(0, newSize - (Long.BYTES - 1));
        storesEnd = mapping.isReadOnly() ? 0 : readsEnd;
        VarHandle.fullFence();
    }

    /** Refuses all use from now on; the mapping may go away when the users have stopped. */
    void close() {
        closed = true;
        readsEnd = 0;
        storesEnd = 0;
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
        return (long) LONG.get(MEMORY, word(at));
    }

    @Override
    public long getAcquire(long at) {
        return (long) LONG.getAcquire(MEMORY, word(at));
    }

    @Override
    public void set(long at, long value) {
        LONG.set(MEMORY, target(at), value);
    }

    @Override
    public void setRelease(long at, long value) {
        LONG.setRelease(MEMORY, target(at), value);
    }

    @Override
    public boolean cas8(long at, long expected, long value) {
        return LONG.compareAndSet(MEMORY, target(at), expected, value);
    }

    /** Atomic fetch-and-add, sequentially consistent; for the counters of the log ring, which stand in no pool. */
    public long getAndAdd(long at, long delta) {
        return (long) LONG.getAndAdd(MEMORY, target(at), delta);
    }

    @Override
    public boolean cas16(long at, long expectedLow, long expectedHigh, long low, long high) {
        if ((at & 15) != 0) {
            throw new IllegalArgumentException("cas16 needs a multiple of 16, not " + at);
        }
        requireWritable();
        return NativeLibrary.cas16(address(at, 16), expectedLow, expectedHigh, low, high);
    }

    @Override
    public void prefetch(long at, long count) {
        NativeLibrary.prefetch(base + at, count); // never faults, so nothing is checked
    }

    @Override
    public void copyIn(byte[] source, int offset, long at, int count) {
        requireWritable();
        MemorySegment.copy(source, offset, MEMORY, ValueLayout.JAVA_BYTE, address(at, count), count);
    }

    @Override
    public void copyOut(long at, byte[] target, int offset, int count) {
        MemorySegment.copy(MEMORY, ValueLayout.JAVA_BYTE, address(at, count), target, offset, count);
    }

    @Override
    public void zero(long at, long count) {
        if (((at | count) & 7) != 0) {
            throw new IllegalArgumentException("zero needs multiples of 8, not " + at + " and " + count);
        }
        requireWritable();
        long address = address(at, count);
        if (count > ZERO_BY_WORDS_MAX) {
            MEMORY.asSlice(address, count).fill((byte) 0);
            return;
        }
        for (long word = address; word < address + count; word += Long.BYTES) {
            LONG.set(MEMORY, word, 0L);
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
        if (fences) {
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

    /** The address of a word to be read. */
    private long word(long at) {
        if (Long.compareUnsigned(at, readsEnd) >= 0) {
            throw outside(at);
        }
        return base + at;
    }

    /** The address of a word to be stored to. */
    private long target(long at) {
        if (Long.compareUnsigned(at, storesEnd) >= 0) {
            requireWritable();
            throw outside(at);
        }
        return base + at;
    }

    private RuntimeException outside(long at) {
        return closed
                ? new IllegalStateException("the pool is closed")
                : new IndexOutOfBoundsException("no word at " + at + " in a pool of " + size + " bytes");
    }

    private void requireWritable() {
        if (mapping.isReadOnly()) {
            throw new UnsupportedOperationException("a store to a pool that was opened to be looked at");
        }
    }

    private long address(long at, long count) {
        if (closed) {
            throw new IllegalStateException("the pool is closed");
        }
        Objects.checkFromIndexSize(at, count, size);
        return base + at;
    }
}
