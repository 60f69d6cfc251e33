package io.hmfs.core.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.hmfs.core.FormatOptions;
import io.hmfs.core.FreshPool;
import io.hmfs.core.Hmfs;
import io.hmfs.core.Namespace;
import io.hmfs.core.NamespaceReaderTest;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.TestPool;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.recovery.Superblock;
import io.hmfs.core.sim.CrashTree;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.StatBatch;
import io.hmfs.core.type.Status;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: each name of a batch is answered as a stat would answer it, whatever stands there or is under way. Method: beside single stats, on
 * trees changed at random, on what power failures leave, and beside a thread that renames. What readers are overtaken by is in
 * {@link NamespaceReaderTest}.
 */
final class StatOpTest {
    private static final long ROOT = Namespace.ROOT_ID;
    private static final int NAMES = 60;

    /** More new recoveries than any moment of an operation takes. */
    private static final int LIMIT = 1000;

    @TempDir
    Path directory;

    private final Attributes out = new Attributes();

    private static SimPoolFile format(int regionSize, int regions) throws PoolException {
        SimPoolFile file = new SimPoolFile(regionSize, regions, Persistence.PMEM);
        Superblock.format(Path.of("sim"), file, new UUID(1, 2), 42, 2);
        return file;
    }

    private static String text(Status status, Attributes a) {
        return status != Status.OK
                ? status.toString()
                : String.join(
                        " ",
                        a.type.toString(),
                        a.id + " " + a.mode + " " + a.uid + " " + a.gid + " " + a.nlink + " " + a.size,
                        a.mtimeNanos + " " + a.ctimeNanos + " " + a.atimeNanos + " " + a.birthNanos);
    }

    private String single(ServerNamespace namespace, long parent, Name name) {
        return text(namespace.stat(parent, name, out), out);
    }

    private static List<String> answers(StatBatch batch) {
        List<String> answers = new ArrayList<>();
        for (int i = 0; i < batch.size(); i++) {
            answers.add(text(batch.status(i), batch.attributes(i)));
        }
        return answers;
    }

    @Test
    void aBatchIsFilledExecutedAndFilledAgain() throws PoolException {
        ServerNamespace namespace = TestPool.open(format(64 << 10, 14));
        assertEquals(Status.OK, namespace.create(ROOT, Name.of("f"), 0640, 7, 8, out));
        StatBatch batch = new StatBatch(6);
        assertEquals(6, batch.capacity());
        namespace.statAll(batch); // of nothing
        Name reused = Name.of("f");
        assertEquals(0, batch.add(ROOT, reused));
        reused.set("gone");
        assertEquals(1, batch.add(ROOT, reused));
        assertEquals(2, batch.add(ROOT, "xxfyy".getBytes(StandardCharsets.US_ASCII), 2, 1));
        assertThrows(IllegalStateException.class, () -> batch.status(0));
        assertThrows(IllegalArgumentException.class, () -> batch.status(3));
        assertThrows(IllegalArgumentException.class, () -> batch.attributes(-1));
        namespace.statAll(batch);
        assertEquals(Status.OK, batch.status(0));
        assertEquals(out.id, batch.attributes(0).id);
        assertEquals(0640, batch.attributes(2).mode);
        assertEquals(Status.NOT_FOUND, batch.status(1));
        assertEquals("gone", batch.name(1).toString());
        assertEquals(ROOT, batch.directory(1));
        assertEquals(Status.OK, namespace.delete(ROOT, Name.of("f"), out));
        namespace.statAll(batch);
        assertEquals(Status.NOT_FOUND, batch.status(0), "the same batch, later");
        batch.clear();
        for (int i = 0; i < 6; i++) {
            batch.add(Namespace.ROOT_PARENT_ID, Name.of(""));
        }
        assertThrows(IllegalStateException.class, () -> batch.add(ROOT, reused));
        namespace.statAll(batch);
        assertEquals(ROOT, batch.attributes(5).id);
        assertThrows(IllegalArgumentException.class, () -> new StatBatch(0));
        assertThrows(IllegalArgumentException.class, () -> new StatBatch(StatBatch.CAPACITY_MAX + 1));
        namespace.close();
        assertThrows(IllegalStateException.class, () -> namespace.statAll(batch));
    }

    /** Whatever a name leads to, or nothing: of a file, a directory, a link, one of several names, one that moved, one long gone. */
    @Test
    void randomBatchesSayWhatSingleStatsSay() throws PoolException {
        ServerNamespace namespace = TestPool.open(format(256 << 10, 24));
        SplittableRandom random = new SplittableRandom(Long.getLong("hmfs.seed", 5));
        List<Long> parents = new ArrayList<>(List.of(ROOT, 0L, -1L, 99_999L, Long.MIN_VALUE));
        StatBatch batch = new StatBatch(StatBatch.CAPACITY_MAX);
        int found = 0;
        int missed = 0;
        for (int round = 0; round < 400; round++) {
            for (int i = 0; i < 8; i++) {
                change(namespace, random, parents);
            }
            batch.clear();
            int size = random.nextInt(random.nextInt(4) == 0 ? StatBatch.CAPACITY_MAX + 1 : 12);
            for (int i = 0; i < size; i++) {
                boolean twin = i > 0 && random.nextInt(8) == 0;
                batch.add(
                        twin ? batch.directory(i - 1) : any(random, parents), twin ? batch.name(i - 1) : name(random));
            }
            namespace.statAll(batch);
            for (int i = 0; i < size; i++) {
                String expected = single(namespace, batch.directory(i), batch.name(i));
                assertEquals(expected, text(batch.status(i), batch.attributes(i)), "round " + round + ", name " + i);
                found += batch.status(i) == Status.OK ? 1 : 0;
                missed += batch.status(i) == Status.NOT_FOUND ? 1 : 0;
            }
        }
        assertTrue(found > 500 && missed > 500, found + " found, " + missed + " not");
        assertEquals(List.of(), TestPool.problems(namespace));
    }

    private static long any(SplittableRandom random, List<Long> parents) {
        return parents.get(random.nextInt(parents.size()));
    }

    private static Name name(SplittableRandom random) {
        return switch (random.nextInt(40)) {
            case 0 -> Name.of("");
            case 1 -> Name.of("/");
            case 2 -> Name.of("..");
            case 3 -> Name.of("n".repeat(256 + random.nextInt(600)));
            case 4, 5, 6 -> Name.of("long".repeat(40) + random.nextInt(4));
            default -> Name.of("n" + random.nextInt(NAMES));
        };
    }

    private void change(ServerNamespace namespace, SplittableRandom random, List<Long> parents) {
        long parent = any(random, parents);
        Name name = name(random);
        switch (random.nextInt(9)) {
            case 0, 1 -> namespace.create(parent, name, 0600, 1, 2, out);
            case 2 -> {
                if (namespace.mkdir(parent, name, 0700, 1, 2, out) == Status.OK && parents.size() < 12) {
                    parents.add(out.id);
                }
            }
            case 3 -> namespace.symlink(parent, name, new byte[] {'x'}, 1, 2, out);
            case 4 -> namespace.link(parent, name, any(random, parents), name(random), out);
            case 5 -> namespace.delete(parent, name, out);
            case 6 -> namespace.rmdir(parent, name);
            case 7 -> namespace.chmod(parent, name, random.nextInt(010000));
            default -> namespace.rename(parent, name, any(random, parents), name(random), true, out);
        }
    }

    /** The first request after a power failure is a batch; a copy of the same image is asked name by name. */
    @Test
    void aBatchRecoversWhatItMeets() throws PoolException {
        List<String> names = List.of("a", "b", "c", "e", "new", "dir");
        List<Runnable> operations = new ArrayList<>();
        SimPoolFile[] file = {FreshPool.repeatable(16 << 10, 12)};
        ServerNamespace[] namespace = {TestPool.open(file[0])};
        for (String name : List.of("a", "b", "c", "e")) {
            assertEquals(Status.OK, namespace[0].create(ROOT, Name.of(name), 0600, 0, 0, out));
        }
        operations.add(() -> namespace[0].rename(ROOT, Name.of("a"), ROOT, Name.of("b"), true, out));
        operations.add(() -> namespace[0].create(ROOT, Name.of("new"), 0600, 0, 0, out));
        operations.add(() -> namespace[0].delete(ROOT, Name.of("c"), out));
        operations.add(() -> namespace[0].mkdir(ROOT, Name.of("dir"), 0700, 0, 0, out));
        operations.add(() -> namespace[0].link(ROOT, Name.of("e"), ROOT, Name.of("a"), out));
        operations.add(() -> namespace[0].rename(ROOT, Name.of("e"), ROOT, Name.of("c"), true, out));
        CrashTree<Long> tree = new CrashTree<>(crashed -> bothWays(crashed, names), new Random(7));
        int[] sampled = {0};
        long recovered = 0;
        for (Runnable operation : operations) {
            file[0] = file[0].killed();
            namespace[0] = TestPool.open(file[0]); // its clock begins behind what is there
            long[] here = {0};
            SimPoolFile running = file[0];
            Runnable hook =
                    () -> sampled[0] += tree.explore(running, LIMIT, (objects, _) -> here[0] += objects) ? 0 : 1;
            file[0].pmem().beforeEachEvent(hook);
            operation.run();
            file[0].pmem().beforeEachEvent(null);
            recovered += here[0];
        }
        assertEquals(0, sampled[0]);
        assertTrue(tree.runs() > 40 && recovered > 40, tree.runs() + " runs, recovered " + recovered);
    }

    /** How many objects are recovered. */
    private long bothWays(SimPoolFile crashed, List<String> names) {
        ServerNamespace two = TestPool.open(crashed.killed());
        ServerNamespace one = TestPool.open(crashed);
        StatBatch batch = new StatBatch(names.size());
        names.forEach(name -> batch.add(ROOT, Name.of(name)));
        one.statAll(batch);
        long recovered = one.poolStatus().recoveredObjects();
        assertEquals(
                names.stream()
                        .map(name -> withoutTimes(single(two, ROOT, Name.of(name))))
                        .toList(),
                answers(batch).stream().map(StatOpTest::withoutTimes).toList());
        assertEquals(recovered, two.poolStatus().recoveredObjects());
        TestPool.scan(one);
        crashed.pmem().aside(() -> assertEquals(List.of(), TestPool.problems(one)));
        return recovered;
    }

    /** The two pools have clocks of their own, and an undone rename takes a time of its own. */
    private static String withoutTimes(String answer) {
        int end = answer.length();
        for (int times = 0; times < 4 && end > 0; times++) {
            end = answer.lastIndexOf(' ', end - 1);
        }
        return end < 0 ? answer : answer.substring(0, end);
    }

    /** A name that is only ever replaced is there in every batch, and each answer is one of the files that were put there. */
    @Test
    void aNameThatIsReplacedAllTheTimeIsAlwaysThere() throws IOException, InterruptedException {
        Path pool = directory.resolve("pool");
        Hmfs.format(pool, FormatOptions.ofSize(64 << 20));
        try (ServerNamespace namespace = Hmfs.openForServer(pool, OpenOptions.process())) {
            for (int i = 0; i < 8; i++) {
                assertEquals(Status.OK, namespace.create(ROOT, Name.of("stays" + i), 0600, 0, 0, out));
            }
            AtomicBoolean enough = new AtomicBoolean();
            Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
            Thread writer = new Thread(() -> {
                Attributes made = new Attributes();
                for (int i = 0; !enough.get(); i++) {
                    String target = "stays" + i % 8;
                    assertEquals(Status.OK, namespace.create(ROOT, Name.of("next"), 0600, 0, 0, made));
                    assertEquals(Status.OK, namespace.rename(ROOT, Name.of("next"), ROOT, Name.of(target), true, made));
                }
            });
            writer.setUncaughtExceptionHandler((_, thrown) -> failures.add(thrown));
            writer.start();
            StatBatch batch = new StatBatch(24);
            for (int i = 0; i < 24; i++) {
                batch.add(ROOT, Name.of("stays" + i % 8));
            }
            try {
                for (int round = 0; round < 20_000 && failures.isEmpty(); round++) {
                    namespace.statAll(batch);
                    for (int i = 0; i < 24; i++) {
                        assertEquals(Status.OK, batch.status(i));
                        assertEquals(0600, batch.attributes(i).mode);
                    }
                }
            } finally {
                enough.set(true);
                writer.join();
            }
            assertTrue(failures.isEmpty(), () -> failures.peek().toString());
        }
    }

    @Test
    void nothingIsAllocated() throws IOException {
        Path pool = directory.resolve("pool");
        Hmfs.format(pool, FormatOptions.ofSize(64 << 20));
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (ServerNamespace namespace = Hmfs.openForServer(pool, OpenOptions.process())) {
            byte[] name = "name-0".getBytes(StandardCharsets.US_ASCII);
            for (int i = 0; i < 8; i++) {
                name[5] = (byte) ('0' + i);
                assertEquals(
                        Status.OK,
                        namespace.create(ROOT, Name.of(new String(name, StandardCharsets.US_ASCII)), 0600, 0, 0, out));
            }
            StatBatch batch = new StatBatch(32);
            int rounds = 20_000;
            double each = Double.MAX_VALUE;
            for (int attempt = 0; attempt < 20 && each >= 0.01; attempt++) { // until the compiler has come to it
                long before = threads.getCurrentThreadAllocatedBytes();
                for (int round = 0; round < rounds; round++) {
                    batch.clear();
                    for (int i = 0; i < 32; i++) {
                        name[5] = (byte) ('0' + i % 10); // two of ten are not there
                        batch.add(ROOT, name, 0, name.length);
                    }
                    namespace.statAll(batch);
                }
                each = (threads.getCurrentThreadAllocatedBytes() - before) / (32.0 * rounds);
            }
            assertTrue(each < 0.01, each + " bytes a name");
        }
    }
}
