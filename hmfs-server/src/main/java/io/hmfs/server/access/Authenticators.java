package io.hmfs.server.access;

import io.hmfs.wire.Wire;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The methods of authentication that a server takes. */
public final class Authenticators {
    /** The method 1, which believes a client's word. */
    public static final Authenticators SIMPLE = new Authenticators(List.of(new Simple()));

    private final List<Authenticator> all;

    /** These and no others. */
    public Authenticators(List<Authenticator> all) {
        for (Authenticator each : all) {
            if (each.tokenMax() < 0 || each.tokenMax() > Wire.TOKEN_MAX) {
                throw new IllegalArgumentException("tokens of " + each.label() + " have 0 to " + Wire.TOKEN_MAX
                        + " bytes, not " + each.tokenMax());
            }
        }
        this.all = List.copyOf(all);
    }

    /** The one with this number; null if the server does not take it. */
    public @Nullable Authenticator of(int method) {
        for (Authenticator each : all) {
            if (each.method() == method) {
                return each;
            }
        }
        return null;
    }

    /** Bytes of the longest token of them all. */
    public int tokenMax() {
        return all.stream().mapToInt(Authenticator::tokenMax).max().orElse(0);
    }

    /** Their numbers and names, for messages: {@code 1, simple}. */
    @Override
    public String toString() {
        return all.stream().map(each -> each.method() + ", " + each.label()).collect(Collectors.joining("; "));
    }

    private static final class Simple implements Authenticator {
        private static final CompletableFuture<Step> PROVEN = CompletableFuture.completedFuture(Step.PROVEN);

        @Override
        public int method() {
            return Wire.AUTH_SIMPLE;
        }

        @Override
        public String label() {
            return "simple";
        }

        @Override
        public int tokenMax() {
            return 0;
        }

        @Override
        public Exchange begin(String name, @Nullable InetAddress from) {
            return token -> PROVEN;
        }
    }
}
