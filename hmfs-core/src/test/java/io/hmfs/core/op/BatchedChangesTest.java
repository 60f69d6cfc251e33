package io.hmfs.core.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.ServerNamespace;
import io.hmfs.core.Snapshot;
import io.hmfs.core.TestPool;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.type.AppendBatch;
import io.hmfs.core.type.DeleteBatch;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Goal: the deletes and the appends of a batch are answered and leave behind what they would one by one. Method: random batches beside a
 * second pool.
 */
final class BatchedChangesTest extends BatchPools {
    private static Map<String, String> withoutIds(ServerNamespace namespace) {
        Map<String, String> seen = new TreeMap<>();
        Snapshot.of(namespace).forEach((path, entry) -> seen.put(path, entry.replaceAll(" id=\\d+", "")));
        return seen;
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
}
