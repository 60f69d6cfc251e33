package io.hmfs.core.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.Snapshot;
import io.hmfs.core.TestPool;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.recovery.Superblock;
import io.hmfs.core.sim.SimAcls;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Acl;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.CreateBatch;
import io.hmfs.core.type.FileType;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/**
 * Goal: a create is there after a reopening, a name that is taken or bad is refused; the creates of a batch are answered and leave behind
 * what they would one by one, for two fences and one compare-and-swap a directory. Method: a mapped pool; batches beside a second pool,
 * counted events, and threads on few directories.
 */
final class CreateOpTest extends MappedPool {
    private static ServerNamespace simulated(Persistence persistence) throws PoolException {
        SimPoolFile file = new SimPoolFile(256 << 10, 24, persistence);
        Superblock.format(Path.of("sim"), file, new UUID(1, 2), 42, 2);
        return TestPool.open(file);
    }

    private long mkdir(ServerNamespace namespace, String name) {
        assertEquals(Status.OK, namespace.mkdir(ROOT, Name.of(name), 0755, 0, 0, out));
        return out.id;
    }

    private static Map<String, String> withoutIds(ServerNamespace namespace) {
        Map<String, String> seen = new TreeMap<>();
        Snapshot.of(namespace).forEach((path, entry) -> seen.put(path, entry.replaceAll(" id=\\d+", "")));
        return seen;
    }

    @Test
    void aNameThatIsTakenIsToldWithWhatHasIt() {
        Attributes first = new Attributes();
        assertEquals(Status.OK, namespace.create(ROOT, Name.of("file"), 0640, 7, 8, first));
        assertEquals(Status.OK, namespace.append(ROOT, Name.of("file"), first.id, 99));
        Attributes seen = new Attributes();
        assertEquals(Status.EXISTS, namespace.create(ROOT, Name.of("file"), 0644, 0, 0, seen));
        assertEquals(List.of(first.id, 99L, 0640L, 7L), List.of(seen.id, seen.size, (long) seen.mode, (long) seen.uid));
        assertEquals(Status.EXISTS, namespace.mkdir(ROOT, Name.of("file"), 0644, 0, 0, seen));
        assertEquals(FileType.FILE, seen.type);
        assertEquals(Status.OK, namespace.mkdir(ROOT, Name.of("directory"), 0755, 0, 0, first));
        assertEquals(Status.EXISTS, namespace.create(ROOT, Name.of("directory"), 0644, 0, 0, seen));
        assertEquals(first.id, seen.id);
        assertEquals(FileType.DIRECTORY, seen.type);
    }

    @Test
    void aCreatedFileIsThereAfterReopening() throws IOException {
        long id = create(ROOT, "a");
        assertEquals(Status.EXISTS, namespace.create(ROOT, Name.of("a"), 0644, 0, 0, out));
        reopen();
        assertEquals(Status.OK, stat(ROOT, "a"));
        assertEquals(id, out.id);
        assertEquals(0644, out.mode);
        assertEquals(List.of("a"), list(ROOT));
        assertNotEquals(id, create(ROOT, "b"));
        assertEquals(List.of("b", "a"), list(ROOT));
    }

    @Test
    void badNamesAreRefused() {
        assertEquals(Status.INVALID_NAME, namespace.create(ROOT, Name.of(""), 0644, 0, 0, out));
        assertEquals(Status.INVALID_NAME, namespace.create(ROOT, Name.of(".."), 0644, 0, 0, out));
        assertEquals(Status.INVALID_NAME, namespace.create(ROOT, Name.of("a/b"), 0644, 0, 0, out));
        assertEquals(Status.INVALID_NAME, namespace.create(ROOT, Name.of("a\0b"), 0644, 0, 0, out));
        assertEquals(Status.NAME_TOO_LONG, namespace.create(ROOT, Name.of("x".repeat(256)), 0644, 0, 0, out));
        assertEquals(Status.OK, namespace.create(ROOT, Name.of("x".repeat(255)), 0644, 0, 0, out));
        assertEquals(Status.OK, namespace.create(ROOT, Name.of("x".repeat(65)), 0644, 0, 0, out));
        assertEquals(Status.OK, namespace.create(ROOT, Name.of("x".repeat(64)), 0644, 0, 0, out));
        assertEquals(3, list(ROOT).size());
    }

    @Test
    void eachCreateOfABatchHasItsOwnAnswer() throws PoolException {
        ServerNamespace namespace = simulated(Persistence.PMEM);
        long d = mkdir(namespace, "d");
        assertEquals(Status.OK, namespace.create(d, Name.of("taken"), 0600, 0, 0, out));
        CreateBatch batch = new CreateBatch(14);
        long[] acl = SimAcls.of(6, false, 5);
        assertThrows(IllegalStateException.class, () -> {
            batch.addFile(ROOT, Name.of("x"), 0, 0, 0);
            batch.status(0);
        });
        batch.clear();
        Name reused = Name.of("a");
        batch.addFile(d, reused, 0644, 7, 8);
        reused.set("b");
        batch.addFile(ROOT, reused, 0640, 7, 8);
        batch.addFile(d, Name.of("taken"), 0644, 0, 0);
        batch.addFile(d, Name.of("a"), 0644, 0, 0);
        batch.addDirectory(d, Name.of("sub"), 0711, 1, 2);
        batch.addFile(4711, Name.of("x"), 0644, 0, 0);
        batch.addFile(d, Name.of("x/y"), 0644, 0, 0);
        batch.addFile(d, Name.of("n".repeat(300)), 0644, 0, 0);
        batch.addFile(d, Name.of("z"), 010000, 0, 0);
        batch.addFile(d, Name.of("n".repeat(200)), 0644, -1, 0);
        batch.addFile(d, Name.of("n".repeat(200)), 0644, 1, 0);
        batch.addFile(d, Name.of("acl"), 0644, 1, 0, acl);
        batch.addFile(d, Name.of("bad"), 0644, 1, 0, new long[] {Acl.entry(true, Acl.GROUP, 7)});
        namespace.createAll(batch);
        List<Status> answers = new ArrayList<>();
        for (int i = 0; i < batch.size(); i++) {
            answers.add(batch.status(i));
        }
        assertEquals(
                List.of(
                        Status.OK,
                        Status.OK,
                        Status.EXISTS,
                        Status.EXISTS,
                        Status.OK,
                        Status.NO_SUCH_DIRECTORY,
                        Status.INVALID_NAME,
                        Status.NAME_TOO_LONG,
                        Status.INVALID_ARGUMENT,
                        Status.INVALID_ARGUMENT,
                        Status.OK,
                        Status.OK,
                        Status.INVALID_ARGUMENT),
                answers);
        Attributes found = Attributes.withAcl();
        for (int i : new int[] {0, 1, 4, 10, 11}) {
            assertEquals(Status.OK, namespace.stat(batch.directory(i), batch.name(i), found));
            assertArrayEquals(i == 11 ? acl : Acl.NONE, found.acl);
            assertEquals(batch.attributes(i).id, found.id);
            assertEquals(batch.attributes(i).birthNanos, found.birthNanos);
            assertEquals(batch.mode(i), found.mode);
            assertEquals(batch.uid(i), found.uid);
            assertEquals(batch.gid(i), found.gid);
            assertEquals(batch.type(i), found.type);
        }
        assertEquals(Status.OK, namespace.create(batch.attributes(4).id, Name.of("within"), 0644, 0, 0, out));
        assertEquals(List.of(), TestPool.problems(namespace));
        assertThrows(IllegalArgumentException.class, () -> batch.status(13));
        assertThrows(IllegalArgumentException.class, () -> new CreateBatch(0));
        assertThrows(IllegalArgumentException.class, () -> new CreateBatch(CreateBatch.CAPACITY_MAX + 1));
        batch.addFile(d, Name.of("last"), 0644, 0, 0);
        assertThrows(IllegalStateException.class, () -> batch.addFile(d, Name.of("one more"), 0644, 0, 0));
    }

    @Test
    void aBatchCostsTwoFencesAndOneCompareAndSwapForEachDirectory() throws PoolException {
        SimPoolFile file = new SimPoolFile(256 << 10, 24, Persistence.PMEM);
        Superblock.format(Path.of("sim"), file, new UUID(1, 2), 42, 2);
        ServerNamespace namespace = TestPool.open(file);
        long[] directories = {mkdir(namespace, "d"), mkdir(namespace, "e"), ROOT};
        CreateBatch batch = new CreateBatch(48);
        for (int i = 0; i < 48; i++) {
            batch.addFile(directories[i % 3], Name.of("file" + i), 0644, 0, 0);
        }
        long fences = file.pmem().fences();
        long cas16s = file.pmem().cas16s();
        long writeBacks = file.pmem().writeBacks();
        namespace.createAll(batch);
        assertEquals(2, file.pmem().fences() - fences);
        assertEquals(3, file.pmem().cas16s() - cas16s);
        long lines = file.pmem().writeBacks() - writeBacks;
        assertEquals(48 * (3 + 1) + 3, lines, "three lines of each object, its index word, the directories");
        for (int d = 0; d < 3; d++) {
            List<String> listed = new ArrayList<>();
            List<Long> births = new ArrayList<>();
            namespace.list(directories[d], new ListCursor(), (name, attributes) -> {
                if (!attributes.isDirectory()) {
                    listed.add(name.toString());
                    births.add(attributes.birthNanos);
                }
                return true;
            });
            for (int i = 0; i < 16; i++) {
                assertEquals("file" + (3 * (15 - i) + d), listed.get(i));
                assertTrue(i == 0 || births.get(i) < births.get(i - 1), "births descend");
            }
            assertEquals(Status.OK, namespace.statDirectory(directories[d], out));
            assertEquals(births.getFirst(), out.mtimeNanos);
        }
        assertEquals(List.of(), TestPool.problems(namespace));
    }

    @Test
    void randomBatchesDoWhatTheirCreatesDoOneByOne() throws PoolException {
        ServerNamespace batched = simulated(Persistence.PROCESS);
        ServerNamespace single = simulated(Persistence.PROCESS);
        SplittableRandom random = new SplittableRandom(Long.getLong("hmfs.seed", 5));
        List<Long> known = new ArrayList<>(List.of(ROOT, 99_999L));
        CreateBatch batch = new CreateBatch(40);
        Attributes removed = new Attributes();
        int refused = 0;
        for (int round = 0; round < 300; round++) {
            batch.clear();
            int size = random.nextInt(batch.capacity() + 1);
            for (int i = 0; i < size; i++) {
                long parent = known.get(random.nextInt(known.size()));
                Name name = Name.of((random.nextInt(30) == 0 ? "long".repeat(30) : "n") + random.nextInt(400));
                if (random.nextInt(12) == 0) {
                    batch.addDirectory(parent, name, 0700 + random.nextInt(64), 1, 2);
                } else {
                    batch.addFile(parent, name, 0600 + random.nextInt(64), 1, 2);
                }
            }
            batched.createAll(batch);
            for (int i = 0; i < size; i++) {
                Status answer = batch.type(i) == FileType.DIRECTORY
                        ? single.mkdir(batch.directory(i), batch.name(i), batch.mode(i), 1, 2, out)
                        : single.create(batch.directory(i), batch.name(i), batch.mode(i), 1, 2, out);
                assertEquals(answer, batch.status(i), "round " + round + ", create " + i);
                refused += answer == Status.OK ? 0 : 1;
                if (answer == Status.OK && batch.type(i) == FileType.DIRECTORY && batch.attributes(i).id == out.id) {
                    known.add(out.id); // the same in both pools, else it is not used
                }
            }
            for (int i = 0; i < 5; i++) {
                Name name = Name.of("n" + random.nextInt(400));
                long parent = known.get(random.nextInt(known.size()));
                assertEquals(single.delete(parent, name, removed), batched.delete(parent, name, removed));
            }
        }
        assertTrue(refused > 100 && known.size() > 10, refused + " refused, directories " + known.size());
        assertEquals(withoutIds(single), withoutIds(batched));
        assertEquals(List.of(), TestPool.problems(batched));
    }

    @Test
    void aFullPoolRefusesSomeAndMakesRoomForOthers() throws PoolException {
        SimPoolFile file = new SimPoolFile(32 << 10, 12, Persistence.PROCESS);
        Superblock.format(Path.of("sim"), file, new UUID(1, 2), 42, 2);
        ServerNamespace namespace = TestPool.open(file);
        TestPool.scan(namespace);
        CreateBatch batch = new CreateBatch(16);
        int made = 0;
        boolean full = false;
        for (int round = 0; !full; round++) {
            batch.clear();
            for (int i = 0; i < 16; i++) {
                batch.addFile(ROOT, Name.of("f" + (16 * round + i)), 0644, 0, 0);
            }
            namespace.createAll(batch);
            for (int i = 0; i < 16; i++) {
                full |= batch.status(i) == Status.NO_SPACE;
                made += batch.status(i) == Status.OK ? 1 : 0;
                assertTrue(full == (batch.status(i) == Status.NO_SPACE) && (full || batch.status(i) == Status.OK));
            }
        }
        assertEquals(made, Snapshot.of(namespace).size());
        for (int i = 0; i < 16; i++) {
            assertEquals(Status.OK, namespace.delete(ROOT, Name.of("f" + i), out));
        }
        batch.clear();
        for (int i = 0; i < 16; i++) {
            batch.addFile(ROOT, Name.of("again" + i), 0644, 0, 0);
        }
        namespace.createAll(batch);
        for (int i = 0; i < 16; i++) {
            assertEquals(Status.OK, batch.status(i), "deleting makes room");
        }
        assertEquals(List.of(), TestPool.problems(namespace));
    }

    @Test
    void threadsWithBatchesInFewDirectoriesLoseNothing() throws IOException, InterruptedException {
        Path pool = directory.resolve("pool");
        Hmfs.format(pool, FormatOptions.ofSize(256 << 20));
        try (ServerNamespace namespace = Hmfs.openForServer(pool, new OpenOptions(Persistence.PMEM, true))) {
            long[] directories = {mkdir(namespace, "d"), mkdir(namespace, "e"), ROOT};
            Map<String, Long> made = new ConcurrentHashMap<>();
            Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
            List<Thread> threads = new ArrayList<>();
            for (int t = 0; t < 4; t++) {
                int number = t;
                Thread thread = new Thread(() -> work(namespace, directories, number, made));
                thread.setUncaughtExceptionHandler((_, thrown) -> failures.add(thrown));
                thread.start();
                threads.add(thread);
            }
            for (Thread thread : threads) {
                thread.join();
            }
            assertTrue(failures.isEmpty(), () -> failures.peek().toString());
            Set<String> listed = new HashSet<>();
            for (long parent : directories) {
                long[] above = {Long.MAX_VALUE};
                assertEquals(Status.OK, namespace.list(parent, new ListCursor(), (name, attributes) -> {
                    assertTrue(attributes.birthNanos < above[0], "births descend");
                    above[0] = attributes.birthNanos;
                    if (!attributes.isDirectory()) {
                        assertTrue(listed.add(parent + "/" + name));
                        assertEquals(made.get(parent + "/" + name), attributes.id);
                    }
                    return true;
                }));
            }
            assertEquals(made.keySet(), listed);
            assertFalse(made.isEmpty());
        }
    }

    /** Batches of names that other threads want too: each name has one maker, and the thread that deletes it makes it free again. */
    private static void work(ServerNamespace namespace, long[] directories, int thread, Map<String, Long> made) {
        SplittableRandom random = new SplittableRandom(thread);
        CreateBatch batch = new CreateBatch(24);
        Attributes attributes = new Attributes();
        for (int round = 0; round < 400; round++) {
            batch.clear();
            int size = 1 + random.nextInt(24);
            for (int i = 0; i < size; i++) {
                batch.addFile(directories[random.nextInt(3)], Name.of("n" + random.nextInt(5000)), 0644, 0, 0);
            }
            namespace.createAll(batch);
            for (int i = 0; i < size; i++) {
                String path = batch.directory(i) + "/" + batch.name(i);
                if (batch.status(i) == Status.OK) {
                    assertEquals(Status.OK, namespace.stat(batch.directory(i), batch.name(i), attributes));
                    assertEquals(batch.attributes(i).id, attributes.id);
                    if (random.nextInt(3) == 0) {
                        assertEquals(Status.OK, namespace.delete(batch.directory(i), batch.name(i), attributes), path);
                    } else {
                        made.put(path, attributes.id); // no thread deletes it any more
                    }
                } else {
                    assertEquals(Status.EXISTS, batch.status(i));
                }
            }
        }
    }
}
