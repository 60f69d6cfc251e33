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
import io.hmfs.server.quota.QuotaAccounting;
import io.hmfs.server.request.Request;
import io.hmfs.wire.AppendDecoder;
import io.hmfs.wire.Wire;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Append: commits the size that a file has grown to, for a client that shows a grant to write it, and the lease that it writes under if
 * it has one. The appends of a batch share a fence. From the check of grant and lease to the commit the file is shared: no other client can
 * take the lease meanwhile, and no request that ends the grant is executed.
 */
public final class AppendHandler extends BatchedHandler {
    private static final int CAPACITY = 128;
    private static final int NO_STRIPE = -1;

    private final FileGrants grants;
    private final boolean durable;
    private final AppendBatch batch;
    private final long[] stamps = new long[CAPACITY]; // of shared files
    private final int[] stripes = new int[CAPACITY]; // of locked keys, or NO_STRIPE
    private final long[] growths = new long[CAPACITY]; // charged to quotas
    private final long[] lastLeases = new long[CAPACITY]; // end with the append; NONE: does not
    private final AppendDecoder append = new AppendDecoder();
    private final Name name = new Name();
    private final Attributes before = new Attributes();

    // Why the last request was refused, if a status does not say it:
    private boolean isLeaseLost;
    private boolean isDataLost;
    private @Nullable IOException ioFailure;
    private String ioWhat = ""; // was not possible then

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

    /** Whether data that the size is to cover may not be durable yet: a disk thread makes it so first. */
    @Override
    public boolean waits(Request request) {
        BuiltinData data = request.partition().data();
        if (data == null || !durable) {
            return false;
        }
        wrap(request);
        return !data.store().isSynced(append.inode(), append.size());
    }

    @Override
    public boolean add(Request request) {
        return take(request, false) == Status.OK;
    }

    @Override
    public void execute(Request request) {
        Status outcome = take(request, true);
        if (outcome == null) {
            throw KeyLocks.mustWait();
        }
        if (outcome == Status.OK) {
            executeAlone(request);
        } else {
            replyRefused(request, outcome);
        }
    }

    /** Why {@link #take} has refused it. */
    private void replyRefused(Request request, Status outcome) {
        if (isLeaseLost && append.lease() == Leases.NONE) {
            WriteLease.replyLeased(request);
        } else if (isLeaseLost) {
            WriteLease.replyLost(request);
        } else if (isDataLost) {
            request.reply().failure(ResultCode.DATA_LOST, ResultCode.DATA_LOST.text());
        } else if (ioFailure != null) {
            StoredBlock.failed(request, ioWhat, ioFailure);
        } else if (outcome == Status.ACCESS_DENIED) {
            grants.replyDenied(request, append.inode(), Grants.WRITE);
        } else {
            request.reply().status(seen(outcome));
        }
    }

    /** The client means a file that it opened or made: if the directory or the name is gone, so is the file. */
    private static Status seen(Status outcome) {
        return outcome == Status.NOT_FOUND || outcome == Status.NO_SUCH_DIRECTORY ? Status.STALE : outcome;
    }

    /**
     * Adds a request whose client may write the file: to the batch, or as the only one. Null: it would have to wait. Unless the answer is OK
     * nothing has been done.
     */
    private @Nullable Status take(Request request, boolean alone) {
        isLeaseLost = false;
        isDataLost = false;
        ioFailure = null;
        Status outcome = decode(request);
        if (outcome != Status.OK) {
            return outcome;
        }
        if (append.parentId() < Namespace.ROOT_ID) {
            return Status.NO_SUCH_DIRECTORY;
        }
        if (request.partition().orphans().isBusy()) {
            if (!alone) {
                return null;
            }
            if (request.partition().orphans().holds(append.parentId())) {
                return Status.STALE; // removed with a directory above it
            }
        }
        BuiltinData data = request.partition().data();
        if (data != null && isLost(data)) {
            isDataLost = true;
            return Status.STALE; // the reply tells it
        }
        if (data != null && durable && request.mayWait()) { // on an event loop `waits` has seen that it is
            outcome = isGranted(request) ? sync(request, data) : Status.ACCESS_DENIED; // looked at again below
        }
        return outcome == Status.OK ? takeKey(request, alone) : outcome;
    }

    /** Whether bytes that the size is to cover were answered by a machine that is no more: a sync now would find nothing of them. */
    private boolean isLost(BuiltinData data) {
        return append.verifier() != 0 && append.verifier() != data.store().verifier();
    }

    private boolean isGranted(Request request) {
        return grants.isGranted(request, append.inode(), append.grant(), append.seal(), Grants.WRITE);
    }

    /** Durable data first, then the size that covers it. What lies below the file's size is durable. */
    private Status sync(Request request, BuiltinData data) {
        Status found = request.namespace().stat(append.parentId(), name, before);
        if (found != Status.OK || before.id != append.inode()) {
            return Status.STALE;
        }
        try {
            data.store().syncRange(append.inode(), before.size, append.size());
            return Status.OK;
        } catch (IOException e) {
            ioFailure = e;
            ioWhat = "the data could not be made durable";
            return Status.STALE; // the reply tells the failure
        }
    }

    /**
     * Where there are quotas, the key of the file is locked: how much it grows is charged before it does. A batch has one append of such a
     * key. Key locks come before leases.
     */
    private @Nullable Status takeKey(Request request, boolean alone) {
        if (!request.mayWait() && !request.partition().quotas().isAny()) {
            return takeLease(request, alone, NO_STRIPE);
        }
        KeyLocks locks = request.partition().locks();
        int stripe = KeyLocks.stripe(append.parentId(), name);
        if (locks.isHeld(stripe) || !locks.tryLock(stripe, request.mayWait())) {
            return null;
        }
        Status taken = null;
        try {
            taken = takeLease(request, alone, stripe);
        } finally {
            if (taken != Status.OK) {
                locks.unlock(stripe);
            }
        }
        return taken;
    }

    /** Shares the file, so that no other client takes the lease before the append is executed. */
    private @Nullable Status takeLease(Request request, boolean alone, int stripe) {
        Leases leases = request.partition().leases();
        long inode = append.inode();
        long stamp = request.mayWait() ? leases.share(inode, true) : leases.tryShare(inode);
        if (stamp == 0) {
            return null;
        }
        Status taken = null;
        try {
            if (isGranted(request)) {
                isLeaseLost = !WriteLease.mayCommit(request, inode, append.lease());
                taken = isLeaseLost ? Status.STALE : takeCut(request, alone, stripe);
            } else {
                taken = Status.ACCESS_DENIED;
            }
        } finally {
            if (taken != Status.OK) {
                leases.unshare(inode, stamp);
            } else {
                stamps[batch.size() - 1] = stamp;
                stripes[batch.size() - 1] = stripe;
            }
        }
        return taken;
    }

    /** Before a file that is shared grows, an open cut of it comes to its end, or the file would have the bytes behind the cut again. */
    private @Nullable Status takeCut(Request request, boolean alone, int stripe) {
        BuiltinData data = request.partition().data();
        if (data != null && data.cuts().isOpen(append.inode())) {
            if (!request.mayWait()) {
                return null;
            }
            try {
                StoredBlock.settleCut(request, append.inode());
            } catch (IOException e) {
                ioFailure = e;
                ioWhat = "the file was cut, and its data cannot be";
                return Status.STALE; // the reply tells the failure
            }
        }
        return takeQuota(request, alone, stripe);
    }

    private @Nullable Status takeQuota(Request request, boolean alone, int stripe) {
        QuotaAccounting accounting = request.accounting();
        Status joined = accounting.joinBatch(append.parentId());
        if (joined != Status.OK) {
            return joined;
        }
        if (stripe == NO_STRIPE && accounting.isCharged(append.parentId())) { // a quota that has just been set
            accounting.leaveBatch();
            return null;
        }
        long growth = accounting.growth(append.parentId(), name, append.inode(), append.size());
        Status charged = accounting.charge(append.parentId(), 0, growth, alone);
        if (charged != Status.OK) {
            accounting.leaveBatch();
            return charged;
        }
        if (!alone && !request.claimIfNew()) {
            accounting.add(append.parentId(), 0, -growth);
            accounting.leaveBatch();
            return null;
        }
        int row = batch.add(append.parentId(), name, append.inode(), append.size(), append.writtenFrom());
        growths[row] = growth;
        lastLeases[row] = lastLease();
        if (alone) {
            addedAlone(request, append.parentId());
        } else {
            added(request, append.parentId(), name.buffer(), name.length());
        }
        return Status.OK;
    }

    @Override
    public void executeAll(Request request) {
        request.namespace().appendAll(batch);
        for (int row = 0; row < batch.size(); row++) {
            if (growths[row] != 0 && batch.status(row) != Status.OK) {
                request.accounting().add(batch.directory(row), 0, -growths[row]);
            }
        }
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
        request.accounting().leaveBatch();
        Leases leases = request.partition().leases();
        leases.unshare(batch.id(row), stamps[row]);
        if (lastLeases[row] != Leases.NONE) {
            leases.tidy(batch.id(row));
        }
        if (stripes[row] != NO_STRIPE) {
            request.partition().locks().unlock(stripes[row]);
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
