package io.hmfs.bench.load;

import io.hmfs.core.Hmfs;
import io.hmfs.core.Namespace;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * How soon a pool serves after a crash.
 *
 * <ul>
 *   <li>{@code fill POOL FILES MODE} creates files, says so, and goes on creating and deleting until it is killed.
 *   <li>{@code open POOL FILES MODE} opens the pool in a JVM that has just started, asks for one file and dies without closing.
 *   <li>{@code warm POOL FILES MODE} does the same in a JVM that has opened, used and closed another pool before; then it uses the
 *       pool for a second while the scan runs, waits for the scan to end, and uses it for a second more.
 * </ul>
 *
 * What it finds goes to standard output, in lines of the benchmark that started it.
 */
public final class CrashLoad {
    private static final int SMALL_FILES = 100_000;
    private static final int SMALL_ROUNDS = 3;
    private static final int STATS_PER_CREATE = 4;
    private static final int SHARE = 128;
    private static final int NAME_SHIFT = 20;
    private static final long SECOND = 1_000_000_000L;
    private static final long SEED = 11;

    /** Between two looks at whether the scan has ended, of which the engine tells no thread: the figure is as fine as that. */
    private static final long PAUSE_NANOS = 1_000_000;

    private final Path pool;
    private final long files;
    private final Persistence mode;
    private final Bed.Hand hand = new Bed.Hand();

    private CrashLoad(Path pool, long files, Persistence mode) {
        this.pool = pool;
        this.files = files;
        this.mode = mode;
    }

    /** One of the three. */
    public static void main(String[] arguments) throws IOException {
        CrashLoad load =
                new CrashLoad(Path.of(arguments[1]), Long.parseLong(arguments[2]), Persistence.valueOf(arguments[3]));
        switch (arguments[0]) {
            case "fill" -> load.fill();
            case "open" -> load.open("");
            case "warm" -> load.warm();
            default -> throw new IllegalArgumentException(arguments[0]);
        }
        System.out.flush();
        Runtime.getRuntime().halt(0); // as a crash would
    }

    private void fill() throws IOException {
        try (Bed bed = Bed.make(pool, files + files / 8, 16, mode)) {
            for (long i = 0; i < files; i++) {
                Bed.require(bed.namespace.create(Namespace.ROOT_ID, hand.name(i), Bed.FILE_MODE, 0, 0, hand.out));
            }
            System.out.println("filled");
            System.out.flush();
            for (; ; ) {
                Bed.require(bed.namespace.create(Namespace.ROOT_ID, hand.name(files), Bed.FILE_MODE, 0, 0, hand.out));
                Bed.require(bed.namespace.delete(Namespace.ROOT_ID, hand.name(files), hand.out));
            }
        }
    }

    /** From the call that opens to the first answers. The pool is never closed: it dies with this process. */
    private Namespace open(String how) throws IOException {
        Attributes out = new Attributes();
        long file = new SplittableRandom().nextLong(files);
        long before = System.nanoTime();
        Namespace namespace = Hmfs.open(pool, new OpenOptions(mode, mode == Persistence.PMEM));
        long opened = System.nanoTime();
        Bed.require(namespace.stat(Namespace.ROOT_ID, hand.name(file), out));
        long asked = System.nanoTime();
        Status made = namespace.create(Namespace.ROOT_ID, hand.name(files + 1), Bed.FILE_MODE, 0, 0, out);
        long created = System.nanoTime();
        if (made != Status.OK && made != Status.EXISTS) { // another round was here before
            throw new IllegalStateException("a create was answered " + made);
        }
        millis("open" + how, opened - before);
        millis("open and first stat" + how, asked - before);
        millis("open, first stat and first create" + how, created - before);
        return namespace;
    }

    private void warm() throws IOException {
        Path small = Files.createTempFile(pool.toAbsolutePath().getParent(), "hmfs-bench-small-", ".pool");
        try {
            for (int round = 0; round < SMALL_ROUNDS; round++) {
                Bed.make(small, SMALL_FILES, 16, mode).close();
                try (Bed bed = new Bed(Hmfs.openForServer(small, new OpenOptions(mode, mode == Persistence.PMEM)))) {
                    for (long i = 0; i < SMALL_FILES; i++) {
                        Bed.require(
                                bed.namespace.create(Namespace.ROOT_ID, hand.name(i), Bed.FILE_MODE, 0, 0, hand.out));
                        Bed.require(bed.namespace.stat(Namespace.ROOT_ID, hand.name(i / 2), hand.out));
                    }
                }
            }
        } finally {
            Files.deleteIfExists(small);
        }
        long start = System.nanoTime();
        @SuppressWarnings("resource") // dies with this process
        Namespace namespace = open(", in a warm JVM");
        long fresh = files + (System.currentTimeMillis() << NAME_SHIFT); // no name of a round before
        second(namespace, fresh, "the first second");
        while (namespace.poolStatus().recovering()) {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        millis("open to the end of the scan", System.nanoTime() - start);
        second(namespace, fresh + createsMax(), "a second after the scan");
    }

    /** All rounds together are fewer than the pool has room for. */
    private long createsMax() {
        return files / SHARE;
    }

    /** Stats of all files at random and a create now and then, as fast as they go. */
    private void second(Namespace namespace, long firstNew, String when) {
        SplittableRandom random = new SplittableRandom(SEED);
        Latencies stats = new Latencies();
        Latencies creates = new Latencies();
        long made = 0;
        long end = System.nanoTime() + SECOND;
        for (long now = System.nanoTime(); now < end; ) {
            for (int i = 0; i < STATS_PER_CREATE; i++) {
                hand.name(random.nextLong(files));
                long before = System.nanoTime();
                Bed.require(namespace.stat(Namespace.ROOT_ID, hand.name, hand.out));
                now = System.nanoTime();
                stats.add(now - before);
            }
            if (made < createsMax()) {
                hand.name(firstNew + made++);
                long before = System.nanoTime();
                Bed.require(namespace.create(Namespace.ROOT_ID, hand.name, Bed.FILE_MODE, 0, 0, hand.out));
                now = System.nanoTime();
                creates.add(now - before);
            }
        }
        round("stat, p50, " + when, "µs", stats.perMille(500) / 1e3);
        round("stat, p99, " + when, "µs", stats.perMille(990) / 1e3);
        round("create, p50, " + when, "µs", creates.perMille(500) / 1e3);
        round("create, p99, " + when, "µs", creates.perMille(990) / 1e3);
    }

    private void millis(String what, long nanos) {
        round(what, "ms", nanos / 1e6);
    }

    private void round(String what, String unit, double figure) {
        System.out.printf(Locale.ROOT, "round\t%s, %d files\thmfs\t%s\t%.6f%n", what, files, unit, figure);
    }
}
