package io.hmfs.core.index;

import io.hmfs.core.layout.SegmentRecord;
import io.hmfs.core.pmem.Pmem;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.function.LongPredicate;

/**
 * A pool with nothing but an index: root, directory, objects of one line whose first word is their key's hash, segments. The
 * source goes by the first word of a segment at start, as its contract proposes, and checks that what it hands out is zero.
 */
final class IndexFixture implements SegmentSource {
    static final long ROOT = 4096;
    static final long DIRECTORY = 8192;

    final Pmem pmem;
    final int depthMax;
    final long objects;
    final long segments;
    private final ArrayDeque<Long> free = new ArrayDeque<>();

    IndexFixture(Pmem pmem, int depthMax, long objectsMax) {
        this.pmem = pmem;
        this.depthMax = depthMax;
        this.objects = lines(DIRECTORY + HashIndex.directorySize(depthMax));
        this.segments = objects + objectsMax * Pmem.LINE;
        for (long at = segments; at + SegmentRecord.SIZE <= pmem.size(); at += SegmentRecord.SIZE) {
            if (SegmentRecord.isFree(pmem, at)) {
                free.add(at);
            }
        }
    }

    static long size(int depthMax, long objectsMax, long segmentsMax) {
        return lines(DIRECTORY + HashIndex.directorySize(depthMax))
                + objectsMax * Pmem.LINE
                + segmentsMax * SegmentRecord.SIZE;
    }

    HashIndex format(int depth) {
        make(depth);
        return open();
    }

    void make(int depth) {
        if (!HashIndex.format(pmem, ROOT, DIRECTORY, depthMax, depth, this)) {
            throw new IllegalStateException("pool of the test is too small");
        }
    }

    HashIndex open() {
        return HashIndex.open(pmem, ROOT, pmem::getAcquire, this);
    }

    long object(long number) {
        return objects + number * Pmem.LINE;
    }

    /** Gives an object its key, durably but for the fence. */
    long fill(long number, long hash) {
        long at = object(number);
        pmem.setRelease(at, hash);
        pmem.writeBack(at, Long.BYTES);
        return at;
    }

    @Override
    public synchronized long allocate() {
        Long at = free.poll();
        if (at == null) {
            return Pmem.NULL;
        }
        for (long word = at; word < at + SegmentRecord.SIZE; word += Long.BYTES) {
            if (pmem.get(word) != 0) {
                throw new AssertionError("dirty segment handed out: " + at + ", word " + (word - at) / Long.BYTES);
            }
        }
        return at;
    }

    @Override
    public synchronized void free(long at) {
        if (!SegmentRecord.isFree(pmem, at)) {
            throw new AssertionError("segment freed with content: " + at);
        }
        if (!free.contains(at)) {
            free.add(at);
        }
    }

    synchronized int freeSegments() {
        return free.size();
    }

    /**
     * An object of this hash that is wanted, looked up as the engine does: among the matches of the moment, then among candidates that
     * are the same when none has been found; or NULL.
     */
    static long find(HashIndex index, long hash, LongPredicate wanted) {
        long segment = index.segment(hash);
        for (long match = index.match(segment, hash, 0);
                match >= 0;
                match = index.match(segment, hash, HashIndex.place(match) + 1)) {
            if (wanted.test(HashIndex.object(match))) {
                return HashIndex.object(match);
            }
        }
        long[] seen = new long[HashIndex.CANDIDATES_MAX];
        long[] again = new long[HashIndex.CANDIDATES_MAX];
        for (; ; ) {
            int count = index.candidates(hash, seen);
            for (int i = 0; i < count; i++) {
                if (wanted.test(seen[i])) {
                    return seen[i];
                }
            }
            int now = index.candidates(hash, again);
            if (Arrays.equals(seen, 0, count, again, 0, now)) {
                return Pmem.NULL;
            }
        }
    }

    /** A well mixed hash of a number: splitmix64. */
    static long mix(long number) {
        long z = (number + 1) * 0x9E3779B97F4A7C15L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    private static long lines(long bytes) {
        return (bytes + Pmem.LINE - 1) & -Pmem.LINE;
    }
}
