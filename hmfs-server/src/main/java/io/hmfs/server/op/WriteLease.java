package io.hmfs.server.op;

import io.hmfs.client.ResultCode;
import io.hmfs.server.lease.Leases;
import io.hmfs.server.request.Request;
import io.hmfs.server.request.Session;

/** The lease under which a request's client writes a file: a number of the client's, {@link Leases#NONE} if it has none. */
final class WriteLease {
    private WriteLease() {}

    /** Whether the user's share of leases is full. */
    static boolean isFull(Request request, long number) {
        return number != Leases.NONE
                && request.partition().leases().isFull(request.session().client());
    }

    static void replyFull(Request request) {
        request.reply()
                .failure(
                        ResultCode.TOO_LARGE,
                        request.partition().leases().refusal(request.session().client())
                                + ": close some of the files that are being written");
    }

    /** The client gets the lease on a file that it has just made. */
    static void give(Request request, long inode, long number) {
        if (number != Leases.NONE) {
            Leases leases = request.partition().leases();
            leases.give(inode, request.session().client(), request.session().host(), number);
            leases.fence();
        }
    }

    /** The client gets the lease on a file that it made before the server's start, unless another client may have taken it since. */
    static void giveAgain(Request request, long inode, long number) {
        if (number != Leases.NONE) {
            Session session = request.session();
            request.partition().leases().giveAgain(inode, session.client(), session.host(), number);
        }
    }

    /** Whether the client has this lease on a file that is shared. */
    static boolean isHeld(Request request, long inode, long number) {
        return number != Leases.NONE
                && request.partition().leases().isHeld(inode, request.session().client(), number);
    }

    /** Whether the client may write bytes of a file that is shared, which it may under its lease alone; if not, the reply says so. */
    static boolean mayWrite(Request request, long inode, long number) {
        if (isHeld(request, inode, number)) {
            return true;
        }
        if (number == Leases.NONE) {
            request.reply()
                    .failure(
                            ResultCode.LEASE_LOST,
                            "bytes of a file are written under a lease: create the file with one, or open it with one");
        } else {
            replyLost(request);
        }
        return false;
    }

    /** Whether the client may commit a size of a file that is shared: it has the lease, or has none and no client has. */
    static boolean mayCommit(Request request, long inode, long number) {
        return number == Leases.NONE ? request.partition().leases().isClosed(inode) : isHeld(request, inode, number);
    }

    static void replyLost(Request request) {
        request.reply().failure(ResultCode.LEASE_LOST, ResultCode.LEASE_LOST.text());
    }

    /** A commit without a lease is refused: a client has one. */
    static void replyLeased(Request request) {
        request.reply().failure(ResultCode.LEASED, ResultCode.LEASED.text());
    }

    /** The client has written the file; the next start of the server knows that too. */
    static void end(Request request, long inode, long number) {
        if (number != Leases.NONE) {
            Leases leases = request.partition().leases();
            leases.end(inode, request.session().client(), number);
            leases.fence();
        }
    }

    /** The operation is refused: {@code owner} writes the file. */
    static void replyOwned(Request request, String operation, String path, String owner) {
        request.reply()
                .failure(
                        ResultCode.LEASED,
                        "Failed to " + operation + " " + path + " for "
                                + Leases.name(request.session().clientId()) + " on "
                                + request.session().host() + " because this file lease is currently owned by "
                                + owner);
    }
}
