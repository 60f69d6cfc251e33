package io.hmfs.server.pipeline;

import io.hmfs.client.ResultCode;
import io.hmfs.core.type.Attributes;
import io.hmfs.server.metrics.Observation;
import io.hmfs.server.metrics.RequestRecorder;
import io.hmfs.server.metrics.WorkerMeter;
import io.hmfs.server.op.BatchedHandler;
import io.hmfs.server.protocol.RequestKind;
import io.hmfs.server.request.RepliedListings;
import io.hmfs.server.request.Request;
import io.hmfs.server.request.RequestBatch;
import io.hmfs.server.request.RequestedPaths;
import io.hmfs.server.request.Session;
import io.hmfs.wire.MalformedFrameException;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.RenameDecoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;

/**
 * Tells metrics and the audit log what became of each request of a thread, when its reply is written: while its frame is still there, or,
 * when it was answered in a batch, from what was kept of it.
 */
final class RequestObserver {
    private static final long NO_BASE = -2;

    private final RequestRecorder to;
    private final RenameDecoder rename = new RenameDecoder();
    private final RequestedPaths paths = new RequestedPaths();
    private final RepliedListings answered = new RepliedListings();

    RequestObserver(Observation observation) {
        to = new RequestRecorder(observation);
    }

    WorkerMeter meter() {
        return to.meter();
    }

    /** A frame that was no request. */
    void refused() {
        to.meter().add(WorkerMeter.Tally.FRAMES_REFUSED, 1);
    }

    /** A request of a batch has its reply. */
    void answered(Request request, BatchedHandler handler, int row, long endNanos) {
        RequestKind kind = handler.kind();
        RequestBatch batch = handler.requests();
        ResultCode outcome = request.reply().outcome();
        if (to.count(kind, outcome, batch.arrivedNanos(row), endNanos)) {
            to.clearPaths(batch.paths());
            to.source(batch.base(row), batch.pathAt(row), batch.pathLength(row));
            tell(request.session(), kind, outcome, handler.attributes(row));
        }
    }

    /** A request has its reply; its work began at {@code begunNanos} and has ended now. */
    void answered(Request request, long begunNanos, long endNanos) {
        RequestKind kind = request.knownKind();
        ResultCode outcome = request.reply().outcome();
        if (!to.count(kind, outcome, begunNanos, endNanos)) {
            return;
        }
        if (kind == RequestKind.LIST_MANY && outcome == ResultCode.OK) {
            tellEach(request);
        } else {
            locate(request, kind);
            tell(request.session(), kind, outcome, request.attributes());
        }
    }

    /** A line for each directory that was answered, as HDFS has it. */
    private void tellEach(Request request) {
        to.clearPaths(request.in());
        long base = baseOf(request, RequestKind.LIST_MANY);
        paths.open(request);
        int answers = answered.open(request.reply());
        for (int i = 0; i < answers && paths.next(); i++) {
            ResultCode outcome = answered.next();
            to.outcome(outcome);
            to.source(base, paths.at(), Math.min(paths.length(), Wire.PATH_MAX));
            if (i == 0) {
                tell(request.session(), RequestKind.LIST_MANY, outcome, request.attributes());
            } else {
                audit(request.session(), RequestKind.LIST_MANY, outcome, request.attributes());
            }
        }
    }

    private void tell(Session session, RequestKind kind, ResultCode outcome, Attributes made) {
        if (to.isSlow()) {
            to.slow(session.user());
        }
        audit(session, kind, outcome, made);
    }

    private void audit(Session session, RequestKind kind, ResultCode outcome, Attributes made) {
        if (to.isAudited()) {
            byte[] prefix = session.auditPrefix();
            if (prefix.length == 0) {
                prefix = to.prefix(
                        session.user(), session.realUser(), session.channel().peer());
                session.auditPrefix(prefix);
            }
            if (outcome == ResultCode.OK && (kind == RequestKind.CREATE || kind == RequestKind.MKDIR)) {
                to.attributes(made.uid, made.gid, made.mode, made.isDirectory());
            }
            to.audit(prefix);
        }
    }

    /** The request has its reply already: nothing that is wrong with its frame may make a second one. */
    private void locate(Request request, RequestKind kind) {
        to.clearPaths(request.in());
        try {
            if (kind.hasPath() && kind != RequestKind.LIST_MANY) { // a refused one has no path of its own
                show(request, kind);
            }
        } catch (MalformedFrameException e) {
            to.clearPaths(request.in());
        }
    }

    /** Shows the recorder the paths of the current request: they stand behind its root block, each behind its length. */
    private void show(Request request, RequestKind kind) {
        WireBuffer in = request.in();
        int block = request.blockLength();
        int at = Wire.HEADER_SIZE + block;
        int length = lengthAt(in, at);
        to.source(baseOf(request, kind), at + Short.BYTES, length);
        if (kind == RequestKind.SYMLINK) {
            int next = at + Short.BYTES + length;
            to.target(RequestRecorder.AS_IT_IS, next + Short.BYTES, lengthAt(in, next), false);
        }
        if (kind == RequestKind.RENAME) {
            rename.wrap(in, Wire.HEADER_SIZE, block, request.version());
            int next = at + Short.BYTES + length;
            to.target(
                    rename.targetBaseId(),
                    next + Short.BYTES,
                    lengthAt(in, next),
                    rename.flags().replace());
        }
    }

    private static long baseOf(Request request, RequestKind kind) {
        long base = request.in().getLong(Wire.HEADER_SIZE + kind.idOffset(), MessageHeaderDecoder.BYTE_ORDER);
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
