package io.hmfs.server.op;

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

/**
 * Rename: moves an object to another name, where it may replace one, or into the directory that has the name if the request says so. The
 * locks of both names are held from the checks to the move.
 */
public final class RenameHandler implements Handler {
    private static final int ATTEMPTS_MAX = 16;

    private final RenameDecoder rename = new RenameDecoder();
    private final StickyBit stickyBit = new StickyBit();
    private final DiscardedFile replaced = new DiscardedFile();
    private final Attributes found = new Attributes();
    private @Nullable IOException cutFailure;
    private boolean isInside;
    private int sourceAt;
    private int sourceLength;
    private int targetAt;
    private int targetLength;

    @Override
    public void execute(Request request) {
        cutFailure = null;
        decode(request);
        Status outcome = rename.flags().into() && rename.flags().replace() ? Status.INVALID_ARGUMENT : run(request);
        if (outcome == Status.OK) {
            request.reply().renamed(replaced.attributes().id, replaced.attributes().size, isInside);
        } else if (cutFailure != null) {
            StoredBlock.failed(request, "the file was cut, and its data cannot be", cutFailure);
        } else {
            request.reply().status(request.path().seen(outcome));
        }
    }

    private void decode(Request request) {
        request.checkBlock(RenameDecoder.BLOCK_LENGTH);
        rename.wrap(request.in(), Wire.HEADER_SIZE, request.blockLength(), request.version());
        sourceLength = rename.sourceLength();
        sourceAt = rename.limit() + RenameDecoder.sourceHeaderLength();
        rename.skipSource();
        targetLength = rename.targetLength();
        targetAt = rename.limit() + RenameDecoder.targetHeaderLength();
    }

    /** Whether the target is a directory is seen without a lock. If that has changed by the time of the move, the request begins again. */
    private Status run(Request request) {
        for (int attempt = 1; ; attempt++) {
            Status outcome = resolve(request);
            if (outcome == Status.OK && request.mayWait()) {
                outcome = settleCut(request); // which may take long, and no lock is held yet
            }
            if (outcome == Status.OK) {
                outcome = move(request, rename.flags().replace());
            }
            if (attempt == ATTEMPTS_MAX || !rename.flags().into() || !hasTargetChanged(request, outcome)) {
                return outcome;
            }
        }
    }

    /** Whether the directory that was to be entered has gone, or one has come where none was. */
    private boolean hasTargetChanged(Request request, Status outcome) {
        return isInside ? outcome == Status.NO_SUCH_DIRECTORY : outcome == Status.EXISTS && isDirectory(request);
    }

    /** As in HDFS, a user that may not rename is told that, and not what is missing or in the way. */
    private Status resolve(Request request) {
        isInside = false;
        PathResolver source = request.path();
        PathResolver target = request.otherPath();
        Status from = source.resolve(rename.sourceBaseId(), request.in(), sourceAt, sourceLength);
        if (from == Status.NOT_DIRECTORY || from == Status.NAME_TOO_LONG) {
            from = Status.NOT_FOUND; // nothing can be there
        }
        if (isRefused(from)) {
            return from;
        }
        Status to = target.resolve(rename.targetBaseId(), request.in(), targetAt, targetLength);
        if (isRefused(to)) {
            return to;
        }
        Status outcome = from == Status.OK && !source.isBase ? mayTakeAway(request) : Status.OK;
        if (outcome == Status.OK && to == Status.OK && rename.flags().into() && isDirectory(request)) {
            isInside = true;
            outcome = target.enter(found.id, source.name);
        }
        if (outcome == Status.OK && !target.isBase) {
            outcome = target.mayInAncestor(Access.WRITE);
        }
        if (outcome != Status.OK) {
            return outcome;
        }
        if (from != Status.OK || to != Status.OK) {
            return Status.NOT_FOUND;
        }
        return source.isBase ? Status.IS_ROOT : target.isBase ? Status.EXISTS : Status.OK;
    }

    /** What a sticky bit says is told here too, before what the target lacks; the check under the lock is the one that counts. */
    private Status mayTakeAway(Request request) {
        PathResolver source = request.path();
        Status outcome = source.mayInParent(Access.WRITE);
        return outcome == Status.OK && stickyBit.check(request, source) == Status.ACCESS_DENIED
                ? Status.ACCESS_DENIED
                : outcome;
    }

    private static boolean isRefused(Status resolved) {
        return resolved != Status.OK && resolved != Status.NOT_FOUND;
    }

    /** Whether the target names a directory, of which {@link #found} has the id then. */
    private boolean isDirectory(Request request) {
        PathResolver target = request.otherPath();
        if (target.isBase) {
            found.id = target.base();
            return true;
        }
        return request.namespace().stat(target.parentId, target.name, found) == Status.OK && found.isDirectory();
    }

    private Status move(Request request, boolean replace) {
        PathResolver source = request.path();
        PathResolver target = request.otherPath();
        RenameAccounting accounting = request.accounting().moves;
        request.lockKeys();
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
                                replaced.attributes(),
                                request.mayWait());
            }
            if (outcome == Status.OK) {
                accounting.replaced(replaced.attributes());
                replaced.settle(request);
            }
        } finally {
            accounting.ended(outcome, source.parentId, source.name);
            request.unlockKeys();
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
            throw KeyLocks.mustWait(); // to a disk thread
        }
        try {
            StoredBlock.settleCut(request, found.id);
            return Status.OK;
        } catch (IOException e) {
            cutFailure = e;
            return Status.STALE; // the reply tells the failure
        }
    }

    /** What sticky bits say about the object that moves and about the one that it replaces; a link that would come to where it leads. */
    private Status check(Request request, boolean replace) {
        Status outcome = stickyBit.check(request, request.path());
        if (outcome == Status.OK && rename.flags().into() && leadsToTarget(request)) {
            return Status.EXISTS;
        }
        if (outcome == Status.OK && replace) {
            outcome = stickyBit.check(request, request.otherPath());
            return outcome == Status.NOT_FOUND ? Status.OK : outcome;
        }
        return outcome;
    }

    /** Whether a symbolic link moves, and its target is the path to which it moves: as in HDFS, it would lead to itself. */
    private boolean leadsToTarget(Request request) {
        PathResolver source = request.path();
        return source.look(found) == Status.OK
                && found.isSymlink()
                && request.otherPath().is(request.links().target())
                && !source.is(request.links().target()); // which moves nowhere
    }

    /** The record tells the directory that the object has come to: it is the target, unless the target's name stands in it. */
    @Override
    public void answerAgain(Request request, ChangeOutcome outcome) {
        decode(request);
        PathResolver target = request.otherPath();
        boolean inside = rename.flags().into()
                && target.resolve(rename.targetBaseId(), request.in(), targetAt, targetLength) == Status.OK
                && (target.isBase || target.parentId != outcome.parentId);
        request.reply().renamed(outcome.removedId, outcome.removedSize, inside);
    }
}
