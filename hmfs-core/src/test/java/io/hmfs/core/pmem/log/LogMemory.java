package io.hmfs.core.pmem.log;

import io.hmfs.core.pmem.MappedPmem;
import io.hmfs.core.pmem.Pmem;
import java.util.UUID;

/** A pool and a ring in plain memory, and no disk: what was logged is read from the ring, which keeps all of it. */
public final class LogMemory {
    private static final int CAPACITY = 1 << 16;

    private final MappedPmem memory;
    private final MappedPmem ringMemory;
    private final LogRing ring;
    private final LoggedPmem pmem;

    public LogMemory(long size) {
        this(MappedPmem.inMemory(size), ring(CAPACITY));
    }

    LogMemory(long size, int capacity) {
        this(MappedPmem.inMemory(size), ring(capacity));
    }

    private LogMemory(MappedPmem memory, MappedPmem ringMemory) {
        this.memory = memory;
        this.ringMemory = ringMemory;
        this.ring = LogRing.open(ringMemory);
        this.pmem = new LoggedPmem(memory, ring);
    }

    private static MappedPmem ring(int capacity) {
        MappedPmem memory = MappedPmem.inMemory(LogRing.size(capacity));
        LogRing.format(memory, new UUID(1, 2), new UUID(3, 4), capacity, 1, 0);
        return memory;
    }

    /** The same memory in another process, after the death of this one. */
    public LogMemory afterDeath() {
        LogMemory next = new LogMemory(memory, ringMemory);
        next.pmem.logLeftovers();
        return next;
    }

    public LoggedPmem pmem() {
        return pmem;
    }

    LogRing ring() {
        return ring;
    }

    /** The memory without its log. */
    public MappedPmem memory() {
        return memory;
    }

    /** All up to here is published. */
    public long position() {
        return ring.advance();
    }

    /** Does what a rebuild does with a record: stores its line. */
    public void replay(long lsn, Pmem into) {
        long line = ring.line(lsn);
        if (line != LogRing.NO_LINE) {
            for (int word = 0; word < 8; word++) {
                into.set(line + word * 8L, ring.word(lsn, word));
            }
        }
    }

    /** A copy of memory, word by word. */
    public static MappedPmem copy(Pmem from) {
        MappedPmem copy = MappedPmem.inMemory(from.size());
        for (long at = 0; at < from.size(); at += 8) {
            copy.set(at, from.get(at));
        }
        return copy;
    }
}
