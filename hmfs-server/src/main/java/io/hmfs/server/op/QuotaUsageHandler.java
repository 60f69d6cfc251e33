package io.hmfs.server.op;

import io.hmfs.core.Records;
import io.hmfs.core.type.Status;
import io.hmfs.server.access.Access;
import io.hmfs.server.quota.Quota;
import io.hmfs.server.request.Request;
import io.hmfs.wire.QuotaUsageDecoder;
import io.hmfs.wire.Wire;

/** QuotaUsage: the quota of a directory, and what is charged to it. */
public final class QuotaUsageHandler implements Handler {
    private static final Quota NO_QUOTA = new Quota(0, Quota.NONE, Quota.NONE, Records.NONE);

    private final QuotaUsageDecoder usage = new QuotaUsageDecoder();
    private final PathTarget target = new PathTarget();

    @Override
    public void execute(Request request) {
        request.checkBlock(QuotaUsageDecoder.BLOCK_LENGTH);
        usage.wrap(request.in(), Wire.HEADER_SIZE, request.blockLength(), request.version());
        int length = usage.pathLength();
        int at = usage.limit() + QuotaUsageDecoder.pathHeaderLength();
        Status outcome = target.resolve(request, usage.baseId(), at, length);
        if (outcome == Status.OK && target.object().isDirectory()) {
            outcome = request.path().may(target.object(), Access.READ | Access.EXECUTE);
        }
        if (outcome != Status.OK) {
            request.reply().status(request.path().seen(outcome));
            return;
        }
        Quota quota = request.partition().quotas().usage(target.object().id);
        Quota shown = quota == null ? NO_QUOTA : quota;
        request.reply().quota(shown.names, shown.bytes, shown.usedNames, shown.usedBytes);
    }
}
