package io.hmfs.server.exec;

import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.DeleteBatch;
import io.hmfs.core.type.Name;
import io.hmfs.server.metrics.Operation;

/**
 * Joined deletes of files whose data is not the server's: they share a fence. Each has the lock of its key from when it joins until it is
 * executed, as every delete has; a thread that serves connections waits for none of them, so in whatever order they are taken.
 */
final class JoinedDeletes extends JoinedRequests {
    private static final int CAPACITY = 128;

    private final DeleteBatch batch;
    private final int[] stripes = new int[CAPACITY];

    JoinedDeletes(Worker worker) {
        this(worker, new DeleteBatch(CAPACITY));
    }

    private JoinedDeletes(Worker worker, DeleteBatch batch) {
        super(worker, batch, Operation.DELETE);
        this.batch = batch;
    }

    /** Adds a file whose key's lock was just taken; its directory was resolved, from a base. */
    void add(Session session, long baseId, long parentId, Name name, int stripe) {
        long correlationId = makeRoom(session);
        int number = batch.add(parentId, name);
        stripes[number] = stripe;
        joined(session, number, correlationId, baseId);
    }

    @Override
    void executeAll() {
        worker.namespace.deleteAll(batch);
    }

    @Override
    void reply(int number) {
        Attributes removed = batch.attributes(number);
        boolean gone = removed.nlink == 0 && !removed.isSymlink(); // as far as data goes
        if (gone) {
            worker.service.leases.removed(removed.id);
        }
        worker.reply.done(gone ? removed.id : 0, gone ? removed.size : 0);
    }

    @Override
    void left(int number) {
        worker.service.locks.unlock(stripes[number]);
        worker.charges.passage.left();
    }
}
