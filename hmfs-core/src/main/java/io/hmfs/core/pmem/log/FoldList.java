package io.hmfs.core.pmem.log;

import static io.hmfs.core.pmem.log.LogLayouts.pin;
import static io.hmfs.core.pmem.log.LogLayouts.u64;
import static java.lang.foreign.MemoryLayout.paddingLayout;
import static java.lang.foreign.MemoryLayout.structLayout;

import io.hmfs.core.pmem.PoolException;
import java.io.IOException;
import java.lang.foreign.StructLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Set;
import java.util.zip.CRC32C;

/**
 * The pages of the image that a fold changes, and the sums that they have afterwards: docs/format.md#fold-list. Durable before any of them
 * changes, so that at each moment there is one sum that a page must have.
 *
 * <pre>
 *   0        8          16        24       32     40        48      56         64
 *   | magic  | checksum | logHigh | logLow | salt | lastLsn | count | reserved |
 * </pre>
 */
public final class FoldList {
    public static final int SIZE = 64;

    /** The letters HMFSFOLD. */
    static final long MAGIC = 0x444C4F4653464D48L;

    static final int MAGIC_OFFSET = 0;
    static final int CHECKSUM_OFFSET = 8;
    static final int LOG_HIGH_OFFSET = 16;
    static final int LOG_LOW_OFFSET = 24;
    static final int SALT_OFFSET = 32;
    static final int LAST_LSN_OFFSET = 40;
    static final int COUNT_OFFSET = 48;

    public static final StructLayout LAYOUT = structLayout(
                    u64("magic"),
                    u64("checksum"),
                    u64("logHigh"),
                    u64("logLow"),
                    u64("salt"),
                    u64("lastLsn"),
                    u64("count"),
                    paddingLayout(8))
            .withName("FoldList");

    static {
        pin(LAYOUT, SIZE);
        pin(LAYOUT, "magic", MAGIC_OFFSET);
        pin(LAYOUT, "checksum", CHECKSUM_OFFSET);
        pin(LAYOUT, "logHigh", LOG_HIGH_OFFSET);
        pin(LAYOUT, "logLow", LOG_LOW_OFFSET);
        pin(LAYOUT, "salt", SALT_OFFSET);
        pin(LAYOUT, "lastLsn", LAST_LSN_OFFSET);
        pin(LAYOUT, "count", COUNT_OFFSET);
    }

    /** More pages than a log file has lines. */
    private static final int COUNT_MAX = 1 << 21;

    private static final int PAGE_SHIFT = 32;

    /** The last line that the fold is about. */
    final long lastLsn;

    /** A page in the upper half, its sum in the lower one; by page. */
    private long[] entries = new long[0];

    private int count;

    FoldList(long lastLsn) {
        this.lastLsn = lastLsn;
    }

    static Path path(Path directory) {
        return directory.resolve(LogFiles.FOLDING);
    }

    /** Adds a page behind those that are there. */
    void add(long page, int sum) {
        if (count == entries.length) {
            entries = Arrays.copyOf(entries, Math.max(1024, 2 * count));
        }
        entries[count++] = page << PAGE_SHIFT | Integer.toUnsignedLong(sum);
    }

    int count() {
        return count;
    }

    long page(int index) {
        return entries[index] >>> PAGE_SHIFT;
    }

    int sum(int index) {
        return (int) entries[index];
    }

    /** The place of a page, or a negative number if it is not there. */
    int find(long page) {
        int low = 0;
        int high = count - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (page(middle) < page) {
                low = middle + 1;
            } else if (page(middle) > page) {
                high = middle - 1;
            } else {
                return middle;
            }
        }
        return -1;
    }

    /** In place: what stands there may be the same list, of a fold that was cut off, and must be whole at each moment then. */
    void write(FileChannel file, LogControl control) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(SIZE + count * 8).order(ByteOrder.LITTLE_ENDIAN);
        buffer.putLong(MAGIC_OFFSET, MAGIC);
        buffer.putLong(LOG_HIGH_OFFSET, control.log.getMostSignificantBits());
        buffer.putLong(LOG_LOW_OFFSET, control.log.getLeastSignificantBits());
        buffer.putLong(SALT_OFFSET, control.salt);
        buffer.putLong(LAST_LSN_OFFSET, lastLsn);
        buffer.putLong(COUNT_OFFSET, count);
        for (int i = 0; i < count; i++) {
            buffer.putLong(SIZE + i * 8, entries[i]);
        }
        buffer.putLong(CHECKSUM_OFFSET, LogCopies.checksum(buffer, LOG_HIGH_OFFSET, buffer.limit()));
        LogFiles.write(file, buffer, 0);
    }

    /**
     * The list of a fold that was cut off, and may have changed pages; an empty one if there was no such fold. A list that is not whole was not synced, so
     * no page has changed since; or it is damaged, and pages that have changed do not fit the sums that were before.
     */
    static FoldList begun(Path directory, LogControl control) throws IOException {
        FoldList none = new FoldList(0);
        try (FileChannel file =
                FileChannel.open(path(directory), Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS))) {
            ByteBuffer header = ByteBuffer.allocate(SIZE).order(ByteOrder.LITTLE_ENDIAN);
            LogFiles.read(file, header, 0);
            long count = header.getLong(COUNT_OFFSET);
            if (header.getLong(MAGIC_OFFSET) != MAGIC
                    || header.getLong(LOG_HIGH_OFFSET) != control.log.getMostSignificantBits()
                    || header.getLong(LOG_LOW_OFFSET) != control.log.getLeastSignificantBits()
                    || header.getLong(SALT_OFFSET) != control.salt
                    || header.getLong(LAST_LSN_OFFSET) <= control.folded
                    || count < 0
                    || count > COUNT_MAX) {
                return none;
            }
            ByteBuffer entries = ByteBuffer.allocate((int) count * 8).order(ByteOrder.LITTLE_ENDIAN);
            LogFiles.read(file, entries, SIZE);
            CRC32C crc = new CRC32C();
            crc.update(header.slice(LOG_HIGH_OFFSET, SIZE - LOG_HIGH_OFFSET));
            crc.update(entries.flip());
            if (crc.getValue() != header.getLong(CHECKSUM_OFFSET)) {
                return none;
            }
            FoldList list = new FoldList(header.getLong(LAST_LSN_OFFSET));
            if (list.lastLsn > control.folding) {
                throw new PoolException(
                        PoolException.Reason.NOT_A_POOL,
                        control.path + " is older than " + path(directory)
                                + ": it says that the image may hold lines up to "
                                + control.folding + ", the other " + list.lastLsn
                                + ". Put back the files that belong together");
            }
            list.entries = new long[(int) count];
            list.count = (int) count;
            entries.flip().asLongBuffer().get(list.entries);
            return list;
        }
    }
}
