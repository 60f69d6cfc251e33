package io.hmfs.server.exec;

import io.hmfs.core.type.Name;
import io.hmfs.core.type.StatBatch;
import io.hmfs.core.type.Status;

/**
 * Stats that one connection sent one behind the other, looked up together, so that their waits for memory overlap. Everything
 * else executes what has joined before it.
 */
final class JoinedStats {
    /** Enough for the waits to overlap; what is fetched for all of them still fits the nearest caches. */
    private static final int CAPACITY = 64;

    private final Worker worker;
    private final StatBatch batch = new StatBatch(CAPACITY);
    private final long[] correlationIds = new long[CAPACITY];
    private final long[] baseIds = new long[CAPACITY];

    JoinedStats(Worker worker) {
        this.worker = worker;
    }

    /** Adds a name; its directory was just resolved, from a base. */
    void add(Session session, long baseId, long parentId, Name name) {
        long correlationId = worker.reply.correlationId();
        if (batch.size() == CAPACITY) {
            execute(session);
        }
        int number = batch.add(parentId, name);
        correlationIds[number] = correlationId;
        baseIds[number] = baseId;
    }

    boolean isEmpty() {
        return batch.size() == 0;
    }

    /** Looks up what has joined, and replies in its order. */
    void execute(Session session) {
        worker.namespace.statAll(batch);
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
