package io.hmfs.server.exec;

import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.StatBatch;
import io.hmfs.core.type.Status;
import io.hmfs.server.metrics.Operation;

/** Joined stats: looked up together, so that their waits for memory overlap. */
final class JoinedStats extends JoinedRequests {
    /** Enough for the waits to overlap; what is fetched for all of them still fits the nearest caches. */
    private static final int CAPACITY = 64;

    private final StatBatch batch;

    JoinedStats(Worker worker) {
        this(worker, new StatBatch(CAPACITY));
    }

    JoinedStats(Worker worker, StatBatch batch) {
        super(worker, batch, Operation.STAT);
        this.batch = batch;
    }

    /** Adds a name; its directory was just resolved, from a base. */
    void add(Session session, long baseId, long parentId, Name name) {
        long correlationId = makeRoom(session);
        joined(session, batch.add(parentId, name), correlationId, baseId);
    }

    @Override
    void executeAll() {
        worker.namespace.statAll(batch);
    }

    @Override
    void reply(int number) {
        Attributes found = batch.attributes(number);
        if (!found.isSymlink()) {
            worker.reply.entry(batch.directory(number), found);
            return;
        }
        Status status = worker.links.look(batch.directory(number), batch.name(number), found);
        if (status == Status.OK) {
            worker.reply.entry(batch.directory(number), found, worker.links.target());
        } else {
            worker.reply.status(seen(number, status));
        }
    }
}
