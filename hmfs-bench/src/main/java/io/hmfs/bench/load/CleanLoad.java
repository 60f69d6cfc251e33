package io.hmfs.bench.load;

import io.hmfs.core.Hmfs;
import io.hmfs.core.Namespace;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.type.Status;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;

/**
 * {@code POOL FILES MODE}: how soon a full pool serves after a clean close, what the close costs, and the same when the pool says that it
 * was not closed, so that the free slots have to be looked for. One slot in a hundred is free, and no region. All in one JVM, in turns.
 */
public final class CleanLoad {
    private static final int ROUNDS = 5;
    private static final int FREED = 100;
    private static final long PAUSE_NANOS = 1_000_000;

    private final Path pool;
    private final Persistence mode;
    private final long wanted;
    private final Bed.Hand hand = new Bed.Hand();

    private CleanLoad(Path pool, long wanted, Persistence mode) {
        this.pool = pool;
        this.wanted = wanted;
        this.mode = mode;
    }

    /** All of it. */
    public static void main(String[] arguments) throws IOException {
        CleanLoad load =
                new CleanLoad(Path.of(arguments[0]), Long.parseLong(arguments[1]), Persistence.valueOf(arguments[2]));
        load.fill();
        for (int round = 0; round < ROUNDS; round++) {
            load.round("after a clean close");
            load.forget();
            load.round("after none");
        }
    }

    private Status create(Namespace namespace, long number) {
        return namespace.create(Namespace.ROOT_ID, hand.name(number), Bed.FILE_MODE, 0, 0, hand.out);
    }

    private void fill() throws IOException {
        try (Bed bed = Bed.make(pool, wanted, 16, mode)) {
            long files = 0;
            while (create(bed.namespace, files) == Status.OK) {
                files++;
            }
            for (long i = 0; i < files / FREED; i++) {
                Bed.require(bed.namespace.delete(Namespace.ROOT_ID, hand.name(i), hand.out));
            }
            Bed.require(create(bed.namespace, 0)); // sweeps: the others are free now
            awaitScan(bed.namespace);
        }
    }

    private static void awaitScan(Namespace namespace) {
        while (namespace.poolStatus().recovering()) {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    /** As the death of the process leaves it. */
    private void forget() throws IOException {
        try (FileChannel file = FileChannel.open(pool, StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.allocate(Long.BYTES), PoolHeader.STATE_OFFSET);
        }
    }

    private void round(String when) throws IOException {
        long start = System.nanoTime();
        Namespace namespace = Hmfs.open(pool, new OpenOptions(mode, mode == Persistence.PMEM));
        millis("open " + when, start);
        Bed.require(create(namespace, 1));
        millis("open to the first create " + when, start);
        awaitScan(namespace);
        millis("open to the end of the scan " + when, start);
        Bed.require(namespace.delete(Namespace.ROOT_ID, hand.name(1), hand.out));
        long end = System.nanoTime();
        namespace.close();
        millis("close " + when, end);
    }

    private void millis(String what, long start) {
        double millis = (System.nanoTime() - start) / 1e6;
        System.out.printf(Locale.ROOT, "round\t%s, room for %d files\thmfs\tms\t%.6f%n", what, wanted, millis);
    }
}
