package io.hmfs.server.op;

import io.hmfs.client.ResultCode;
import io.hmfs.core.Namespace;
import io.hmfs.core.type.AppendBatch;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.ChangeOutcome;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.access.Grants;
import io.hmfs.server.data.BuiltinData;
import io.hmfs.server.lease.Leases;
import io.hmfs.server.lock.KeyLocks;
import io.hmfs.server.protocol.RequestKind;
import io.hmfs.server.quota.QuotaLockHolder;
import io.hmfs.server.request.Request;
import io.hmfs.wire.AppendDecoder;
import io.hmfs.wire.Wire;
import java.io.IOException;

/**
 * Append: commits the size that a file has grown to, for a client that shows a grant to write it, and the lease that it writes under if
 * it has one. The appends of a batch share a fence. From the check of the lease to the commit the file is shared: no other client can
 * take the lease meanwhile.
 */
public final class AppendHandler extends BatchedHandler {
    private static final int CAPACITY = 128;

    private final FileGrants grants;
    private final boolean durable;
    private final AppendBatch batch;
    private final long[] stamps = new long[CAPACITY]; // of shared files
    private final long[] lastLeases = new long[CAPACITY]; // end with the append; NONE: does not
    private final AppendDecoder append = new AppendDecoder();
    private final Name name = new Name();
    private final Attributes before = new Attributes();

    /** {@code durable}: whether what is answered must survive the machine. */
    public AppendHandler(Grants grants, boolean durable) {
        this(grants, durable, new AppendBatch(CAPACITY));
    }

    private AppendHandler(Grants grants, boolean durable, AppendBatch batch) {
        super(RequestKind.APPEND, batch);
        this.grants = new FileGrants(grants);
        this.durable = durable;
        this.batch = batch;
    }

    private void wrap(Request request) {
        request.checkBlock(AppendDecoder.BLOCK_LENGTH);
        append.wrap(request.in(), Wire.HEADER_SIZE, request.blockLength(), request.version());
    }

    /** OK if the name is one that a file can have. */
    private Status decode(Request request) {
        wrap(request);
        int length = append.nameLength();
        int at = append.limit() + AppendDecoder.nameHeaderLength();
        request.in().check(at, length);
        if (length <= Name.LENGTH_MAX) {
            request.in().getBytes(at, name.buffer(), 0, length);
        }
        name.seal(length);
        return name.check();
    }

    private long lastLease() {
        return append.last() == 1 ? append.lease() : Leases.NONE;
    }

    /** The client means a file that it opened or made: if the directory or the name is gone, so is the file. */
    private static Status seen(Status outcome) {
        return outcome == Status.NOT_FOUND || outcome == Status.NO_SUCH_DIRECTORY ? Status.STALE : outcome;
    }

    // ---- A batch

    @Override
    public boolean add(Request request) {
        if (decode(request) != Status.OK
                || append.parentId() < Namespace.ROOT_ID
                || request.partition().orphans().isBusy()
                || !grants.isGranted(request, append.inode(), append.grant(), append.seal(), Grants.WRITE)) {
            return false;
        }
        Leases leases = request.partition().leases();
        long stamp = leases.tryShare(append.inode());
        if (stamp == 0) {
            return false;
        }
        if (!WriteLease.isHeld(request, append.inode(), append.lease())
                || isCutOpen(request, append.inode())
                || !enterAndClaim(request)) {
            leases.unshare(append.inode(), stamp);
            return false;
        }
        int row = batch.add(append.parentId(), name, append.inode(), append.size());
        stamps[row] = stamp;
        lastLeases[row] = lastLease();
        added(request, append.parentId(), name.buffer(), name.length());
        return true;
    }

    private boolean enterAndClaim(Request request) {
        QuotaLockHolder quotaLock = request.accounting().passage;
        if (!quotaLock.join(append.parentId())) {
            return false;
        }
        if (request.claimIfNew()) {
            return true;
        }
        quotaLock.left();
        return false;
    }

    @Override
    public void executeAll(Request request) {
        request.namespace().appendAll(batch);
        endLeases(request.partition().leases()); // before the first reply
    }

    /** One fence for all of them. */
    private void endLeases(Leases leases) {
        boolean any = false;
        for (int row = 0; row < batch.size(); row++) {
            if (lastLeases[row] != Leases.NONE && batch.status(row) == Status.OK) {
                leases.end(batch.id(row), requests().session(row).client(), lastLeases[row]);
                any = true;
            }
        }
        if (any) {
            leases.fence();
        }
    }

    @Override
    public void reply(Request request, int row) {
        request.reply().done();
    }

    @Override
    public void refuse(Request request, int row, Status status) {
        request.reply().status(seen(status));
    }

    @Override
    protected void release(Request request, int row) {
        request.accounting().passage.left();
        Leases leases = request.partition().leases();
        leases.unshare(batch.id(row), stamps[row]);
        if (lastLeases[row] != Leases.NONE) {
            leases.tidy(batch.id(row));
        }
    }

    // ---- A request that is refused, that waits, or that is charged to quotas

    @Override
    public void execute(Request request) {
        Status outcome = decode(request);
        if (outcome == Status.OK
                && !grants.mayUse(request, append.inode(), append.grant(), append.seal(), Grants.WRITE)) {
            return;
        }
        if (outcome == Status.OK && request.partition().orphans().holds(append.parentId())) {
            outcome = Status.STALE; // removed with a directory above it
        }
        if (outcome != Status.OK) {
            request.reply().status(seen(outcome));
        } else if (isSynced(request)) {
            commit(request);
        }
    }

    /** Durable data first, then the size that covers it. False: that failed, and the reply says so. */
    private boolean isSynced(Request request) {
        BuiltinData data = request.partition().data();
        if (data == null || !durable) {
            return true;
        }
        Status found = request.namespace().stat(append.parentId(), name, before);
        long from = found == Status.OK && before.id == append.inode() ? before.size : append.size();
        try {
            data.store().syncRange(append.inode(), from, append.size());
            return true;
        } catch (IOException e) {
            request.reply().failure(ResultCode.IO_ERROR, "the data could not be made durable: " + e.getMessage());
            return false;
        }
    }

    /** Quotas ask how much the file grows, so its key is locked; key locks come before leases. */
    private void commit(Request request) {
        KeyLocks locks = request.partition().locks();
        Leases leases = request.partition().leases();
        long inode = append.inode();
        int stripe = KeyLocks.stripe(append.parentId(), name);
        locks.lock(stripe, request.mayWait());
        try {
            long stamp = leases.share(inode, request.mayWait());
            Status outcome;
            try {
                if (WriteLease.isLost(request, inode, append.lease()) || !isCutSettled(request, inode)) {
                    return;
                }
                outcome = request.accounting().append(append.parentId(), name, inode, append.size(), request.change());
            } finally {
                leases.unshare(inode, stamp);
            }
            if (outcome == Status.OK) {
                WriteLease.end(request, inode, lastLease());
            }
            request.reply().status(seen(outcome));
        } finally {
            locks.unlock(stripe);
        }
    }

    private static boolean isCutOpen(Request request, long inode) {
        BuiltinData data = request.partition().data();
        return data != null && data.cuts().isOpen(inode);
    }

    /**
     * Before a file that is shared grows, an open cut of it comes to its end, or the file would have the bytes behind the cut again. False:
     * that failed, and the reply says so.
     */
    private static boolean isCutSettled(Request request, long inode) {
        if (!isCutOpen(request, inode)) {
            return true;
        }
        if (!request.mayWait()) {
            throw KeyLocks.taken(); // to a disk thread
        }
        try {
            StoredBlock.settleCut(request, inode);
            return true;
        } catch (IOException e) {
            request.reply().failure(ResultCode.IO_ERROR, "the file was cut, and its data cannot be: " + e.getMessage());
            return false;
        }
    }

    /** The size was committed before the server's start; the lease may not have been ended. */
    @Override
    public void answerAgain(Request request, ChangeOutcome outcome) {
        wrap(request);
        WriteLease.end(request, append.inode(), lastLease());
        request.reply().done();
    }
}
