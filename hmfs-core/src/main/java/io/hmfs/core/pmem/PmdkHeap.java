package io.hmfs.core.pmem;

import com.intel.pmem.llpl.AnyHeap;
import com.intel.pmem.llpl.HeapException;
import com.intel.pmem.llpl.Transaction;
import com.intel.pmem.llpl.TransactionalHeap;
import com.intel.pmem.llpl.Util;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * llpl, of which this is the one user: a PMDK heap with the two things that llpl has but does not publish, the base address of
 * the mapping and the closing of the heap. Both are reached by reflection, which works as long as llpl is on the class path.
 */
final class PmdkHeap {
    private static final String PACKAGES =
            "install the Debian packages libpmemobj1, libpmem1 and libpmempool1 (or choose the"
                    + " mapped backing, which needs none)";

    private static final String DEVICES = "/dev/dax";

    private final Path path;
    private final TransactionalHeap heap;
    private final long base;

    private PmdkHeap(Path path, TransactionalHeap heap) throws PoolException {
        this.path = path;
        this.heap = heap;
        try {
            Field handle = AnyHeap.class.getDeclaredField("poolHandle");
            handle.setAccessible(true);
            this.base = handle.getLong(heap);
        } catch (ReflectiveOperationException | RuntimeException e) {
            throw new PoolException(
                    PoolException.Reason.MISSING_LIBRARY,
                    "llpl is another version than the one HMFS is built for: " + e,
                    e);
        }
    }

    /** Makes a heap in a file of zeros, using all of it. */
    static PmdkHeap create(Path path) throws PoolException {
        load();
        try {
            return new PmdkHeap(path, TransactionalHeap.createHeap(name(path), 0));
        } catch (HeapException e) {
            throw new PoolException(PoolException.Reason.IO, path + " cannot become a PMDK pool: " + e.getMessage(), e);
        }
    }

    /** Makes a heap in a device whose first page is empty, using all of it. llpl knows a device by its name alone. */
    static PmdkHeap createOnDevice(Path path) throws PoolException {
        if (!name(path).startsWith(DEVICES)) {
            throw new PoolException(
                    PoolException.Reason.NOT_A_POOL,
                    path + ": llpl takes a device only by a name that begins with " + DEVICES
                            + ": name it so, or choose the mapped backing");
        }
        load();
        try {
            return new PmdkHeap(path, TransactionalHeap.createHeap(name(path)));
        } catch (HeapException e) {
            throw new PoolException(PoolException.Reason.IO, path + " cannot become a PMDK pool: " + e.getMessage(), e);
        }
    }

    static PmdkHeap open(Path path) throws PoolException {
        load();
        try {
            return new PmdkHeap(path, TransactionalHeap.openHeap(name(path)));
        } catch (HeapException e) {
            String message = String.valueOf(e.getMessage());
            PoolException.Reason reason = message.toLowerCase(Locale.ROOT).contains("temporarily unavailable")
                    ? PoolException.Reason.LOCKED
                    : PoolException.Reason.NOT_A_POOL;
            throw new PoolException(
                    reason,
                    path
                            + (reason == PoolException.Reason.LOCKED
                                    ? " is in use: stop the program that has it open: "
                                    : " is not a PMDK pool of HMFS, or it was damaged or cut off; restore it from"
                                            + " a copy, or make a new one with format --overwrite: ")
                            + message,
                    e);
        }
    }

    private static String name(Path path) {
        return path.toAbsolutePath().toString();
    }

    /** llpl unpacks its library and removes it when the JVM ends, which a killed one never does: give it a place of its own. */
    private static void load() throws PoolException {
        try {
            Path directory = Files.createTempDirectory("hmfs-llpl-");
            try {
                Util.setLLPLTempDirectory(directory.toString());
                Class.forName("com.intel.pmem.llpl.AnyHeap", true, PmdkHeap.class.getClassLoader());
            } finally {
                remove(directory);
            }
        } catch (IOException e) {
            throw new PoolException(PoolException.Reason.IO, "llpl cannot be unpacked: " + e, e);
        } catch (ClassNotFoundException | LinkageError | IllegalArgumentException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new PoolException(
                    PoolException.Reason.MISSING_LIBRARY,
                    "PMDK's libraries do not load (" + cause.getMessage() + "): " + PACKAGES,
                    e);
        }
    }

    private static void remove(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.deleteIfExists(file);
            }
        }
        Files.deleteIfExists(directory);
    }

    /** Address of the mapping; a handle is an offset from here. */
    long base() {
        return base;
    }

    /** The handle of the root block, or 0. */
    long root() {
        return heap.getRoot();
    }

    /** Allocates {@code count} zeroed bytes and makes them the root, both or neither. */
    long allocateRoot(long count) throws PoolException {
        return transaction(() -> {
            long handle = heap.allocateCompactMemory(count);
            heap.setRoot(handle);
            return handle;
        });
    }

    /** Allocates {@code count} zeroed bytes and stores their handle at {@code offset} in a block, both or neither; 0 when full. */
    long allocateInto(long block, long offset, long count) throws PoolException {
        try {
            return transaction(() -> {
                long handle = heap.allocateCompactMemory(count);
                heap.compactMemoryBlockFromHandle(block).setLong(offset, handle);
                return handle;
            });
        } catch (PoolException e) {
            if (e.reason() == PoolException.Reason.NO_SPACE) {
                return 0;
            }
            throw e;
        }
    }

    private long transaction(LongSupplier body) throws PoolException {
        try {
            return Transaction.create(heap, body::getAsLong);
        } catch (RuntimeException e) {
            // PMDK tells a full pool by its text alone, and llpl passes on nothing else.
            boolean full = String.valueOf(e.getMessage()).contains("out of memory");
            throw new PoolException(
                    full ? PoolException.Reason.NO_SPACE : PoolException.Reason.IO,
                    path + ": PMDK allocated nothing: " + e.getMessage(),
                    e);
        }
    }

    void close() {
        try {
            Method close = AnyHeap.class.getDeclaredMethod("close");
            close.setAccessible(true);
            close.invoke(heap);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(path + " cannot be closed", e);
        }
    }
}
