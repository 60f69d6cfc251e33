package io.hmfs.server.access;

import java.net.InetAddress;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One method of authentication, on the server: how a client proves who it is. Its first token comes in Hello; each further one answers
 * a challenge, as in SASL (RFC 4422, section 3). Thread-safe.
 */
public interface Authenticator {
    /** The method's number in Hello, 1 to 255; docs/wire.md. */
    int method();

    /** What messages call it. */
    String label();

    /** Bytes of its longest token, of either side, 0 to {@link io.hmfs.wire.Wire#TOKEN_MAX}; the server takes no longer frame before it knows a peer. */
    int tokenMax();

    /**
     * A client claims to be this user, or to be the proxy of this name that acts for another.
     *
     * @param from the client's address; null if it has none
     */
    Exchange begin(String name, @Nullable InetAddress from);

    /** The proof of one client on one connection. */
    interface Exchange {
        /**
         * Takes the client's next token. Called by the connection's thread, which it must not hold up: what may block is done
         * elsewhere, and the client is not listened to meanwhile. It is not called again before the result is there.
         *
         * @return what comes next; it fails with {@link AuthenticationException} if the client is not who it says
         */
        CompletableFuture<Step> next(byte[] token);

        /** It has ended, by a proof, a failure, or with its connection. Called once, by the connection's thread; not when the server stops. */
        default void close() {}
    }

    /** What follows a token: a challenge, or the client has proved its claim. */
    final class Step {
        /** The client is who it says. */
        public static final Step PROVEN = new Step(null);

        private final byte @Nullable [] challenge;

        private Step(byte @Nullable [] challenge) {
            this.challenge = challenge;
        }

        /** The client must answer this. */
        public static Step challenge(byte[] token) {
            return new Step(token);
        }

        /** What the client must answer; null: nothing more. */
        public byte @Nullable [] challenge() {
            return challenge;
        }
    }
}
