package io.hmfs.bench.micro;

import io.hmfs.core.Namespace;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.type.Status;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A create and the delete of what it made, and an append, each among a hundred thousand files of one directory. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class DeleteBenchmark {
    private static final long POOL_SIZE = 1L << 30;
    private static final int FILES = 100_000;

    @Param({"PROCESS", "PMEM"})
    public Persistence mode = Persistence.PROCESS;

    @SuppressWarnings("NullAway.Init")
    private PoolState pool;

    private long[] ids = {};
    private long next;

    @Setup
    public void open() {
        pool = new PoolState(POOL_SIZE, mode);
        ids = new long[FILES];
        for (int i = 0; i < FILES; i++) {
            pool.create(i);
            ids[i] = pool.attributes.id;
        }
    }

    @TearDown
    public void close() {
        pool.close();
    }

    @Benchmark
    public void createDelete() {
        long number = FILES + next++;
        pool.create(number);
        check(pool.namespace.delete(Namespace.ROOT_ID, pool.name(number), pool.attributes));
    }

    @Benchmark
    public void append() {
        int file = (int) (next++ % FILES);
        check(pool.namespace.append(Namespace.ROOT_ID, pool.name(file), ids[file], next));
    }

    private static void check(Status status) {
        if (status != Status.OK) {
            throw new IllegalStateException("answered " + status);
        }
    }
}
