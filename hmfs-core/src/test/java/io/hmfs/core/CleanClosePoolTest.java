package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.alloc.Summary.Found;
import io.hmfs.core.check.CheckReport;
import io.hmfs.core.pmem.Backing;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.log.LogOptions;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Progress;
import io.hmfs.core.type.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: a clean close tells the next start where the free slots are in each kind of pool and in each mode, and after the loss of the
 * machine too where there is a log. Method: real pools with all their threads; full ones, and several threads that make and delete.
 */
final class CleanClosePoolTest {
    private static final long ROOT = Namespace.ROOT_ID;
    private static final int THREADS = 4;
    private static final int ROUNDS = 4;
    private static final int STEPS = 3000;

    @TempDir
    Path directory;

    private final Attributes out = new Attributes();

    private static Name name(long number) {
        return Name.of("file-" + number);
    }

    private static void awaitScan(ServerNamespace namespace) {
        while (namespace.poolStatus().recovering()) {
            Thread.onSpinWait();
        }
    }

    private void create(ServerNamespace namespace, long number) {
        assertEquals(Status.OK, namespace.create(ROOT, name(number), 0644, 0, 0, out));
    }

    static Stream<Persistence> modes() {
        return Stream.of(Persistence.PROCESS, Persistence.PMEM);
    }

    /** The first create of the next start needs neither a scan nor a new region: there is none. */
    @ParameterizedTest
    @MethodSource("modes")
    void aFullPoolServesAtOnce(Persistence mode) throws IOException {
        Path pool = directory.resolve("pool");
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        OpenOptions options = new OpenOptions(mode, mode == Persistence.PMEM);
        long files = 0;
        try (ServerNamespace namespace = Hmfs.openForServer(pool, options)) {
            assertEquals(Found.NEW.text(), namespace.poolStatus().freeSlots());
            while (namespace.create(ROOT, name(files), 0644, 0, 0, out) == Status.OK) {
                files++;
            }
            for (int i = 0; i < 1000; i++) {
                assertEquals(Status.OK, namespace.delete(ROOT, name(i), out));
            }
            create(namespace, 0); // sweeps them
            awaitScan(namespace);
        }
        CheckReport report = Hmfs.check(pool, Progress.NONE);
        assertEquals(List.of(), report.findings());
        assertTrue(report.wasClosed());
        for (int start = 0; start < 3; start++) {
            try (ServerNamespace namespace = Hmfs.openForServer(pool, options)) {
                assertEquals(Found.VALID.text(), namespace.poolStatus().freeSlots());
                for (int i = 1 + 300 * start; i <= 300 * (start + 1); i++) {
                    create(namespace, i);
                }
                PoolStatus status = namespace.poolStatus();
                assertEquals(status.regionsMax(), status.regionsUsed());
            }
            assertEquals(List.of(), Hmfs.check(pool, Progress.NONE).findings());
        }
        try (ServerNamespace namespace = Hmfs.openForServer(pool, options)) {
            for (long number = 0; number < files; number++) {
                Status there = number <= 900 || number >= 1000 ? Status.OK : Status.NOT_FOUND;
                assertEquals(there, namespace.stat(ROOT, name(number), out), "file " + number);
            }
        }
    }

    @Test
    void aPoolOfPmdkIsToldToo() throws IOException {
        Path pool = directory.resolve("pool");
        Hmfs.format(pool, new FormatOptions(FormatOptions.SIZE_MIN, Backing.PMDK, false));
        for (int start = 0; start < 3; start++) {
            try (ServerNamespace namespace = Hmfs.openForServer(pool, OpenOptions.process())) {
                Found found = start == 0 ? Found.NEW : Found.VALID;
                assertEquals(found.text(), namespace.poolStatus().freeSlots());
                create(namespace, start);
                awaitScan(namespace);
            }
            assertEquals(List.of(), Hmfs.check(pool, Progress.NONE).findings());
        }
    }

    /** What the close has told is in the log, as all else. */
    @Test
    void itIsToldAfterTheLossOfTheMachine() throws IOException {
        Path pool = directory.resolve("pool");
        LogOptions log = LogOptions.in(directory.resolve("log"))
                .withSizes(4 << 10, 64 << 10, 1024)
                .withOnVolatile(true)
                .withQuiet(LogOptions.NEVER);
        Hmfs.format(pool, new FormatOptions(FormatOptions.SIZE_MIN, Backing.MAPPED, false, log));
        Map<String, String> before;
        try (ServerNamespace namespace = Hmfs.openForServer(pool, OpenOptions.logged(log))) {
            for (int i = 0; i < 300; i++) {
                create(namespace, i);
            }
            for (int i = 0; i < 250; i++) {
                assertEquals(Status.OK, namespace.delete(ROOT, name(i), out));
            }
            before = Snapshot.of(namespace);
            awaitScan(namespace);
        }
        for (boolean isLost : new boolean[] {true, false, true}) {
            if (isLost) {
                Files.delete(pool);
                Files.delete(directory.resolve("pool.ring"));
            } else {
                assertEquals(List.of(), Hmfs.check(pool, Progress.NONE).findings());
            }
            try (ServerNamespace namespace = Hmfs.openForServer(pool, OpenOptions.logged(log))) {
                assertEquals(Found.VALID.text(), namespace.poolStatus().freeSlots());
                assertEquals(before, Snapshot.of(namespace));
                create(namespace, 1000);
                assertEquals(Status.OK, namespace.delete(ROOT, name(1000), out));
                awaitScan(namespace);
            }
        }
        assertEquals(List.of(), Hmfs.check(pool, Progress.NONE).findings());
    }

    @Test
    void severalThreadsLoseNothingOverCloses() throws IOException, InterruptedException {
        Path pool = directory.resolve("pool");
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        List<Queue<Name>> there = new ArrayList<>();
        long[] parents = new long[THREADS];
        try (ServerNamespace namespace = Hmfs.openForServer(pool, OpenOptions.process())) {
            for (int i = 0; i < THREADS; i++) {
                assertEquals(Status.OK, namespace.mkdir(ROOT, Name.of("directory-" + i), 0755, 0, 0, out));
                parents[i] = out.id;
                there.add(new ConcurrentLinkedQueue<>());
            }
            awaitScan(namespace);
        }
        for (int round = 0; round < ROUNDS; round++) {
            try (ServerNamespace namespace = Hmfs.openForServer(pool, OpenOptions.process())) {
                assertEquals(Found.VALID.text(), namespace.poolStatus().freeSlots());
                churn(namespace, parents, there, round);
                awaitScan(namespace);
            }
            assertEquals(List.of(), Hmfs.check(pool, Progress.NONE).findings());
        }
        try (ServerNamespace namespace = Hmfs.openForServer(pool, OpenOptions.process())) {
            for (int i = 0; i < THREADS; i++) {
                for (Name each : there.get(i)) {
                    assertEquals(Status.OK, namespace.stat(parents[i], each, out), each::toString);
                }
            }
        }
    }

    private static void churn(ServerNamespace namespace, long[] parents, List<Queue<Name>> there, int round)
            throws InterruptedException {
        Queue<Throwable> errors = new ConcurrentLinkedQueue<>();
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < THREADS; t++) {
            int thread = t;
            threads.add(Thread.ofPlatform().start(() -> {
                try {
                    churn(namespace, parents[thread], there.get(thread), round, new SplittableRandom(thread));
                } catch (RuntimeException | Error e) {
                    errors.add(e);
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(List.of(), List.copyOf(errors));
    }

    private static void churn(
            ServerNamespace namespace, long parent, Queue<Name> there, int round, SplittableRandom random) {
        Attributes mine = new Attributes();
        for (int step = 0; step < STEPS; step++) {
            if (random.nextInt(10) < 6 || there.isEmpty()) {
                Name made = Name.of((random.nextInt(8) == 0 ? "n".repeat(80) : "") + round + "-" + step);
                assertEquals(Status.OK, namespace.create(parent, made, 0644, 0, 0, mine));
                there.add(made);
            } else {
                assertEquals(Status.OK, namespace.delete(parent, there.remove(), mine));
            }
        }
    }
}
