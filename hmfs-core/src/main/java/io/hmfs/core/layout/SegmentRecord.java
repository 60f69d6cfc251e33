package io.hmfs.core.layout;

import static io.hmfs.core.layout.Layouts.u64;
import static java.lang.foreign.MemoryLayout.sequenceLayout;
import static java.lang.foreign.MemoryLayout.structLayout;

import io.hmfs.core.pmem.Pmem;
import java.lang.foreign.StructLayout;

/**
 * Segment of the index: 16 KiB, 256 buckets of one line each; the header takes half of bucket 0 (docs/format.md#index).
 *
 * <pre>
 *   0        8         16          24         32                         64
 *   | magic  | pattern | birth     | reserved | slots 4-7 of bucket 0    |
 *   | bucket 1: slots 0-7                                                |
 *   | ...                                                                |
 *   | bucket 255: slots 0-7                                              |  16384
 * </pre>
 *
 * <p>A segment whose first word is zero is free. The header never changes: the segment was born with local depth {@code birth}
 * for the hashes that end in {@code pattern}, and since the lower half of a split stays where it is, directory entry
 * {@code pattern} always names this segment.
 */
public final class SegmentRecord {
    public static final long SIZE = 16384;
    public static final int BUCKETS = 1 << BucketRecord.HOME_BITS;

    /** "HMFSEG" and format version 1. */
    public static final long MAGIC = 0x0001_4745_5346_4d48L;

    public static final long MAGIC_OFFSET = 0;
    public static final long PATTERN_OFFSET = 8;
    public static final long BIRTH_OFFSET = 16;

    /** Words of bucket 0 that the header takes. */
    public static final int HEADER_WORDS = 4;

    /** Slots in all buckets. */
    public static final int SLOTS = BUCKETS * BucketRecord.SLOTS - HEADER_WORDS;

    static final StructLayout LAYOUT = structLayout(
                    u64("magic"),
                    u64("pattern"),
                    u64("birth"),
                    u64("reserved"),
                    sequenceLayout(SLOTS, u64("slot")).withName("slots"))
            .withByteAlignment(64)
            .withName("SegmentRecord");

    static {
        Layouts.pin(LAYOUT, SIZE, 64);
        Layouts.pin(LAYOUT, "magic", MAGIC_OFFSET);
        Layouts.pin(LAYOUT, "pattern", PATTERN_OFFSET);
        Layouts.pin(LAYOUT, "birth", BIRTH_OFFSET);
        Layouts.pin(LAYOUT, "slots", 8L * HEADER_WORDS);
    }

    private SegmentRecord() {}

    /** Marks a zeroed segment as in use; the magic goes in last. */
    public static void init(Pmem pmem, long at, long pattern, int birth) {
        pmem.set(at + PATTERN_OFFSET, pattern);
        pmem.set(at + BIRTH_OFFSET, birth);
        pmem.setRelease(at + MAGIC_OFFSET, MAGIC);
    }

    /** Whether the segment holds nothing and belongs to no index. */
    public static boolean isFree(Pmem pmem, long at) {
        return pmem.getAcquire(at + MAGIC_OFFSET) == 0;
    }

    public static long magic(Pmem pmem, long at) {
        return pmem.getAcquire(at + MAGIC_OFFSET);
    }

    public static long pattern(Pmem pmem, long at) {
        return pmem.get(at + PATTERN_OFFSET);
    }

    public static long birth(Pmem pmem, long at) {
        return pmem.get(at + BIRTH_OFFSET);
    }

    /** Offset of a bucket, 0–255. */
    public static long bucket(long at, int bucket) {
        return at + ((long) bucket << BucketRecord.SIZE_SHIFT);
    }

    /** First word of a bucket that is a slot, not header. */
    public static int firstSlot(int bucket) {
        return bucket == 0 ? HEADER_WORDS : 0;
    }
}
