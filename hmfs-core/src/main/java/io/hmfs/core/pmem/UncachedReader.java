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
            // Each read begins at a border of a page, where a short one need not end.
            long begin = there & -PAGE;
            long end = begin + file.read(buffer.asSlice(begin, count - begin), from + begin);
            if (end <= there) {
                break;
            }
            there = end;
        }
        MemorySegment.copy(buffer, ValueLayout.JAVA_BYTE, 0, into, 0, (int) there);
        return (int) there;
    }

    @Override
    public void close() {
        arena.close();
    }
}
