package io.hmfs.server.op;

import io.hmfs.client.ResultCode;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.ChangeOutcome;
import io.hmfs.core.type.Status;
import io.hmfs.server.access.Access;
import io.hmfs.server.data.BuiltinData;
import io.hmfs.server.lock.KeyLocks;
import io.hmfs.server.path.PathResolver;
import io.hmfs.server.quota.RenameAccounting;
import io.hmfs.server.request.Request;
import io.hmfs.wire.RenameDecoder;
import io.hmfs.wire.Wire;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Rename: moves an object to another name, where it may replace one. The locks of both names are held from the checks to the move. */
public final class RenameHandler implements Handler {
    private final RenameDecoder rename = new RenameDecoder();
    private final StickyBit stickyBit = new StickyBit();
    private final DiscardedFile replaced = new DiscardedFile();
    private final Attributes found = new Attributes();
    private @Nullable String cutFailure;

    @Override
    public void execute(Request request) {
        cutFailure = null;
        Status outcome = resolve(request);
        if (outcome == Status.OK) {
            outcome = move(request, rename.flags().replace());
        }
        if (outcome == Status.OK) {
            request.reply().done(replaced.attributes().id, replaced.attributes().size);
        } else if (cutFailure != null) {
            request.reply().failure(ResultCode.IO_ERROR, cutFailure);
        } else {
            request.reply().status(request.path().seen(outcome));
        }
    }

    private Status resolve(Request request) {
        request.checkBlock(RenameDecoder.BLOCK_LENGTH);
        rename.wrap(request.in(), Wire.HEADER_SIZE, request.blockLength(), request.version());
        PathResolver source = request.path();
        PathResolver target = request.otherPath();
        int sourceLength = rename.sourceLength();
        int sourceAt = rename.limit() + RenameDecoder.sourceHeaderLength();
        rename.skipSource();
        int targetLength = rename.targetLength();
        int targetAt = rename.limit() + RenameDecoder.targetHeaderLength();
        Status outcome = source.resolve(rename.sourceBaseId(), request.in(), sourceAt, sourceLength);
        if (outcome == Status.OK) {
            outcome = target.resolve(rename.targetBaseId(), request.in(), targetAt, targetLength);
        }
        if (outcome == Status.OK) {
            outcome = source.isBase ? Status.IS_ROOT : target.isBase ? Status.EXISTS : source.mayInParent(Access.WRITE);
        }
        return outcome == Status.OK ? target.mayInParent(Access.WRITE) : outcome;
    }

    private Status move(Request request, boolean replace) {
        PathResolver source = request.path();
        PathResolver target = request.otherPath();
        RenameAccounting accounting = request.accounting().moves;
        KeyLocks locks = request.partition().locks();
        int one = KeyLocks.stripe(source.parentId, source.name);
        int other = KeyLocks.stripe(target.parentId, target.name);
        locks.lock(one, other, request.mayWait());
        Status outcome = Status.STALE; // unless it comes to an end
        replaced.clear();
        try {
            outcome = check(request, replace);
            if (outcome == Status.OK) {
                outcome = settleCut(request);
            }
            if (outcome == Status.OK) {
                outcome = accounting.begin(source.parentId, source.name, target.parentId, target.name, replace);
            }
            if (outcome == Status.OK) {
                outcome = request.partition()
                        .orphans()
                        .move(
                                source.parentId,
                                source.name,
                                target.parentId,
                                target.name,
                                replace,
                                request.change(),
                                replaced.attributes());
            }
            if (outcome == Status.OK) {
                accounting.replaced(replaced.attributes());
                replaced.settle(request);
            }
        } finally {
            accounting.ended(outcome, source.parentId, source.name);
            locks.unlock(one, other);
        }
        return outcome;
    }

    /** The record of an open cut finds its file by directory and name: so the cut comes to its end before the file moves. */
    private Status settleCut(Request request) {
        BuiltinData data = request.partition().data();
        PathResolver source = request.path();
        if (data == null
                || data.cuts().isNoneOpen()
                || request.namespace().stat(source.parentId, source.name, found) != Status.OK
                || !data.cuts().isOpen(found.id)) {
            return Status.OK;
        }
        if (!request.mayWait()) {
            throw KeyLocks.taken(); // to a disk thread
        }
        try {
            StoredBlock.settleCut(request, found.id);
            return Status.OK;
        } catch (IOException e) {
            cutFailure = "the file was cut, and its data cannot be: " + e.getMessage();
            return Status.STALE; // the reply tells the failure
        }
    }

    /** What sticky bits say about the object that moves and about the one that it replaces. */
    private Status check(Request request, boolean replace) {
        Status outcome = stickyBit.check(request, request.path());
        if (outcome == Status.OK && replace) {
            outcome = stickyBit.check(request, request.otherPath());
            return outcome == Status.NOT_FOUND ? Status.OK : outcome;
        }
        return outcome;
    }

    @Override
    public void answerAgain(Request request, ChangeOutcome outcome) {
        request.reply().done(outcome.removedId, outcome.removedSize);
    }
}
