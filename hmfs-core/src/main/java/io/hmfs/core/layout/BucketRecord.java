package io.hmfs.core.layout;

import static io.hmfs.core.layout.Layouts.u64;
import static java.lang.foreign.MemoryLayout.sequenceLayout;
import static java.lang.foreign.MemoryLayout.structLayout;

import io.hmfs.core.pmem.Pmem;
import java.lang.foreign.StructLayout;

/**
 * Bucket of the index: one line of eight slots; and the slot, one word that is stored at once (docs/format.md#index).
 *
 * <pre>
 *   63              48 47                                      6 5      0
 *   | tag of the key  | offset of the object, without its zeros | window |    0: empty
 * </pre>
 *
 * <p>Of a 64-bit hash the top 16 bits are the tag, bits 32–39 the home bucket, and the lowest bits choose the segment; no bit
 * serves twice. The window is six more bits of the hash, those that the next splits of the segment ask for: which six follows from
 * the segment's local depth, so that a split need not read the objects. A key may stand in its home bucket or in the partner: home XOR a distance of 1–63 that the tag alone gives, so
 * that the partner lies in the same 4 KiB and the other place of a word is known from the word and where it stands.
 */
public final class BucketRecord {
    public static final long SIZE = 64;
    public static final int SIZE_SHIFT = 6;
    public static final int SLOTS = 8;

    /** Bits of a hash that are the home bucket: a segment has a bucket for each value. */
    public static final int HOME_BITS = 8;

    /** The tag within a word, and within a hash. */
    public static final long TAG_MASK = 0xffffL << 48;

    /** Bits of the window. */
    public static final int WINDOW_BITS = 6;

    /** The window within a word: the bits that are zero in the offset of a line. */
    public static final long WINDOW_MASK = (1L << WINDOW_BITS) - 1;

    /** The offset within a word. */
    public static final long OFFSET_MASK = ((1L << 48) - 1) & ~WINDOW_MASK;

    private static final int BUCKET_SHIFT = 32;
    private static final int TAG_SHIFT = 48;
    private static final int TAG_BITS = 16;
    private static final int DISTANCES = 63;

    static final StructLayout LAYOUT = structLayout(
                    sequenceLayout(SLOTS, u64("slot")).withName("slots"))
            .withByteAlignment(64)
            .withName("BucketRecord");

    static {
        Layouts.pin(LAYOUT, SIZE, 64);
        Layouts.pin(LAYOUT, "slots", 0);
    }

    private BucketRecord() {}

    /** The word for an object under a key's hash, in a segment of this local depth. */
    public static long word(long hash, long at, int local) {
        return (hash & TAG_MASK) | at | ((hash >>> windowStart(local)) & WINDOW_MASK);
    }

    /** The lowest of the hash bits that stand in the window. */
    private static int windowStart(int local) {
        return local / WINDOW_BITS * WINDOW_BITS;
    }

    /** The window of a word. */
    public static long window(long word) {
        return word & WINDOW_MASK;
    }

    /** Whether the key of this word belongs to the upper half when a segment of this local depth splits. */
    public static boolean isUpper(long word, int local) {
        return ((word >>> (local % WINDOW_BITS)) & 1) != 0;
    }

    /** Whether the halves of a segment of this local depth have other windows than the segment. */
    public static boolean movesWindow(int local) {
        return windowStart(local + 1) != windowStart(local);
    }

    /** Whether two words name the same object under the same tag, whatever their windows. */
    public static boolean sameObject(long word, long other) {
        return ((word ^ other) & ~WINDOW_MASK) == 0;
    }

    /** Whether a word or a hash has the tag of another. */
    public static boolean sameTag(long word, long hash) {
        return ((word ^ hash) & TAG_MASK) == 0;
    }

    /** The object that a word names; 0 if the slot is empty. */
    public static long offset(long word) {
        return word & OFFSET_MASK;
    }

    /** Home bucket of a hash, 0–255. */
    public static int home(long hash) {
        return (int) (hash >>> BUCKET_SHIFT) & ((1 << HOME_BITS) - 1);
    }

    /** The other bucket where a key with this tag may stand that may stand in this one; its own inverse. */
    public static int partner(int bucket, long hashOrWord) {
        return bucket ^ (1 + (((int) (hashOrWord >>> TAG_SHIFT) * DISTANCES) >>> TAG_BITS));
    }

    /** Whether a look-up of the hash finds the word in this bucket. */
    public static boolean fits(long word, long hash, int bucket) {
        int home = home(hash);
        return sameTag(word, hash) && (bucket == home || bucket == partner(home, hash));
    }

    public static long load(Pmem pmem, long bucketAt, int slot) {
        return pmem.getAcquire(bucketAt + ((long) slot << 3));
    }

    public static void store(Pmem pmem, long bucketAt, int slot, long word) {
        pmem.setRelease(bucketAt + ((long) slot << 3), word);
    }
}
