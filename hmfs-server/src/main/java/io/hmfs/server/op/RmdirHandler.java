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
    private final DirectoryRemoval removal = new DirectoryRemoval();

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
            outcome = removal.run(request);
        }
        request.reply().status(path.seen(outcome));
    }
}
