package io.hmfs.client.authentication;

import io.hmfs.wire.Wire;
import java.util.concurrent.CompletableFuture;

/**
 * One method of authentication, on the client: how it proves to a server who it is, and has the server prove the same. The first token
 * goes with Hello; each further one answers a challenge, as in SASL (RFC 4422, section 3). Thread-safe.
 */
public interface ClientAuthenticator {
    /** The method's number in Hello, 1 to 255; docs/wire.md. */
    int method();

    /** What messages call it. */
    String label();

    /** A connection has been made. {@code host}: the server's, as the caller named it. */
    Exchange begin(String host);

    /** The proof on one connection. */
    interface Exchange {
        /**
         * The token for Hello. Like {@link #answer} it is called by whatever thread works for the client, which it must not hold up: what may
         * block is done elsewhere. The connection ends if the result fails, with the failure's message, or takes longer than a connection may.
         *
         * @return at most {@link Wire#TOKEN_MAX} bytes
         */
        CompletableFuture<byte[]> first();

        /** The answer to the server's challenge. */
        CompletableFuture<byte[]> answer(byte[] challenge);

        /** Whether the server has proved what it has to. If Welcome comes before that, the client ends the connection. */
        boolean isComplete();

        /** It has ended, by a proof, a failure, or with its connection. Called once. */
        default void close() {}
    }
}
