package io.hmfs.core.pmem;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Objects;

/**
 * A PMDK pool. Its root block holds the header area and, behind it, the handle of each region: PMDK allocates a region and
 * stores its handle in one transaction, so a crash neither loses one nor hands it out twice. The mapping spans the whole file,
 * PMDK's own structures too; offsets are PMDK's.
 */
final class PmdkPoolFile extends PoolFile {
    /** PMDK's blocks start at 16 modulo 64: room to align what we hand out to a page. */
    private static final long ALIGNMENT = 4096;

    private static final long HANDLES = HEADER_SIZE;
    private static final long ROOT_SIZE = HANDLES + REGIONS_LIMIT * 8L + ALIGNMENT;

    /** What a region takes: PMDK hands out multiples of this, so that the alignment costs nothing more. */
    private static final long CHUNK = 256 << 10;

    /** What PMDK needs at least for itself. */
    private static final long OVERHEAD = 3L << 20;

    private final PoolLock lock;
    private final PmdkHeap heap;
    private final Arena arena; // its close has each thread at a safepoint: an access that had begun is over
    private final MappedPmem pmem;
    private final PoolMemory memory;
    private final long fileSize;
    private final long root;
    private boolean closed;

    private PmdkPoolFile(
            PoolLock lock, PmdkHeap heap, Persistence persistence, PoolMemory memory, long fileSize, long root) {
        this.lock = lock;
        this.heap = heap;
        this.arena = Arena.ofShared();
        this.memory = memory;
        this.fileSize = fileSize;
        this.root = root;
        MemorySegment mapping = MemorySegment.ofAddress(heap.base()).reinterpret(fileSize & -ALIGNMENT, arena, null);
        this.pmem = new MappedPmem(mapping, persistence, memory.needsWriteBack(persistence));
    }

    static PmdkPoolFile create(Path path, PoolLock lock, PoolMemory memory) throws PoolException {
        PmdkHeap heap = memory.device() == null ? PmdkHeap.create(path) : PmdkHeap.createOnDevice(path);
        try {
            long root = heap.allocateRoot(ROOT_SIZE);
            return new PmdkPoolFile(lock, heap, memory.strongest(), memory, lock.size(), root);
        } catch (PoolException e) {
            heap.close();
            throw e;
        }
    }

    static PmdkPoolFile open(Path path, PoolLock lock, PoolMemory memory, Persistence asked, boolean emulatePmem)
            throws PoolException {
        Persistence persistence = memory.permitted(path, asked, emulatePmem);
        PmdkHeap heap = PmdkHeap.open(path);
        try {
            long root = heap.root();
            if (root <= 0 || root > lock.size() - ROOT_SIZE) {
                throw new PoolException(
                        PoolException.Reason.NOT_A_POOL,
                        path + " is a PMDK pool, but not one of HMFS, or its format was interrupted: run format again");
            }
            return new PmdkPoolFile(lock, heap, persistence, memory, lock.size(), root);
        } catch (PoolException e) {
            heap.close();
            throw e;
        }
    }

    @Override
    public MappedPmem pmem() {
        return pmem;
    }

    @Override
    public Backing backing() {
        return Backing.PMDK;
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
        return aligned(root);
    }

    @Override
    public int regionsMax() {
        return (int) Math.min(REGIONS_LIMIT, (fileSize - ROOT_SIZE - OVERHEAD) / (REGION_SIZE + CHUNK));
    }

    @Override
    public long regionAt(int index) throws PoolException {
        Objects.checkIndex(index, REGIONS_LIMIT);
        long entry = header() + HANDLES + index * 8L;
        long handle = pmem.getAcquire(entry);
        if (handle == 0) {
            handle = heap.allocateInto(root, entry - root, REGION_SIZE + ALIGNMENT);
        }
        return handle == 0 ? Pmem.NULL : aligned(handle);
    }

    @Override
    public long regionTaken(int index) {
        Objects.checkIndex(index, REGIONS_LIMIT);
        long handle = pmem.getAcquire(header() + HANDLES + index * 8L);
        return handle == 0 ? Pmem.NULL : aligned(handle);
    }

    private static long aligned(long handle) {
        return (handle + ALIGNMENT - 1) & -ALIGNMENT;
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
            pmem.close();
            arena.close();
            heap.close();
        } finally {
            lock.close();
        }
    }
}
