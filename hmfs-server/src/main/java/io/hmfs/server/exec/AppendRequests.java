package io.hmfs.server.exec;

import io.hmfs.client.ResultCode;
import io.hmfs.core.Namespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.access.Grants;
import io.hmfs.wire.AppendDecoder;
import io.hmfs.wire.Wire;
import java.io.IOException;

/** The commit of a size that a file has grown to, by whoever has a grant to write it, and its lease if he asked for one. */
final class AppendRequests {
    private static final int FIRST_BLOCK = 48; // bytes of its root block in the first version of the schema
    private static final int SECOND_BLOCK = 64;

    private final Worker worker;
    private final JoinedAppends joined;
    private final AppendDecoder append = new AppendDecoder();
    private final Name name = new Name();
    private final Attributes before = new Attributes();

    AppendRequests(Worker worker) {
        this.worker = worker;
        joined = new JoinedAppends(worker);
    }

    JoinedAppends joined() {
        return joined;
    }

    static void check(Worker worker) {
        int before = worker.header.version() < 2 ? FIRST_BLOCK : SECOND_BLOCK;
        worker.checkBlock(AppendDecoder.BLOCK_LENGTH, LeaseRequests.SINCE, before);
    }

    private Status open() {
        check(worker);
        append.wrap(worker.in, Wire.HEADER_SIZE, worker.header.blockLength(), worker.header.version());
        int length = append.nameLength();
        int at = append.limit() + AppendDecoder.nameHeaderLength();
        worker.in.check(at, length);
        if (length <= Name.LENGTH_MAX) {
            worker.in.getBytes(at, name.buffer(), 0, length);
        }
        name.seal(length);
        return name.check();
    }

    /** Whether the current request, an append whose data needs nothing, is left to be executed with others. */
    boolean join(Session session) {
        if (open() != Status.OK
                || append.parentId() < Namespace.ROOT_ID
                || worker.service.limbo.isBusy()
                || !worker.isGranted(append.inode(), append.grant(), append.seal(), Grants.WRITE)) {
            return false;
        }
        long stamp = worker.service.leases.tryShare(append.inode());
        if (stamp == 0) {
            return false;
        }
        if (!worker.leases.isHeld(append.inode(), lease()) || !beginJoined(session)) {
            worker.service.leases.unshare(append.inode(), stamp);
            return false;
        }
        joined.add(session, append.parentId(), name, append.inode(), append.size(), stamp, ended());
        return true;
    }

    /** Under which the current append is made. */
    private long lease() {
        return LeaseRequests.told(append.lease());
    }

    /** The same if it is over with it. */
    private long ended() {
        return append.last() == 1 ? lease() : LeaseRequests.NONE;
    }

    void append() {
        Status outcome = open();
        if (outcome == Status.OK && !worker.mayUse(append.inode(), append.grant(), append.seal(), Grants.WRITE)) {
            return;
        }
        if (outcome == Status.OK && worker.service.limbo.holds(append.parentId())) {
            outcome = Status.STALE; // removed with a directory above it
        }
        if (outcome == Status.OK && !syncData()) {
            return;
        }
        if (outcome == Status.OK) {
            commit();
        } else {
            worker.reply.status(appended(outcome));
        }
    }

    private boolean beginJoined(Session session) {
        Passage passage = worker.charges.passage;
        if (!passage.join(append.parentId())) {
            return false;
        }
        boolean begun = worker.once.beginJoined(session);
        if (!begun) {
            passage.left();
        }
        return begun;
    }

    /** The lock of the key is for quotas, which ask how much a file grows; key locks come before leases. */
    private void commit() {
        int stripe = KeyLocks.stripe(append.parentId(), name);
        worker.service.locks.lock(stripe, worker.waits);
        try {
            commitAsHolder();
        } finally {
            worker.service.locks.unlock(stripe);
        }
    }

    /** From the look at the lease to the commit nobody can take it away. */
    private void commitAsHolder() {
        Leases leases = worker.service.leases;
        long inode = append.inode();
        long stamp = leases.share(inode, worker.waits);
        Status outcome;
        try {
            if (worker.leases.hasLost(inode, lease())) {
                return;
            }
            worker.once.enter();
            outcome = worker.charges.append(append.parentId(), name, inode, append.size());
            worker.once.leave();
        } finally {
            leases.unshare(inode, stamp);
        }
        if (outcome == Status.OK) {
            worker.leases.end(inode, ended());
        }
        worker.reply.status(appended(outcome));
    }

    /** The caller means a file that it created: when its directory went away, the file did. */
    static Status appended(Status outcome) {
        return outcome == Status.NOT_FOUND || outcome == Status.NO_SUCH_DIRECTORY ? Status.STALE : outcome;
    }

    /** Durable data first, then the size that covers it. False: that failed, and the reply says so. */
    private boolean syncData() {
        Service.Data data = worker.service.data;
        if (data == null || !worker.service.info.durable()) {
            return true;
        }
        Status there = worker.namespace.stat(append.parentId(), name, before);
        long from = there == Status.OK && before.id == append.inode() ? before.size : append.size();
        try {
            data.store().syncRange(append.inode(), from, append.size());
            return true;
        } catch (IOException e) {
            worker.reply.failure(ResultCode.IO_ERROR, "the data could not be made durable: " + e.getMessage());
            return false;
        }
    }
}
