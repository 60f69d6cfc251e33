package io.hmfs.server.op;

import io.hmfs.core.type.Status;
import io.hmfs.server.path.PathResolver;
import io.hmfs.server.request.Request;
import io.hmfs.wire.SetModeDecoder;
import io.hmfs.wire.Wire;

/** SetMode: the owner of an object changes its permissions. */
public final class SetModeHandler implements Handler {
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
        PathResolver path = request.path();
        target.lockToCheck(request);
        try {
            Status outcome = target.lookAsOwner(request);
            if (outcome == Status.OK) {
                outcome = request.partition()
                        .versions()
                        .chmod(path.parentId, path.name, setMode.mode(), request.change());
            }
            return outcome;
        } finally {
            target.unlock(request);
        }
    }
}
