package io.hmfs.server.op;

import io.hmfs.core.type.Status;
import io.hmfs.server.request.Request;
import io.hmfs.wire.IsClosedDecoder;
import io.hmfs.wire.Wire;

/** IsClosed: whether no client has the lease to write a file. */
public final class IsClosedHandler implements Handler {
    private final IsClosedDecoder isClosed = new IsClosedDecoder();
    private final LeasedFile file = new LeasedFile();

    @Override
    public void execute(Request request) {
        request.checkBlock(IsClosedDecoder.BLOCK_LENGTH);
        isClosed.wrap(request.in(), Wire.HEADER_SIZE, request.blockLength(), request.version());
        int length = isClosed.pathLength();
        int at = isClosed.limit() + IsClosedDecoder.pathHeaderLength();
        Status outcome = file.find(request, isClosed.baseId(), at, length);
        if (outcome == Status.OK) {
            request.reply().leaseState(request.partition().leases().isClosed(file.attributes().id));
        } else {
            request.reply().status(outcome);
        }
    }
}
