package io.hmfs.core.pmem;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The one class with downcalls: {@code native/hmfs.c}, carried in the jar, unpacked to a private file and bound once. It
 * checks nothing; a wrong address kills the JVM, so {@link MappedPmem} checks before it calls. Where the library cannot be
 * loaded, {@link #require} says why and what to do, and every call throws the same.
 */
final class NativeLibrary {
    private static final String PLATFORM = platform();
    private static final String RESOURCE = "native/" + PLATFORM + "/libhmfs.so";

    private static final @Nullable String FAILURE;

    private static final MethodHandle CAS16;
    private static final MethodHandle WRITE_BACK;
    private static final MethodHandle FENCE;
    private static final MethodHandle PREFETCH;
    private static final MethodHandle WRITE_BACK_INSTRUCTION;
    private static final MethodHandle PREFER_HUGE_PAGES;
    private static final MethodHandle POPULATE;
    private static final MethodHandle LOCK;
    private static final MethodHandle TRUNCATE;
    private static final MethodHandle RESERVE;
    private static final MethodHandle BYPASS_CACHE;
    private static final MethodHandle READ;
    private static final MethodHandle HOLES;
    private static final MethodHandle FILL_HOLES;
    private static final MethodHandle SYNC;
    private static final MethodHandle MAP;
    private static final MethodHandle UNMAP;
    private static final MethodHandle SEEK;
    private static final MethodHandle EXTENT;
    private static final MethodHandle CLOSE;

    static {
        SymbolLookup library = name -> Optional.empty();
        String failure = null;
        try {
            library = load();
        } catch (IOException | IllegalArgumentException | IllegalCallerException e) {
            failure = "HMFS's native library does not load on " + PLATFORM + ": " + e.getMessage();
        }
        FAILURE = failure;
        // Critical calls skip the thread's state change, so they may not block: a fence of a few lines at most.
        Linker.Option critical = Linker.Option.critical(false);
        CAS16 = bind(
                library,
                "hmfs_cas16",
                FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
                critical);
        WRITE_BACK = bind(library, "hmfs_write_back", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG), critical);
        FENCE = bind(library, "hmfs_fence", FunctionDescriptor.ofVoid(), critical);
        PREFETCH = bind(library, "hmfs_prefetch", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG), critical);
        WRITE_BACK_INSTRUCTION =
                bind(library, "hmfs_write_back_instruction", FunctionDescriptor.of(JAVA_INT), critical);
        PREFER_HUGE_PAGES =
                bind(library, "hmfs_prefer_huge_pages", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));
        POPULATE = bind(library, "hmfs_populate", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));
        LOCK = bind(library, "hmfs_lock", FunctionDescriptor.of(JAVA_INT, ADDRESS));
        TRUNCATE = bind(library, "hmfs_truncate", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG));
        RESERVE = bind(library, "hmfs_reserve", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG));
        BYPASS_CACHE = bind(library, "hmfs_bypass_cache", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
        READ = bind(library, "hmfs_read", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG));
        HOLES = bind(library, "hmfs_holes", FunctionDescriptor.of(JAVA_LONG, JAVA_INT));
        FILL_HOLES = bind(library, "hmfs_fill_holes", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
        SYNC = bind(library, "hmfs_sync", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
        MAP = bind(library, "hmfs_map", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));
        UNMAP = bind(library, "hmfs_unmap", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));
        SEEK = bind(library, "hmfs_seek", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT));
        EXTENT = bind(library, "hmfs_extent", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS));
        CLOSE = bind(library, "hmfs_close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    }

    private NativeLibrary() {}

    /** Throws what is wrong and what to do, unless the library is there. */
    static void require() throws PoolException {
        if (FAILURE != null) {
            throw new PoolException(PoolException.Reason.MISSING_LIBRARY, FAILURE);
        }
    }

    /** {@code at} is an address, 16-byte aligned. */
    static boolean cas16(long at, long expectedLow, long expectedHigh, long low, long high) {
        try {
            return (int) CAS16.invokeExact(at, expectedLow, expectedHigh, low, high) != 0;
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** {@code at} is an address. */
    static void writeBack(long at, long count) {
        try {
            WRITE_BACK.invokeExact(at, count);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static void fence() {
        try {
            FENCE.invokeExact();
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** {@code at} is an address, or any other number. */
    static void prefetch(long at, long count) {
        try {
            PREFETCH.invokeExact(at, count);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** The name of the instruction behind {@link #writeBack} on this processor. */
    static String writeBackInstruction() {
        try {
            return switch ((int) WRITE_BACK_INSTRUCTION.invokeExact()) {
                case 0 -> "CLFLUSH";
                case 1 -> "CLFLUSHOPT";
                default -> "CLWB";
            };
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Asks for huge pages behind an address range; 0 or an errno. */
    static int preferHugePages(long at, long count) {
        try {
            return (int) PREFER_HUGE_PAGES.invokeExact(at, count);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Makes the pages of an address range present; 0 or an errno. */
    static int populate(long at, long count) {
        try {
            return (int) POPULATE.invokeExact(at, count);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Opens and locks a file; a descriptor, or minus an errno. */
    static int lock(Path path) {
        try (Arena arena = Arena.ofConfined()) {
            return (int) LOCK.invokeExact(arena.allocateFrom(path.toString()));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Cuts a file to {@code size} bytes; 0 or an errno. */
    static int truncate(int descriptor, long size) {
        try {
            return (int) TRUNCATE.invokeExact(descriptor, size);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Reserves the first {@code size} bytes of a file; 0 or an errno. */
    static int reserve(int descriptor, long size) {
        try {
            return (int) RESERVE.invokeExact(descriptor, size);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Has reads of a file go past the page cache; 0 or an errno. */
    static int bypassCache(int descriptor) {
        try {
            return (int) BYPASS_CACHE.invokeExact(descriptor);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Reads from a place of a file into native memory; the bytes that were there, or minus an errno. */
    static long read(int descriptor, MemorySegment to, long count, long from) {
        try {
            return (long) READ.invokeExact(descriptor, to, count, from);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Bytes of a file that have no space; or minus an errno. */
    static long holes(int descriptor) {
        try {
            return (long) HOLES.invokeExact(descriptor);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Gives the holes of a file space; 0 or an errno. */
    static int fillHoles(int descriptor) {
        try {
            return (int) FILL_HOLES.invokeExact(descriptor);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Makes what a file holds, and its size, durable; 0 or an errno. */
    static int sync(int descriptor) {
        try {
            return (int) SYNC.invokeExact(descriptor);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Maps a file, also further than it reaches, at a multiple of {@code align}; an address, or minus an errno. */
    static long map(int descriptor, long size, long align, boolean dax) {
        try {
            return (long) MAP.invokeExact(descriptor, size, align, dax ? 1 : 0);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Takes a mapping away; 0 or an errno. */
    static int unmap(long at, long size) {
        try {
            return (int) UNMAP.invokeExact(at, size);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** The first byte at or behind {@code at} that was written, or, with {@code hole}, that was not; an offset, or minus an errno. */
    static long seek(int descriptor, long at, boolean hole) {
        try {
            return (long) SEEK.invokeExact(descriptor, at, hole ? 1 : 0);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Where the part of a file at or behind {@code at} is kept: its offset, its place on the device, its bytes; 0 or an errno. */
    static int extent(int descriptor, long at, long[] extent) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment found = arena.allocate(JAVA_LONG, extent.length);
            int error = (int) EXTENT.invokeExact(descriptor, at, found);
            MemorySegment.copy(found, JAVA_LONG, 0, extent, 0, extent.length);
            return error;
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Closes a descriptor of {@link #lock}; 0 or an errno. */
    static int close(int descriptor) {
        try {
            return (int) CLOSE.invokeExact(descriptor);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    private static SymbolLookup load() throws IOException {
        try (InputStream carried = NativeLibrary.class.getResourceAsStream(RESOURCE)) {
            if (carried == null) {
                throw new IOException(
                        "this build carries none for it. HMFS runs on linux-x86_64; there, build hmfs-core"
                                + " with a C compiler (CC names it) so that the jar carries " + RESOURCE);
            }
            Path file = Files.createTempFile("libhmfs-", ".so"); // made for this user alone
            try {
                Files.copy(carried, file, StandardCopyOption.REPLACE_EXISTING);
                return SymbolLookup.libraryLookup(file, Arena.global());
            } catch (IllegalArgumentException e) {
                throw new IOException(
                        file + " was refused (a file of another architecture, or a directory mounted noexec: then set"
                                + " -Djava.io.tmpdir): " + e.getMessage(),
                        e);
            } finally {
                Files.deleteIfExists(file); // the mapping keeps what was loaded
            }
        }
    }

    private static MethodHandle bind(
            SymbolLookup library, String name, FunctionDescriptor descriptor, Linker.Option... options) {
        if (FAILURE != null) {
            MethodHandle thrower = MethodHandles.throwException(
                            descriptor.toMethodType().returnType(), UnsatisfiedLinkError.class)
                    .bindTo(new UnsatisfiedLinkError(FAILURE));
            return MethodHandles.dropArguments(
                    thrower, 0, descriptor.toMethodType().parameterArray());
        }
        MemorySegment symbol = library.find(name)
                .orElseThrow(() -> new UnsatisfiedLinkError("libhmfs.so lacks " + name + ": rebuild hmfs-core"));
        return Linker.nativeLinker().downcallHandle(symbol, descriptor, options);
    }

    private static String platform() {
        String system = System.getProperty("os.name", "unknown").toLowerCase(Locale.ROOT);
        String machine = System.getProperty("os.arch", "unknown").toLowerCase(Locale.ROOT);
        return system + "-" + (machine.equals("amd64") ? "x86_64" : machine);
    }

    private static Error unexpected(Throwable e) {
        return e instanceof Error error ? error : new AssertionError(e);
    }
}
