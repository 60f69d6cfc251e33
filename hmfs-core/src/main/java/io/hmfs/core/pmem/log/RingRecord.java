package io.hmfs.core.pmem.log;

import static io.hmfs.core.pmem.log.LogLayouts.line;
import static io.hmfs.core.pmem.log.LogLayouts.pin;
import static io.hmfs.core.pmem.log.LogLayouts.u64;
import static java.lang.foreign.MemoryLayout.structLayout;

import java.lang.foreign.StructLayout;

/**
 * One line in the log ring: docs/format.md#log-ring. {@code lsn} is stored last: a slot whose lsn is another one is not published.
 *
 * <pre>
 *   0      8        16                     80
 *   | lsn  | offset | line                 |
 * </pre>
 */
public final class RingRecord {
    public static final long SIZE = 80;
    static final long LSN_OFFSET = 0;
    static final long OFFSET_OFFSET = 8;
    static final long LINE_OFFSET = 16;

    public static final StructLayout LAYOUT =
            structLayout(u64("lsn"), u64("offset"), line("line")).withName("RingRecord");

    static {
        pin(LAYOUT, SIZE);
        pin(LAYOUT, "lsn", LSN_OFFSET);
        pin(LAYOUT, "offset", OFFSET_OFFSET);
        pin(LAYOUT, "line", LINE_OFFSET);
    }

    private RingRecord() {}
}
