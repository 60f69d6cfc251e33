package io.hmfs.bench.micro;

import io.hmfs.bench.load.PoolSize;
import io.hmfs.core.Namespace;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.type.StatBatch;
import io.hmfs.core.type.Status;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** stat of a random file among many, one by one and in batches, and of none; writing the sixteen digits of the name is part of it. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class StatBenchmark {
    private static final int BATCH = 32;
    private static final long SCATTER = 0x9E3779B97F4A7C15L;

    @Param("1000000")
    public int files = 1;

    @Param({"PROCESS", "PMEM"})
    public Persistence mode = Persistence.PROCESS;

    @SuppressWarnings("NullAway.Init")
    private PoolState pool;

    private final StatBatch batch = new StatBatch(BATCH);
    private long step;

    @Setup
    public void fill() {
        pool = new PoolState(PoolSize.of(files), mode);
        for (int i = 0; i < files; i++) {
            pool.create(i);
        }
    }

    @TearDown
    public void close() {
        pool.close();
    }

    @Benchmark
    public Status stat() {
        return look(Math.unsignedMultiplyHigh(step++ * SCATTER, files));
    }

    @Benchmark
    public Status statMiss() {
        return look(-1 - step++);
    }

    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void statAll() {
        batch.clear();
        for (int i = 0; i < BATCH; i++) {
            batch.add(Namespace.ROOT_ID, pool.name(Math.unsignedMultiplyHigh(step++ * SCATTER, files)));
        }
        pool.namespace.statAll(batch);
        for (int i = 0; i < BATCH; i++) {
            if (batch.status(i) != Status.OK) {
                throw new IllegalStateException("stat answered " + batch.status(i));
            }
        }
    }

    private Status look(long number) {
        return pool.namespace.stat(Namespace.ROOT_ID, pool.name(number), pool.attributes);
    }
}
