package io.hmfs.client.authentication;

import io.hmfs.wire.Wire;
import java.util.concurrent.CompletableFuture;

/** The method 1: the server believes the client's word. */
public final class SimpleAuthenticator implements ClientAuthenticator {
    public static final ClientAuthenticator INSTANCE = new SimpleAuthenticator();

    private static final Exchange NOTHING = new Exchange() {
        @Override
        public CompletableFuture<byte[]> first() {
            return CompletableFuture.completedFuture(new byte[0]);
        }

        @Override
        public CompletableFuture<byte[]> answer(byte[] challenge) {
            return CompletableFuture.failedFuture(new IllegalStateException("the method simple has no challenges"));
        }

        @Override
        public boolean isComplete() {
            return true;
        }
    };

    private SimpleAuthenticator() {}

    @Override
    public int method() {
        return Wire.AUTH_SIMPLE;
    }

    @Override
    public Exchange begin(String host) {
        return NOTHING;
    }

    @Override
    public String label() {
        return "simple";
    }
}
