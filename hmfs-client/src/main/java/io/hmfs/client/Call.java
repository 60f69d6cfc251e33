package io.hmfs.client;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/** One request and the reply that is to come. All but its making and waiting for it is done on the loop. */
final class Call<A, T> extends CompletableFuture<T> {
    final CallKind<A, T> kind;
    final A arguments;
    private final String subject;

    /** When to give up, on the clock of {@code System.nanoTime}; set at submission. */
    long deadlineNanos;

    /** A thread waits for it, which makes an exception of its own if it fails; set at submission. */
    boolean awaited;

    /** Chosen when the request goes out, each time anew. */
    long correlationId;

    /** Names a change for ever, from when it first goes out; 0 before. */
    long sequence;

    /** How often it went out on a connection that may have brought it to the server. */
    int sends;

    /** {@code subject}: what it is about, mostly a path; empty for the server itself. */
    Call(CallKind<A, T> kind, String subject, A arguments) {
        this.kind = kind;
        this.subject = subject;
        this.arguments = arguments;
    }

    /** Whether it must not be executed twice. */
    boolean isNumbered() {
        return kind.retry == CallKind.Retry.NUMBERED;
    }

    /** What it is about, mostly a path. */
    String subject() {
        return subject;
    }

    /** The value in a reply that is no failure. */
    T decode(ReplyFrame reply) throws IOException {
        return kind.decode(reply, subject, arguments);
    }

    /** Ends the call with what became of it. */
    void fail(ResultCode code, String message) {
        completeExceptionally(HmfsException.told(code, describe(), message, awaited));
    }

    /** The call in words, for messages. */
    String describe() {
        return kind.describe(subject, arguments);
    }
}
