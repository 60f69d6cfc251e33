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

/**
 * Tells what becomes of each request of a worker, when its reply is written: while its frame is still there, or, when it was answered
 * together with others, from what was kept of it.
 */
final class Recorder {
    private static final long NO_BASE = -2;

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

    /** A request that had joined has its reply. */
    void answered(
            Session session, Operation operation, JoinedPaths joined, int number, long endNanos, Attributes made) {
        ResultCode outcome = worker.reply.outcome();
        if (to.count(operation, outcome, joined.arrivedNanos(number), endNanos)) {
            to.clearPaths(joined.window());
            to.source(joined.base(number), joined.begin(number), joined.length(number));
            tell(session, operation, outcome, made);
        }
    }

    /** The current request has its reply; its work began at {@code begunNanos} and has ended now. */
    void answered(Session session, long begunNanos, long endNanos) {
        Operation operation = Operation.ofTemplate(worker.header.templateId());
        if (operation == null) {
            refused();
            return;
        }
        ResultCode outcome = worker.reply.outcome();
        if (to.count(operation, outcome, begunNanos, endNanos)) {
            locate(operation);
            tell(session, operation, outcome, worker.attributes);
        }
    }

    private void tell(Session session, Operation operation, ResultCode outcome, Attributes made) {
        if (to.isSlow()) {
            to.slow(session.user());
        }
        if (to.isAudited()) {
            byte[] prefix = session.auditPrefix();
            if (prefix.length == 0) {
                prefix = to.prefix(session.user(), session.realUser(), session.peer());
                session.auditPrefix(prefix);
            }
            if (outcome == ResultCode.OK && (operation == Operation.CREATE || operation == Operation.MKDIR)) {
                to.attributes(made.uid, made.gid, made.mode, made.isDirectory());
            }
            to.audit(prefix);
        }
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
        int length = lengthAt(in, at);
        to.source(baseOf(operation), at + Short.BYTES, length);
        if (operation == Operation.SYMLINK) {
            int next = at + Short.BYTES + length;
            to.target(RequestRecorder.AS_IT_IS, next + Short.BYTES, lengthAt(in, next), false);
        }
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

    private long baseOf(Operation operation) {
        long base = worker.in.getLong(Wire.HEADER_SIZE + operation.baseOffset(), MessageHeaderDecoder.BYTE_ORDER);
        return base == RequestRecorder.AS_IT_IS
                ? NO_BASE
                : base; // no id either, and a client's word is not taken as it is
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
