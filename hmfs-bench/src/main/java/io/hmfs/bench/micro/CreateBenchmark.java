package io.hmfs.bench.micro;

import io.hmfs.core.pmem.Persistence;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** create in one directory, each iteration on a new pool; writing the sixteen digits of the name is part of it. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class CreateBenchmark {
    /** Room for what one iteration of a second or two creates. */
    private static final long POOL_SIZE = 2L << 30;

    /** In mode logged a pool takes its size on the disk too, and an iteration creates less. */
    private static final long LOGGED_POOL_SIZE = 256L << 20;

    @Param({"PROCESS", "PMEM", "LOGGED"})
    public Persistence mode = Persistence.PROCESS;

    @SuppressWarnings("NullAway.Init")
    private PoolState pool;

    private long next;

    @Setup(Level.Iteration)
    public void open() {
        pool = new PoolState(mode == Persistence.LOGGED ? LOGGED_POOL_SIZE : POOL_SIZE, mode);
    }

    @TearDown(Level.Iteration)
    public void close() {
        pool.close();
    }

    @Benchmark
    public void create() {
        pool.create(next++);
    }
}
