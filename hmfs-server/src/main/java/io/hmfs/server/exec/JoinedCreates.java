package io.hmfs.server.exec;

import io.hmfs.core.type.CreateBatch;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;

/**
 * Creates that one connection sent one behind the other, executed as one batch: their objects share a fence, and those of one
 * directory a compare-and-swap and another fence (HMFS §4). A create joins if all that it needs is there already; everything
 * else executes what has joined before it, so a client sees its requests executed in its order.
 */
final class JoinedCreates {
    /** The batch holds as many key locks; a read of 64 KiB brings more creates. */
    private static final int CAPACITY = 128;

    private final Worker worker;
    private final CreateBatch batch = new CreateBatch(CAPACITY);
    private final long[] correlationIds = new long[CAPACITY];
    private final long[] baseIds = new long[CAPACITY];

    JoinedCreates(Worker worker) {
        this.worker = worker;
    }

    /** Adds a new file; its directory was just resolved, from a base. */
    void add(Session session, long baseId, long parentId, Name name, int mode, int gid) {
        long correlationId = worker.reply.correlationId();
        if (batch.size() == CAPACITY) {
            execute(session);
        }
        int number = batch.addFile(parentId, name, mode, worker.uid, gid);
        correlationIds[number] = correlationId;
        baseIds[number] = baseId;
    }

    boolean isEmpty() {
        return batch.size() == 0;
    }

    /** Executes what has joined, and replies in its order. */
    void execute(Session session) {
        worker.namespace.createAll(batch);
        for (int i = 0; i < batch.size(); i++) {
            worker.reply.aim(session, correlationIds[i]);
            Status status = batch.status(i);
            if (status == Status.OK) {
                worker.reply.entry(batch.directory(i), batch.attributes(i));
            } else {
                worker.reply.status(PathResolver.seen(status, baseIds[i]));
            }
        }
        batch.clear();
    }

    /** Forgets what has joined: nothing is executed any more. */
    void drop() {
        batch.clear();
    }
}
