package io.hmfs.server.exec;

import io.hmfs.core.type.NameBatch;
import io.hmfs.core.type.Status;
import io.hmfs.server.metrics.Operation;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Requests of one kind that have arrived in one turn, over one connection or several, executed as one batch. A request joins if all that
 * it needs is there already. A connection has requests in one batch at a time: what it sends next and does not join there has them
 * executed first, so its requests are executed in its order.
 */
abstract sealed class JoinedRequests permits JoinedAppends, JoinedCreates, JoinedDeletes, JoinedStats {
    final Worker worker;
    private final NameBatch batch;
    private final Operation operation;
    private final @Nullable Session[] sessions;
    private final long[] correlationIds;
    private final long[] baseIds;
    private final long[] sequences;
    private final JoinedPaths paths;

    JoinedRequests(Worker worker, NameBatch batch, Operation operation) {
        this.worker = worker;
        this.batch = batch;
        this.operation = operation;
        this.sessions = new Session[batch.capacity()];
        this.correlationIds = new long[batch.capacity()];
        this.baseIds = new long[batch.capacity()];
        this.sequences = new long[batch.capacity()];
        this.paths = new JoinedPaths(batch.capacity());
    }

    /** Makes room for the request that is being executed; its correlation id, which is to be given to {@link #joined}. */
    final long makeRoom(Session session) {
        long correlationId = worker.reply.correlationId();
        if (batch.size() == batch.capacity()) {
            execute();
            worker.actFor(session); // the last one's reply was for another user perhaps
        }
        return correlationId;
    }

    /** What was just added to the batch is this request; its directory was resolved from a base. */
    final void joined(Session session, int number, long correlationId, long baseId) {
        sessions[number] = session;
        correlationIds[number] = correlationId;
        baseIds[number] = baseId;
        long sequence = worker.once.handOver();
        sequences[number] = sequence;
        Outcomes outcomes = session.outcomes();
        if (outcomes != null && sequence != Once.NONE) {
            batch.number(number, outcomes.ring(), sequence);
        }
        keepPath(paths, number);
        session.joined(this);
    }

    /** Keeps what is told of the current request. */
    void keepPath(JoinedPaths to, int number) {
        worker.path.copyTo(to.next(number));
        to.added(number, worker.path.base(), worker.arrivedNanos);
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

    /** Executes what has joined, and replies to each connection in its order. */
    final void execute() {
        executeAll();
        long endNanos = System.nanoTime();
        for (int i = 0; i < batch.size(); i++) {
            Session session = sessions[i];
            if (session == null) {
                throw new IllegalStateException("a request of nobody");
            }
            worker.actFor(session);
            worker.reply.aim(session, correlationIds[i]);
            Status status = batch.status(i);
            if (status == Status.OK) {
                reply(i);
            } else {
                refuse(i, seen(i, status));
            }
            worker.once.answered(session, sequences[i]);
            worker.recorder.answered(session, operation, paths, i, endNanos, batch.attributes(i));
        }
        worker.arrivedNanos = endNanos;
        drop();
    }

    /** Has the engine execute the batch. */
    abstract void executeAll();

    /** Replies to a request whose status is OK. */
    abstract void reply(int number);

    /** A request that had joined has been executed, or will not be. */
    void left(int number) {}

    /** Forgets what has joined. */
    final void drop() {
        for (int i = 0; i < batch.size(); i++) {
            left(i);
            Session session = sessions[i];
            if (session != null) {
                session.joined(null);
            }
        }
        Arrays.fill(sessions, 0, batch.size(), null);
        batch.clear();
    }

    /** Ends the connections of what has joined: nothing is executed any more. */
    final void closeAll() {
        for (int i = 0; i < batch.size(); i++) {
            Session session = sessions[i];
            if (session != null) {
                session.closeWhenSent();
            }
        }
        drop();
    }
}
