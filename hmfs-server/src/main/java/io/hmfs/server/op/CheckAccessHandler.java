package io.hmfs.server.op;

import io.hmfs.core.type.Status;
import io.hmfs.server.request.Request;
import io.hmfs.wire.AccessDecoder;
import io.hmfs.wire.Wire;

/** Access: whether the user may read, write or pass an object. */
public final class CheckAccessHandler implements Handler {
    private static final int ALL = 7;

    private final AccessDecoder decoder = new AccessDecoder();
    private final ChangeTarget target = new ChangeTarget();

    @Override
    public void execute(Request request) {
        request.checkBlock(AccessDecoder.BLOCK_LENGTH);
        decoder.wrap(request.in(), Wire.HEADER_SIZE, request.blockLength(), request.version());
        int wanted = decoder.wanted();
        int length = decoder.pathLength();
        int at = decoder.limit() + AccessDecoder.pathHeaderLength();
        Status outcome = ChangeTarget.resolve(request, decoder.baseId(), at, length);
        if (outcome == Status.OK) {
            outcome = target.look(request);
        }
        if (outcome == Status.OK) {
            outcome = wanted > ALL ? Status.INVALID_ARGUMENT : request.path().may(target.object(), wanted);
        }
        request.reply().status(request.path().seen(outcome));
    }
}
