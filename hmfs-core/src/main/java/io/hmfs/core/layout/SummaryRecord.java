package io.hmfs.core.layout;

import static io.hmfs.core.layout.Layouts.u64;
import static java.lang.foreign.MemoryLayout.paddingLayout;
import static java.lang.foreign.MemoryLayout.structLayout;

import io.hmfs.core.pmem.Pmem;
import java.lang.foreign.StructLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * Where a clean close has left the free slots, in the superblock; little-endian (docs/format.md#summary).
 * <pre>
 *   0        8        16       24       32       40       48       56       64
 *   | starts | dead   | free slots of each kind  | never used, of each kind |
 *   64        72             80         88                                 128
 *   | removed | removed files | checksum | reserved, zero                     |
 * </pre>
 * removed = the first of the removed files whose data has still to be removed, chained through their {@code next} | 1 if data is kept elsewhere; behind it
 * is how many there are. Without that 1 it is not known which removed files had data.
 *
 * Free slots stand in batches of at most {@link #BATCH_MAX}: a chain through their {@code next}, and the first of a batch has, in another
 * word, the first of the next batch. Of the last region of a kind the slots from "never used" on stand in no batch.
 *
 * <p>Believed only in a pool that was closed cleanly, by the start with the number {@code starts}, and not opened since.
 */
public final class SummaryRecord {
    /** Slots of a batch. */
    public static final int BATCH_MAX = 64;

    public static final long SIZE = 128;
    public static final long STARTS_OFFSET = 0;
    public static final long DEAD_OFFSET = 8;
    public static final long FREE_OFFSET = 16;
    public static final long UNUSED_OFFSET = 40;
    public static final long REMOVED_OFFSET = 64;
    public static final long REMOVED_COUNT_OFFSET = 72;
    public static final long CHECKSUM_OFFSET = 80;

    private static final long KEPT = 1;

    static final StructLayout LAYOUT = structLayout(
                    u64("starts"),
                    u64("dead"),
                    u64("freeContents"),
                    u64("freeEntries"),
                    u64("freeLongEntries"),
                    u64("unusedContents"),
                    u64("unusedEntries"),
                    u64("unusedLongEntries"),
                    u64("removed"),
                    u64("removedCount"),
                    u64("checksum"),
                    paddingLayout(40))
            .withByteAlignment(64)
            .withName("SummaryRecord");

    static {
        Layouts.pin(LAYOUT, SIZE, 64);
        Layouts.pin(LAYOUT, "starts", STARTS_OFFSET);
        Layouts.pin(LAYOUT, "dead", DEAD_OFFSET);
        Layouts.pin(LAYOUT, "freeContents", FREE_OFFSET + ofKind(RegionKind.CONTENT_SLOTS));
        Layouts.pin(LAYOUT, "freeEntries", FREE_OFFSET + ofKind(RegionKind.ENTRY_SLOTS));
        Layouts.pin(LAYOUT, "freeLongEntries", FREE_OFFSET + ofKind(RegionKind.LONG_ENTRY_SLOTS));
        Layouts.pin(LAYOUT, "unusedContents", UNUSED_OFFSET + ofKind(RegionKind.CONTENT_SLOTS));
        Layouts.pin(LAYOUT, "unusedEntries", UNUSED_OFFSET + ofKind(RegionKind.ENTRY_SLOTS));
        Layouts.pin(LAYOUT, "unusedLongEntries", UNUSED_OFFSET + ofKind(RegionKind.LONG_ENTRY_SLOTS));
        Layouts.pin(LAYOUT, "removed", REMOVED_OFFSET);
        Layouts.pin(LAYOUT, "removedCount", REMOVED_COUNT_OFFSET);
        Layouts.pin(LAYOUT, "checksum", CHECKSUM_OFFSET);
    }

    private SummaryRecord() {}

    private static long ofKind(RegionKind kind) {
        return 8L * (kind.code() - RegionKind.CONTENT_SLOTS.code());
    }

    /** The word of a free slot that has the first slot of the next batch. It is not read otherwise in a slot that is free. */
    public static long linkOffset(RegionKind kind) {
        return kind == RegionKind.CONTENT_SLOTS ? DirContentRecord.MIDDLE_OFFSET : EntryRecord.ATIME_OFFSET;
    }

    /** The first batch of a kind of slots, or {@code Pmem.NULL}. */
    public static long free(Pmem pmem, long at, RegionKind kind) {
        return pmem.get(at + FREE_OFFSET + ofKind(kind));
    }

    /** Where the slots of a kind begin that no one has ever used; the end of the last region if there are none, 0 without a region. */
    public static long unused(Pmem pmem, long at, RegionKind kind) {
        return pmem.get(at + UNUSED_OFFSET + ofKind(kind));
    }

    public static void set(Pmem pmem, long at, RegionKind kind, long free, long unused) {
        pmem.set(at + FREE_OFFSET + ofKind(kind), free);
        pmem.set(at + UNUSED_OFFSET + ofKind(kind), unused);
    }

    /** The first of the removed files that hold data, or {@code Pmem.NULL}. */
    public static long removed(Pmem pmem, long at) {
        return pmem.get(at + REMOVED_OFFSET) & ~KEPT;
    }

    /** How many removed files hold data. */
    public static long removedCount(Pmem pmem, long at) {
        return pmem.get(at + REMOVED_COUNT_OFFSET);
    }

    /** Whether data was kept elsewhere when the pool was open last: only then is {@link #removed} known. */
    public static boolean keepsData(Pmem pmem, long at) {
        return (pmem.get(at + REMOVED_OFFSET) & KEPT) != 0;
    }

    public static void setRemoved(Pmem pmem, long at, boolean keepsData, long first, long count) {
        pmem.set(at + REMOVED_OFFSET, first | (keepsData ? KEPT : 0));
        pmem.set(at + REMOVED_COUNT_OFFSET, count);
    }

    /** CRC32C of the words before it. */
    public static long checksum(Pmem pmem, long at) {
        ByteBuffer bytes = ByteBuffer.allocate((int) CHECKSUM_OFFSET).order(ByteOrder.LITTLE_ENDIAN);
        for (long offset = 0; offset < CHECKSUM_OFFSET; offset += 8) {
            bytes.putLong(pmem.get(at + offset));
        }
        CRC32C crc = new CRC32C();
        crc.update(bytes.flip());
        return crc.getValue();
    }
}
