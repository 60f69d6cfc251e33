package io.hmfs.server.op;

import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.ChangeOutcome;
import io.hmfs.core.type.DeleteBatch;
import io.hmfs.core.type.Status;
import io.hmfs.server.access.Access;
import io.hmfs.server.lock.KeyLocks;
import io.hmfs.server.path.PathResolver;
import io.hmfs.server.protocol.RequestKind;
import io.hmfs.server.quota.QuotaAccounting;
import io.hmfs.server.request.Request;
import io.hmfs.wire.DeleteDecoder;
import io.hmfs.wire.Wire;

/**
 * Delete: takes the name of a file or a symbolic link away. The deletes of a batch share a fence. Each holds the lock of its name until it
 * is answered; {@link #add} waits for no lock, so it may take them in any order.
 *
 * <p>The pool remembers a file that went with its last name until its data is gone too, whatever crashes: the server removes the data that
 * it keeps, clients remove the data that is elsewhere.
 */
public final class DeleteHandler extends BatchedHandler {
    private static final int CAPACITY = 128;

    private final DeleteBatch batch;
    private final int[] stripes = new int[CAPACITY];
    private final DeleteDecoder delete = new DeleteDecoder();
    private final StickyBit stickyBit = new StickyBit();
    private final DiscardedFile removed = new DiscardedFile();

    public DeleteHandler() {
        this(new DeleteBatch(CAPACITY));
    }

    private DeleteHandler(DeleteBatch batch) {
        super(RequestKind.DELETE, batch);
        this.batch = batch;
    }

    private Status resolve(Request request) {
        request.checkBlock(DeleteDecoder.BLOCK_LENGTH);
        delete.wrap(request.in(), Wire.HEADER_SIZE, request.blockLength(), request.version());
        int length = delete.pathLength();
        int at = delete.limit() + DeleteDecoder.pathHeaderLength();
        PathResolver path = request.path();
        Status outcome = path.resolve(delete.baseId(), request.in(), at, length);
        if (outcome != Status.OK) {
            return outcome;
        }
        return path.isBase ? Status.IS_DIRECTORY : path.mayInParent(Access.WRITE);
    }

    @Override
    public boolean add(Request request) {
        PathResolver path = request.path();
        if (resolve(request) != Status.OK || path.isParentSticky()) {
            return false;
        }
        KeyLocks locks = request.partition().locks();
        int stripe = KeyLocks.stripe(path.parentId, path.name);
        if (!locks.tryLock(stripe)) {
            return false;
        }
        if (!request.accounting().quotaLock.joinBatch(path.parentId)) {
            locks.unlock(stripe);
            return false;
        }
        if (!request.claimIfNew()) {
            request.accounting().quotaLock.leaveBatch();
            locks.unlock(stripe);
            return false;
        }
        stripes[batch.add(path.parentId, path.name)] = stripe;
        added(request);
        return true;
    }

    @Override
    public void executeAll(Request request) {
        request.namespace().deleteAll(batch);
    }

    @Override
    public void reply(Request request, int row) {
        Attributes gone = batch.attributes(row);
        DiscardedFile.settle(request, gone);
        request.reply().done(gone.id, gone.size);
    }

    @Override
    protected void release(Request request, int row) {
        request.partition().locks().unlock(stripes[row]);
        request.accounting().quotaLock.leaveBatch();
    }

    /** The delete is refused, or needs what {@link #add} does not take: a sticky bit's check, a quota's charge, a wait for a lock. */
    @Override
    public void execute(Request request) {
        Status outcome = resolve(request);
        if (outcome == Status.OK) {
            outcome = remove(request);
        }
        if (outcome == Status.OK) {
            request.reply().done(removed.attributes().id, removed.attributes().size);
        } else {
            request.reply().status(request.path().seen(outcome));
        }
    }

    private Status remove(Request request) {
        PathResolver path = request.path();
        QuotaAccounting accounting = request.accounting();
        KeyLocks locks = request.partition().locks();
        int stripe = KeyLocks.stripe(path.parentId, path.name);
        locks.lock(stripe, request.mayWait());
        try {
            Status outcome = stickyBit.checkFile(request);
            if (outcome != Status.OK) {
                return outcome;
            }
            accounting.quotaLock.enter(path.parentId);
            outcome = accounting.delete(path.parentId, path.name, request.change(), removed.attributes());
            if (outcome == Status.OK) {
                removed.settle(request);
            }
            return outcome;
        } finally {
            accounting.quotaLock.leave();
            locks.unlock(stripe);
        }
    }

    @Override
    public void answerAgain(Request request, ChangeOutcome outcome) {
        request.reply().done(outcome.removedId, outcome.removedSize);
    }
}
