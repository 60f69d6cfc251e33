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

/**
 * Any file, mapped, or a device. A device is there as a whole, whatever part of it the pool has: nothing is reserved, cut or synced, and what was
 * in it before has to be zeroed.
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
    private final PoolMemory memory;
    private final boolean fresh;
    private final long sizeAsked;
    private volatile long fileSize;
    private boolean closed;

    private MappedPoolFile(
            PoolLock lock,
            Arena arena,
            MemorySegment mapping,
            PoolMemory memory,
            Persistence persistence,
            boolean fresh,
            long fileSize,
            long sizeAsked) {
        this.lock = lock;
        this.arena = arena;
        this.memory = memory;
        this.fresh = fresh;
        this.sizeAsked = sizeAsked;
        this.pmem = new MappedPmem(mapping, persistence, memory.needsWriteBack(persistence));
        resize(fileSize);
    }

    /** {@code size}: what the file has, or the part of a device that becomes the pool; {@code sizeMax}: as of a pool that is opened. */
    static MappedPoolFile create(PoolLock lock, PoolMemory memory, long size, long sizeMax) throws PoolException {
        MappedPoolFile file = map(lock, sizeMax, memory, memory.strongest(), true);
        file.resize(size);
        return file;
    }

    /**
     * Fills the first bytes of a device with zeros. The header page is empty, durably, before anything else is: so a format that is cut short
     * leaves no pool.
     *
     * @param overwrite whether it may have something in its header page
     */
    static void empty(Path path, PoolLock lock, PoolMemory memory, long size, boolean overwrite) throws PoolException {
        try (Arena arena = Arena.ofShared()) {
            Persistence persistence = memory.strongest();
            MappedPmem all = new MappedPmem(
                    lock.map(lock.size(), memory.dax(), arena), persistence, memory.needsWriteBack(persistence));
            for (long at = 0; !overwrite && at < PAGE; at += Long.BYTES) {
                if (all.get(at) != 0) {
                    throw new PoolException(
                            PoolException.Reason.ALREADY_EXISTS,
                            path + " has something in it already; --overwrite would replace it");
                }
            }
            zero(all, 0, PAGE);
            zero(all, PAGE, size);
        }
    }

    private static void zero(MappedPmem pmem, long from, long end) {
        for (long at = from; at < end; at += REGION_SIZE) {
            long count = Math.min(REGION_SIZE, end - at);
            pmem.zero(at, count);
            pmem.persist(at, count);
        }
    }

    /** {@code sizeMax}: to which it may grow while it is open; no growth unless that is more than it has. */
    static MappedPoolFile open(
            Path path, PoolLock lock, PoolMemory memory, Persistence asked, boolean emulatePmem, long sizeMax)
            throws PoolException {
        Persistence persistence = memory.permitted(path, asked, emulatePmem);
        if (memory.device() != null && sizeMax > lock.size()) {
            throw new PoolException(
                    PoolException.Reason.NO_SPACE,
                    path + " has " + lock.size() + " bytes, so its pool cannot grow to " + sizeMax
                            + ": choose a smaller maximum");
        }
        return map(lock, sizeMax, memory, persistence, false);
    }

    /** For a look: no store reaches the file, a store through the segment is an error. */
    static MappedPoolFile openReadOnly(Path path, PoolLock lock, PoolMemory memory) throws PoolException {
        Arena arena = Arena.ofShared();
        try {
            MemorySegment mapping = memory.device() == null
                    ? readOnly(path, lock.size(), arena)
                    : lock.map(lock.size(), false, arena)
                            .asReadOnly(); // a FileChannel finds nothing to map in a device
            return new MappedPoolFile(lock, arena, mapping, memory, Persistence.PROCESS, false, lock.size(), 0);
        } catch (PoolException e) {
            arena.close();
            throw e;
        } catch (IOException | RuntimeException e) {
            arena.close();
            throw new PoolException(PoolException.Reason.IO, path + " cannot be mapped: " + e, e);
        }
    }

    private static MemorySegment readOnly(Path path, long size, Arena arena) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            return channel.map(MapMode.READ_ONLY, 0, wholePages(size), arena);
        }
    }

    /** What a broken page at the end holds is in no region. */
    private static long wholePages(long size) {
        return size & -PAGE;
    }

    /** Address space for all that the pool may become; what the file does not have yet is behind the end of {@link #pmem}. */
    private static MappedPoolFile map(
            PoolLock lock, long sizeMax, PoolMemory memory, Persistence persistence, boolean fresh)
            throws PoolException {
        Arena arena = Arena.ofShared();
        try {
            long fileSize = lock.size();
            long count = memory.device() == null ? wholePages(Math.max(fileSize, sizeMax)) : fileSize;
            MemorySegment mapping = lock.map(count, memory.dax(), arena);
            NativeLibrary.preferHugePages(mapping.address(), count); // refused: then with pages of 4 KiB
            return new MappedPoolFile(lock, arena, mapping, memory, persistence, fresh, fileSize, wholePages(sizeMax));
        } catch (PoolException | RuntimeException | Error e) {
            arena.close();
            throw e;
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
        return memory.dax();
    }

    @Override
    public boolean isDevice() {
        return memory.device() != null;
    }

    @Override
    public String memory() {
        return memory.text(pmem.persistence());
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
        if (isDevice()) {
            pmem.resize(wholePages(size));
            zero(pmem, fileSize, wholePages(size));
        } else {
            lock.grow(fileSize, size);
            try {
                BadBlocks.refuse(lock.path(), lock, lock.sysfs());
            } catch (PoolException e) {
                lock.cut(fileSize);
                throw e;
            }
            if (memory.dax()) {
                lock.sync(); // [grow.1] the file's size, before anything in the pool says that it has it
            }
        }
        resize(size);
    }

    @Override
    public void shrink(long size) throws PoolException {
        resize(size);
        if (!isDevice()) {
            lock.cut(size);
        }
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
            if (fresh && !memory.dax() && !isDevice()) {
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
