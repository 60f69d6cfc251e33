package io.hmfs.bench.micro;

import io.hmfs.core.Namespace;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.type.CreateBatch;
import io.hmfs.core.type.Status;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Creates in one directory, in batches and one by one, each iteration on a new pool; the time is that of one create. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class BatchedCreateBenchmark {
    private static final long POOL_SIZE = 2L << 30;
    private static final int BATCH = 32;

    @Param({"PROCESS", "PMEM"})
    public Persistence mode = Persistence.PROCESS;

    @SuppressWarnings("NullAway.Init")
    private PoolState pool;

    private final CreateBatch batch = new CreateBatch(BATCH);
    private long next;

    @Setup(Level.Iteration)
    public void open() {
        pool = new PoolState(POOL_SIZE, mode);
    }

    @TearDown(Level.Iteration)
    public void close() {
        pool.close();
    }

    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void batched() {
        batch.clear();
        for (int i = 0; i < BATCH; i++) {
            batch.addFile(Namespace.ROOT_ID, pool.name(next++), 0644, 0, 0);
        }
        pool.namespace.createAll(batch);
        for (int i = 0; i < BATCH; i++) {
            if (batch.status(i) != Status.OK) {
                throw new IllegalStateException("create answered " + batch.status(i));
            }
        }
    }

    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void single() {
        for (int i = 0; i < BATCH; i++) {
            pool.create(next++);
        }
    }
}
