package io.hmfs.core.pmem;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Reads pieces of a file past the page cache if the filesystem can: for what is read once, from a disk that is faster than the cache. For one
 * thread; others may have their own for the same file.
 */
public final class UncachedReader implements AutoCloseable {
    /** Of which a place in the file is a multiple. */
    public static final int PAGE = 4096;

    private final PoolLock file;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment buffer;

    /** {@code file} stays open for as long as this is used; {@code most}: bytes of the largest piece, a multiple of {@link #PAGE}. */
    public UncachedReader(PoolLock file, int most) {
        this.file = file;
        file.bypassCache();
        buffer = arena.allocate(most, PAGE);
    }

    /**
     * Reads the first {@code count} bytes from a place on, a multiple of {@link #PAGE} both.
     *
     * @return how many there were: fewer where the file ends
     */
    public int read(long from, byte[] into, int count) throws PoolException {
        long there = 0;
        while (there < count) {
            // Behind a read that ended within a page this one is not aligned, and so it goes through the cache.
            long more = file.read(buffer.asSlice(there, count - there), from + there);
            if (more == 0) {
                break;
            }
            there += more;
        }
        MemorySegment.copy(buffer, ValueLayout.JAVA_BYTE, 0, into, 0, (int) there);
        return (int) there;
    }

    @Override
    public void close() {
        arena.close();
    }
}
