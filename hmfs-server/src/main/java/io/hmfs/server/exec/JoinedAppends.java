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
    private final long[] inodes = new long[CAPACITY];
    private final long[] stamps = new long[CAPACITY];
    private final long[] lasts = new long[CAPACITY]; // leases that are over if it is executed
    private final long[] ended = new long[CAPACITY]; // and that are
    private final ClientKey[] clients = new ClientKey[CAPACITY];

    JoinedAppends(Worker worker) {
        this(worker, new AppendBatch(CAPACITY));
    }

    private JoinedAppends(Worker worker, AppendBatch batch) {
        super(worker, batch, Operation.APPEND);
        this.batch = batch;
    }

    /** The file is shared, by this stamp; {@code last}: the lease that is over with this, or none. */
    void add(Session session, long parentId, Name name, long inode, long size, long stamp, long last) {
        long correlationId = makeRoom(session);
        int number = batch.add(parentId, name, inode, size);
        inodes[number] = inode;
        stamps[number] = stamp;
        lasts[number] = last;
        ended[number] = LeaseRequests.NONE;
        clients[number] = session.client();
        joined(session, number, correlationId, NO_BASE);
    }

    @Override
    void left(int number) {
        worker.charges.passage.left();
        Leases leases = worker.service.leases;
        leases.unshare(inodes[number], stamps[number]);
        if (ended[number] != LeaseRequests.NONE) {
            leases.end(inodes[number], clients[number], ended[number]);
        }
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
        super.refuse(number, AppendRequests.appended(status));
    }

    @Override
    void reply(int number) {
        ended[number] = lasts[number];
        worker.reply.done();
    }
}
