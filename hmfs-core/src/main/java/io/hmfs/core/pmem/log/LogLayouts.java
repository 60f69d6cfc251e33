package io.hmfs.core.pmem.log;

import static java.lang.foreign.MemoryLayout.PathElement.groupElement;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Field builders and load-time checks of this package's layouts. */
final class LogLayouts {
    private static final ValueLayout.OfLong LE_LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);

    private LogLayouts() {}

    static ValueLayout.OfLong u64(String name) {
        return LE_LONG.withName(name);
    }

    /** The 64 bytes of a line of the pool. */
    static MemoryLayout line(String name) {
        return MemoryLayout.sequenceLayout(8, LE_LONG).withName(name);
    }

    /** Stops the class from loading unless the layout has this size. */
    static void pin(StructLayout layout, long size) {
        require(layout.byteSize() == size, layout, "size");
    }

    /** Stops the class from loading unless the field stands at this offset. */
    static void pin(StructLayout layout, String field, long offset) {
        require(layout.byteOffset(groupElement(field)) == offset, layout, field);
    }

    private static void require(boolean holds, StructLayout layout, String what) {
        if (!holds) {
            throw new ExceptionInInitializerError("format drift: " + what + " of " + layout);
        }
    }
}
