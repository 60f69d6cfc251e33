package io.hmfs.client;

import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import java.io.IOException;
import java.util.function.BiFunction;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A row of the {@link CallTable}: all that the client knows of one kind of call. Encoder and decoder reuse their
 * codecs, so they are called on the client's loop only.
 *
 * @param <A> arguments, checked before a call is made; for calls about one path alone, the path in UTF-8
 * @param <T> what the call returns
 */
final class CallKind<A, T> {
    private static final int LENGTHS = 16; // bytes of the length words of variable parts, at most

    /** What may be done with a call whose reply was lost. */
    enum Retry {
        /** It may be executed twice: it only reads, or does the second time what it did the first time. */
        REPEATABLE,
        /**
         * It must be executed once: client id and sequence name it, and the server's retry cache answers it the second
         * time.
         */
        NUMBERED
    }

    /** Writes the request behind what all requests of its retry class begin with. */
    @FunctionalInterface
    interface Encoder<A> {
        /** {@code out} begins with the header. Returns how many bytes the frame has. */
        int encode(A arguments, WireBuffer out);
    }

    /** Reads a reply of the expected kind. */
    @FunctionalInterface
    interface Decoder<A, T> {
        /** {@code subject}: what the call is about, mostly a path. */
        T decode(ReplyFrame reply, String subject, A arguments) throws IOException;
    }

    /** What error messages call it. */
    final String name;

    /** What may be done with it when its reply was lost. */
    final Retry retry;

    /** Template id and bytes of the root block of the request. */
    final int request;

    final int requestBlock;

    /** Writes what is particular to the kind. */
    final Encoder<A> encoder;

    /** Template id of the reply. */
    final int reply;

    /** Whether threads that wait for calls of this kind do well not to park. */
    final Patience patience = new Patience();

    private final ToIntFunction<A> variableBytes;
    private final Decoder<A, T> decoder;
    private final @Nullable BiFunction<String, A, String> description;

    /** {@code variableBytes}: of texts and data, without their lengths. */
    CallKind(
            String name,
            Retry retry,
            int request,
            int requestBlock,
            ToIntFunction<A> variableBytes,
            Encoder<A> encoder,
            int reply,
            Decoder<A, T> decoder) {
        this(name, retry, request, requestBlock, variableBytes, encoder, reply, decoder, null);
    }

    private CallKind(
            String name,
            Retry retry,
            int request,
            int requestBlock,
            ToIntFunction<A> variableBytes,
            Encoder<A> encoder,
            int reply,
            Decoder<A, T> decoder,
            @Nullable BiFunction<String, A, String> description) {
        this.name = name;
        this.retry = retry;
        this.request = request;
        this.requestBlock = requestBlock;
        this.variableBytes = variableBytes;
        this.encoder = encoder;
        this.reply = reply;
        this.decoder = decoder;
        this.description = description;
    }

    /** A row of calls that have no other argument than a path. */
    static <T> CallKind<byte[], T> ofPath(
            String name,
            Retry retry,
            int request,
            int requestBlock,
            Encoder<byte[]> encoder,
            int reply,
            Decoder<byte[], T> decoder) {
        return new CallKind<>(name, retry, request, requestBlock, utf8 -> utf8.length, encoder, reply, decoder);
    }

    /**
     * A row with another description for error messages than name and subject; made of subject and arguments when it is
     * needed.
     */
    CallKind<A, T> describedBy(BiFunction<String, A, String> text) {
        return new CallKind<>(name, retry, request, requestBlock, variableBytes, encoder, reply, decoder, text);
    }

    /** Most bytes that {@link #encoder} writes. */
    int bound(A arguments) {
        return Wire.HEADER_SIZE + requestBlock + LENGTHS + variableBytes.applyAsInt(arguments);
    }

    /** Reads a reply that is no failure. */
    T decode(ReplyFrame told, String subject, A arguments) throws IOException {
        told.expect(reply);
        return decoder.decode(told, subject, arguments);
    }

    /** The call in words. */
    String describe(String subject, A arguments) {
        if (description != null) {
            return description.apply(subject, arguments);
        }
        return subject.isEmpty() ? name : name + " " + subject;
    }
}
