package io.hmfs.core.index;

import io.hmfs.core.layout.BucketRecord;
import io.hmfs.core.layout.SegmentRecord;
import io.hmfs.core.pmem.Pmem;

/**
 * Puts a word into one of its two buckets. While the home bucket is emptier than {@link #HOME_FIRST} it takes the word, so that
 * most look-ups read one line; above that the emptier of the two does; when both are full, one word of theirs moves to its own
 * other bucket.
 */
final class Placement {
    /** Words in the home bucket from which on the partner is considered: 0.91 load at the split with 1.2 lines a hit. */
    private static final int HOME_FIRST = 6;

    private static final int USED_MASK = (1 << BucketRecord.SLOTS) - 1;
    private static final int PRESENT = 1 << BucketRecord.SLOTS;

    private final Pmem pmem;
    private final Stripes stripes;

    Placement(Pmem pmem, Stripes stripes) {
        this.pmem = pmem;
        this.stripes = stripes;
    }

    /**
     * Stores a word, unless it is there already; not written back. The caller holds the segment's stripe.
     *
     * @return offset of the bucket where the word stands, or NULL if there is no place
     */
    long put(int stripe, long segment, long hash, long word) {
        int home = BucketRecord.home(hash);
        int partner = BucketRecord.partner(home, hash);
        int inHome = survey(segment, home, word);
        if (inHome >= PRESENT) {
            return SegmentRecord.bucket(segment, home);
        }
        int inPartner = survey(segment, partner, word);
        if (inPartner >= PRESENT) {
            return SegmentRecord.bucket(segment, partner);
        }
        int homeCount = Integer.bitCount(inHome);
        if (homeCount < BucketRecord.SLOTS && (homeCount < HOME_FIRST || homeCount <= Integer.bitCount(inPartner))) {
            return store(segment, home, Integer.numberOfTrailingZeros(~inHome), word);
        }
        if (inPartner != USED_MASK) {
            return store(segment, partner, Integer.numberOfTrailingZeros(~inPartner), word);
        }
        int slot = displace(segment, home);
        int bucket = home;
        if (slot < 0) {
            slot = displace(segment, partner);
            bucket = partner;
        }
        if (slot < 0) {
            return Pmem.NULL;
        }
        // [displace.2] Overwrite the moved word. Counted first: a reader that scanned its new place before [displace.1]
        // and
        // its old place after this sees the count change, and looks again.
        stripes.moved(stripe);
        return store(segment, bucket, slot, word);
    }

    private long store(long segment, int bucket, int slot, long word) {
        long line = SegmentRecord.bucket(segment, bucket);
        BucketRecord.store(pmem, line, slot, word);
        return line;
    }

    /** Copies one word of a full bucket to its other bucket; the slot whose word may now be overwritten, or -1. */
    private int displace(long segment, int bucket) {
        long line = SegmentRecord.bucket(segment, bucket);
        for (int slot = SegmentRecord.firstSlot(bucket); slot < BucketRecord.SLOTS; slot++) {
            long word = BucketRecord.load(pmem, line, slot);
            int other = BucketRecord.partner(bucket, word);
            int used = survey(segment, other, word);
            // In both: a crash between the two steps, or the death of a process before the copy was durable.
            boolean isCopied = used >= PRESENT;
            if (isCopied || used != USED_MASK) {
                if (!isCopied) {
                    store(segment, other, Integer.numberOfTrailingZeros(~used), word);
                }
                // [displace.1] The copy is durable before the original goes: its owner may have been told OK long ago.
                pmem.persist(SegmentRecord.bucket(segment, other), BucketRecord.SIZE);
                return slot;
            }
        }
        return -1;
    }

    /** One bit for each slot that cannot be used, and PRESENT if one of them holds the word. */
    private int survey(long segment, int bucket, long word) {
        long line = SegmentRecord.bucket(segment, bucket);
        int first = SegmentRecord.firstSlot(bucket);
        int used = (1 << first) - 1;
        for (int slot = first; slot < BucketRecord.SLOTS; slot++) {
            long there = BucketRecord.load(pmem, line, slot);
            if (there != 0) {
                used |= 1 << slot;
                if (there == word) {
                    used |= PRESENT;
                }
            }
        }
        return used;
    }
}
