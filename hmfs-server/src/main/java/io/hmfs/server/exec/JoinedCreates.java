package io.hmfs.server.exec;

import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.CreateBatch;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.access.Grants;
import io.hmfs.server.metrics.Operation;

/** Joined creates: their objects share a fence, and those of one directory a compare-and-swap and another fence (HMFS §4). */
final class JoinedCreates extends JoinedRequests {
    /** The batch holds as many key locks; a read of 64 KiB brings more creates. */
    private static final int CAPACITY = 128;

    private static final Attributes NOTHING = new Attributes(); // removed by these creates

    private final CreateBatch batch;
    private final long[] leases = new long[CAPACITY];

    JoinedCreates(Worker worker) {
        this(worker, new CreateBatch(CAPACITY));
    }

    private JoinedCreates(Worker worker, CreateBatch batch) {
        super(worker, batch, Operation.CREATE);
        this.batch = batch;
    }

    /** Adds a new file; its directory was just resolved, from a base. */
    void add(Session session, long baseId, long parentId, Name name, int mode, int gid, long lease) {
        long correlationId = makeRoom(session);
        int number = batch.addFile(parentId, name, mode, worker.uid, gid);
        leases[number] = lease;
        joined(session, number, correlationId, baseId);
    }

    @Override
    void executeAll() {
        worker.namespace.createAll(batch);
    }

    /** What has the name may be a symbolic link: then the file that is meant is where that leads. */
    @Override
    void refuse(int number, Status status) {
        boolean link = status == Status.EXISTS && batch.attributes(number).isSymlink();
        super.refuse(
                number,
                link ? seen(number, worker.links.unresolved(batch.directory(number), batch.name(number), "")) : status);
    }

    @Override
    void left(int number) {
        worker.charges.passage.left();
    }

    @Override
    void reply(int number) {
        worker.leases.give(batch.attributes(number).id, leases[number]);
        worker.open(batch.directory(number), batch.attributes(number), NOTHING, Grants.WRITE);
    }
}
