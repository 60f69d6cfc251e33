package io.hmfs.bench.micro;

import io.hmfs.bench.load.PoolSize;
import io.hmfs.core.Namespace;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.ListVisitor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
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

/**
 * Listing into memory off the heap, a page of a thousand entries at a time, with the fields that a page on the wire has: of directories of ten thousand files that
 * were made in random order of the directories, one after the other; of a thousand files, of the one directory there is.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ListBenchmark {
    private static final int PAGE = 1_000;
    private static final int OF_DIRECTORY = 10_000;
    private static final int ENTRY_MAX = 64;

    @Param({"1000", "1000000"})
    public int entries = PAGE;

    @Param("PROCESS")
    public Persistence mode = Persistence.PROCESS;

    @SuppressWarnings("NullAway.Init")
    private PoolState pool;

    private final ByteBuffer page = ByteBuffer.allocateDirect(PAGE * ENTRY_MAX).order(ByteOrder.LITTLE_ENDIAN);
    private final ListCursor cursor = new ListCursor();
    private final ListVisitor visitor = this::add;
    private long[] directories = {};
    private int directory;
    private int filled;
    private int count;

    @Setup
    public void fill() {
        pool = new PoolState(PoolSize.of(entries), mode);
        directories = new long[Math.max(1, entries / OF_DIRECTORY)];
        for (int i = 0; i < directories.length; i++) {
            require(pool.namespace.mkdir(Namespace.ROOT_ID, pool.name(i), 0755, 0, 0, pool.attributes));
            directories[i] = pool.attributes.id;
        }
        Random random = new Random(1);
        int[] made = new int[directories.length];
        int most = Math.min(entries, OF_DIRECTORY);
        for (int i = 0; i < entries; ) {
            int in = random.nextInt(directories.length);
            if (made[in] < most) {
                made[in]++;
                require(pool.namespace.create(directories[in], pool.name(i++), 0644, 0, 0, pool.attributes));
            }
        }
    }

    @TearDown
    public void close() {
        pool.close();
    }

    /** The time of one entry. */
    @Benchmark
    @OperationsPerInvocation(PAGE)
    public int list() {
        filled = 0;
        count = 0;
        require(pool.namespace.list(directories[directory], cursor, visitor));
        if (count != PAGE) {
            throw new IllegalStateException("a page of " + count + " entries");
        }
        if (cursor.atEnd()) {
            cursor.birth = 0;
            directory = (directory + 1) % directories.length;
        }
        return filled;
    }

    private boolean add(Name name, Attributes found) {
        if (count == PAGE) {
            return false;
        }
        count++;
        int at = filled;
        page.put(at, (byte) found.mode);
        page.putLong(at + 1, found.size);
        page.putLong(at + 9, found.mtimeNanos);
        page.putLong(at + 17, found.atimeNanos);
        page.putLong(at + 25, found.ctimeNanos);
        page.putLong(at + 33, found.id);
        page.putShort(at + 41, (short) name.length());
        for (int i = 0; i < name.words(); i++) {
            page.putLong(at + 43 + i * Long.BYTES, name.word(i));
        }
        filled = at + 43 + name.length();
        return true;
    }

    private static void require(Status status) {
        if (status != Status.OK) {
            throw new IllegalStateException("the namespace answered " + status);
        }
    }
}
