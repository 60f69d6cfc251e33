package io.hmfs.core.layout;

import static io.hmfs.core.layout.Layouts.u64;
import static java.lang.foreign.MemoryLayout.paddingLayout;
import static java.lang.foreign.MemoryLayout.structLayout;

import io.hmfs.core.pmem.Pmem;
import java.lang.foreign.StructLayout;

/**
 * One split under way: one line (docs/format.md#index). A split claims one of {@link #LANES} records.
 *
 * <pre>
 *   0        8        16       24       32                              64
 *   | state  | source | target | depth  | reserved, zero                |
 * </pre>
 *
 * <p>{@code state} is stored last, and stores to one line persist in order: a state other than {@link #IDLE} vouches for the rest.
 * {@link #COPYING}: nothing reaches the target, undo. {@link #COMMITTED}: the target is complete and durable, finish.
 * {@code depth} is the local depth of the source before the split.
 */
public final class SplitRecord {
    public static final long SIZE = 64;

    /** Splits that can be under way at once. */
    public static final int LANES = 8;

    public static final long IDLE = 0;
    public static final long COPYING = 1;
    public static final long COMMITTED = 2;

    public static final long STATE_OFFSET = 0;
    public static final long SOURCE_OFFSET = 8;
    public static final long TARGET_OFFSET = 16;
    public static final long DEPTH_OFFSET = 24;

    static final StructLayout LAYOUT = structLayout(
                    u64("state"), u64("source"), u64("target"), u64("depth"), paddingLayout(32))
            .withByteAlignment(64)
            .withName("SplitRecord");

    static {
        Layouts.pin(LAYOUT, SIZE, 64);
        Layouts.pin(LAYOUT, "state", STATE_OFFSET);
        Layouts.pin(LAYOUT, "source", SOURCE_OFFSET);
        Layouts.pin(LAYOUT, "target", TARGET_OFFSET);
        Layouts.pin(LAYOUT, "depth", DEPTH_OFFSET);
    }

    private SplitRecord() {}

    /** Fills an idle record: state COPYING, stored last. */
    public static void begin(Pmem pmem, long at, long source, long target, int depth) {
        pmem.setRelease(at + SOURCE_OFFSET, source);
        pmem.setRelease(at + TARGET_OFFSET, target);
        pmem.setRelease(at + DEPTH_OFFSET, depth);
        pmem.setRelease(at + STATE_OFFSET, COPYING);
    }

    public static long state(Pmem pmem, long at) {
        return pmem.getAcquire(at + STATE_OFFSET);
    }

    public static void state(Pmem pmem, long at, long state) {
        pmem.setRelease(at + STATE_OFFSET, state);
    }

    public static long source(Pmem pmem, long at) {
        return pmem.get(at + SOURCE_OFFSET);
    }

    public static long target(Pmem pmem, long at) {
        return pmem.get(at + TARGET_OFFSET);
    }

    public static long depth(Pmem pmem, long at) {
        return pmem.get(at + DEPTH_OFFSET);
    }
}
