package io.hmfs.core.pmem;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import jdk.nio.mapmode.ExtendedMapMode;

/**
 * Any file, mapped.
 *
 * <pre>
 *   0          HEADER_SIZE      REGION_SIZE     2 · REGION_SIZE
 *   | header   | unused         | region 0      | region 1 …
 * </pre>
 */
final class MappedPoolFile extends PoolFile {
    private static final long PAGE = 4096;

    private final PoolLock lock;
    private final Arena arena;
    private final MappedPmem pmem;
    private final boolean dax;
    private final boolean fresh;
    private final long sizeAsked;
    private volatile long fileSize;
    private boolean closed;

    private MappedPoolFile(
            PoolLock lock,
            Arena arena,
            MemorySegment memory,
            boolean dax,
            Persistence persistence,
            boolean fresh,
            long fileSize,
            long sizeAsked) {
        this.lock = lock;
        this.arena = arena;
        this.dax = dax;
        this.fresh = fresh;
        this.sizeAsked = sizeAsked;
        this.pmem = new MappedPmem(memory, persistence);
        resize(fileSize);
    }

    static MappedPoolFile create(Path path, PoolLock lock) throws PoolException {
        boolean dax = isDax(path);
        return map(lock, 0, dax, dax ? Persistence.PMEM : Persistence.PROCESS, true);
    }

    /** {@code sizeMax}: to which it may grow while it is open; no growth unless that is more than it has. */
    static MappedPoolFile open(Path path, PoolLock lock, Persistence asked, boolean emulatePmem, long sizeMax)
            throws PoolException {
        boolean dax = isDax(path);
        return map(lock, sizeMax, dax, permitted(path, asked, dax, emulatePmem), false);
    }

    /** For a look: no store reaches the file, a store through the segment is an error. */
    static MappedPoolFile openReadOnly(Path path, PoolLock lock) throws PoolException {
        Arena arena = Arena.ofShared();
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            MemorySegment memory = channel.map(MapMode.READ_ONLY, 0, wholePages(lock.size()), arena);
            return new MappedPoolFile(lock, arena, memory, false, Persistence.PROCESS, false, lock.size(), 0);
        } catch (IOException | RuntimeException e) {
            arena.close();
            throw new PoolException(PoolException.Reason.IO, path + " cannot be mapped: " + e, e);
        }
    }

    /** What a broken page at the end holds is in no region. */
    private static long wholePages(long size) {
        return size & -PAGE;
    }

    /** Address space for all that the pool may become; what the file does not have yet is behind the end of {@link #pmem}. */
    private static MappedPoolFile map(PoolLock lock, long sizeMax, boolean dax, Persistence persistence, boolean fresh)
            throws PoolException {
        Arena arena = Arena.ofShared();
        try {
            long fileSize = lock.size();
            MemorySegment memory = lock.map(wholePages(Math.max(fileSize, sizeMax)), dax, arena);
            NativeLibrary.preferHugePages(memory.address(), memory.byteSize()); // refused: then with pages of 4 KiB
            return new MappedPoolFile(lock, arena, memory, dax, persistence, fresh, fileSize, wholePages(sizeMax));
        } catch (PoolException | RuntimeException | Error e) {
            arena.close();
            throw e;
        }
    }

    /** Whether a file is on DAX memory, by mapping a page of it as only that allows. */
    static boolean isDax(Path path) throws PoolException {
        try (Arena arena = Arena.ofShared();
                FileChannel channel = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return isDax(channel, arena);
        } catch (IOException e) {
            throw new PoolException(PoolException.Reason.IO, path + " cannot be opened: " + e, e);
        }
    }

    private static boolean isDax(FileChannel channel, Arena arena) {
        try {
            channel.map(ExtendedMapMode.READ_WRITE_SYNC, 0, PAGE, arena);
            return true;
        } catch (IOException | UnsupportedOperationException _) { // how the kernel tells that this is not DAX
            return false;
        }
    }

    @Override
    public MappedPmem pmem() {
        return pmem;
    }

    @Override
    public Backing backing() {
        return Backing.MAPPED;
    }

    @Override
    public boolean dax() {
        return dax;
    }

    @Override
    public long fileSize() {
        return fileSize;
    }

    @Override
    public long header() {
        return 0;
    }

    @Override
    public long sizeMax() {
        return Math.max(fileSize, sizeAsked); // not what a longer file has: that is left of a growth
    }

    @Override
    public boolean bound(long size) {
        if (size < SIZE_MIN || size > fileSize) {
            return false;
        }
        resize(size);
        return true;
    }

    private void resize(long size) {
        fileSize = size;
        pmem.resize(wholePages(size));
    }

    @Override
    public void grow(long size) throws PoolException {
        lock.grow(fileSize, size);
        if (dax) {
            lock.sync(); // [grow.1] the file's size, before anything in the pool says that it has it
        }
        resize(size);
    }

    @Override
    public void shrink(long size) throws PoolException {
        resize(size);
        lock.cut(size);
    }

    @Override
    public int regionsMax() {
        return (int) Math.min(REGIONS_LIMIT, fileSize / REGION_SIZE - 1);
    }

    @Override
    public long regionAt(int index) {
        Objects.checkIndex(index, REGIONS_LIMIT);
        return index < regionsMax() ? (index + 1) * REGION_SIZE : Pmem.NULL;
    }

    @Override
    public void populate(long at, long count) throws PoolException {
        pmem.populate(at, count);
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            if (fresh && !dax) {
                lock.sync(); // a pool that was made survives the machine, whatever the mode it runs with later
            }
        } catch (PoolException e) {
            throw new UncheckedIOException(e);
        } finally {
            pmem.close();
            arena.close();
            lock.close();
        }
    }
}
