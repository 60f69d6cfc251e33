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
import io.hmfs.server.tree.TreeSum;
import io.hmfs.wire.DeleteDecoder;
import io.hmfs.wire.Wire;
import org.jspecify.annotations.Nullable;

/**
 * Delete: takes the name of a file or a symbolic link away, or of an empty directory if the client says so. The deletes of a batch share a
 * fence. Each holds the lock of its name until it is answered; {@link #add} waits for no lock on an event loop, so a batch may take them in
 * any order. A directory is removed by itself.
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
    private final DirectoryRemoval directories = new DirectoryRemoval();
    private final Attributes found = new Attributes();
    private boolean takesDirectory; // the request that was decoded last

    public DeleteHandler() {
        this(new DeleteBatch(CAPACITY));
    }

    private DeleteHandler(DeleteBatch batch) {
        super(RequestKind.DELETE, batch);
        this.batch = batch;
    }

    private void decode(Request request) {
        request.checkBlock(DeleteDecoder.BLOCK_LENGTH);
        delete.wrap(request.in(), Wire.HEADER_SIZE, request.blockLength(), request.version());
        takesDirectory = delete.emptyDirectory() == 1;
    }

    /** IS_DIRECTORY also of a directory that the request may remove. */
    private Status resolve(Request request) {
        decode(request);
        int length = delete.pathLength();
        int at = delete.limit() + DeleteDecoder.pathHeaderLength();
        PathResolver path = request.path();
        Status outcome = path.resolve(delete.baseId(), request.in(), at, length);
        if (outcome != Status.OK) {
            return outcome;
        }
        if (path.isBase) {
            return takesDirectory ? Status.IS_ROOT : Status.IS_DIRECTORY;
        }
        outcome = path.mayInParent(Access.WRITE);
        return outcome == Status.OK && takesDirectory && isDirectory(request) ? Status.IS_DIRECTORY : outcome;
    }

    private boolean isDirectory(Request request) {
        PathResolver path = request.path();
        return request.namespace().stat(path.parentId, path.name, found) == Status.OK && found.isDirectory();
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
            boolean takes = outcome == Status.IS_DIRECTORY && takesDirectory;
            request.reply().status(request.path().seen(takes ? removeDirectory(request) : outcome));
        }
    }

    /** IS_DIRECTORY if a file has taken its place meanwhile: the client asks again. */
    private Status removeDirectory(Request request) {
        Status outcome = directories.run(request);
        return outcome == Status.NOT_DIRECTORY ? Status.IS_DIRECTORY : outcome;
    }

    /** Adds a request with the lock of its name. Null: it would have to wait. Unless the answer is OK nothing has been done. */
    private @Nullable Status take(Request request, boolean alone) {
        Status outcome = resolve(request);
        if (outcome != Status.OK) {
            return outcome;
        }
        PathResolver path = request.path();
        KeyLocks locks = request.partition().locks();
        int stripe = KeyLocks.stripe(path.parentId, path.name);
        if (request.mayWait()) {
            request.lockKey();
        } else if (!locks.tryLock(stripe)) {
            return null;
        }
        Status taken = null;
        try {
            taken = takeLocked(request, alone);
        } finally {
            if (taken != Status.OK) {
                locks.unlock(stripe);
            } else {
                stripes[batch.size() - 1] = stripe;
            }
        }
        return taken;
    }

    private @Nullable Status takeLocked(Request request, boolean alone) {
        PathResolver path = request.path();
        Status outcome = stickyBit.checkFile(request);
        if (outcome != Status.OK) {
            return outcome;
        }
        QuotaAccounting accounting = request.accounting();
        Status joined = accounting.joinBatch(path.parentId);
        if (joined != Status.OK) {
            return joined;
        }
        if (!alone && !request.claimIfNew()) {
            accounting.leaveBatch();
            return null;
        }
        batch.add(path.parentId, path.name);
        if (alone) {
            addedAlone(request, path.base());
        } else {
            added(request);
        }
        return Status.OK;
    }

    @Override
    public void executeAll(Request request) {
        request.namespace().deleteAll(batch);
        QuotaAccounting accounting = request.accounting();
        for (int row = 0; row < batch.size(); row++) {
            if (batch.status(row) == Status.OK && accounting.isCharged(batch.directory(row))) {
                accounting.add(batch.directory(row), -1, -TreeSum.bytesOf(batch.attributes(row)));
            }
        }
    }

    @Override
    public void reply(Request request, int row) {
        Attributes gone = batch.attributes(row);
        DiscardedFile.settle(request, gone);
        request.reply().done(gone.id, gone.size);
    }

    @Override
    protected void release(Request request, int row) {
        request.accounting().leaveBatch();
        request.partition().locks().unlock(stripes[row]);
    }

    @Override
    public boolean isRecorded(Request request, ChangeOutcome outcome) {
        if (outcome.kind != ChangeOutcome.Kind.RMDIR) {
            return outcome.kind == ChangeOutcome.Kind.DELETE;
        }
        decode(request);
        return takesDirectory;
    }

    @Override
    public void answerAgain(Request request, ChangeOutcome outcome) {
        request.reply().done(outcome.removedId, outcome.removedSize);
    }
}
