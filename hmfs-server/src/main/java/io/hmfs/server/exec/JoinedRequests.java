package io.hmfs.server.exec;

import io.hmfs.core.type.NameBatch;
import io.hmfs.core.type.Status;
import io.hmfs.server.metrics.Operation;

/**
 * Requests of one kind that one connection sent one behind the other, executed as one batch. A request joins if all that it needs is
 * there already; everything else executes what has joined before it, so a client sees its requests executed in its order.
 */
abstract sealed class JoinedRequests permits JoinedCreates, JoinedStats {
    final Worker worker;
    private final NameBatch batch;
    private final Operation operation;
    private final long[] correlationIds;
    private final long[] baseIds;
    private final long[] sequences;

    JoinedRequests(Worker worker, NameBatch batch, Operation operation) {
        this.worker = worker;
        this.batch = batch;
        this.operation = operation;
        this.correlationIds = new long[batch.capacity()];
        this.baseIds = new long[batch.capacity()];
        this.sequences = new long[batch.capacity()];
        worker.recorder.mayJoin(batch.capacity());
    }

    /** Makes room for the request that is being executed; its correlation id, which is to be given to {@link #joined}. */
    final long makeRoom(Session session) {
        long correlationId = worker.reply.correlationId();
        if (batch.size() == batch.capacity()) {
            execute(session);
        }
        return correlationId;
    }

    /** What was just added to the batch is this request; its directory was resolved from a base. */
    final void joined(int number, long correlationId, long baseId) {
        correlationIds[number] = correlationId;
        baseIds[number] = baseId;
        sequences[number] = worker.once.handOver();
        worker.recorder.joined(number);
    }

    /** The number of a request that joined, if it is a change; else {@link Once#NONE}. */
    final long sequence(int number) {
        return sequences[number];
    }

    final boolean isEmpty() {
        return batch.size() == 0;
    }

    /** What an outcome of this request means to a caller who gave a whole path. */
    final Status seen(int number, Status status) {
        return PathResolver.seen(status, baseIds[number]);
    }

    /** Replies to a request that the engine has refused. */
    void refuse(int number, Status status) {
        worker.reply.status(status);
    }

    /** Executes what has joined, and replies in its order. */
    final void execute(Session session) {
        execute();
        long endNanos = System.nanoTime();
        for (int i = 0; i < batch.size(); i++) {
            worker.reply.aim(session, correlationIds[i]);
            Status status = batch.status(i);
            if (status == Status.OK) {
                reply(i);
            } else {
                refuse(i, seen(i, status));
            }
            worker.once.answered(session, sequences[i]);
            worker.recorder.answered(session, operation, i, endNanos, batch.attributes(i));
        }
        batch.clear();
    }

    /** Has the engine execute the batch. */
    abstract void execute();

    /** Replies to a request whose status is OK. */
    abstract void reply(int number);

    /** Forgets what has joined: nothing is executed any more. */
    final void drop() {
        batch.clear();
    }
}
