package io.hmfs.server.op;

import io.hmfs.client.ResultCode;
import io.hmfs.core.type.ChangeOutcome;
import io.hmfs.core.type.FileType;
import io.hmfs.core.type.Status;
import io.hmfs.server.path.PathResolver;
import io.hmfs.server.request.Request;
import io.hmfs.wire.SymlinkDecoder;
import io.hmfs.wire.Wire;

/** Symlink: a symbolic link is made, with any target. */
public final class SymlinkHandler implements Handler {
    private static final int MODE = 0777;
    private static final int TARGET_MAX = 4095;

    private final SymlinkDecoder symlink = new SymlinkDecoder();
    private final RecordedEntry recorded = new RecordedEntry();

    private void decode(Request request) {
        request.checkBlock(SymlinkDecoder.BLOCK_LENGTH);
        symlink.wrap(request.in(), Wire.HEADER_SIZE, request.blockLength(), request.version());
    }

    /** The target, which stands behind the path. */
    private byte[] target() {
        symlink.skipPath();
        byte[] target = new byte[symlink.targetLength()];
        symlink.getTarget(target, 0, target.length);
        return target;
    }

    @Override
    public void execute(Request request) {
        decode(request);
        int length = symlink.pathLength();
        int at = symlink.limit() + SymlinkDecoder.pathHeaderLength();
        byte[] target = target();
        boolean parents = symlink.flags().createParents();
        if (!isTarget(target)) {
            request.reply()
                    .failure(
                            ResultCode.INVALID_ARGUMENT,
                            "a symbolic link's target has 1 to " + TARGET_MAX + " bytes, none of them NUL; this one "
                                    + target.length);
            return;
        }
        if (parents && !NewEntry.isParentMode(symlink.parentMode())) {
            request.reply().status(Status.INVALID_ARGUMENT);
            return;
        }
        PathResolver path = request.path();
        if (parents) {
            NewEntry.makeParents(path, symlink.parentMode());
        }
        Status outcome = path.resolve(symlink.baseId(), request.in(), at, length);
        if (outcome == Status.OK) {
            outcome = NewEntry.takenFirst(request, make(request, target));
        }
        if (outcome == Status.OK) {
            request.reply().entry(path.parentId, request.attributes(), target);
        } else {
            request.reply().status(path.seen(outcome));
        }
    }

    private static boolean isTarget(byte[] target) {
        for (byte each : target) {
            if (each == 0) {
                return false;
            }
        }
        return target.length > 0 && target.length <= TARGET_MAX;
    }

    private static Status make(Request request, byte[] target) {
        PathResolver path = request.path();
        Status outcome = NewEntry.check(path);
        if (outcome == Status.OK) {
            outcome = NewEntry.number(request);
        }
        if (outcome != Status.OK) {
            return outcome;
        }
        int gid = path.parentGid();
        return request.accounting()
                .symlink(path.parentId, path.name, target, request.uid(), gid, request.change(), request.attributes());
    }

    @Override
    public void answerAgain(Request request, ChangeOutcome outcome) {
        decode(request);
        byte[] target = target();
        recorded.describe(outcome, FileType.SYMLINK, MODE, target.length);
        request.reply().entry(outcome.parentId, recorded.made(), target);
    }
}
