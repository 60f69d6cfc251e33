package io.hmfs.server.op;

import io.hmfs.core.type.ChangeOutcome;
import io.hmfs.server.request.Request;

/** Executes requests of one kind; one for each thread. */
public interface Handler {
    /** Executes the request and writes its reply. It has been admitted: known kind, user, number. */
    void execute(Request request);

    /** Whether this request waits for the disk; asked if the kind's row says so. */
    default boolean waits(Request request) {
        return false;
    }

    /** About the most bytes of this request's reply, if it waits for the disk; 0 if it is short. {@code chunkSize}: of a chunk of data. */
    default int replyBytes(Request request, int chunkSize) {
        return request.knownKind().replyBytesMax(chunkSize);
    }

    /** Whether a record of the pool, found under the request's number, is of a change like this request. */
    default boolean isRecorded(Request request, ChangeOutcome outcome) {
        return outcome.kind == request.knownKind().record();
    }

    /** Writes the reply of a change that was executed before the server's start, from the pool's record of it. */
    default void answerAgain(Request request, ChangeOutcome outcome) {
        request.reply().done();
    }
}
