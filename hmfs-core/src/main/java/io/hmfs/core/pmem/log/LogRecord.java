package io.hmfs.core.pmem.log;

import static io.hmfs.core.pmem.log.LogLayouts.line;
import static io.hmfs.core.pmem.log.LogLayouts.pin;
import static io.hmfs.core.pmem.log.LogLayouts.u64;
import static java.lang.foreign.MemoryLayout.structLayout;

import java.lang.foreign.StructLayout;

/**
 * One line in a block of the log: docs/format.md#log-files. An offset of -1 changes nothing.
 *
 * <pre>
 *   0        8              72
 *   | offset | line         |
 * </pre>
 */
public final class LogRecord {
    public static final int SIZE = 72;
    static final int OFFSET_OFFSET = 0;
    static final int LINE_OFFSET = 8;

    public static final StructLayout LAYOUT =
            structLayout(u64("offset"), line("line")).withName("LogRecord");

    static {
        pin(LAYOUT, SIZE);
        pin(LAYOUT, "offset", OFFSET_OFFSET);
        pin(LAYOUT, "line", LINE_OFFSET);
    }

    private LogRecord() {}
}
