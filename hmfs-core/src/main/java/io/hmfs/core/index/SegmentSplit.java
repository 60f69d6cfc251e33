package io.hmfs.core.index;

import io.hmfs.core.layout.BucketRecord;
import io.hmfs.core.layout.CorruptPoolException;
import io.hmfs.core.layout.IndexHeader;
import io.hmfs.core.layout.SegmentRecord;
import io.hmfs.core.layout.SplitRecord;
import io.hmfs.core.pmem.Pmem;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Splits a full segment in two, and after a crash undoes or finishes what was under way. An entry is reachable at every moment:
 * the source keeps all of its words until the directory durably leads half of the hashes to the target, and a reader that took
 * the old way finds the directory entry changed when it looks again. Up to {@link SplitRecord#LANES} splits copy at once;
 * from [split.3] on the directory's monitor lets one pass at a time, so that recovery never meets two committed splits that
 * build on each other.
 */
final class SegmentSplit {
    private static final int WORDS = (int) (SegmentRecord.SIZE / Long.BYTES);

    private final Pmem pmem;
    private final long root;
    private final IndexDirectory directory;
    private final Rehasher rehasher;
    private final SegmentSource source;

    /** Per lane, from its first use on, what the words of the source will be: 0 for those that leave it. */
    private final long[] @Nullable [] after = new long[SplitRecord.LANES][];

    private final AtomicInteger lanesBusy = new AtomicInteger();
    private final AtomicLong splits = new AtomicLong();
    private final AtomicLong slotsUsed = new AtomicLong();

    SegmentSplit(Pmem pmem, long root, IndexDirectory directory, Rehasher rehasher, SegmentSource source) {
        this.pmem = pmem;
        this.root = root;
        this.directory = directory;
        this.rehasher = rehasher;
        this.source = source;
    }

    /**
     * Splits a segment of this local depth; the caller holds its stripe.
     *
     * @return false if the directory or the pool has no room
     */
    boolean run(long segment, int local) {
        if (!makeRoomInDirectory(local)) {
            return false;
        }
        long target = source.allocate();
        if (target == Pmem.NULL) {
            return false;
        }
        int lane = claimLane();
        try {
            long record = record(lane);
            // [split.1] The record names the target durably before the target's first word says "in use": no crash
            // leaks it.
            SplitRecord.begin(pmem, record, segment, target, local);
            pmem.persist(record, SplitRecord.SIZE);
            // [split.2] Copy what goes to the upper half, each word to the same bucket and slot. The source stays
            // whole.
            SegmentRecord.init(pmem, target, upperPattern(segment, local), local + 1);
            slotsUsed.addAndGet(
                    BucketRecord.movesWindow(local)
                            ? classifyByObjects(segment, local, target, after(lane))
                            : classifyByWords(segment, local, target, after(lane)));
            pmem.persist(target, SegmentRecord.SIZE);
            synchronized (directory) {
                // [split.3] Commit. Before it, recovery throws the target away; after it, the target may be written to.
                SplitRecord.state(pmem, record, SplitRecord.COMMITTED);
                pmem.persist(record, SplitRecord.SIZE);
                finish(record, after(lane));
            }
        } finally {
            releaseLane(lane);
        }
        splits.incrementAndGet();
        return true;
    }

    /** Brings every split that a crash interrupted to an end; bounded by the lanes, not by the entries. */
    void recover() {
        for (int lane = 0; lane < SplitRecord.LANES; lane++) {
            long record = record(lane);
            long state = SplitRecord.state(pmem, record);
            if (state == SplitRecord.IDLE) {
                continue;
            }
            check(record);
            if (state == SplitRecord.COPYING) {
                undo(record);
            } else if (state == SplitRecord.COMMITTED) {
                int local = (int) SplitRecord.depth(pmem, record);
                // By the objects: of a window that moves, some words may have the old and some the new one.
                classifyByObjects(SplitRecord.source(pmem, record), local, Pmem.NULL, after(lane));
                finish(record, after(lane));
            } else {
                throw new CorruptPoolException(record, "a split's state", state);
            }
        }
    }

    /** Whether a split under way fills this segment. The caller holds the directory's monitor, so none can commit. */
    boolean isTarget(long segment) {
        for (int lane = 0; lane < SplitRecord.LANES; lane++) {
            long record = record(lane);
            if (SplitRecord.state(pmem, record) != SplitRecord.IDLE && SplitRecord.target(pmem, record) == segment) {
                return true;
            }
        }
        return false;
    }

    long splits() {
        return splits.get();
    }

    double loadAtSplit() {
        long count = splits.get();
        return count == 0 ? 0 : (double) slotsUsed.get() / count / SegmentRecord.SLOTS;
    }

    private boolean makeRoomInDirectory(int local) {
        if (local < directory.depth()) {
            return true;
        }
        synchronized (directory) {
            if (local < directory.depth()) {
                return true;
            }
            if (directory.depth() == directory.depthMax()) {
                return false;
            }
            directory.grow();
            return true;
        }
    }

    /**
     * Decides by the windows of the words which of them leave a segment, and copies those to the target. A stale word, whose
     * object has meanwhile got another key, goes where its old key would: look-ups pass over it wherever it stands.
     *
     * @return slots in use
     */
    private int classifyByWords(long segment, int local, long target, long[] stays) {
        int used = 0;
        for (int index = SegmentRecord.HEADER_WORDS; index < WORDS; index++) {
            long word = pmem.getAcquire(segment + ((long) index << 3));
            boolean moves = BucketRecord.isUpper(word, local); // an empty slot never does
            if (moves) {
                pmem.setRelease(target + ((long) index << 3), word);
            }
            stays[index] = moves ? 0 : word;
            used += word == 0 ? 0 : 1;
        }
        return used;
    }

    /**
     * The same by the keys of the objects, for a split after which the window is another, and for recovery. Words get the window
     * of the halves; those for the upper half are copied to the target unless it is NULL; stale ones are dropped. A caller that
     * inserts the object of a stale word anew waits for the stripe, so that loses nothing.
     *
     * @return slots in use
     */
    private int classifyByObjects(long segment, int local, long target, long[] stays) {
        long pattern = lowerPattern(segment, local);
        int used = 0;
        for (int bucket = 0; bucket < SegmentRecord.BUCKETS; bucket++) {
            long line = SegmentRecord.bucket(segment, bucket);
            for (int slot = SegmentRecord.firstSlot(bucket); slot < BucketRecord.SLOTS; slot++) {
                int index = bucket * BucketRecord.SLOTS + slot;
                long word = BucketRecord.load(pmem, line, slot);
                stays[index] = 0;
                if (word == 0) {
                    continue;
                }
                used++;
                long at = BucketRecord.offset(word);
                long hash = rehasher.hashOf(at);
                boolean fits = BucketRecord.fits(word, hash, bucket) && ((hash ^ pattern) & ((1L << local) - 1)) == 0;
                boolean moves = fits && ((hash >>> local) & 1) != 0;
                long renewed = BucketRecord.word(hash, at, local + 1);
                if (moves && target != Pmem.NULL) {
                    BucketRecord.store(pmem, SegmentRecord.bucket(target, bucket), slot, renewed);
                }
                if (fits && !moves) {
                    stays[index] = renewed;
                }
            }
        }
        return used;
    }

    /** Everything after the commit; recovery does it again from the start. */
    private void finish(long record, long[] stays) {
        long segment = SplitRecord.source(pmem, record);
        int local = (int) SplitRecord.depth(pmem, record);
        // [split.4] Lead the upper half's hashes to the target, before their words leave the source: durably, when the
        // record is given up.
        directory.redirect(lowerPattern(segment, local), local, segment, SplitRecord.target(pmem, record));
        // [split.5] Clear what left and renew the windows of what stays, durably before the record is given up, so that
        // no word is ever foreign to its segment, or has a window that is not the segment's, without a record that says
        // so. A reader that misses one of these finds its directory entry changed.
        for (int index = SegmentRecord.HEADER_WORDS; index < WORDS; index++) {
            long at = segment + ((long) index << 3);
            if (pmem.get(at) != stays[index]) {
                pmem.setRelease(at, stays[index]);
            }
        }
        pmem.persist(segment, SegmentRecord.SIZE);
        // [split.6] Give up the record, durably before another thread can split the segment again. To finish this split
        // after that would give the words the window of a depth that is past: the next split would send them to the
        // wrong half, and a scan would take them for foreign.
        SplitRecord.state(pmem, record, SplitRecord.IDLE);
        pmem.persist(record, SplitRecord.SIZE);
    }

    private void undo(long record) {
        long target = SplitRecord.target(pmem, record);
        // [undo.1] What was copied must be gone before [undo.2] the record, or the source would hand out a dirty
        // segment; and no record may come back to life once the segment it names serves another split.
        pmem.zero(target, SegmentRecord.SIZE);
        pmem.persist(target, SegmentRecord.SIZE);
        SplitRecord.state(pmem, record, SplitRecord.IDLE);
        pmem.persist(record, SplitRecord.SIZE);
        source.free(target);
    }

    private void check(long record) {
        long local = SplitRecord.depth(pmem, record);
        if (local < 0 || local >= directory.depth()) {
            throw new CorruptPoolException(
                    record + SplitRecord.DEPTH_OFFSET, "a local depth below " + directory.depth(), local);
        }
        long segment = SplitRecord.source(pmem, record);
        if (SegmentRecord.magic(pmem, segment) != SegmentRecord.MAGIC) {
            throw new CorruptPoolException(record + SplitRecord.SOURCE_OFFSET, "the offset of a segment", segment);
        }
    }

    private int claimLane() {
        for (int spins = 0; ; spins++) {
            int busy = lanesBusy.get();
            int lane = Integer.numberOfTrailingZeros(~busy);
            if (lane < SplitRecord.LANES) {
                if (lanesBusy.compareAndSet(busy, busy | (1 << lane))) {
                    return lane;
                }
            } else {
                Stripes.pause(spins); // threads that hold a lane need nothing that this one holds
            }
        }
    }

    /** The words of a lane. Only the thread that holds the lane calls this, or the recovery before any thread splits. */
    private long[] after(int lane) {
        long[] words = after[lane];
        if (words == null) {
            words = new long[WORDS];
            after[lane] = words;
        }
        return words;
    }

    private void releaseLane(int lane) {
        lanesBusy.getAndUpdate(busy -> busy & ~(1 << lane));
    }

    private long record(int lane) {
        return root + IndexHeader.SIZE + lane * SplitRecord.SIZE;
    }

    private long lowerPattern(long segment, int local) {
        return SegmentRecord.pattern(pmem, segment) & ((1L << local) - 1);
    }

    private long upperPattern(long segment, int local) {
        return lowerPattern(segment, local) | (1L << local);
    }
}
