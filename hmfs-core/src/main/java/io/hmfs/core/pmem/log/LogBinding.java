package io.hmfs.core.pmem.log;

import static io.hmfs.core.pmem.log.LogLayouts.pin;
import static io.hmfs.core.pmem.log.LogLayouts.u64;
import static java.lang.foreign.MemoryLayout.paddingLayout;
import static java.lang.foreign.MemoryLayout.structLayout;

import io.hmfs.core.pmem.Backing;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.pmem.PoolFile;
import io.hmfs.core.pmem.PoolFiles;
import java.io.IOException;
import java.lang.foreign.StructLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.UUID;

/**
 * What ties a pool to its log, behind the header area of a mapped pool: docs/format.md#log-binding. A pool that has it is one part
 * of three; stores that the log does not see would be lost with the machine.
 *
 * <pre>
 *   0        8         16       24        32       64
 *   | magic  | logHigh | logLow | session | (zero) |
 * </pre>
 */
public final class LogBinding {
    public static final long SIZE = 64;

    /** Where it stands in a mapped pool. */
    public static final long AT = PoolFile.HEADER_SIZE;

    /** The letters HMFSBIND. */
    static final long MAGIC = 0x444E494253464D48L;

    static final long MAGIC_OFFSET = 0;
    static final long LOG_HIGH_OFFSET = 8;
    static final long LOG_LOW_OFFSET = 16;
    static final long SESSION_OFFSET = 24;

    public static final StructLayout LAYOUT = structLayout(
                    u64("magic"), u64("logHigh"), u64("logLow"), u64("session"), paddingLayout(32))
            .withByteAlignment(8)
            .withName("LogBinding");

    static {
        pin(LAYOUT, SIZE);
        pin(LAYOUT, "magic", MAGIC_OFFSET);
        pin(LAYOUT, "logHigh", LOG_HIGH_OFFSET);
        pin(LAYOUT, "logLow", LOG_LOW_OFFSET);
        pin(LAYOUT, "session", SESSION_OFFSET);
    }

    private LogBinding() {}

    static void init(Pmem pmem, UUID log) {
        pmem.set(AT + LOG_HIGH_OFFSET, log.getMostSignificantBits());
        pmem.set(AT + LOG_LOW_OFFSET, log.getLeastSignificantBits());
        pmem.setRelease(AT + MAGIC_OFFSET, MAGIC);
        pmem.persist(AT, SIZE);
    }

    /** Whether a pool file belongs to a log, and must not be opened without it. */
    public static boolean isBound(PoolFile file) {
        return file.backing() == Backing.MAPPED && file.pmem().get(AT + MAGIC_OFFSET) == MAGIC;
    }

    /** The same of a file that is not opened as a pool; false if it holds less than one. */
    public static boolean isBound(Path pool) throws PoolException {
        if (PoolFiles.isPmdk(pool)) {
            return false;
        }
        ByteBuffer magic = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        try (FileChannel file = FileChannel.open(pool, StandardOpenOption.READ)) {
            return file.read(magic, AT + MAGIC_OFFSET) == Long.BYTES && magic.getLong(0) == MAGIC;
        } catch (IOException e) {
            throw new PoolException(PoolException.Reason.IO, pool + " cannot be read: " + e, e);
        }
    }

    static UUID log(Pmem pmem) {
        return new UUID(pmem.get(AT + LOG_HIGH_OFFSET), pmem.get(AT + LOG_LOW_OFFSET));
    }

    static long session(Pmem pmem) {
        return pmem.get(AT + SESSION_OFFSET);
    }
}
