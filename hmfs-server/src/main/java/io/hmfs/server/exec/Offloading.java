package io.hmfs.server.exec;

import io.hmfs.wire.AppendDecoder;
import io.hmfs.wire.CreateDecoder;
import io.hmfs.wire.DeleteDecoder;
import io.hmfs.wire.ListTreeDecoder;
import io.hmfs.wire.MetricsDecoder;
import io.hmfs.wire.ReadBlockDecoder;
import io.hmfs.wire.RemoveTreeDecoder;
import io.hmfs.wire.RenameDecoder;
import io.hmfs.wire.SummaryDecoder;
import io.hmfs.wire.SyncBlockDecoder;
import io.hmfs.wire.TruncateDecoder;
import io.hmfs.wire.WriteBlockDecoder;

/**
 * Which requests are left to threads that may wait: those that block, or take long. Data, metrics, whole trees and the whole namespace
 * always; with durable data also what must be on the disk before the namespace changes. Of one worker, about its current request.
 */
final class Offloading {
    private static final int METRICS_BYTES = 64 << 10; // about as many as there are

    private final Worker worker;
    private final CreateRequests creates;
    private final RemoveRequests removals;
    private final DataRequests data;

    Offloading(Worker worker, CreateRequests creates, RemoveRequests removals, DataRequests data) {
        this.worker = worker;
        this.creates = creates;
        this.removals = removals;
        this.data = data;
    }

    boolean takes() {
        int template = worker.header.templateId();
        boolean keepsData = worker.service.data != null;
        boolean durable = keepsData && worker.service.info.durable();
        return switch (template) {
            case MetricsDecoder.TEMPLATE_ID,
                    SummaryDecoder.TEMPLATE_ID,
                    ListTreeDecoder.TEMPLATE_ID,
                    RemoveTreeDecoder.TEMPLATE_ID -> true;
            case ReadBlockDecoder.TEMPLATE_ID,
                    WriteBlockDecoder.TEMPLATE_ID,
                    SyncBlockDecoder.TEMPLATE_ID,
                    TruncateDecoder.TEMPLATE_ID -> keepsData;
            case DeleteDecoder.TEMPLATE_ID, AppendDecoder.TEMPLATE_ID -> durable;
            // What replaces nothing has nothing to note before; but what goes from below one quota to below another is
            // summed up.
            case RenameDecoder.TEMPLATE_ID -> (durable && removals.isReplacing()) || worker.service.quotas.isAny();
            case CreateDecoder.TEMPLATE_ID -> durable && creates.isOverwrite();
            default -> CensusRequests.isOne(template) || QuotaRequests.isOne(template) || LeaseRequests.waits(template);
        };
    }

    /** Bytes that the reply may have, if it can be long. */
    int replyBytes() {
        int template = worker.header.templateId();
        return switch (template) {
            case ReadBlockDecoder.TEMPLATE_ID -> data.chunkBytes();
            case MetricsDecoder.TEMPLATE_ID -> METRICS_BYTES;
            case SummaryDecoder.TEMPLATE_ID -> TreeWalk.WRITTEN_MAX;
            case ListTreeDecoder.TEMPLATE_ID -> EntryPage.BYTES_MAX + TreeWalk.WRITTEN_MAX;
            default -> CensusRequests.isOne(template) ? CensusRequests.REPLY_BYTES : 0;
        };
    }
}
