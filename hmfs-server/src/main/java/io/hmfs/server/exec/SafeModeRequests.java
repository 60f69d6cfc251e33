package io.hmfs.server.exec;

import io.hmfs.client.ResultCode;
import io.hmfs.core.type.Status;
import io.hmfs.wire.SafeModeDecoder;
import io.hmfs.wire.SetQuotaDecoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WriteBlockDecoder;

/** Safe mode: what an administrator asks for who wants nothing to change. It lasts until he ends it, or the server ends. */
final class SafeModeRequests {
    private static final int ASK = 0;
    private static final int ENTER = 1;
    private static final int LEAVE = 2;

    private final Worker worker;
    private final SafeModeDecoder request = new SafeModeDecoder();

    SafeModeRequests(Worker worker) {
        this.worker = worker;
    }

    /** Whether the current request is refused; if so, the reply says it. */
    boolean refuse() {
        int template = worker.header.templateId();
        boolean changes = Once.isChange(template)
                || template == WriteBlockDecoder.TEMPLATE_ID
                || template == SetQuotaDecoder.TEMPLATE_ID;
        if (!worker.service.isInSafeMode() || !changes) {
            return false;
        }
        worker.reply.failure(ResultCode.SAFE_MODE, ResultCode.SAFE_MODE.text()); // which older clients do not know
        return true;
    }

    void run() {
        worker.checkBlock(SafeModeDecoder.BLOCK_LENGTH);
        request.wrap(worker.in, Wire.HEADER_SIZE, worker.header.blockLength(), worker.header.version());
        int action = request.action();
        if (action != ASK && worker.access.isLimited()) {
            worker.reply.status(worker.access.denied(
                    "Access denied for user " + worker.access.user() + ". Superuser privilege is required"));
            return;
        }
        switch (action) {
            case ASK -> {}
            case ENTER -> worker.service.safeMode(true, worker.access.user());
            case LEAVE -> worker.service.safeMode(false, worker.access.user());
            default -> {
                worker.reply.status(Status.INVALID_ARGUMENT);
                return;
            }
        }
        worker.reply.safeMode(worker.service.isInSafeMode());
    }
}
