package io.hmfs.server.pipeline;

import io.hmfs.client.ResultCode;
import io.hmfs.core.NumberedChanges;
import io.hmfs.core.type.ChangeOutcome;
import io.hmfs.server.op.Handler;
import io.hmfs.server.request.Reply;
import io.hmfs.server.request.Request;
import io.hmfs.server.request.RequestBatch;
import io.hmfs.server.request.Session;
import io.hmfs.server.retry.RetryCache;

/** Sees to it that a change which comes again is not executed again, but answered as before (docs/wire.md#retry-cache). Of one thread. */
final class RetryCheck {
    private final ChangeOutcome recorded = new ChangeOutcome();
    private final RequestObserver observer;

    RetryCheck(RequestObserver observer) {
        this.observer = observer;
    }

    /** Whether a request is to be executed. If not it has been answered, or will be when its first execution ends. */
    boolean mayExecute(Request request, Handler handler) {
        Session session = request.session();
        RetryCache cache = session.retries();
        if (cache == null || !request.isNumbered()) {
            return true;
        }
        if (!request.hasValidNumber()) {
            request.reply()
                    .failure(
                            ResultCode.BAD_REQUEST,
                            "a change has its client's id, as in Hello, and a sequence of 1 to 2^60");
            observer.refused();
            return false;
        }
        long sequence = request.sentSequence();
        switch (cache.claim(sequence, request.knownKind().record() != null)) {
            case NEW -> {
                request.claimed(sequence);
                return true;
            }
            case RECORDED -> answerFromPool(request, handler, cache.ring(), sequence);
            case RUNNING -> {
                session.channel().begin(0);
                cache.await(
                        new AwaitedReply(session.channel(), cache, sequence, request.correlationId(), request.reply()));
            }
            case DONE -> {
                if (!cache.replay(sequence, request.correlationId(), session.channel())) {
                    request.reply().forgotten();
                }
            }
            case FORGOTTEN -> request.reply().forgotten();
        }
        return false;
    }

    private void answerFromPool(Request request, Handler handler, long ring, long sequence) {
        if (ring != NumberedChanges.NONE // else another client has it by now
                && request.namespace().numbered().find(ring, sequence, recorded)
                && handler.isRecorded(request, recorded)) {
            handler.answerAgain(request, recorded);
        } else {
            request.reply().forgotten();
        }
    }

    /** A request that was claimed has its reply, the last one that was written. */
    static void answered(Request request) {
        answered(request, request.handOver());
    }

    /** A request whose claim was handed over has its reply, the last one that was written. */
    static void answered(Request request, long sequence) {
        RetryCache cache = request.session().retries();
        if (sequence != Request.UNNUMBERED && cache != null) {
            Reply reply = request.reply();
            cache.finish(sequence, reply.buffer(), reply.frameAt(), reply.frameLength());
        }
    }

    /** A request of a batch has its reply, the last one that was written. */
    static void answered(Request request, RequestBatch batch, int row) {
        answered(request, batch.sequence(row));
    }
}
