package io.hmfs.server.op;

import io.hmfs.client.ResultCode;
import io.hmfs.core.type.Status;
import io.hmfs.server.quota.Quota;
import io.hmfs.server.request.Request;
import io.hmfs.wire.SetQuotaDecoder;
import io.hmfs.wire.Wire;

/** SetQuota: a superuser limits what may be below a directory. What is there already is counted. */
public final class SetQuotaHandler implements Handler {
    private final SetQuotaDecoder set = new SetQuotaDecoder();
    private final PathTarget target = new PathTarget();

    @Override
    public void execute(Request request) {
        request.checkBlock(SetQuotaDecoder.BLOCK_LENGTH);
        set.wrap(request.in(), Wire.HEADER_SIZE, request.blockLength(), request.version());
        int length = set.pathLength();
        int at = set.limit() + SetQuotaDecoder.pathHeaderLength();
        Status outcome = request.path().resolve(set.baseId(), request.in(), at, length);
        if (request.access().isLimited()) {
            outcome = request.access().deniedToOthersThanSuperusers();
        } else if (!isQuota(set.names(), 1) || !isQuota(set.bytes(), 0)) {
            request.reply()
                    .failure(
                            ResultCode.INVALID_ARGUMENT,
                            "Invalid values for quota : " + set.names() + " and " + set.bytes());
            return;
        }
        if (outcome == Status.OK) {
            outcome = target.look(request);
        }
        if (outcome == Status.OK) {
            outcome = target.object().isDirectory()
                    ? request.partition().quotas().set(target.object().id, set.names(), set.bytes())
                    : Status.NOT_DIRECTORY;
        }
        request.reply().status(request.path().seen(outcome));
    }

    private static boolean isQuota(long value, long least) {
        return value >= least || value == Quota.NONE;
    }
}
