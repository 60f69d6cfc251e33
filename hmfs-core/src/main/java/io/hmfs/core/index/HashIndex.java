package io.hmfs.core.index;

import io.hmfs.core.layout.BucketRecord;
import io.hmfs.core.layout.CorruptPoolException;
import io.hmfs.core.layout.DirectoryEntry;
import io.hmfs.core.layout.IndexHeader;
import io.hmfs.core.layout.SegmentRecord;
import io.hmfs.core.layout.SplitRecord;
import io.hmfs.core.pmem.Pmem;

/**
 * The persistent hash index: from the hash of a key to the objects that may have it. Holds 64-bit hashes' tags and offsets, never
 * keys; several objects may stand under one key, and a word may be stale, so callers compare keys and statuses.
 *
 * <p>Readers take no lock, store nothing and allocate nothing. A look-up that finds nothing is to be trusted: no word of its
 * buckets was moved, cleared or led elsewhere while it looked. Writers lock one stripe of segments. Objects stand on line
 * boundaries below 2^48.
 */
public final class HashIndex {
    /** Bytes of the root: header and split records, aligned to a line. */
    public static final long ROOT_SIZE = IndexHeader.SIZE + SplitRecord.LANES * SplitRecord.SIZE;

    /** The most offsets that {@link #candidates} gives. */
    public static final int CANDIDATES_MAX = 2 * BucketRecord.SLOTS;

    /** Deepest directory: the low hash bits end where the bucket's begin. */
    public static final int DEPTH_MAX = 32;

    /** Splits that one insert tries; a segment that is full after these has too many keys with one hash. */
    private static final int SPLITS_MAX = 4;

    /** Look-ups without a lock before one with it. */
    static final int READS_MAX = 64;

    private static final int SAMPLES = 64;

    private static final int PLACE_SHIFT = 48;

    private final Pmem pmem;
    private final IndexDirectory directory;
    private final Stripes stripes = new Stripes();
    private final Placement placement;
    private final SegmentSplit split;
    private final SegmentWalk walk;

    private HashIndex(Pmem pmem, long root, Rehasher rehasher, SegmentSource source) {
        this.pmem = pmem;
        this.walk = new SegmentWalk(pmem, rehasher);
        this.directory = new IndexDirectory(pmem, root);
        this.placement = new Placement(pmem, stripes);
        this.split = new SegmentSplit(pmem, root, directory, rehasher, source);
    }

    /** Bytes that a directory of at most 2^depthMax entries takes. */
    public static long directorySize(int depthMax) {
        return DirectoryEntry.SIZE << depthMax;
    }

    /**
     * Makes an empty index; durable on return.
     *
     * @param root zeroed {@link #ROOT_SIZE} bytes on a line
     * @param directoryAt {@link #directorySize} bytes on a line
     * @param depthMax 0–{@link #DEPTH_MAX}: room for 2^depthMax segments
     * @param depth 0–depthMax: 2^depth segments to begin with
     * @return false if the source has too few segments
     */
    public static boolean format(
            Pmem pmem, long root, long directoryAt, int depthMax, int depth, SegmentSource source) {
        if (depthMax < 0 || depthMax > DEPTH_MAX || depth < 0 || depth > depthMax) {
            throw new IllegalArgumentException("index depth " + depth + " of at most " + depthMax);
        }
        for (long index = 0; index < 1L << depth; index++) {
            long segment = source.allocate();
            if (segment == Pmem.NULL) {
                return false;
            }
            SegmentRecord.init(pmem, segment, index, depth);
            pmem.writeBack(segment, BucketRecord.SIZE);
            DirectoryEntry.store(pmem, directoryAt + (index << 3), DirectoryEntry.of(depth, segment));
        }
        pmem.persist(directoryAt, directorySize(depth));
        IndexHeader.init(pmem, root, depth, directoryAt, depthMax);
        pmem.persist(root, IndexHeader.SIZE);
        return true;
    }

    /**
     * Opens an index and brings what a crash interrupted to an end. The time does not depend on the number of entries.
     *
     * @throws CorruptPoolException if there is no index at {@code root}
     */
    public static HashIndex open(Pmem pmem, long root, Rehasher rehasher, SegmentSource source) {
        if (IndexHeader.magic(pmem, root) != IndexHeader.MAGIC) {
            throw new CorruptPoolException(root, "an index, version 1", IndexHeader.magic(pmem, root));
        }
        // [open.1] What is seen here a process may have stored, and died before it was durable. It is built on from now
        // on, and no power failure may take back the depth or the state of a record.
        pmem.persist(root, ROOT_SIZE);
        long depthMax = IndexHeader.directoryDepth(pmem, root);
        if (depthMax < 0 || depthMax > DEPTH_MAX) {
            throw new CorruptPoolException(root + IndexHeader.DIRECTORY_DEPTH_OFFSET, "0 to " + DEPTH_MAX, depthMax);
        }
        long depth = IndexHeader.depth(pmem, root);
        if (depth < 0 || depth > depthMax) {
            throw new CorruptPoolException(root + IndexHeader.DEPTH_OFFSET, "0 to " + depthMax, depth);
        }
        HashIndex index = new HashIndex(pmem, root, rehasher, source);
        index.split.recover();
        return index;
    }

    /** Whether an entry read from a directory of this depth still says where to look. */
    private boolean isCurrent(long entry, int depth, long slot) {
        return DirectoryEntry.depth(entry) <= depth && DirectoryEntry.load(pmem, slot) == entry;
    }

    /**
     * The segment where a hash belongs at this moment, for {@link #match}. A split may lead the hash elsewhere at any time, so this
     * is for a caller that looks for one object and, not having found it, asks {@link #candidates}.
     */
    public long segment(long hash) {
        return DirectoryEntry.segment(DirectoryEntry.load(pmem, directory.slot(hash, directory.depth())));
    }

    /**
     * The first object that may have a key of this hash, from a place of its two buckets on: the place in the upper 16 bits, the
     * offset in the lower 48. Negative if there is none.
     *
     * @param place 0, or one more than {@link #place} of the match before
     */
    public long match(long segment, long hash, int place) {
        int home = BucketRecord.home(hash);
        if (place < BucketRecord.SLOTS) {
            long found = match(segment, home, hash, place, 0);
            if (found >= 0) {
                return found;
            }
        }
        int from = Math.max(0, place - BucketRecord.SLOTS);
        return match(segment, BucketRecord.partner(home, hash), hash, from, BucketRecord.SLOTS);
    }

    private long match(long segment, int bucket, long hash, int from, int before) {
        long line = SegmentRecord.bucket(segment, bucket);
        for (int slot = Math.max(from, SegmentRecord.firstSlot(bucket)); slot < BucketRecord.SLOTS; slot++) {
            long word = BucketRecord.load(pmem, line, slot);
            if (BucketRecord.sameTag(word, hash) && word != 0) {
                return (long) (before + slot) << PLACE_SHIFT | BucketRecord.offset(word);
            }
        }
        return -1;
    }

    /** Asks for the lines that a look-up of this hash will read: a hint, see {@link Pmem#prefetch}. */
    public void prefetch(long hash) {
        long segment = segment(hash);
        int home = BucketRecord.home(hash);
        pmem.prefetch(SegmentRecord.bucket(segment, home), Pmem.LINE);
        pmem.prefetch(SegmentRecord.bucket(segment, BucketRecord.partner(home, hash)), Pmem.LINE);
    }

    /** Where a match stands. */
    public static int place(long match) {
        return (int) (match >>> PLACE_SHIFT);
    }

    /** The object of a match. */
    public static long object(long match) {
        return BucketRecord.offset(match);
    }

    /**
     * All objects that may have a key of this hash, each once. The set is to be trusted: nothing that was in the index throughout the
     * call is missing. A caller that refuses all of them asks again, and is told the same if no other object has come to have the key
     * meanwhile.
     *
     * @param out at least {@link #CANDIDATES_MAX} long; filled from 0
     * @return how many
     */
    public int candidates(long hash, long[] out) {
        for (int reads = 0; reads < READS_MAX; reads++) {
            int depth = directory.depth();
            long slot = directory.slot(hash, depth);
            long entry = DirectoryEntry.load(pmem, slot);
            long segment = DirectoryEntry.segment(entry);
            int stripe = Stripes.of(segment);
            int version = stripes.version(stripe);
            int count = collect(segment, hash, out);
            if (isCurrent(entry, depth, slot) && stripes.version(stripe) == version) {
                return count;
            }
        }
        long segment = DirectoryEntry.segment(lock(hash));
        try {
            return collect(segment, hash, out);
        } finally {
            stripes.unlock(Stripes.of(segment));
        }
    }

    /**
     * Adds an object under a key's hash; nothing changes if it is there already. The word is written back but not fenced: the
     * caller's next fence makes it durable. The object's key is filled before.
     *
     * @return false if there is no space
     */
    public boolean insert(long hash, long at) {
        if (at == Pmem.NULL || (at & BucketRecord.OFFSET_MASK) != at) {
            throw new IllegalArgumentException("not the offset of an object: " + at);
        }
        for (int splits = 0; ; splits++) {
            long entry = lock(hash);
            long segment = DirectoryEntry.segment(entry);
            int local = DirectoryEntry.depth(entry);
            int stripe = Stripes.of(segment);
            long line;
            try {
                line = placement.put(stripe, segment, hash, BucketRecord.word(hash, at, local));
                if (line == Pmem.NULL && (splits == SPLITS_MAX || !split.run(segment, local))) {
                    return false;
                }
            } finally {
                stripes.unlock(stripe);
            }
            if (line != Pmem.NULL) {
                // Outside the lock: a thread that moves the word in between makes its new place durable first.
                pmem.writeBack(line, BucketRecord.SIZE);
                return true;
            }
        }
    }

    /**
     * Clears the word of an object under a key's hash. Not written back: a word that comes back leads to an object that is not live.
     *
     * @return false if it was not there
     */
    public boolean remove(long hash, long at) {
        long entry = lock(hash);
        long segment = DirectoryEntry.segment(entry);
        long word = BucketRecord.word(hash, at, DirectoryEntry.depth(entry));
        int stripe = Stripes.of(segment);
        try {
            int home = BucketRecord.home(hash);
            boolean inHome = clear(stripe, SegmentRecord.bucket(segment, home), SegmentRecord.firstSlot(home), word);
            int partner = BucketRecord.partner(home, hash);
            boolean inPartner =
                    clear(stripe, SegmentRecord.bucket(segment, partner), SegmentRecord.firstSlot(partner), word);
            return inHome || inPartner;
        } finally {
            stripes.unlock(stripe);
        }
    }

    /** Whether a segment belongs to the index, or is about to: constant time, for callers that look for leaks. */
    public boolean owns(long segment) {
        if (SegmentRecord.isFree(pmem, segment)) {
            return false;
        }
        long pattern = SegmentRecord.pattern(pmem, segment);
        synchronized (directory) {
            return pattern >>> directory.depth() == 0
                    && (DirectoryEntry.segment(directory.entry(pattern)) == segment || split.isTarget(segment));
        }
    }

    /** Positions for {@link #sweep}: 0 to this, exclusive; grows when the directory doubles. */
    public long sweepEnd() {
        return 1L << directory.depth();
    }

    /**
     * Shows every word of one segment to a visitor, under the segment's lock, and clears those it does not want to keep. Each
     * segment is met at exactly one position. Not written back, as in {@link #remove}.
     *
     * @return words cleared
     */
    public int sweep(long position, WordVisitor visitor) {
        long entry = lock(position);
        long segment = DirectoryEntry.segment(entry);
        int stripe = Stripes.of(segment);
        try {
            int local = DirectoryEntry.depth(entry);
            return position >>> local == 0 ? walk.sweep(segment, position, local, visitor) : 0;
        } finally {
            stripes.unlock(stripe);
        }
    }

    /** Counts what there is; reads the whole directory and a few segments. */
    public Statistics statistics() {
        long segments = 0;
        long used = 0;
        int sampled = 0;
        long end = sweepEnd();
        long stride = Math.max(1, end / SAMPLES);
        for (long index = 0; index < end; index++) {
            long entry = directory.entry(index);
            if (index >>> DirectoryEntry.depth(entry) == 0) {
                segments++;
            }
            if (index % stride == 0) {
                used += walk.slotsUsed(DirectoryEntry.segment(entry));
                sampled++;
            }
        }
        double load = (double) used / sampled / SegmentRecord.SLOTS;
        return new Statistics(directory.depth(), segments, split.splits(), split.loadAtSplit(), load);
    }

    private int collect(long segment, long hash, long[] out) {
        int home = BucketRecord.home(hash);
        int count = collect(segment, home, hash, out, 0);
        return collect(segment, BucketRecord.partner(home, hash), hash, out, count);
    }

    private int collect(long segment, int bucket, long hash, long[] out, int before) {
        long line = SegmentRecord.bucket(segment, bucket);
        int count = before;
        for (int slot = SegmentRecord.firstSlot(bucket); slot < BucketRecord.SLOTS; slot++) {
            long word = BucketRecord.load(pmem, line, slot);
            if (BucketRecord.sameTag(word, hash) && word != 0 && isNew(out, count, BucketRecord.offset(word))) {
                out[count++] = BucketRecord.offset(word);
            }
        }
        return count;
    }

    private static boolean isNew(long[] out, int count, long at) {
        for (int i = 0; i < count; i++) {
            if (out[i] == at) {
                return false;
            }
        }
        return true;
    }

    /** Locks the segment where the hash belongs and gives its directory entry, which no split changes until it is unlocked. */
    private long lock(long hash) {
        while (true) {
            int depth = directory.depth();
            long slot = directory.slot(hash, depth);
            long entry = DirectoryEntry.load(pmem, slot);
            if (DirectoryEntry.depth(entry) > depth) {
                continue; // each pass sees a directory that has doubled since, at most DEPTH_MAX times
            }
            int stripe = Stripes.of(DirectoryEntry.segment(entry));
            stripes.lock(stripe);
            boolean isCurrent = false;
            try {
                isCurrent = DirectoryEntry.load(pmem, slot) == entry;
            } finally {
                // Split while we waited; or the load failed, and those that wait for a stripe hear of no failure.
                if (!isCurrent) {
                    stripes.unlock(stripe);
                }
            }
            if (isCurrent) {
                return entry;
            }
        }
    }

    /** Clears every slot of a bucket that names the word's object: a crash in a displacement leaves it in two buckets. Stripe held. */
    private boolean clear(int stripe, long line, int firstSlot, long word) {
        boolean found = false;
        for (int slot = firstSlot; slot < BucketRecord.SLOTS; slot++) {
            if (BucketRecord.sameObject(BucketRecord.load(pmem, line, slot), word)) {
                stripes.moved(stripe);
                BucketRecord.store(pmem, line, slot, 0);
                found = true;
            }
        }
        return found;
    }
}
