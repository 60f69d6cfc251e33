package io.hmfs.server.pipeline;

import io.hmfs.client.ResultCode;
import io.hmfs.core.type.Status;
import io.hmfs.server.lock.KeyLocks;
import io.hmfs.server.metrics.WorkerMeter;
import io.hmfs.server.op.BatchedHandler;
import io.hmfs.server.op.Handler;
import io.hmfs.server.protocol.RequestKind;
import io.hmfs.server.quota.QuotaAccounting;
import io.hmfs.server.request.Request;
import io.hmfs.server.request.RequestBatch;
import io.hmfs.server.request.Session;
import io.hmfs.server.transport.FrameReceiver;
import io.hmfs.server.transport.PeerState;
import io.hmfs.server.transport.ReplyChannel;
import io.hmfs.wire.MalformedFrameException;
import io.hmfs.wire.MessageHeaderDecoder;
import io.netty.buffer.ByteBuf;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The way of a request, for one thread: decode, admit, answer again what was answered, execute (the handler decodes the body, resolves and
 * authorizes), reply. A request of a batched kind is executed at the end of the event-loop batch, one that waits on a disk thread
 * with a pipeline of its own. Each frame gets exactly one reply. The transport holds replies back until they are safe.
 */
public final class Pipeline implements FrameReceiver {
    private static final System.Logger LOG = System.getLogger(Pipeline.class.getName());

    private static final int ATTEMPTS_MAX = 16;

    final Service service;
    private final Request request;
    private final RequestObserver observer;
    private final RetryCheck retry;
    private final Handlers handlers;
    private final Handshake handshake;
    private final List<BatchedHandler> batched;
    private final Consumer<OffloadedRequest> diskExecution;

    /**
     * The pipeline of one thread.
     *
     * @param mayWait for a disk thread, which may wait for the disk and for locks that are held meanwhile
     * @param diskExecution executes a request by the pipeline of the disk thread that it is called on
     */
    Pipeline(Service service, boolean mayWait, Consumer<OffloadedRequest> diskExecution) {
        this.diskExecution = diskExecution;
        this.service = service;
        observer = new RequestObserver(service.observation);
        request = new Request(service.partitions, observer.meter(), mayWait);
        retry = new RetryCheck(observer);
        handlers = new Handlers(service);
        batched = handlers.batched();
        handshake = new Handshake(service, request, observer);
    }

    /** Charges changes of this thread to quotas. */
    QuotaAccounting accounting() {
        return request.accounting();
    }

    // ---- A frame on its connection's thread

    @Override
    public void beginRead() {
        request.arrivedNanos(System.nanoTime());
    }

    @Override
    public void frame(PeerState peer, ByteBuf frames, int offset, int length) {
        Session session = (Session) peer;
        if (service.hasFailed()) {
            session.channel().closeWhenSent();
            return;
        }
        try {
            request.decode(frames, offset, length);
            if (!addToBatch(session)) {
                endBatch();
                request.begin(session, session.channel(), request.correlationId());
                take(session, frames, offset, length);
            }
        } catch (MalformedFrameException e) {
            long claimed = request.handOver();
            endBatch();
            request.begin(session, session.channel(), request.correlationId());
            malformed(session, e);
            RetryCheck.answered(request, claimed);
            if (!session.isGreeted()) {
                session.channel().closeWhenSent();
            }
        } catch (Throwable unexpected) {
            service.fail(unexpected);
            session.channel().closeWhenSent();
        } finally {
            request.release();
        }
    }

    private void take(Session session, ByteBuf frames, int offset, int length) {
        if (!isHmfs(session)) {
            return;
        }
        if (!session.isGreeted()) {
            if (!handshake.run(session)) {
                observer.refused();
            }
            return;
        }
        RequestKind kind = request.kind();
        if (!isSupported(kind) || kind == null) {
            return;
        }
        Handler handler = handlers.of(kind);
        if (!retry.mayExecute(request, handler)) {
            return;
        }
        if (waits(kind, handler) || !executeNow(handler)) {
            int replyBytes = handler.replyBytes(request, service.info.chunkSize());
            offload(session, replyBytes, frames.retainedSlice(offset, length));
        }
    }

    /** Whether requests of this protocol and version, and of this kind, are known here; if not, the reply says so. */
    private boolean isSupported(@Nullable RequestKind kind) {
        int version = request.version();
        if (version > MessageHeaderDecoder.SCHEMA_VERSION || version == 0) {
            observer.refused();
            request.reply()
                    .failure(
                            ResultCode.UNSUPPORTED_VERSION,
                            "the message has version " + version + " of the schema; this server knows versions up to "
                                    + MessageHeaderDecoder.SCHEMA_VERSION);
            return false;
        }
        if (kind == null || kind.isOfHandshake()) {
            observer.refused();
            String why = kind == null
                    ? "message " + request.header().templateId() + " is unknown"
                    : "the handshake was done before";
            request.reply().failure(ResultCode.BAD_REQUEST, why);
            return false;
        }
        return true;
    }

    private boolean isHmfs(Session session) {
        int schema = request.header().schemaId();
        if (schema == MessageHeaderDecoder.SCHEMA_ID) {
            return true;
        }
        LOG.log(
                Level.WARNING,
                "{0} does not speak HMFS: schema {1}",
                session.channel().peer(),
                schema);
        observer.refused();
        request.begin(session, session.channel(), 0);
        request.reply().failure(ResultCode.BAD_REQUEST, "this is an HMFS server; the frame is of another protocol");
        session.channel().closeWhenSent();
        return false;
    }

    private void malformed(Session session, MalformedFrameException e) {
        observer.refused();
        LOG.log(
                Level.WARNING,
                "{0} sent a malformed request: {1}",
                session.channel().peer(),
                e.getMessage());
        request.reply().failure(ResultCode.BAD_REQUEST, e.getMessage() == null ? "" : e.getMessage());
    }

    // ---- Execution

    private boolean waits(RequestKind kind, Handler handler) {
        boolean keepsData = service.partition.data() != null;
        return switch (kind.waits()) {
            case NEVER -> false;
            case ALWAYS -> true;
            case WITH_DATA -> keepsData;
            case ASKED -> handler.waits(request);
        };
    }

    /** False: it would have to wait for another request, and has done nothing. */
    private boolean executeNow(Handler handler) {
        try {
            execute(handler);
        } catch (KeyLocks.MustWaitException e) {
            return false;
        }
        RetryCheck.answered(request);
        long endNanos = System.nanoTime();
        observer.answered(request, request.arrivedNanos(), endNanos);
        compress(request.knownKind());
        request.arrivedNanos(endNanos);
        return true;
    }

    private void execute(Handler handler) {
        if (service.safeMode.isOn() && request.knownKind().isRefusedInSafeMode()) {
            request.reply().failure(ResultCode.SAFE_MODE, ResultCode.SAFE_MODE.text());
        } else {
            handler.execute(request);
        }
    }

    /** The last that is done with a reply: what is remembered or told of it was read before. */
    private void compress(RequestKind kind) {
        if (kind.isCompressed()) {
            request.reply().compress(request.session().compressFrom());
        }
    }

    private void offload(Session session, int replyBytes, ByteBuf frame) {
        session.channel().begin(replyBytes);
        new OffloadedRequest(service.disk, diskExecution, session, frame, replyBytes, request.handOver()).start();
    }

    /** Executes a frame on this disk thread. */
    void executeOffloaded(OffloadedRequest offloaded) {
        Session session = offloaded.session();
        ByteBuf frame = offloaded.frame();
        long sequence = offloaded.sequence();
        if (service.hasFailed()) {
            return;
        }
        try {
            request.decode(frame, frame.readerIndex(), frame.readableBytes());
            request.begin(session, offloaded, request.correlationId());
            request.resume(sequence);
            executeWaiting(handlers.of(request.knownKind()));
            RetryCheck.answered(request, sequence);
            observer.answered(request, offloaded.arrivedNanos(), System.nanoTime());
            compress(request.knownKind());
        } catch (MalformedFrameException e) {
            malformed(session, e);
            RetryCheck.answered(request, sequence);
        } catch (Throwable unexpected) {
            service.fail(unexpected);
        } finally {
            request.release();
        }
    }

    private void executeWaiting(Handler handler) {
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            try {
                execute(handler);
                return;
            } catch (KeyLocks.BeginAgainException e) {
                // with what is there now
            }
        }
        request.reply()
                .failure(
                        ResultCode.TIMEOUT,
                        "what lets this user through to the path changed each time the request had waited; try again");
    }

    // ---- Batches

    /** Whether the frame is executed with others, at the latest by {@link #endBatch}. */
    private boolean addToBatch(Session session) {
        RequestKind kind = request.kind();
        if (kind == null
                || !kind.isBatched()
                || !session.isGreeted()
                || request.version() > MessageHeaderDecoder.SCHEMA_VERSION
                || request.version() == 0
                || (service.safeMode.isOn() && kind.isRefusedInSafeMode())) {
            return false;
        }
        BatchedHandler handler = (BatchedHandler) handlers.of(kind);
        if (waits(kind, handler)) {
            return false;
        }
        RequestKind before = session.batch();
        if (handler.isFull() || !handler.requests().isOfPartition(request) || (before != null && before != kind)) {
            endBatch(); // a connection's requests are executed in their order
        }
        request.begin(session, session.channel(), request.correlationId());
        return handler.add(request);
    }

    @Override
    public void endBatch() {
        int decoded = request.partitionNumber(); // of the frame that ends the batch, and is executed after it
        for (int i = 0; i < batched.size(); i++) {
            BatchedHandler handler = batched.get(i);
            try {
                if (service.hasFailed()) {
                    closeAll(handler);
                } else if (!handler.isEmpty()) {
                    executeBatch(handler);
                }
            } catch (Throwable unexpected) {
                service.fail(unexpected);
                closeAll(handler);
            }
        }
        request.workOn(decoded);
    }

    private void executeBatch(BatchedHandler handler) {
        RequestBatch requests = handler.requests();
        request.workOn(requests.partition());
        handler.executeAll(request);
        long endNanos = System.nanoTime();
        for (int row = 0; row < requests.size(); row++) {
            requests.resume(request, row);
            Status status = handler.status(row);
            if (status == Status.OK) {
                handler.reply(request, row);
            } else {
                handler.refuse(request, row, status);
            }
            RetryCheck.answered(request, requests, row);
            observer.answered(request, handler, row, endNanos);
        }
        request.arrivedNanos(endNanos);
        request.access().actFor(null); // what comes next has a caller of its own
        handler.clear(request);
    }

    /** Ends the connections of a batch that is not executed any more. */
    private void closeAll(BatchedHandler handler) {
        for (int i = 0; i < handler.requests().size(); i++) {
            handler.requests().session(i).channel().closeWhenSent();
        }
        request.workOn(handler.requests().partition());
        handler.clear(request);
    }

    // ---- What the transport asks

    @Override
    public PeerState accept(ReplyChannel channel) {
        service.connected();
        return new Session(channel);
    }

    @Override
    public void closed(PeerState peer) {
        service.disconnected();
        ((Session) peer).leave();
    }

    @Override
    public boolean mayProceed(PeerState peer) {
        return service.mayProceed((Session) peer);
    }

    @Override
    public void whenMayProceed(PeerState peer, Runnable task) {
        service.whenMayProceed((Session) peer, task);
    }

    @Override
    public boolean holdsReplies() {
        return service.holdsReplies();
    }

    @Override
    public void whenSafe(Runnable task) {
        service.whenSafe(task);
    }

    @Override
    public boolean hasFailed() {
        return service.hasFailed();
    }

    @Override
    public WorkerMeter meter() {
        return observer.meter();
    }
}
