package io.hmfs.core.op;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hmfs.core.ServerNamespace;
import io.hmfs.core.TestPool;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.AppendBatch;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Goal: the appends of a batch are answered one by one, for one fence. Method: answers and sizes, counted events. Random batches are in
 * {@link BatchedChangesTest}.
 */
final class AppendOpTest extends BatchPools {
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
        for (int i = 0; i < 48; i++) {
            Name name = Name.of("file" + i);
            long id = create(namespace, directories[i % 3], name.toString());
            appends.add(directories[i % 3], name, id, 10);
        }
        long fences = file.pmem().fences();
        long writeBacks = file.pmem().writeBacks();
        namespace.appendAll(appends);
        assertEquals(1, file.pmem().fences() - fences);
        assertEquals(48, file.pmem().writeBacks() - writeBacks, "the attributes of each");
    }
}
