package io.hmfs.core.pmem;

import java.io.IOException;
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
    private static final long HUGE_PAGE = 2L << 20;

    /** Mappings of which one stands at a boundary of huge pages, unless others map much at the same time. */
    private static final int ALIGN_TRIES = 4;

    private final PoolLock lock;
    private final Arena arena;
    private final MemorySegment memory;
    private final MappedPmem pmem;
    private final boolean dax;
    private final boolean fresh;
    private final long fileSize;
    private boolean closed;

    private MappedPoolFile(PoolLock lock, Mapping mapping, Persistence persistence, boolean fresh, long fileSize) {
        this.lock = lock;
        this.arena = mapping.arena;
        this.memory = mapping.memory;
        this.dax = mapping.dax;
        this.pmem = new MappedPmem(memory, persistence);
        this.fresh = fresh;
        this.fileSize = fileSize;
    }

    /** A file mapped; {@code dax} if its stores need no kernel to reach persistent memory. */
    private record Mapping(Arena arena, MemorySegment memory, boolean dax) {
        /** Bytes from the last boundary of a huge page to the mapping; with 0 the kernel can map regions by huge pages. */
        long offHugePage() {
            return memory.address() & (HUGE_PAGE - 1);
        }
    }

    static MappedPoolFile create(Path path, PoolLock lock) throws PoolException {
        Mapping mapping = map(path, lock.size());
        return new MappedPoolFile(
                lock, mapping, mapping.dax ? Persistence.PMEM : Persistence.PROCESS, true, lock.size());
    }

    static MappedPoolFile open(Path path, PoolLock lock, Persistence asked, boolean emulatePmem) throws PoolException {
        Mapping mapping = map(path, lock.size());
        try {
            Persistence persistence = permitted(path, asked, mapping.dax, emulatePmem);
            return new MappedPoolFile(lock, mapping, persistence, false, lock.size());
        } catch (PoolException e) {
            mapping.arena.close();
            throw e;
        }
    }

    /** For a look: no store reaches the file, a store through the segment is an error. */
    static MappedPoolFile openReadOnly(Path path, PoolLock lock) throws PoolException {
        Arena arena = Arena.ofShared();
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            MemorySegment memory = channel.map(MapMode.READ_ONLY, 0, lock.size() & -4096, arena);
            return new MappedPoolFile(lock, new Mapping(arena, memory, false), Persistence.PROCESS, false, lock.size());
        } catch (IOException | RuntimeException e) {
            arena.close();
            throw new PoolException(PoolException.Reason.IO, path + " cannot be mapped: " + e, e);
        }
    }

    private static Mapping map(Path path, long fileSize) throws PoolException {
        long size = fileSize & -4096; // what a broken page at the end holds is in no region
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
                Arena fillers = Arena.ofShared()) {
            Mapping mapping = map(channel, size);
            // The kernel takes the highest gap that is large enough. A filler of nearly the same size takes what the
            // mapping had, which comes to stand right below it: lower by the filler's length, which makes up for what
            // it was off.
            for (int tries = 1; tries < ALIGN_TRIES && size >= HUGE_PAGE && mapping.offHugePage() != 0; tries++) {
                long off = mapping.offHugePage();
                mapping.arena.close();
                channel.map(MapMode.READ_ONLY, 0, off + ((size - off) & -HUGE_PAGE), fillers);
                mapping = map(channel, size);
            }
            NativeLibrary.preferHugePages(mapping.memory.address(), size); // refused: then with pages of 4 KiB
            return mapping;
        } catch (IOException | RuntimeException e) {
            throw new PoolException(PoolException.Reason.IO, path + " cannot be mapped: " + e, e);
        }
    }

    private static Mapping map(FileChannel channel, long size) throws IOException {
        Arena arena = Arena.ofShared();
        try {
            try {
                return new Mapping(arena, channel.map(ExtendedMapMode.READ_WRITE_SYNC, 0, size, arena), true);
            } catch (IOException | UnsupportedOperationException _) { // how the kernel tells that this is not DAX
                return new Mapping(arena, channel.map(MapMode.READ_WRITE, 0, size, arena), false);
            }
        } catch (IOException | RuntimeException | Error e) {
            arena.close();
            throw e;
        }
    }

    /** Whether a file is on DAX memory, by mapping a page of it as only that allows. */
    static boolean isDax(Path path) throws PoolException {
        Mapping page = map(path, 4096);
        page.arena.close();
        return page.dax;
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
                memory.force(); // a pool that was made survives the machine, whatever the mode it runs with later
            }
        } finally {
            arena.close();
            lock.close();
        }
    }
}
