package io.hmfs.bench.micro;

import io.hmfs.core.index.HashIndex;
import io.hmfs.core.index.SegmentSource;
import io.hmfs.core.layout.SegmentRecord;
import io.hmfs.core.pmem.MappedPmem;
import io.hmfs.core.pmem.Pmem;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** A look-up in the index by random hash, objects of one line that hold nothing but their hash: a hit, and a miss. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class IndexBenchmark {
    private static final long ROOT = 4096;
    private static final long DIRECTORY = 8192;
    private static final int DEPTH_MAX = 20;
    private static final double LOAD_MIN = 0.4;

    @Param("1000000")
    public int entries = 1;

    private Pmem pmem = MappedPmem.inMemory(Pmem.LINE);
    private long objects;

    @SuppressWarnings("NullAway.Init")
    private HashIndex index;

    /** Segments one after the other; nothing here is ever given back for good. */
    private static final class Tail implements SegmentSource {
        private final Pmem pmem;
        private long next;

        Tail(Pmem pmem, long next) {
            this.pmem = pmem;
            this.next = next;
        }

        @Override
        public long allocate() {
            long at = next;
            if (at + SegmentRecord.SIZE > pmem.size()) {
                return Pmem.NULL;
            }
            next += SegmentRecord.SIZE;
            return at;
        }

        @Override
        public void free(long at) {}
    }

    @Setup
    public void fill() {
        objects = DIRECTORY + HashIndex.directorySize(DEPTH_MAX);
        long segments = objects + entries * Pmem.LINE;
        long segmentsMax = (long) (entries / (SegmentRecord.SLOTS * LOAD_MIN)) + 16;
        pmem = MappedPmem.inMemory(segments + segmentsMax * SegmentRecord.SIZE);
        SegmentSource source = new Tail(pmem, segments);
        if (!HashIndex.format(pmem, ROOT, DIRECTORY, DEPTH_MAX, 2, source)) {
            throw new IllegalStateException("no room for an index");
        }
        index = HashIndex.open(pmem, ROOT, pmem::getAcquire, source);
        for (int i = 0; i < entries; i++) {
            long at = objects + i * Pmem.LINE;
            pmem.setRelease(at, mix(i));
            if (!index.insert(mix(i), at)) {
                throw new IllegalStateException("no room for entry " + i);
            }
        }
    }

    /** One thread's place in a walk over all entries in an order that no cache foresees. */
    @State(Scope.Thread)
    public static class Walk {
        private long step;
        private final long[] found = new long[HashIndex.CANDIDATES_MAX];

        private long next() {
            return mix(step++);
        }
    }

    @Benchmark
    public long hit(Walk walk) {
        long hash = mix(Long.remainderUnsigned(walk.next(), entries));
        int count = index.candidates(hash, walk.found);
        for (int i = 0; i < count; i++) {
            if (pmem.get(walk.found[i]) == hash) {
                return walk.found[i];
            }
        }
        throw new IllegalStateException("an entry is gone");
    }

    @Benchmark
    public int miss(Walk walk) {
        return index.candidates(~walk.next(), walk.found);
    }

    /** A well mixed hash of a number: splitmix64. */
    private static long mix(long number) {
        long z = (number + 1) * 0x9E3779B97F4A7C15L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
