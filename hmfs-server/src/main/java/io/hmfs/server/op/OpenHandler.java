package io.hmfs.server.op;

import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Status;
import io.hmfs.server.access.Access;
import io.hmfs.server.access.Grants;
import io.hmfs.server.lease.GrantEpochs;
import io.hmfs.server.lease.Leases;
import io.hmfs.server.path.PathResolver;
import io.hmfs.server.request.Request;
import io.hmfs.wire.OpenDecoder;
import io.hmfs.wire.Wire;
import org.jspecify.annotations.Nullable;

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
        Status outcome = request.path().resolve(open.baseId(), request.in(), at, length);
        if (outcome == Status.OK) {
            long lease = write ? open.lease() : Leases.NONE;
            outcome = lease == Leases.NONE
                    ? openWithoutLease(request, wanted, granted)
                    : openToWrite(request, wanted, granted, lease);
        }
        if (outcome != null) {
            request.reply().status(outcome);
        }
    }

    /** Null: the reply has been given. */
    private @Nullable Status openWithoutLease(Request request, int wanted, int granted) {
        GrantEpochs epochs = request.partition().grantEpochs();
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            long changes = epochs.changes();
            Status outcome = look(request, wanted);
            if (outcome != Status.OK) {
                return outcome;
            }
            int grant = grantOf(request, granted);
            long epoch = FileGrants.epoch(request, file.id, grant);
            if (epochs.changes() == changes) { // else the epoch may be that of a change which the look has not seen
                grants.replyOpened(request, request.path().parentId, file, NOTHING, grant, epoch);
                return null;
            }
        }
        return Status.STALE;
    }

    private int grantOf(Request request, int granted) {
        return request.access().owns(file) ? granted | Grants.OWNER : granted;
    }

    private Status look(Request request, int wanted) {
        PathResolver path = request.path();
        Status outcome = path.seen(path.look(file));
        if (outcome != Status.OK) {
            return outcome;
        }
        if (file.isDirectory()) {
            return Status.IS_DIRECTORY;
        }
        if (file.isSymlink()) {
            return path.unresolved();
        }
        return wanted == 0 ? Status.INVALID_ARGUMENT : path.may(file, wanted);
    }

    /**
     * Takes the lease on the file with this name. The file is looked at again while no other client can commit to it and no request ends
     * grants, and the user is checked again: the name may be of another file by then. Null: the reply has been given.
     */
    private @Nullable Status openToWrite(Request request, int wanted, int granted, long lease) {
        Leases leases = request.partition().leases();
        Status outcome = look(request, wanted);
        for (int attempt = 0; attempt < ATTEMPTS_MAX && outcome == Status.OK; attempt++) {
            long inode = file.id;
            long stamp = leases.alone(inode, request.mayWait());
            try {
                outcome = lookAgain(request, wanted);
                if (outcome == Status.OK && file.id == inode) {
                    takeLeaseAlone(request, leases, granted, lease);
                    return null;
                }
            } finally {
                leases.endAlone(inode, stamp);
            }
        }
        return outcome == Status.OK ? Status.STALE : outcome;
    }

    private Status lookAgain(Request request, int wanted) {
        PathResolver path = request.path();
        Status outcome = request.namespace().stat(path.parentId, path.name, file);
        if (outcome != Status.OK) {
            return path.seen(outcome);
        }
        return file.isDirectory() || file.isSymlink() ? Status.STALE : path.may(file, wanted);
    }

    private void takeLeaseAlone(Request request, Leases leases, int granted, long lease) {
        if (!WriteLease.isHeld(request, file.id, lease) && WriteLease.isFull(request, lease)) {
            WriteLease.replyFull(request);
            return;
        }
        String owner = leases.take(
                file.id, request.session().client(), request.session().host(), lease);
        if (owner != null) {
            WriteLease.replyOwned(request, "APPEND_FILE", open.path(), owner);
            return;
        }
        int grant = grantOf(request, granted);
        long epoch = FileGrants.epoch(request, file.id, grant);
        grants.replyOpened(request, request.path().parentId, file, NOTHING, grant, epoch);
    }
}
