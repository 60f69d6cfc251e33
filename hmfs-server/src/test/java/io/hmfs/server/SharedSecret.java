package io.hmfs.server;

import io.hmfs.client.authentication.ClientAuthenticator;
import io.hmfs.server.access.AuthenticationException;
import io.hmfs.server.access.Authenticator;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * A method of authentication for tests: both ends prove that they know a secret. The client sends a random number, the server another one
 * and a code over both, the client a code over them in the other order.
 */
final class SharedSecret {
    static final int METHOD = 200;
    private static final int NONCE = 16;
    private static final int MAC = 32;

    private SharedSecret() {}

    private static byte[] mac(String secret, byte[]... parts) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            for (byte[] part : parts) {
                mac.update(part);
            }
            return mac.doFinal();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] random() {
        byte[] bytes = new byte[NONCE];
        new SecureRandom().nextBytes(bytes);
        return bytes;
    }

    /** The server's end. Each step is done by {@code executor}. */
    record OfServer(String secret, int tokenMax, Executor executor, AtomicInteger open) implements Authenticator {
        @Override
        public int method() {
            return METHOD;
        }

        @Override
        public String label() {
            return "secret";
        }

        @Override
        public Authenticator.Exchange begin(String name, @Nullable InetAddress from) {
            open.incrementAndGet();
            return new ServerExchange(this, name);
        }
    }

    private static final class ServerExchange implements Authenticator.Exchange {
        private final OfServer method;
        private final byte[] name;
        private final byte[] mine = random();
        private byte @Nullable [] theirs;

        private ServerExchange(OfServer method, String name) {
            this.method = method;
            this.name = name.getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public CompletableFuture<Authenticator.Step> next(byte[] token) {
            CompletableFuture<Authenticator.Step> step = new CompletableFuture<>();
            method.executor.execute(() -> {
                byte[] first = theirs;
                if (first == null) {
                    byte[] nonce = Arrays.copyOf(token, NONCE);
                    theirs = nonce;
                    byte[] code = mac(method.secret, nonce, mine, name);
                    ByteBuffer challenge =
                            ByteBuffer.allocate(Math.max(token.length, NONCE + MAC)); // as long as what came, at least
                    step.complete(Authenticator.Step.challenge(
                            challenge.put(mine).put(code).array()));
                } else if (MessageDigest.isEqual(token, mac(method.secret, mine, first, name))) {
                    step.complete(Authenticator.Step.PROVEN);
                } else {
                    step.completeExceptionally(new AuthenticationException("the secret is another"));
                }
            });
            return step;
        }

        @Override
        public void close() {
            method.open.decrementAndGet();
        }
    }

    /** The client's end, with a first token of so many bytes. Each step is done by {@code executor}. */
    record OfClient(String name, String secret, int tokenBytes, Executor executor, AtomicInteger open)
            implements ClientAuthenticator {
        @Override
        public int method() {
            return METHOD;
        }

        @Override
        public ClientAuthenticator.Exchange begin(String host) {
            open.incrementAndGet();
            return new ClientExchange(this);
        }

        @Override
        public String label() {
            return "secret";
        }
    }

    private static final class ClientExchange implements ClientAuthenticator.Exchange {
        private final OfClient method;
        private final byte[] mine = random();
        private boolean complete;

        private ClientExchange(OfClient method) {
            this.method = method;
        }

        @Override
        public CompletableFuture<byte[]> first() {
            return CompletableFuture.supplyAsync(() -> Arrays.copyOf(mine, method.tokenBytes), method.executor);
        }

        @Override
        public CompletableFuture<byte[]> answer(byte[] challenge) {
            CompletableFuture<byte[]> answer = new CompletableFuture<>();
            method.executor.execute(() -> {
                byte[] name = method.name.getBytes(StandardCharsets.UTF_8);
                byte[] theirs = Arrays.copyOf(challenge, NONCE);
                byte[] code = Arrays.copyOfRange(challenge, NONCE, NONCE + MAC);
                if (MessageDigest.isEqual(code, mac(method.secret, mine, theirs, name))) {
                    complete = true;
                    answer.complete(mac(method.secret, theirs, mine, name));
                } else {
                    answer.completeExceptionally(new GeneralSecurityException("the server does not know the secret"));
                }
            });
            return answer;
        }

        @Override
        public boolean isComplete() {
            return complete;
        }

        @Override
        public void close() {
            method.open.decrementAndGet();
        }
    }
}
