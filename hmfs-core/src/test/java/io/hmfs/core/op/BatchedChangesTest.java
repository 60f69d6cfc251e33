package io.hmfs.core.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.Namespace;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.Snapshot;
import io.hmfs.core.TestPool;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.recovery.Superblock;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.AppendBatch;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.DeleteBatch;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.NameBatch;
import io.hmfs.core.type.Status;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: the deletes and the appends of a batch are answered and leave behind what they would one by one, for one fence. Method: beside a
 * second pool, counted events, and threads that want the same names.
 */
final class BatchedChangesTest {
    private static final long ROOT = Namespace.ROOT_ID;

    @TempDir
    Path directory;

    private final Attributes out = new Attributes();

    private static SimPoolFile file(Persistence persistence) throws PoolException {
        SimPoolFile file = new SimPoolFile(256 << 10, 24, persistence);
        Superblock.format(Path.of("sim"), file, new UUID(1, 2), 42);
        return file;
    }

    private long mkdir(ServerNamespace namespace, String name) {
        assertEquals(Status.OK, namespace.mkdir(ROOT, Name.of(name), 0755, 0, 0, out));
        return out.id;
    }

    private long create(ServerNamespace namespace, long parent, String name) {
        assertEquals(Status.OK, namespace.create(parent, Name.of(name), 0644, 1, 2, out));
        return out.id;
    }

    private static List<Status> answers(NameBatch batch) {
        List<Status> answers = new ArrayList<>();
        for (int i = 0; i < batch.size(); i++) {
            answers.add(batch.status(i));
        }
        return answers;
    }

    private static Map<String, String> withoutIds(ServerNamespace namespace) {
        Map<String, String> seen = new TreeMap<>();
        Snapshot.of(namespace).forEach((path, entry) -> seen.put(path, entry.replaceAll(" id=\\d+", "")));
        return seen;
    }

    @Test
    void eachDeleteOfABatchHasItsOwnAnswer() throws PoolException {
        SimPoolFile file = file(Persistence.PMEM);
        ServerNamespace namespace = TestPool.open(file);
        long d = mkdir(namespace, "d");
        long a = create(namespace, d, "a");
        create(namespace, ROOT, "a");
        long linked = create(namespace, d, "linked");
        assertEquals(Status.OK, namespace.append(d, Name.of("a"), a, 77));
        assertEquals(Status.OK, namespace.link(d, Name.of("linked"), d, Name.of("other"), out));
        DeleteBatch batch = new DeleteBatch(10);
        batch.add(d, Name.of("a"));
        batch.add(ROOT, Name.of("a"));
        batch.add(d, Name.of("a"));
        batch.add(d, Name.of("linked"));
        batch.add(ROOT, Name.of("d"));
        batch.add(4711, Name.of("x"));
        batch.add(d, Name.of("x/y"));
        batch.add(d, Name.of("other"));
        batch.add(ROOT, Name.of("nothing"));
        namespace.deleteAll(batch);
        assertEquals(
                List.of(
                        Status.OK,
                        Status.OK,
                        Status.NOT_FOUND,
                        Status.OK,
                        Status.IS_DIRECTORY,
                        Status.NO_SUCH_DIRECTORY,
                        Status.INVALID_NAME,
                        Status.OK,
                        Status.NOT_FOUND),
                answers(batch));
        assertEquals(
                a + " 77 0", batch.attributes(0).id + " " + batch.attributes(0).size + " " + batch.attributes(0).nlink);
        assertEquals(linked + " 1", batch.attributes(3).id + " " + batch.attributes(3).nlink);
        assertEquals(linked + " 0", batch.attributes(7).id + " " + batch.attributes(7).nlink);
        assertEquals(1, Snapshot.of(namespace).size());
        assertEquals(Status.OK, namespace.rmdir(ROOT, Name.of("d")));
        assertEquals(List.of(), TestPool.problems(namespace));
    }

    @Test
    void eachAppendOfABatchHasItsOwnAnswer() throws PoolException {
        ServerNamespace namespace = TestPool.open(file(Persistence.PMEM));
        long d = mkdir(namespace, "d");
        long a = create(namespace, d, "a");
        long b = create(namespace, ROOT, "b");
        AppendBatch batch = new AppendBatch(10);
        batch.add(d, Name.of("a"), a, 100);
        batch.add(ROOT, Name.of("b"), b, 7);
        batch.add(d, Name.of("a"), a, 200);
        batch.add(d, Name.of("a"), a, 150);
        batch.add(d, Name.of("a"), b, 300);
        batch.add(ROOT, Name.of("d"), d, 300);
        batch.add(ROOT, Name.of("b"), b, -1);
        batch.add(ROOT, Name.of("nothing"), b, 1);
        batch.add(4711, Name.of("b"), b, 1);
        namespace.appendAll(batch);
        assertEquals(
                List.of(
                        Status.OK,
                        Status.OK,
                        Status.OK,
                        Status.OK,
                        Status.STALE,
                        Status.IS_DIRECTORY,
                        Status.INVALID_ARGUMENT,
                        Status.NOT_FOUND,
                        Status.NOT_FOUND),
                answers(batch));
        assertEquals(Status.OK, namespace.stat(d, Name.of("a"), out));
        assertEquals(200, out.size);
        assertEquals(Status.OK, namespace.stat(ROOT, Name.of("b"), out));
        assertEquals(7, out.size);
    }

    @Test
    void aBatchCostsOneFence() throws PoolException {
        SimPoolFile file = file(Persistence.PMEM);
        ServerNamespace namespace = TestPool.open(file);
        long[] directories = {mkdir(namespace, "d"), mkdir(namespace, "e"), ROOT};
        AppendBatch appends = new AppendBatch(48);
        DeleteBatch deletes = new DeleteBatch(48);
        for (int i = 0; i < 48; i++) {
            Name name = Name.of("file" + i);
            long id = create(namespace, directories[i % 3], name.toString());
            appends.add(directories[i % 3], name, id, 10);
            deletes.add(directories[i % 3], name);
        }
        long fences = file.pmem().fences();
        long writeBacks = file.pmem().writeBacks();
        namespace.appendAll(appends);
        assertEquals(1, file.pmem().fences() - fences);
        assertEquals(48, file.pmem().writeBacks() - writeBacks, "the attributes of each");
        fences = file.pmem().fences();
        writeBacks = file.pmem().writeBacks();
        namespace.deleteAll(deletes);
        assertEquals(1, file.pmem().fences() - fences);
        assertEquals(48 + 3, file.pmem().writeBacks() - writeBacks, "the state of each, and the directories");
        fences = file.pmem().fences();
        namespace.deleteAll(deletes);
        assertEquals(0, file.pmem().fences() - fences, "nothing has changed");
        assertEquals(2, Snapshot.of(namespace).size());
    }

    @Test
    void randomBatchesDoWhatTheirChangesDoOneByOne() throws PoolException {
        ServerNamespace batched = TestPool.open(file(Persistence.PROCESS));
        ServerNamespace single = TestPool.open(file(Persistence.PROCESS));
        SplittableRandom random = new SplittableRandom(Long.getLong("hmfs.seed", 5));
        long[] directories = {mkdir(batched, "d"), mkdir(batched, "e"), ROOT, 99_999};
        assertEquals(directories[0], mkdir(single, "d"));
        assertEquals(directories[1], mkdir(single, "e"));
        DeleteBatch deletes = new DeleteBatch(40);
        AppendBatch appends = new AppendBatch(40);
        int changed = 0;
        for (int round = 0; round < 200; round++) {
            for (int i = 0; i < 30; i++) {
                long parent = directories[random.nextInt(3)];
                Name name = Name.of("n" + random.nextInt(60));
                assertEquals(
                        single.create(parent, name, 0644, 1, 2, out), batched.create(parent, name, 0644, 1, 2, out));
            }
            deletes.clear();
            appends.clear();
            int size = random.nextInt(deletes.capacity() + 1);
            for (int i = 0; i < size; i++) {
                long parent = directories[random.nextInt(directories.length)];
                Name name = Name.of("n" + random.nextInt(60));
                boolean there = batched.stat(parent, name, out) == Status.OK;
                appends.add(parent, name, there && random.nextInt(9) > 0 ? out.id : 5, random.nextInt(1000));
                deletes.add(directories[random.nextInt(directories.length)], Name.of("n" + random.nextInt(60)));
            }
            batched.appendAll(appends);
            batched.deleteAll(deletes);
            for (int i = 0; i < size; i++) {
                long parent = appends.directory(i);
                boolean mine = single.stat(parent, appends.name(i), out) == Status.OK && appends.id(i) != 5;
                Status answer = single.append(parent, appends.name(i), mine ? out.id : 5, appends.length(i));
                assertEquals(answer, appends.status(i), "round " + round + ", append " + i);
            }
            for (int i = 0; i < size; i++) {
                Status answer = single.delete(deletes.directory(i), deletes.name(i), out);
                assertEquals(answer, deletes.status(i), "round " + round + ", delete " + i);
                changed += answer == Status.OK ? 1 : 0;
            }
            assertEquals(withoutIds(single), withoutIds(batched));
        }
        assertTrue(changed > 300, changed + " deleted");
        assertEquals(List.of(), TestPool.problems(batched));
    }

    @Test
    void ofThreadsThatDeleteTheSameFilesEachFileHasOne() throws IOException, InterruptedException {
        Path pool = directory.resolve("pool");
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        int files = 3_000;
        int threads = 4;
        AtomicInteger deleted = new AtomicInteger();
        Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
        try (ServerNamespace namespace = Hmfs.openForServer(pool, new OpenOptions(Persistence.PMEM, true))) {
            long[] directories = {mkdir(namespace, "d"), mkdir(namespace, "e"), ROOT};
            for (int i = 0; i < files; i++) {
                create(namespace, directories[i % 3], "f" + i);
            }
            List<Thread> all = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                int number = t;
                Thread thread = new Thread(() -> {
                    SplittableRandom random = new SplittableRandom(number);
                    DeleteBatch batch = new DeleteBatch(24);
                    for (int from = 0; from < files; from += 8) {
                        batch.clear();
                        for (int i = 0; i < 24; i++) { // as the others, in another order
                            int file = (from + random.nextInt(24)) % files;
                            batch.add(directories[file % 3], Name.of("f" + file));
                        }
                        namespace.deleteAll(batch);
                        answers(batch).forEach(answer -> {
                            assertTrue(answer == Status.OK || answer == Status.NOT_FOUND, answer.toString());
                            deleted.addAndGet(answer == Status.OK ? 1 : 0);
                        });
                    }
                });
                thread.setUncaughtExceptionHandler((_, thrown) -> failures.add(thrown));
                thread.start();
                all.add(thread);
            }
            for (Thread thread : all) {
                thread.join();
            }
            assertTrue(failures.isEmpty(), () -> failures.peek().toString());
            int left = Snapshot.of(namespace).size() - 2;
            assertEquals(files - left, deleted.get());
            assertTrue(left < files / 10, left + " left");
        }
    }
}
