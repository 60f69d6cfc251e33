package io.hmfs.core.layout;

import static java.lang.foreign.MemoryLayout.PathElement.groupElement;

import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Field builders and load-time checks shared by the record layouts. */
final class Layouts {
    private static final ValueLayout.OfLong LE_LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);

    private Layouts() {}

    static ValueLayout.OfLong u64(String name) {
        return LE_LONG.withName(name);
    }

    static void pin(StructLayout layout, long size, long alignment) {
        require(layout.byteSize() == size, layout, "size");
        require(layout.byteAlignment() == alignment, layout, "alignment");
    }

    static void pin(StructLayout layout, String field, long offset) {
        require(layout.byteOffset(groupElement(field)) == offset, layout, field);
    }

    private static void require(boolean holds, StructLayout layout, String what) {
        if (!holds) {
            throw new ExceptionInInitializerError("format drift: " + what + " of " + layout);
        }
    }
}
