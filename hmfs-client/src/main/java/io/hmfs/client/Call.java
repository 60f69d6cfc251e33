package io.hmfs.client;

import io.hmfs.wire.WireBuffer;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/** One request and the reply that is to come. Encoded and decoded on the connection's thread. */
abstract class Call<T> extends CompletableFuture<T> {
    final String operation;
    final String subject;

    /** When to give up, on the clock of {@code System.nanoTime}; set at submission. */
    long deadlineNanos;

    /** Chosen when the request goes out, each time anew. */
    long correlationId;

    /** Names a change for ever, from when it first goes out; 0 before. */
    long sequence;

    /** How often it went out on a connection that may have brought it to the server. */
    int sends;

    Call(String operation, String subject) {
        this.operation = operation;
        this.subject = subject;
    }

    /** Whether it changes the namespace: it must not be executed twice. */
    boolean isChange() {
        return false;
    }

    /** Most bytes that {@link #encode} writes. */
    abstract int bound();

    /** Writes header and message at the beginning of {@code out}; returns how many bytes. */
    abstract int encode(Requests requests, WireBuffer out);

    /** Takes a reply that is no failure. */
    abstract T decode(Replies replies, WireBuffer in) throws IOException;

    final void fail(ResultCode code, String message) {
        String text = message.isEmpty() ? code.text() : message;
        String told = code == ResultCode.UNRESOLVED_LINK ? code.text() + ": " + text : text;
        completeExceptionally(new HmfsException(code, describe() + ": " + told, text));
    }

    String describe() {
        return subject.isEmpty() ? operation : operation + " " + subject;
    }
}
