package io.hmfs.core.pmem.log;

import static io.hmfs.core.pmem.log.LogLayouts.pin;
import static io.hmfs.core.pmem.log.LogLayouts.u64;
import static java.lang.foreign.MemoryLayout.paddingLayout;
import static java.lang.foreign.MemoryLayout.structLayout;

import java.lang.foreign.StructLayout;

/**
 * The head of a log ring: docs/format.md#log-ring. Counters that different threads change stand in lines of their own.
 *
 * <pre>
 *   0        8         16         24        32         40         48        56           64
 *   | magic  | version | logHigh  | logLow  | capacity | bootHigh | bootLow | generation |
 *   64         72            128        136          192       200
 *   | session  | nextSession | lastReserved | … | durable | …                            | 256
 * </pre>
 */
public final class RingHeader {
    public static final long SIZE = 256;

    /** The letters HMFSRING. */
    static final long MAGIC = 0x474E495253464D48L;

    static final long VERSION = 1;
    static final long MAGIC_OFFSET = 0;
    static final long VERSION_OFFSET = 8;
    static final long LOG_HIGH_OFFSET = 16;
    static final long LOG_LOW_OFFSET = 24;
    static final long CAPACITY_OFFSET = 32;
    static final long BOOT_HIGH_OFFSET = 40;
    static final long BOOT_LOW_OFFSET = 48;
    static final long GENERATION_OFFSET = 56;
    static final long SESSION_OFFSET = 64;
    static final long NEXT_SESSION_OFFSET = 72;
    static final long RESERVED_OFFSET = 128;
    static final long DURABLE_OFFSET = 192;

    /** Where the tables of dirty lines begin. */
    public static final long STRIPES_OFFSET = 4096;

    /** Tables of dirty lines: threads that can use one pool at a time. */
    public static final int STRIPES = 1024;

    /** Words of such a table. */
    public static final int STRIPE_LINES = 256;

    /** Where the records begin. */
    public static final long RECORDS_OFFSET = STRIPES_OFFSET + STRIPES * STRIPE_LINES * 8L;

    public static final StructLayout LAYOUT = structLayout(
                    u64("magic"),
                    u64("version"),
                    u64("logHigh"),
                    u64("logLow"),
                    u64("capacity"),
                    u64("bootHigh"),
                    u64("bootLow"),
                    u64("generation"),
                    u64("session"),
                    u64("nextSession"),
                    paddingLayout(48),
                    u64("lastReserved"),
                    paddingLayout(56),
                    u64("durable"),
                    paddingLayout(56))
            .withByteAlignment(64)
            .withName("RingHeader");

    static {
        pin(LAYOUT, SIZE);
        pin(LAYOUT, "magic", MAGIC_OFFSET);
        pin(LAYOUT, "version", VERSION_OFFSET);
        pin(LAYOUT, "logHigh", LOG_HIGH_OFFSET);
        pin(LAYOUT, "logLow", LOG_LOW_OFFSET);
        pin(LAYOUT, "capacity", CAPACITY_OFFSET);
        pin(LAYOUT, "bootHigh", BOOT_HIGH_OFFSET);
        pin(LAYOUT, "bootLow", BOOT_LOW_OFFSET);
        pin(LAYOUT, "generation", GENERATION_OFFSET);
        pin(LAYOUT, "session", SESSION_OFFSET);
        pin(LAYOUT, "nextSession", NEXT_SESSION_OFFSET);
        pin(LAYOUT, "lastReserved", RESERVED_OFFSET);
        pin(LAYOUT, "durable", DURABLE_OFFSET);
    }

    private RingHeader() {}
}
