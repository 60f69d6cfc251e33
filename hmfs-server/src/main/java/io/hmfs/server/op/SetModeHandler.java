package io.hmfs.server.op;

import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Status;
import io.hmfs.server.lease.GrantEpochs;
import io.hmfs.server.path.PathResolver;
import io.hmfs.server.request.Request;
import io.hmfs.wire.SetModeDecoder;
import io.hmfs.wire.Wire;

/** SetMode: the owner of an object changes its permissions. Where that takes a right from others, it ends their grants. */
public final class SetModeHandler implements Handler {
    private static final int READ_OR_WRITE = 0666;

    private final SetModeDecoder setMode = new SetModeDecoder();
    private final ChangeTarget target = new ChangeTarget();

    @Override
    public void execute(Request request) {
        request.checkBlock(SetModeDecoder.BLOCK_LENGTH);
        setMode.wrap(request.in(), Wire.HEADER_SIZE, request.blockLength(), request.version());
        int length = setMode.pathLength();
        int at = setMode.limit() + SetModeDecoder.pathHeaderLength();
        Status outcome = ChangeTarget.resolve(request, setMode.baseId(), at, length);
        if (outcome == Status.OK) {
            outcome = change(request);
        }
        request.reply().status(request.path().seen(outcome));
    }

    private Status change(Request request) {
        try {
            target.lockAlone(request);
            Status outcome = target.lookAsOwner(request);
            if (outcome != Status.OK) {
                return outcome;
            }
            Attributes object = target.object();
            boolean takes = !object.isDirectory() && (object.mode & ~setMode.mode() & READ_OR_WRITE) != 0;
            return takes
                    ? GrantEnd.by(request, object.id, GrantEpochs.Cause.MODE, () -> chmod(request))
                    : chmod(request);
        } finally {
            target.unlock(request);
        }
    }

    private Status chmod(Request request) {
        PathResolver path = request.path();
        return request.partition().versions().chmod(path.parentId, path.name, setMode.mode(), request.change());
    }
}
