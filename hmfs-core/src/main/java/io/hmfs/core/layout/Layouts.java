package io.hmfs.core.layout;

import static java.lang.foreign.MemoryLayout.PathElement.groupElement;

import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Field builders and load-time checks shared by the record layouts. */
final class Layouts {
    private static final ValueLayout.OfLong LE_LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);

    private Layouts() {}

    /** A little-endian 8-byte word, aligned to its size. */
    static ValueLayout.OfLong u64(String name) {
        return LE_LONG.withName(name);
    }

    /** Stops the class from loading unless the layout has this size and alignment. */
    static void pin(StructLayout layout, long size, long alignment) {
        require(layout.byteSize() == size, layout, "size");
        require(layout.byteAlignment() == alignment, layout, "alignment");
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
