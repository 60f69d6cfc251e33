package io.hmfs.server.exec;

import io.hmfs.core.type.AppendBatch;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.metrics.Operation;

/** Joined appends, whose data needs nothing of the server: they share a fence. */
final class JoinedAppends extends JoinedRequests {
    private static final int CAPACITY = 128;
    private static final long NO_BASE = -1;

    private final AppendBatch batch;

    JoinedAppends(Worker worker) {
        this(worker, new AppendBatch(CAPACITY));
    }

    private JoinedAppends(Worker worker, AppendBatch batch) {
        super(worker, batch, Operation.APPEND);
        this.batch = batch;
    }

    void add(Session session, long parentId, Name name, long inode, long size) {
        long correlationId = makeRoom(session);
        joined(session, batch.add(parentId, name, inode, size), correlationId, NO_BASE);
    }

    @Override
    void keepPath(JoinedPaths paths, int number) {
        Name name = batch.name(number);
        paths.next(number).writeBytes(name.buffer(), 0, name.length());
        paths.added(number, batch.directory(number), worker.arrivedNanos);
    }

    @Override
    void executeAll() {
        worker.namespace.appendAll(batch);
    }

    @Override
    void refuse(int number, Status status) {
        super.refuse(number, ChangeRequests.appended(status));
    }

    @Override
    void left(int number) {
        worker.charges.passage.left();
    }

    @Override
    void reply(int number) {
        worker.reply.done();
    }
}
