package io.hmfs.core.pmem.log;

import static io.hmfs.core.pmem.log.LogLayouts.pin;
import static io.hmfs.core.pmem.log.LogLayouts.u64;
import static java.lang.foreign.MemoryLayout.structLayout;

import io.hmfs.core.pmem.PoolException;
import java.io.IOException;
import java.lang.foreign.StructLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The control file of a log directory: what the image holds, and which pool this is: docs/format.md#log-control. Two copies, of
 * which the one with the higher sequence holds, are written in turn, so that one is always whole.
 *
 * <pre>
 *   0        8          16         24        32       40       48         56           64       72         80
 *   | magic  | checksum | version  | logHigh | logLow | salt   | poolSize | generation | folded | folding  |
 *   80         88
 *   | sequence |
 * </pre>
 */
public final class LogControl {
    public static final int SIZE = 88;

    /** The letters HMFSCTRL. */
    static final long MAGIC = 0x4C52544353464D48L;

    static final long VERSION = 3;

    /** The one before, whose image has no sums. */
    private static final long VERSION_WITHOUT_SUMS = 2;

    /** The first one, which knows no mark either. */
    private static final long VERSION_WITHOUT_MARK = 1;

    static final int MAGIC_OFFSET = 0;
    static final int CHECKSUM_OFFSET = 8;
    static final int VERSION_OFFSET = 16;
    static final int LOG_HIGH_OFFSET = 24;
    static final int LOG_LOW_OFFSET = 32;
    static final int SALT_OFFSET = 40;
    static final int POOL_SIZE_OFFSET = 48;
    static final int GENERATION_OFFSET = 56;
    static final int FOLDED_OFFSET = 64;
    static final int FOLDING_OFFSET = 72;
    static final int SEQUENCE_OFFSET = 80;

    public static final StructLayout LAYOUT = structLayout(
                    u64("magic"),
                    u64("checksum"),
                    u64("version"),
                    u64("logHigh"),
                    u64("logLow"),
                    u64("salt"),
                    u64("poolSize"),
                    u64("generation"),
                    u64("folded"),
                    u64("folding"),
                    u64("sequence"))
            .withName("LogControl");

    static {
        pin(LAYOUT, SIZE);
        pin(LAYOUT, "magic", MAGIC_OFFSET);
        pin(LAYOUT, "checksum", CHECKSUM_OFFSET);
        pin(LAYOUT, "version", VERSION_OFFSET);
        pin(LAYOUT, "logHigh", LOG_HIGH_OFFSET);
        pin(LAYOUT, "logLow", LOG_LOW_OFFSET);
        pin(LAYOUT, "salt", SALT_OFFSET);
        pin(LAYOUT, "poolSize", POOL_SIZE_OFFSET);
        pin(LAYOUT, "generation", GENERATION_OFFSET);
        pin(LAYOUT, "folded", FOLDED_OFFSET);
        pin(LAYOUT, "folding", FOLDING_OFFSET);
        pin(LAYOUT, "sequence", SEQUENCE_OFFSET);
    }

    final Path path;
    final UUID log;
    final long salt;

    /** Bytes of the pool, which a rebuild makes. The image has them before. */
    private volatile long poolSize;

    /** How often the pool was built from image and log. */
    long generation;

    /** The image holds all lines up to this number. */
    long folded;

    /** The image may hold lines up to this number: a log that ends before it was cut off. */
    long folding;

    /** The log's writer's own. */
    final LogMark mark;

    private long sequence;

    /** Whether the image has sums; what is written next says that it has. */
    private boolean hasSums;

    LogControl(Path path, UUID log, long salt, long poolSize) {
        this(path, log, salt, poolSize, new LogMark(path, salt));
    }

    private LogControl(Path path, UUID log, long salt, long poolSize, LogMark mark) {
        this.path = path;
        this.mark = mark;
        this.log = log;
        this.salt = salt;
        this.poolSize = poolSize;
    }

    static LogControl read(Path path) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(LogMark.AT + LogCopies.DISTANCE + LogMark.SIZE)
                .order(ByteOrder.LITTLE_ENDIAN);
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
            while (buffer.hasRemaining() && file.read(buffer) >= 0) {
                // on
            }
        }
        buffer.flip();
        LogControl newest = null;
        boolean otherVersion = false;
        for (int at = 0; at <= LogCopies.DISTANCE; at += LogCopies.DISTANCE) {
            if (buffer.limit() < at + SIZE || buffer.getLong(at + MAGIC_OFFSET) != MAGIC) {
                continue;
            }
            long version = buffer.getLong(at + VERSION_OFFSET);
            boolean isKnown = version == VERSION || version == VERSION_WITHOUT_SUMS || version == VERSION_WITHOUT_MARK;
            otherVersion |= !isKnown;
            if (isKnown
                    && buffer.getLong(at + CHECKSUM_OFFSET) == checksum(buffer, at)
                    && (newest == null || buffer.getLong(at + SEQUENCE_OFFSET) > newest.sequence)) {
                newest = decode(path, buffer, at);
            }
        }
        if (otherVersion) {
            throw new PoolException(
                    PoolException.Reason.WRONG_VERSION,
                    path + " is of another version than this HMFS reads, " + VERSION
                            + ". Open it with the HMFS that made it");
        }
        if (newest == null) {
            throw new PoolException(
                    PoolException.Reason.NOT_A_POOL,
                    path + " is no control file of a log, or is damaged. Restore the directory from a copy");
        }
        return newest;
    }

    private static @Nullable LogControl decode(Path path, ByteBuffer buffer, int at) {
        long salt = buffer.getLong(at + SALT_OFFSET);
        LogMark mark = LogMark.decode(path, salt, buffer);
        if (mark == null && buffer.getLong(at + VERSION_OFFSET) == VERSION_WITHOUT_MARK) {
            mark = new LogMark(path, salt);
        }
        if (mark == null) {
            return null;
        }
        LogControl control = new LogControl(
                path,
                new UUID(buffer.getLong(at + LOG_HIGH_OFFSET), buffer.getLong(at + LOG_LOW_OFFSET)),
                salt,
                buffer.getLong(at + POOL_SIZE_OFFSET),
                mark);
        control.generation = buffer.getLong(at + GENERATION_OFFSET);
        control.folded = buffer.getLong(at + FOLDED_OFFSET);
        control.folding = buffer.getLong(at + FOLDING_OFFSET);
        control.sequence = buffer.getLong(at + SEQUENCE_OFFSET);
        control.hasSums = buffer.getLong(at + VERSION_OFFSET) == VERSION;
        return control;
    }

    boolean hasSums() {
        return hasSums;
    }

    long poolSize() {
        return poolSize;
    }

    /** Says durably that the pool, and its image, are larger now. */
    synchronized void grow(long size) throws IOException {
        long before = poolSize;
        poolSize = size;
        try {
            write();
        } catch (IOException e) {
            poolSize = before;
            throw e;
        }
    }

    /** Makes what the fields say durable. */
    synchronized void write() throws IOException {
        sequence++;
        ByteBuffer buffer = ByteBuffer.allocate(SIZE).order(ByteOrder.LITTLE_ENDIAN);
        buffer.putLong(MAGIC_OFFSET, MAGIC);
        buffer.putLong(VERSION_OFFSET, VERSION);
        buffer.putLong(LOG_HIGH_OFFSET, log.getMostSignificantBits());
        buffer.putLong(LOG_LOW_OFFSET, log.getLeastSignificantBits());
        buffer.putLong(SALT_OFFSET, salt);
        buffer.putLong(POOL_SIZE_OFFSET, poolSize);
        buffer.putLong(GENERATION_OFFSET, generation);
        buffer.putLong(FOLDED_OFFSET, folded);
        buffer.putLong(FOLDING_OFFSET, folding);
        buffer.putLong(SEQUENCE_OFFSET, sequence);
        buffer.putLong(CHECKSUM_OFFSET, checksum(buffer, 0));
        LogCopies.write(path, 0, sequence, buffer);
    }

    private static long checksum(ByteBuffer buffer, int at) {
        return LogCopies.checksum(buffer, at + VERSION_OFFSET, at + SIZE);
    }
}
