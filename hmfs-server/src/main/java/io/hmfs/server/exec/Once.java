package io.hmfs.server.exec;

import io.hmfs.client.ResultCode;
import io.hmfs.core.NumberedChanges;
import io.hmfs.wire.CreateDecoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.Wire;

/** Sees to it that a change which comes again is not executed again (docs/wire.md#once). Of one worker; the frame is in its hands. */
final class Once {
    private static final int CHANGES_FIRST = 20; // of the ids of messages
    private static final int CHANGES_LAST = 39;
    private static final int CLIENT_ID_AT = Wire.HEADER_SIZE + CreateDecoder.clientIdEncodingOffset();
    private static final int SEQUENCE_AT = Wire.HEADER_SIZE + CreateDecoder.sequenceEncodingOffset();
    private static final int BLOCK_MIN = SEQUENCE_AT + Long.BYTES - Wire.HEADER_SIZE;

    /** The request needs no care: it changes nothing, or its client does not number its changes. */
    static final long NONE = 0;

    private final Worker worker;
    private long claimed = NONE;
    private long ring = NumberedChanges.NONE;
    private long sequence = NONE;
    private boolean entered;

    Once(Worker worker) {
        this.worker = worker;
    }

    /** Whether the current request is to be executed. If not it is answered, or will be. */
    boolean begin(Session session) {
        claimed = NONE;
        ring = NumberedChanges.NONE;
        Outcomes outcomes = session.outcomes();
        if (outcomes == null || !isChange()) {
            return true;
        }
        long sent = sent();
        if (worker.in.getLong(CLIENT_ID_AT, MessageHeaderDecoder.BYTE_ORDER) != session.clientId()
                || sent < 1
                || sent > Outcomes.SEQUENCE_MAX) {
            worker.reply.failure(
                    ResultCode.BAD_REQUEST, "a change has its client's id, as in Hello, and a sequence of 1 to 2^60");
            worker.recorder.refused();
            return false;
        }
        switch (outcomes.claim(sent, worker.recorded.covers())) {
            case NEW -> {
                claimed = sent;
                resume(session, sent);
                return true;
            }
            case RECORDED -> worker.answerAsRecorded(session, outcomes.ring(), sent);
            case RUNNING -> {
                session.begin(0);
                outcomes.await(new AwaitedReply(worker, session, outcomes, sent, worker.reply.correlationId()));
            }
            case DONE -> {
                if (!outcomes.replay(sent, worker.reply.correlationId(), session)) {
                    forgotten();
                }
            }
            case FORGOTTEN -> forgotten();
        }
        return false;
    }

    /** The same for a request that may join others: false also if {@link #begin} has to decide. */
    boolean beginJoined(Session session) {
        claimed = NONE;
        Outcomes outcomes = session.outcomes();
        if (outcomes == null) {
            return true;
        }
        long sent = sent();
        if (worker.in.getLong(CLIENT_ID_AT, MessageHeaderDecoder.BYTE_ORDER) != session.clientId()
                || sent < 1
                || sent > Outcomes.SEQUENCE_MAX
                || outcomes.claim(sent, true) != Outcomes.Claim.NEW) {
            return false;
        }
        claimed = sent;
        return true;
    }

    /** The request, which was begun by this worker or another one, is executed here and now. */
    void resume(Session session, long begun) {
        Outcomes outcomes = session.outcomes();
        ring = outcomes == null || begun == NONE ? NumberedChanges.NONE : outcomes.ring();
        sequence = begun;
    }

    /** What the engine is asked for next, until {@link #leave}, is the change that the current request is. */
    void enter() {
        if (ring != NumberedChanges.NONE) {
            worker.namespace.numbered().enter(ring, sequence, 0, 0);
            entered = true;
        }
    }

    /** Also when the request has ended otherwise. */
    void leave() {
        if (entered) {
            worker.namespace.numbered().leave();
            entered = false;
        }
    }

    private boolean isChange() {
        return isChange(worker.header.templateId()) && worker.header.blockLength() >= BLOCK_MIN;
    }

    /** Whether messages with this id change the namespace. */
    static boolean isChange(int template) {
        return template >= CHANGES_FIRST && template <= CHANGES_LAST;
    }

    private long sent() {
        worker.in.check(Wire.HEADER_SIZE, BLOCK_MIN);
        return worker.in.getLong(SEQUENCE_AT, MessageHeaderDecoder.BYTE_ORDER);
    }

    /** The request that was begun is answered elsewhere: by {@link #answered(Session, long)} with this. */
    long handOver() {
        long sequence = claimed;
        claimed = NONE;
        return sequence;
    }

    /** The request that was begun has its reply, the last one that was written. */
    void answered(Session session) {
        answered(session, handOver());
    }

    void answered(Session session, long sequence) {
        Outcomes outcomes = session.outcomes();
        if (sequence != NONE && outcomes != null) {
            worker.reply.keepIn(outcomes, sequence);
        }
    }

    /** Replies that nobody knows what became of the request. */
    void forgotten() {
        worker.reply.failure(
                ResultCode.OUTCOME_UNKNOWN,
                "whether it was executed is unknown: the server does not remember so old a request; look, and repeat it if"
                        + " need be");
    }
}
