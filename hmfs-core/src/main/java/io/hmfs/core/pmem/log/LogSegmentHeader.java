package io.hmfs.core.pmem.log;

import static io.hmfs.core.pmem.log.LogLayouts.pin;
import static io.hmfs.core.pmem.log.LogLayouts.u64;
import static java.lang.foreign.MemoryLayout.structLayout;

import java.lang.foreign.StructLayout;
import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * The head of a log file: docs/format.md#log-files.
 *
 * <pre>
 *   0        8          16        24       32         40           48       56         64
 *   | magic  | checksum | logHigh | logLow | firstLsn | generation | salt   | version  |
 * </pre>
 */
public final class LogSegmentHeader {
    public static final int SIZE = 64;

    /** The letters HMFSLOGS. */
    static final long MAGIC = 0x53474F4C53464D48L;

    static final long VERSION = 1;
    static final int MAGIC_OFFSET = 0;
    static final int CHECKSUM_OFFSET = 8;
    static final int LOG_HIGH_OFFSET = 16;
    static final int LOG_LOW_OFFSET = 24;
    static final int FIRST_LSN_OFFSET = 32;
    static final int GENERATION_OFFSET = 40;
    static final int SALT_OFFSET = 48;
    static final int VERSION_OFFSET = 56;

    public static final StructLayout LAYOUT = structLayout(
                    u64("magic"),
                    u64("checksum"),
                    u64("logHigh"),
                    u64("logLow"),
                    u64("firstLsn"),
                    u64("generation"),
                    u64("salt"),
                    u64("version"))
            .withName("LogSegmentHeader");

    static {
        pin(LAYOUT, SIZE);
        pin(LAYOUT, "magic", MAGIC_OFFSET);
        pin(LAYOUT, "checksum", CHECKSUM_OFFSET);
        pin(LAYOUT, "logHigh", LOG_HIGH_OFFSET);
        pin(LAYOUT, "logLow", LOG_LOW_OFFSET);
        pin(LAYOUT, "firstLsn", FIRST_LSN_OFFSET);
        pin(LAYOUT, "generation", GENERATION_OFFSET);
        pin(LAYOUT, "salt", SALT_OFFSET);
        pin(LAYOUT, "version", VERSION_OFFSET);
    }

    private LogSegmentHeader() {}

    /** Fills the first {@link #SIZE} bytes of a little-endian buffer. */
    static void put(ByteBuffer buffer, UUID log, long firstLsn, long generation, long salt) {
        buffer.putLong(MAGIC_OFFSET, MAGIC);
        buffer.putLong(LOG_HIGH_OFFSET, log.getMostSignificantBits());
        buffer.putLong(LOG_LOW_OFFSET, log.getLeastSignificantBits());
        buffer.putLong(FIRST_LSN_OFFSET, firstLsn);
        buffer.putLong(GENERATION_OFFSET, generation);
        buffer.putLong(SALT_OFFSET, salt);
        buffer.putLong(VERSION_OFFSET, VERSION);
        buffer.putLong(CHECKSUM_OFFSET, checksum(buffer));
    }

    /** Whether the first {@link #SIZE} bytes are a header. */
    static boolean isWhole(ByteBuffer buffer) {
        return buffer.limit() >= SIZE
                && buffer.getLong(MAGIC_OFFSET) == MAGIC
                && buffer.getLong(VERSION_OFFSET) == VERSION
                && buffer.getLong(CHECKSUM_OFFSET) == checksum(buffer);
    }

    private static long checksum(ByteBuffer buffer) {
        CRC32C crc = new CRC32C();
        crc.update(buffer.slice(LOG_HIGH_OFFSET, SIZE - LOG_HIGH_OFFSET));
        return crc.getValue();
    }
}
