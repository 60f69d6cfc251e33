package io.hmfs.server.op;

import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Status;
import io.hmfs.server.access.Access;
import io.hmfs.server.access.Grants;
import io.hmfs.server.lease.Leases;
import io.hmfs.server.path.PathResolver;
import io.hmfs.server.request.Request;
import io.hmfs.wire.OpenDecoder;
import io.hmfs.wire.Wire;

/** Open: a file and a grant to read or write its data; for an append, a lease too. What is granted is for the inode that was checked. */
public final class OpenHandler implements Handler {
    private static final int ATTEMPTS_MAX = 16;
    private static final Attributes NOTHING = new Attributes(); // removed by an open

    private final FileGrants grants;
    private final OpenDecoder open = new OpenDecoder();
    private final Attributes file = Attributes.withAcl();

    public OpenHandler(Grants grants) {
        this.grants = new FileGrants(grants);
    }

    @Override
    public void execute(Request request) {
        request.checkBlock(OpenDecoder.BLOCK_LENGTH);
        open.wrap(request.in(), Wire.HEADER_SIZE, request.blockLength(), request.version());
        int length = open.pathLength();
        int at = open.limit() + OpenDecoder.pathHeaderLength();
        boolean read = open.access().read();
        boolean write = open.access().write();
        int granted = (read ? Grants.READ : 0) | (write ? Grants.WRITE : 0);
        int wanted = (read ? Access.READ : 0) | (write ? Access.WRITE : 0);
        PathResolver path = request.path();
        Status outcome = path.resolve(open.baseId(), request.in(), at, length);
        if (outcome == Status.OK) {
            outcome = path.seen(path.look(file));
        }
        if (outcome == Status.OK) {
            outcome = mayOpen(path, wanted);
        }
        long lease = write ? open.lease() : Leases.NONE;
        if (outcome == Status.OK && lease != Leases.NONE && !takeLease(request, wanted, lease)) {
            return;
        }
        if (outcome == Status.OK) {
            grants.replyOpened(request, path.parentId, file, NOTHING, granted);
        } else {
            request.reply().status(outcome);
        }
    }

    private Status mayOpen(PathResolver path, int wanted) {
        if (file.isDirectory()) {
            return Status.IS_DIRECTORY;
        }
        if (file.isSymlink()) {
            return path.unresolved();
        }
        return wanted == 0 ? Status.INVALID_ARGUMENT : path.may(file, wanted);
    }

    /**
     * Takes the lease on the file with this name. The file is looked at again while no other client can commit to it, and the user is
     * checked again: the name may be of another file by then. False: the lease was not taken, and the reply says why.
     */
    private boolean takeLease(Request request, int wanted, long lease) {
        Leases leases = request.partition().leases();
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            long inode = file.id;
            long stamp = leases.alone(inode, request.mayWait());
            try {
                Status outcome = lookAgain(request, wanted);
                if (outcome != Status.OK) {
                    request.reply().status(outcome);
                    return false;
                }
                if (file.id == inode) {
                    return takeLeaseAlone(request, leases, lease);
                }
            } finally {
                leases.endAlone(inode, stamp);
            }
        }
        request.reply().status(Status.STALE);
        return false;
    }

    private Status lookAgain(Request request, int wanted) {
        PathResolver path = request.path();
        Status outcome = request.namespace().stat(path.parentId, path.name, file);
        if (outcome != Status.OK) {
            return path.seen(outcome);
        }
        return file.isDirectory() || file.isSymlink() ? Status.STALE : path.may(file, wanted);
    }

    private boolean takeLeaseAlone(Request request, Leases leases, long lease) {
        if (!WriteLease.isHeld(request, file.id, lease) && WriteLease.isFull(request, lease)) {
            WriteLease.replyFull(request);
            return false;
        }
        String owner = leases.take(
                file.id, request.session().client(), request.session().host(), lease);
        if (owner != null) {
            WriteLease.replyOwned(request, "APPEND_FILE", open.path(), owner);
        }
        return owner == null;
    }
}
