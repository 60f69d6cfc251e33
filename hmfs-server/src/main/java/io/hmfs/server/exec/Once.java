package io.hmfs.server.exec;

import io.hmfs.client.ResultCode;
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

    Once(Worker worker) {
        this.worker = worker;
    }

    /** Whether the current request is to be executed. If not it is answered, or will be. */
    boolean begin(Session session) {
        claimed = NONE;
        Outcomes outcomes = session.outcomes();
        if (outcomes == null || !isChange()) {
            return true;
        }
        long sequence = sequence();
        if (worker.in.getLong(CLIENT_ID_AT, MessageHeaderDecoder.BYTE_ORDER) != session.clientId()
                || sequence < 1
                || sequence > Outcomes.SEQUENCE_MAX) {
            worker.reply.failure(
                    ResultCode.BAD_REQUEST, "a change has its client's id, as in Hello, and a sequence of 1 to 2^60");
            worker.recorder.refused();
            return false;
        }
        switch (outcomes.claim(sequence)) {
            case NEW -> {
                claimed = sequence;
                return true;
            }
            case RUNNING -> {
                session.begin(0);
                outcomes.await(new AwaitedReply(worker, session, outcomes, sequence, worker.reply.correlationId()));
            }
            case DONE -> {
                if (!outcomes.replay(sequence, worker.reply.correlationId(), session)) {
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
        long sequence = sequence();
        if (worker.in.getLong(CLIENT_ID_AT, MessageHeaderDecoder.BYTE_ORDER) != session.clientId()
                || sequence < 1
                || sequence > Outcomes.SEQUENCE_MAX
                || outcomes.claim(sequence) != Outcomes.Claim.NEW) {
            return false;
        }
        claimed = sequence;
        return true;
    }

    private boolean isChange() {
        int template = worker.header.templateId();
        return template >= CHANGES_FIRST && template <= CHANGES_LAST && worker.header.blockLength() >= BLOCK_MIN;
    }

    private long sequence() {
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
