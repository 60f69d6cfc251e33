package io.hmfs.server.op;

import io.hmfs.core.type.Status;
import io.hmfs.server.access.Access;
import io.hmfs.server.path.PathResolver;
import io.hmfs.server.request.Request;
import io.hmfs.wire.RmdirDecoder;
import io.hmfs.wire.Wire;

/** Rmdir: removes an empty directory. */
public final class RmdirHandler implements Handler {
    private final RmdirDecoder rmdir = new RmdirDecoder();
    private final StickyBit stickyBit = new StickyBit();

    @Override
    public void execute(Request request) {
        request.checkBlock(RmdirDecoder.BLOCK_LENGTH);
        rmdir.wrap(request.in(), Wire.HEADER_SIZE, request.blockLength(), request.version());
        int length = rmdir.pathLength();
        int at = rmdir.limit() + RmdirDecoder.pathHeaderLength();
        PathResolver path = request.path();
        Status outcome = path.resolve(rmdir.baseId(), request.in(), at, length);
        if (outcome == Status.OK) {
            outcome = path.isBase ? Status.IS_ROOT : path.mayInParent(Access.WRITE);
        }
        if (outcome == Status.OK) {
            outcome = path.isParentSticky() ? checkAndRemove(request) : remove(request);
        }
        request.reply().status(path.seen(outcome));
    }

    private Status checkAndRemove(Request request) {
        PathResolver path = request.path();
        request.lockKey();
        try {
            Status outcome = stickyBit.check(request, path);
            return outcome == Status.OK ? remove(request) : outcome;
        } finally {
            request.unlockKey();
        }
    }

    private static Status remove(Request request) {
        return request.accounting().rmdir(request.path().parentId, request.path().name, request.change());
    }
}
