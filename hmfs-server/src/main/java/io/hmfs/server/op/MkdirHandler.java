package io.hmfs.server.op;

import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.ChangeOutcome;
import io.hmfs.core.type.FileType;
import io.hmfs.core.type.Status;
import io.hmfs.server.path.PathResolver;
import io.hmfs.server.request.Request;
import io.hmfs.wire.MkdirDecoder;
import io.hmfs.wire.Wire;

/** Mkdir: a directory is made, or with its parents, if it is not there. */
public final class MkdirHandler implements Handler {
    private final MkdirDecoder mkdir = new MkdirDecoder();
    private final NewEntry entry = new NewEntry();
    private final RecordedEntry recorded = new RecordedEntry();

    private void decode(Request request) {
        request.checkBlock(MkdirDecoder.BLOCK_LENGTH);
        mkdir.wrap(request.in(), Wire.HEADER_SIZE, request.blockLength(), request.version());
    }

    @Override
    public void execute(Request request) {
        decode(request);
        int length = mkdir.pathLength();
        int at = mkdir.limit() + MkdirDecoder.pathHeaderLength();
        if (mkdir.mode() > NewEntry.MODE_MAX || mkdir.unmaskedMode() > NewEntry.MODE_MAX) {
            request.reply().status(Status.INVALID_ARGUMENT);
            return;
        }
        PathResolver path = request.path();
        boolean parents = mkdir.flags().createParents();
        if (parents) {
            path.makeParents(mkdir.mode(), mkdir.unmaskedMode());
        }
        Status outcome = path.resolve(mkdir.baseId(), request.in(), at, length);
        if (outcome == Status.OK) {
            outcome = make(request);
            if (outcome == Status.EXISTS && parents) {
                outcome = existing(request);
            }
        } else {
            outcome = NewEntry.unresolved(path, outcome);
        }
        if (outcome == Status.OK) {
            request.reply().entry(path.isBase ? 0 : path.parentId, request.attributes());
        } else {
            request.reply().status(path.seen(outcome));
        }
    }

    /** EXISTS also where nothing may be made: nothing would have been made. */
    private Status make(Request request) {
        Status outcome = NewEntry.check(request.path());
        if (outcome == Status.OK) {
            outcome = NewEntry.number(request);
        }
        if (outcome == Status.OK) {
            outcome = makeDirectory(request);
        }
        return NewEntry.followed(request, NewEntry.takenFirst(request, outcome));
    }

    private Status makeDirectory(Request request) {
        PathResolver path = request.path();
        entry.describe(path, mkdir.mode(), mkdir.unmaskedMode(), true);
        return request.accounting()
                .mkdir(
                        path.parentId,
                        path.name,
                        entry.mode(),
                        request.uid(),
                        entry.gid(),
                        entry.acl(),
                        request.change(),
                        request.attributes());
    }

    /** With parents: a directory that is there already will do. */
    private Status existing(Request request) {
        PathResolver path = request.path();
        Attributes found = request.attributes();
        Status outcome = path.isBase
                ? request.namespace().statDirectory(mkdir.baseId(), found)
                : request.namespace().stat(path.parentId, path.name, found);
        return outcome == Status.OK && !found.isDirectory() ? Status.EXISTS : outcome;
    }

    @Override
    public void answerAgain(Request request, ChangeOutcome outcome) {
        decode(request);
        int length = mkdir.pathLength();
        int at = mkdir.limit() + MkdirDecoder.pathHeaderLength();
        recorded.describe(outcome, FileType.DIRECTORY, mkdir.mode(), 0);
        recorded.inherit(request, outcome, mkdir.baseId(), at, length);
        request.reply().entry(outcome.parentId, recorded.made());
    }
}
