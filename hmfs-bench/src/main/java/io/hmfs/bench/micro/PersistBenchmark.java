package io.hmfs.bench.micro;

import io.hmfs.core.pmem.MappedPmem;
import io.hmfs.core.pmem.Persistence;
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

/** A store to each of a few lines, then persist; {@code PMEM} with the real instructions, but on ordinary memory. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class PersistBenchmark {
    private static final long SIZE = 1 << 20;

    @Param({"PROCESS", "PMEM"})
    public Persistence mode = Persistence.PROCESS;

    @Param({"1", "3"})
    public int lines = 1;

    private Pmem pmem = MappedPmem.inMemory(Pmem.LINE);
    private long at;

    @Setup
    public void open() {
        pmem = MappedPmem.inMemory(SIZE, mode);
    }

    @Benchmark
    public void persist() {
        long count = lines * Pmem.LINE;
        long from = at;
        at = from + 2 * count > SIZE ? 0 : from + count;
        for (long line = from; line < from + count; line += Pmem.LINE) {
            pmem.set(line, line);
        }
        pmem.persist(from, count);
    }
}
