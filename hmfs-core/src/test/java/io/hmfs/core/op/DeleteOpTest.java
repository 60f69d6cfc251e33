package io.hmfs.core.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.Snapshot;
import io.hmfs.core.TestPool;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.AppendBatch;
import io.hmfs.core.type.DeleteBatch;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: the deletes of a batch are answered one by one, for one fence, and of threads that delete one file one succeeds. Method: answers
 * and what is left, counted events, threads that want the same names. Random batches are in {@link BatchedChangesTest}.
 */
final class DeleteOpTest extends BatchPools {
    @TempDir
    Path directory;

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
        namespace.appendAll(appends);
        long fences = file.pmem().fences();
        long writeBacks = file.pmem().writeBacks();
        namespace.deleteAll(deletes);
        assertEquals(1, file.pmem().fences() - fences);
        assertEquals(48 + 3, file.pmem().writeBacks() - writeBacks, "the state of each, and the directories");
        fences = file.pmem().fences();
        namespace.deleteAll(deletes);
        assertEquals(0, file.pmem().fences() - fences, "nothing has changed");
        assertEquals(2, Snapshot.of(namespace).size());
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
