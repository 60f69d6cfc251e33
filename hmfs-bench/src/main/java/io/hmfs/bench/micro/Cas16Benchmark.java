package io.hmfs.bench.micro;

import io.hmfs.core.pmem.MappedPmem;
import io.hmfs.core.pmem.Pmem;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** One 16-byte compare-and-swap that succeeds, on a line in the cache; cas8, which needs no downcall, beside it. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Cas16Benchmark {
    private static final long AT = 128;
    private static final long AT_8 = 256;

    private final Pmem pmem = MappedPmem.inMemory(4096);
    private long value;

    @Benchmark
    public boolean cas16() {
        long before = value++;
        return pmem.cas16(AT, before, before, before + 1, before + 1);
    }

    @Benchmark
    public boolean cas8() {
        long before = value++;
        return pmem.cas8(AT_8, before, before + 1);
    }
}
