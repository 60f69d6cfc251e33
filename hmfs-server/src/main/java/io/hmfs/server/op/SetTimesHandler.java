package io.hmfs.server.op;

import io.hmfs.core.type.Status;
import io.hmfs.server.access.Access;
import io.hmfs.server.path.PathResolver;
import io.hmfs.server.request.Request;
import io.hmfs.wire.SetTimesDecoder;
import io.hmfs.wire.Wire;

/** SetTimes: a user that may write an object changes its times; -1 keeps what is there. */
public final class SetTimesHandler implements Handler {
    private final SetTimesDecoder setTimes = new SetTimesDecoder();
    private final ChangeTarget target = new ChangeTarget();

    @Override
    public void execute(Request request) {
        request.checkBlock(SetTimesDecoder.BLOCK_LENGTH);
        setTimes.wrap(request.in(), Wire.HEADER_SIZE, request.blockLength(), request.version());
        int length = setTimes.pathLength();
        int at = setTimes.limit() + SetTimesDecoder.pathHeaderLength();
        Status outcome = ChangeTarget.resolve(request, setTimes.baseId(), at, length);
        if (outcome == Status.OK) {
            outcome = change(request);
        }
        request.reply().status(request.path().seen(outcome));
    }

    private Status change(Request request) {
        PathResolver path = request.path();
        target.lock(request); // for superusers too: an overwrite of one version must not miss a change of it
        try {
            Status outcome = target.look(request);
            if (outcome == Status.OK) {
                outcome = path.may(target.object(), Access.WRITE);
            }
            if (outcome == Status.OK) {
                outcome = request.namespace()
                        .setTimes(
                                path.parentId,
                                path.name,
                                setTimes.mtimeNanos(),
                                setTimes.atimeNanos(),
                                request.change());
            }
            return outcome;
        } finally {
            target.unlock(request);
        }
    }
}
