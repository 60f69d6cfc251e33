package io.hmfs.server.exec;

import io.hmfs.wire.AppendDecoder;
import io.hmfs.wire.CreateDecoder;
import io.hmfs.wire.DeleteDecoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.StatDecoder;
import org.jspecify.annotations.Nullable;

/** Which of a worker's requests wait for others, to be executed as one batch with them: one batch for each kind. */
final class Joining {
    private final Worker worker;
    private final ReadRequests reads;
    private final CreateRequests creates;
    private final RemoveRequests removes;
    private final AppendRequests appends;
    private final JoinedRequests[] all;
    private final boolean joinsDeletes;
    private final boolean joinsAppends;

    Joining(Worker worker, ReadRequests reads, CreateRequests creates, RemoveRequests removes, AppendRequests appends) {
        this.worker = worker;
        this.reads = reads;
        this.creates = creates;
        this.removes = removes;
        this.appends = appends;
        all = new JoinedRequests[] {reads.joined(), creates.joined(), removes.joined(), appends.joined()};
        Service service = worker.service;
        joinsDeletes = service.data == null; // else each has an intent
        joinsAppends = service.data == null || !service.info.durable(); // else its data must be on the disk before
    }

    /** Whether the current frame waits for others, to be executed at the latest by {@link #execute}. */
    boolean takes(Session session) {
        MessageHeaderDecoder header = worker.header.wrap(worker.in, 0);
        JoinedRequests batch = batchOf(header.templateId());
        if (batch == null
                || header.schemaId() != MessageHeaderDecoder.SCHEMA_ID
                || header.version() > MessageHeaderDecoder.SCHEMA_VERSION
                || header.version() == 0
                || worker.service.isInSafeMode()
                || !session.isGreeted()) {
            return false;
        }
        JoinedRequests before = session.joined();
        if (before != null && before != batch) {
            before.execute(); // the connection's order
        }
        worker.reply.aim(session, worker.correlationId());
        worker.actFor(session);
        return switch (batch) {
            case JoinedStats _ -> reads.join(session);
            case JoinedCreates _ -> creates.join(session);
            case JoinedDeletes _ -> removes.join(session);
            case JoinedAppends _ -> appends.join(session);
        };
    }

    private @Nullable JoinedRequests batchOf(int templateId) {
        return switch (templateId) {
            case StatDecoder.TEMPLATE_ID -> reads.joined();
            case CreateDecoder.TEMPLATE_ID -> creates.joined();
            case DeleteDecoder.TEMPLATE_ID -> joinsDeletes ? removes.joined() : null;
            case AppendDecoder.TEMPLATE_ID -> joinsAppends ? appends.joined() : null;
            default -> null;
        };
    }

    /** Executes what has joined. */
    void execute() {
        Service service = worker.service;
        for (JoinedRequests each : all) {
            try {
                if (service.hasFailed()) {
                    each.closeAll();
                } else if (!each.isEmpty()) {
                    each.execute();
                }
            } catch (Throwable unexpected) {
                service.fail(unexpected);
                each.closeAll();
            }
        }
    }
}
