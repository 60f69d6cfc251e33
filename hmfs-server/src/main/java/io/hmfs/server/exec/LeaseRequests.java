package io.hmfs.server.exec;

import io.hmfs.client.ResultCode;
import io.hmfs.core.Namespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Status;
import io.hmfs.wire.CreateDecoder;
import io.hmfs.wire.IsClosedDecoder;
import io.hmfs.wire.RecoverLeaseDecoder;
import io.hmfs.wire.RenewLeasesDecoder;
import io.hmfs.wire.Wire;
import org.jspecify.annotations.Nullable;

/** Requests about leases, and what other requests ask of them for the current client. Of one worker. */
final class LeaseRequests {
    static final int SINCE = 6; // version of the schema

    /** No lease. */
    static final long NONE = 0;

    private static final int ATTEMPTS_MAX = 16;

    private final Worker worker;
    private final Leases leases;
    private final RecoverLeaseDecoder recover = new RecoverLeaseDecoder();
    private final IsClosedDecoder isClosed = new IsClosedDecoder();
    private final RenewLeasesDecoder renew = new RenewLeasesDecoder();
    private final Attributes seen = Attributes.withAcl();
    private @Nullable Session session;

    LeaseRequests(Worker worker) {
        this.worker = worker;
        leases = worker.service.leases;
    }

    /** What is asked from here on, is of this session's client. */
    void actFor(Session current) {
        session = current;
    }

    private Session session() {
        Session current = session;
        if (current == null) {
            throw new IllegalStateException("a request of nobody");
        }
        return current;
    }

    private String host() {
        String peer = session().peer();
        int port = peer.lastIndexOf(':');
        return peer.substring(peer.startsWith("/") ? 1 : 0, port < 0 ? peer.length() : port);
    }

    /** A number that a message tells; none from clients who do not know of leases. */
    static long told(long field) {
        return field == CreateDecoder.leaseNullValue() ? NONE : field;
    }

    /** Whether messages with this id wait for the disk. */
    static boolean waits(int templateId) {
        return templateId == RecoverLeaseDecoder.TEMPLATE_ID;
    }

    /** Executes the current request if it is one of these. */
    boolean takes(int templateId) {
        switch (templateId) {
            case RecoverLeaseDecoder.TEMPLATE_ID -> recover();
            case IsClosedDecoder.TEMPLATE_ID -> isClosed();
            case RenewLeasesDecoder.TEMPLATE_ID -> renew();
            default -> {
                return false;
            }
        }
        return true;
    }

    /** Whether the client may not have a lease of this number because it has too many. */
    boolean isFull(long number) {
        return number != NONE && leases.isFull(session().client());
    }

    void replyFull() {
        worker.reply.failure(
                ResultCode.TOO_LARGE,
                Leases.name(session().clientId()) + " is writing " + Leases.OF_CLIENT_MAX
                        + " files, and one client may have no more leases: close some of them");
    }

    /** The client gets the lease that it wants on a file that it has just made. */
    void give(long inode, long number) {
        if (number != NONE) {
            leases.give(inode, session().client(), host(), number);
        }
    }

    /** The same for a file that was made before the server started, unless somebody may have taken it since. */
    void giveAgain(long inode, long number) {
        if (number != NONE) {
            leases.giveAgain(inode, session().client(), host(), number);
        }
    }

    /** Whether the client has lost a lease under which it writes a file that is shared; if so, the reply says it. */
    boolean hasLost(long inode, long number) {
        if (isHeld(inode, number)) {
            return false;
        }
        worker.reply.failure(ResultCode.LEASE_LOST, ResultCode.LEASE_LOST.text());
        return true;
    }

    /** Whether the client may write a file that is shared: under this lease, or under none. */
    boolean isHeld(long inode, long number) {
        return number == NONE || leases.isHeld(inode, session().client(), number);
    }

    /** The client does not need it any more. */
    void end(long inode, long number) {
        if (number != NONE) {
            leases.end(inode, session().client(), number);
        }
    }

    /**
     * Gives the lease on what has this name, for an append, and looks at it again: nobody has committed anything since but who has the lease.
     * It may be another file by now, or another's, so the user is judged by what is seen here. False: he may not, somebody else has it, or
     * the file went meanwhile, and the reply says so.
     */
    boolean open(PathResolver path, String text, Attributes file, int wanted, long number) {
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            long inode = file.id;
            long stamp = leases.alone(inode, worker.waits);
            try {
                Status there = worker.namespace.stat(path.parentId, path.name, file);
                if (there != Status.OK || file.isDirectory() || file.isSymlink()) {
                    worker.reply.status(there == Status.OK ? Status.STALE : path.seen(there));
                    return false;
                }
                Status may = path.may(file, wanted);
                if (may != Status.OK) {
                    worker.reply.status(may);
                    return false;
                }
                if (file.id == inode && !isHeld(inode, number) && isFull(number)) {
                    replyFull();
                    return false;
                }
                if (file.id == inode) {
                    String owner = leases.take(inode, session().client(), host(), number, worker.waits);
                    return owner == null || refused("APPEND_FILE", text, owner);
                }
            } finally {
                leases.endAlone(inode, stamp);
            }
        }
        worker.reply.status(Status.STALE);
        return false;
    }

    /** Whether somebody writes a file that the caller has alone, and cuts him off if he is silent; if so, the reply says it. */
    boolean isWritten(long inode, String operation, String path) {
        String owner = leases.displaceSilent(inode, worker.waits);
        return owner != null && !refused(operation, path, owner);
    }

    /** False. */
    private boolean refused(String operation, String path, String owner) {
        worker.reply.failure(
                ResultCode.LEASED,
                "Failed to " + operation + " " + path + " for "
                        + Leases.name(session().clientId()) + " on " + host()
                        + " because this file lease is currently owned by " + owner);
        return false;
    }

    private void recover() {
        worker.checkBlock(RecoverLeaseDecoder.BLOCK_LENGTH);
        recover.wrap(worker.in, Wire.HEADER_SIZE, worker.header.blockLength(), worker.header.version());
        int at = recover.limit() + RecoverLeaseDecoder.pathHeaderLength();
        Status outcome = find(recover.baseId(), at, recover.pathLength());
        if (outcome == Status.OK) {
            outcome = worker.path.may(seen, Access.WRITE);
        }
        if (outcome == Status.OK) {
            long stamp = leases.alone(seen.id, true);
            leases.displace(seen.id);
            leases.endAlone(seen.id, stamp);
        }
        worker.reply.status(outcome);
    }

    private void isClosed() {
        worker.checkBlock(IsClosedDecoder.BLOCK_LENGTH);
        isClosed.wrap(worker.in, Wire.HEADER_SIZE, worker.header.blockLength(), worker.header.version());
        int at = isClosed.limit() + IsClosedDecoder.pathHeaderLength();
        Status outcome = find(isClosed.baseId(), at, isClosed.pathLength());
        if (outcome == Status.OK) {
            worker.reply.leaseState(leases.isClosed(seen.id));
        } else {
            worker.reply.status(outcome);
        }
    }

    /** Sees the file that is meant. */
    private Status find(long base, int at, int length) {
        PathResolver path = worker.path;
        Status outcome = path.resolve(base, worker.in, at, length);
        if (outcome == Status.OK) {
            outcome = path.isBase && path.parentId != Namespace.ROOT_PARENT_ID
                    ? Status.IS_DIRECTORY
                    : path.seen(worker.namespace.stat(path.parentId, path.name, seen));
        }
        if (outcome == Status.OK && seen.isDirectory()) {
            return Status.IS_DIRECTORY;
        }
        return outcome == Status.OK && seen.isSymlink() ? path.unresolved() : outcome;
    }

    private void renew() {
        worker.checkBlock(RenewLeasesDecoder.BLOCK_LENGTH);
        renew.wrap(worker.in, Wire.HEADER_SIZE, worker.header.blockLength(), worker.header.version());
        end(renew.endedInode(), renew.endedLease());
        leases.renew(session().client(), worker.waits);
        worker.reply.done();
    }
}
