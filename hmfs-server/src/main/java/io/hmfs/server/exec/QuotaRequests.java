package io.hmfs.server.exec;

import io.hmfs.client.ResultCode;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Status;
import io.hmfs.wire.QuotaUsageDecoder;
import io.hmfs.wire.SetQuotaDecoder;
import io.hmfs.wire.Wire;

/** Requests about quotas. Executed where a thread may take its time: what is below a directory may have to be counted. */
final class QuotaRequests {
    private static final Quota NO_QUOTA = new Quota(0, Quota.NONE, Quota.NONE);

    private final Worker worker;
    private final SetQuotaDecoder set = new SetQuotaDecoder();
    private final QuotaUsageDecoder usage = new QuotaUsageDecoder();
    private final Attributes found = Attributes.withAcl();

    QuotaRequests(Worker worker) {
        this.worker = worker;
    }

    /** Whether messages with this id are such requests. */
    static boolean isOne(int template) {
        return template == SetQuotaDecoder.TEMPLATE_ID || template == QuotaUsageDecoder.TEMPLATE_ID;
    }

    /** Executes the current request, if it is one. */
    boolean takes(int template) {
        if (template == SetQuotaDecoder.TEMPLATE_ID) {
            set();
        } else if (template == QuotaUsageDecoder.TEMPLATE_ID) {
            usage();
        } else {
            return false;
        }
        return true;
    }

    private void set() {
        worker.checkBlock(SetQuotaDecoder.BLOCK_LENGTH);
        set.wrap(worker.in, Wire.HEADER_SIZE, worker.header.blockLength(), worker.header.version());
        int length = set.pathLength();
        PathResolver path = worker.path;
        Status outcome =
                path.resolve(set.baseId(), worker.in, set.limit() + SetQuotaDecoder.pathHeaderLength(), length);
        if (worker.access.isLimited()) {
            outcome = worker.access.denied(
                    "Access denied for user " + worker.access.user() + ". Superuser privilege is required");
        } else if ((set.names() <= 0 && set.names() != Quota.NONE) || (set.bytes() < 0 && set.bytes() != Quota.NONE)) {
            worker.reply.failure(
                    ResultCode.INVALID_ARGUMENT, "Invalid values for quota : " + set.names() + " and " + set.bytes());
            return;
        }
        outcome = outcome == Status.OK ? TreeRequests.look(worker.namespace, path, found) : outcome;
        if (outcome == Status.OK) {
            outcome = found.isDirectory()
                    ? worker.service.quotas.set(found.id, set.names(), set.bytes())
                    : Status.NOT_DIRECTORY;
        }
        worker.reply.status(path.seen(outcome));
    }

    private void usage() {
        worker.checkBlock(QuotaUsageDecoder.BLOCK_LENGTH);
        usage.wrap(worker.in, Wire.HEADER_SIZE, worker.header.blockLength(), worker.header.version());
        int length = usage.pathLength();
        PathResolver path = worker.path;
        Status outcome =
                path.resolve(usage.baseId(), worker.in, usage.limit() + QuotaUsageDecoder.pathHeaderLength(), length);
        outcome = outcome == Status.OK ? TreeRequests.look(worker.namespace, path, found) : outcome;
        if (outcome == Status.OK && found.isDirectory()) {
            outcome = path.may(found, Access.READ | Access.EXECUTE);
        }
        if (outcome == Status.OK) {
            Quota quota = worker.service.quotas.usage(found.id);
            worker.reply.quota(quota == null ? NO_QUOTA : quota);
        } else {
            worker.reply.status(path.seen(outcome));
        }
    }
}
