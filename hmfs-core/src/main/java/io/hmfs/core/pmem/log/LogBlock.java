package io.hmfs.core.pmem.log;

import static io.hmfs.core.pmem.log.LogLayouts.pin;
import static io.hmfs.core.pmem.log.LogLayouts.u64;
import static java.lang.foreign.MemoryLayout.paddingLayout;
import static java.lang.foreign.MemoryLayout.structLayout;

import java.lang.foreign.StructLayout;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * A block of the log, what one sync makes durable: docs/format.md#log-files. A header, then {@code count} records of {@link
 * LogRecord#SIZE} bytes, then zeros up to a multiple of 64. The checksum covers the salt of the file and all that stands behind
 * the checksum, so that no name that a client stores can pass for a block.
 *
 * <pre>
 *   0        8          16         24       32         40         64
 *   | magic  | checksum | firstLsn | count  | length   | (zero)   |
 * </pre>
 */
public final class LogBlock {
    public static final int HEADER_SIZE = 64;

    /** The letters HMFSLINE. */
    static final long MAGIC = 0x454E494C53464D48L;

    static final int MAGIC_OFFSET = 0;
    static final int CHECKSUM_OFFSET = 8;
    static final int FIRST_LSN_OFFSET = 16;
    static final int COUNT_OFFSET = 24;
    static final int LENGTH_OFFSET = 32;

    /** Blocks begin at multiples of this. */
    public static final int ALIGNMENT = 64;

    /** Records of a block at most. */
    public static final int RECORDS_MAX = 16_384;

    public static final StructLayout LAYOUT = structLayout(
                    u64("magic"), u64("checksum"), u64("firstLsn"), u64("count"), u64("length"), paddingLayout(24))
            .withName("LogBlock");

    static {
        pin(LAYOUT, HEADER_SIZE);
        pin(LAYOUT, "magic", MAGIC_OFFSET);
        pin(LAYOUT, "checksum", CHECKSUM_OFFSET);
        pin(LAYOUT, "firstLsn", FIRST_LSN_OFFSET);
        pin(LAYOUT, "count", COUNT_OFFSET);
        pin(LAYOUT, "length", LENGTH_OFFSET);
    }

    private LogBlock() {}

    /** Bytes of a block with so many records. */
    static int length(int count) {
        int bytes = HEADER_SIZE + count * LogRecord.SIZE;
        return (bytes + ALIGNMENT - 1) & -ALIGNMENT;
    }

    /** Where a record of a block that begins at {@code block} stands. */
    static int record(int block, int index) {
        return block + HEADER_SIZE + index * LogRecord.SIZE;
    }

    /** Writes the header of a block whose records stand in a little-endian buffer already, and zeros behind them. */
    static void seal(ByteBuffer buffer, long firstLsn, int count, long salt, CRC32C crc) {
        int length = length(count);
        for (int at = record(0, count); at < length; at++) {
            buffer.put(at, (byte) 0);
        }
        for (int at = LENGTH_OFFSET; at < HEADER_SIZE; at += 8) {
            buffer.putLong(at, 0);
        }
        buffer.putLong(MAGIC_OFFSET, MAGIC);
        buffer.putLong(FIRST_LSN_OFFSET, firstLsn);
        buffer.putLong(COUNT_OFFSET, count);
        buffer.putLong(LENGTH_OFFSET, length);
        buffer.putLong(CHECKSUM_OFFSET, checksum(buffer, 0, length, salt, crc));
    }

    /** Whether a whole block stands at this place of a buffer. */
    static boolean isWhole(ByteBuffer buffer, int at, long salt, CRC32C crc) {
        if (buffer.limit() - at < HEADER_SIZE || buffer.getLong(at + MAGIC_OFFSET) != MAGIC) {
            return false;
        }
        long count = buffer.getLong(at + COUNT_OFFSET);
        return count > 0
                && count <= RECORDS_MAX
                && buffer.getLong(at + LENGTH_OFFSET) == length((int) count)
                && buffer.limit() - at >= length((int) count)
                && buffer.getLong(at + CHECKSUM_OFFSET) == checksum(buffer, at, length((int) count), salt, crc);
    }

    private static long checksum(ByteBuffer buffer, int at, int length, long salt, CRC32C crc) {
        crc.reset();
        for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
            crc.update((int) (salt >>> shift) & 0xFF);
        }
        int position = buffer.position();
        int limit = buffer.limit();
        buffer.limit(at + length).position(at + FIRST_LSN_OFFSET);
        crc.update(buffer);
        buffer.limit(limit).position(position);
        return crc.getValue();
    }
}
