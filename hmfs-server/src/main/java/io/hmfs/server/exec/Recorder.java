package io.hmfs.server.exec;

import io.hmfs.client.ResultCode;
import io.hmfs.core.type.Attributes;
import io.hmfs.server.metrics.Observation;
import io.hmfs.server.metrics.Operation;
import io.hmfs.server.metrics.RequestRecorder;
import io.hmfs.server.metrics.WorkerMeter;
import io.hmfs.wire.MalformedFrameException;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.RenameDecoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;

/** Tells what becomes of each request of a worker, when its reply is written and its frame still there. */
final class Recorder {
    private final Worker worker;
    private final RequestRecorder to;
    private final RenameDecoder rename = new RenameDecoder();

    Recorder(Worker worker, Observation observation) {
        this.worker = worker;
        to = new RequestRecorder(observation);
    }

    WorkerMeter meter() {
        return to.meter();
    }

    /** A frame that was no request. */
    void refused() {
        to.meter().add(WorkerMeter.Tally.FRAMES_REFUSED, 1);
    }

    /** The current request is answered; its work began at {@code begunNanos}. */
    void answered(Session session, long begunNanos) {
        Operation operation = Operation.ofTemplate(worker.header.templateId());
        if (operation == null) {
            refused();
            return;
        }
        ResultCode outcome = worker.reply.outcome();
        if (!to.count(operation, outcome, begunNanos)) {
            return;
        }
        locate(operation);
        if (to.isSlow()) {
            to.slow(user(session));
        }
        if (to.isAudited()) {
            byte[] prefix = session.auditPrefix();
            if (prefix.length == 0) {
                prefix = to.prefix(user(session), session.peer());
                session.auditPrefix(prefix);
            }
            boolean made = outcome == ResultCode.OK && (operation == Operation.CREATE || operation == Operation.MKDIR);
            Attributes attributes = worker.attributes;
            if (made) {
                to.attributes(attributes.uid, attributes.gid, attributes.mode, attributes.isDirectory());
            }
            to.audit(prefix);
        }
    }

    private String user(Session session) {
        return worker.namespace.principalName(session.uid());
    }

    /** The request has its reply already: nothing that is wrong with its frame may make a second one. */
    private void locate(Operation operation) {
        to.clearPaths(worker.in);
        try {
            if (operation.hasPath()) {
                show(operation);
            }
        } catch (MalformedFrameException e) {
            to.clearPaths(worker.in);
        }
    }

    /** Shows the recorder the paths of the current request: they stand behind its root block, each behind its length. */
    private void show(Operation operation) {
        WireBuffer in = worker.in;
        int block = worker.header.blockLength();
        int at = Wire.HEADER_SIZE + block;
        long base = in.getLong(Wire.HEADER_SIZE + operation.baseOffset(), MessageHeaderDecoder.BYTE_ORDER);
        int length = lengthAt(in, at);
        to.source(base, at + Short.BYTES, length);
        if (operation == Operation.RENAME) {
            rename.wrap(in, Wire.HEADER_SIZE, block, worker.header.version());
            int next = at + Short.BYTES + length;
            to.target(
                    rename.targetBaseId(),
                    next + Short.BYTES,
                    lengthAt(in, next),
                    rename.flags().replace());
        }
    }

    /** What a text says of its length, or less: it was perhaps refused for it. */
    private static int lengthAt(WireBuffer in, int at) {
        int room = in.length() - at - Short.BYTES;
        if (room < 0) {
            return 0;
        }
        int said = Short.toUnsignedInt(in.getShort(at, MessageHeaderDecoder.BYTE_ORDER));
        return Math.min(said, Math.min(room, Wire.PATH_MAX));
    }
}
