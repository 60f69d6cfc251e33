package io.hmfs.core.pmem.log;

import static io.hmfs.core.pmem.log.LogLayouts.pin;
import static io.hmfs.core.pmem.log.LogLayouts.u64;
import static java.lang.foreign.MemoryLayout.structLayout;

import java.io.IOException;
import java.lang.foreign.StructLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The first LSN of the newest log file: docs/format.md#log-mark. A start that finds no such file knows that it is missing; without the mark it would take the log
 * for one that ended before. The mark is part of the control file, but has two {@linkplain LogCopies copies} of its own: the log's writer stores it, and must not
 * wait for the folder, which stores the rest.
 *
 * <pre>
 *   0        8          16     24        32         40
 *   | magic  | checksum | salt | reached | sequence |
 * </pre>
 */
public final class LogMark {
    public static final int SIZE = 40;

    /** Where the first copy stands in the control file. */
    public static final int AT = 8192;

    /** The letters HMFSMARK. */
    static final long MAGIC = 0x4B52414D53464D48L;

    static final int MAGIC_OFFSET = 0;
    static final int CHECKSUM_OFFSET = 8;
    static final int SALT_OFFSET = 16;
    static final int REACHED_OFFSET = 24;
    static final int SEQUENCE_OFFSET = 32;

    public static final StructLayout LAYOUT = structLayout(
                    u64("magic"), u64("checksum"), u64("salt"), u64("reached"), u64("sequence"))
            .withName("LogMark");

    static {
        pin(LAYOUT, SIZE);
        pin(LAYOUT, "magic", MAGIC_OFFSET);
        pin(LAYOUT, "checksum", CHECKSUM_OFFSET);
        pin(LAYOUT, "salt", SALT_OFFSET);
        pin(LAYOUT, "reached", REACHED_OFFSET);
        pin(LAYOUT, "sequence", SEQUENCE_OFFSET);
    }

    private final Path path;
    private final long salt;
    private long reached;
    private long sequence;

    /** The mark of a log that has no file. */
    LogMark(Path path, long salt) {
        this.path = path;
        this.salt = salt;
    }

    /** The mark in what was read of a control file; null if neither copy is whole and of this log. */
    static @Nullable LogMark decode(Path path, long salt, ByteBuffer buffer) {
        LogMark newest = null;
        for (int at = AT; at <= AT + LogCopies.DISTANCE; at += LogCopies.DISTANCE) {
            if (buffer.limit() >= at + SIZE
                    && buffer.getLong(at + MAGIC_OFFSET) == MAGIC
                    && buffer.getLong(at + CHECKSUM_OFFSET) == checksum(buffer, at)
                    && buffer.getLong(at + SALT_OFFSET) == salt
                    && (newest == null || buffer.getLong(at + SEQUENCE_OFFSET) > newest.sequence)) {
                newest = new LogMark(path, salt);
                newest.reached = buffer.getLong(at + REACHED_OFFSET);
                newest.sequence = buffer.getLong(at + SEQUENCE_OFFSET);
            }
        }
        return newest;
    }

    /** The first LSN of that file; 0 if no line was ever acknowledged. */
    long reached() {
        return reached;
    }

    /** Makes both copies durable if the file has none. A control file of this version is not one without them, so this comes before its first write. */
    void begin() throws IOException {
        if (sequence == 0) {
            reach(0);
            reach(0);
        }
    }

    /** Says durably that there is a log file that begins with this LSN. */
    void reach(long firstLsn) throws IOException {
        reached = firstLsn;
        sequence++;
        ByteBuffer buffer = ByteBuffer.allocate(SIZE).order(ByteOrder.LITTLE_ENDIAN);
        buffer.putLong(MAGIC_OFFSET, MAGIC);
        buffer.putLong(SALT_OFFSET, salt);
        buffer.putLong(REACHED_OFFSET, reached);
        buffer.putLong(SEQUENCE_OFFSET, sequence);
        buffer.putLong(CHECKSUM_OFFSET, checksum(buffer, 0));
        LogCopies.write(path, AT, sequence, buffer);
    }

    private static long checksum(ByteBuffer buffer, int at) {
        return LogCopies.checksum(buffer, at + SALT_OFFSET, at + SIZE);
    }
}
