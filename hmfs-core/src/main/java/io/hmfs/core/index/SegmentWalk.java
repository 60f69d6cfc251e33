package io.hmfs.core.index;

import io.hmfs.core.layout.BucketRecord;
import io.hmfs.core.layout.SegmentRecord;
import io.hmfs.core.pmem.Pmem;

/** Goes through all words of one segment, for sweeps and reports. */
final class SegmentWalk {
    private final Pmem pmem;
    private final Rehasher rehasher;

    SegmentWalk(Pmem pmem, Rehasher rehasher) {
        this.pmem = pmem;
        this.rehasher = rehasher;
    }

    /**
     * Shows the words of a segment that serves the hashes ending in the {@code local} low bits of {@code pattern}, and clears the
     * unwanted, not written back. The caller holds the stripe. No reader is told: what is cleared leads to nothing that lives.
     */
    int sweep(long segment, long pattern, int local, WordVisitor visitor) {
        int cleared = 0;
        for (int bucket = 0; bucket < SegmentRecord.BUCKETS; bucket++) {
            long line = SegmentRecord.bucket(segment, bucket);
            for (int slot = SegmentRecord.firstSlot(bucket); slot < BucketRecord.SLOTS; slot++) {
                long word = BucketRecord.load(pmem, line, slot);
                if (word == 0) {
                    continue;
                }
                long hash = rehasher.hashOf(BucketRecord.offset(word));
                boolean fits = BucketRecord.fits(word, hash, bucket)
                        && word == BucketRecord.word(hash, BucketRecord.offset(word), local)
                        && ((hash ^ pattern) & ((1L << local) - 1)) == 0;
                if (!visitor.visit(segment, word, fits)) {
                    BucketRecord.store(pmem, line, slot, 0);
                    cleared++;
                }
            }
        }
        return cleared;
    }

    int slotsUsed(long segment) {
        int used = 0;
        for (int bucket = 0; bucket < SegmentRecord.BUCKETS; bucket++) {
            for (int slot = SegmentRecord.firstSlot(bucket); slot < BucketRecord.SLOTS; slot++) {
                if (BucketRecord.load(pmem, SegmentRecord.bucket(segment, bucket), slot) != 0) {
                    used++;
                }
            }
        }
        return used;
    }
}
