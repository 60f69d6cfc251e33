package io.hmfs.core.layout;

import static io.hmfs.core.layout.Layouts.u64;
import static java.lang.foreign.MemoryLayout.paddingLayout;
import static java.lang.foreign.MemoryLayout.structLayout;

import io.hmfs.core.pmem.Pmem;
import java.lang.foreign.StructLayout;

/**
 * First line of the index root; {@link SplitRecord#LANES} split records follow it, one line each (docs/format.md#index).
 *
 * <pre>
 *   0        8        16            24                32                 64
 *   | magic  | depth  | directoryAt | directoryDepth  | reserved, zero   |
 * </pre>
 *
 * <p>{@code depth} is the only word that ever changes: the directory in use is the first 2^depth entries at {@code directoryAt},
 * and all of them are durable before {@code depth} says so. {@code directoryDepth} is the most that the area has room for.
 */
public final class IndexHeader {
    public static final long SIZE = 64;

    /** "HMFSIX" and format version 1. */
    public static final long MAGIC = 0x0001_5849_5346_4d48L;

    public static final long MAGIC_OFFSET = 0;
    public static final long DEPTH_OFFSET = 8;
    public static final long DIRECTORY_AT_OFFSET = 16;
    public static final long DIRECTORY_DEPTH_OFFSET = 24;

    static final StructLayout LAYOUT = structLayout(
                    u64("magic"), u64("depth"), u64("directoryAt"), u64("directoryDepth"), paddingLayout(32))
            .withByteAlignment(64)
            .withName("IndexHeader");

    static {
        Layouts.pin(LAYOUT, SIZE, 64);
        Layouts.pin(LAYOUT, "magic", MAGIC_OFFSET);
        Layouts.pin(LAYOUT, "depth", DEPTH_OFFSET);
        Layouts.pin(LAYOUT, "directoryAt", DIRECTORY_AT_OFFSET);
        Layouts.pin(LAYOUT, "directoryDepth", DIRECTORY_DEPTH_OFFSET);
    }

    private IndexHeader() {}

    /** Fills the line; the magic goes in last, so that a header with a magic is whole. */
    public static void init(Pmem pmem, long at, int depth, long directoryAt, int directoryDepth) {
        pmem.set(at + DEPTH_OFFSET, depth);
        pmem.set(at + DIRECTORY_AT_OFFSET, directoryAt);
        pmem.set(at + DIRECTORY_DEPTH_OFFSET, directoryDepth);
        pmem.setRelease(at + MAGIC_OFFSET, MAGIC);
    }

    public static long magic(Pmem pmem, long at) {
        return pmem.getAcquire(at + MAGIC_OFFSET);
    }

    public static long depth(Pmem pmem, long at) {
        return pmem.getAcquire(at + DEPTH_OFFSET);
    }

    public static void depth(Pmem pmem, long at, int depth) {
        pmem.setRelease(at + DEPTH_OFFSET, depth);
    }

    public static long directoryAt(Pmem pmem, long at) {
        return pmem.get(at + DIRECTORY_AT_OFFSET);
    }

    public static long directoryDepth(Pmem pmem, long at) {
        return pmem.get(at + DIRECTORY_DEPTH_OFFSET);
    }
}
