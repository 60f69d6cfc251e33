package io.hmfs.client;

import io.hmfs.client.authentication.ClientAuthenticator;
import io.hmfs.client.authentication.SimpleAuthenticator;
import io.hmfs.wire.Wire;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * How a client behaves.
 *
 * @param user the user name that the client gives; new entries belong to this user
 * @param realUser the user that acts for the other one, as a proxy that the server must allow (setting {@code proxy-users}); empty:
 *     there is none
 * @param connectTimeout for connection and handshake together; over zero
 * @param requestTimeout for one request, from the call to the reply, however often it is sent; over zero
 * @param inFlightMax requests on the wire at once, 1 to 65,536; further ones wait inside the client
 * @param retryFirst most that is waited after the first attempt to connect that fails; twice as long after each further
 *     one; over zero
 * @param retryLongest most that is ever waited between two attempts; over zero
 * @param transport how the server is reached
 * @param authentication how the client proves who it is
 */
public record ClientOptions(
        String user,
        String realUser,
        Duration connectTimeout,
        Duration requestTimeout,
        int inFlightMax,
        Duration retryFirst,
        Duration retryLongest,
        TransportKind transport,
        ClientAuthenticator authentication) {
    private static final Duration RETRY_FIRST = Duration.ofMillis(100);
    private static final Duration RETRY_LONGEST = Duration.ofSeconds(5);

    public ClientOptions {
        int userBytes = user.getBytes(StandardCharsets.UTF_8).length;
        if (userBytes == 0 || userBytes > Wire.NAME_MAX) {
            throw new IllegalArgumentException(
                    "a user name has 1 to " + Wire.NAME_MAX + " bytes of UTF-8, not " + userBytes);
        }
        if (realUser.getBytes(StandardCharsets.UTF_8).length > Wire.NAME_MAX) {
            throw new IllegalArgumentException("a user name has at most " + Wire.NAME_MAX + " bytes of UTF-8");
        }
        checkOverZero("connect timeout", connectTimeout);
        checkOverZero("request timeout", requestTimeout);
        checkOverZero("the first wait of a retry", retryFirst);
        checkOverZero("the longest wait of a retry", retryLongest);
        if (inFlightMax < 1 || inFlightMax > 65_536) {
            throw new IllegalArgumentException("requests in flight must be 1 to 65536, not " + inFlightMax);
        }
    }

    private static void checkOverZero(String what, Duration value) {
        if (value.isNegative() || value.isZero()) {
            throw new IllegalArgumentException(what + " must be over zero, not " + value);
        }
    }

    /** For a user that no proxy acts for, over the transport that is best. */
    public ClientOptions(
            String user,
            Duration connectTimeout,
            Duration requestTimeout,
            int inFlightMax,
            Duration retryFirst,
            Duration retryLongest) {
        this(
                user,
                "",
                connectTimeout,
                requestTimeout,
                inFlightMax,
                retryFirst,
                retryLongest,
                TransportKind.AUTO,
                SimpleAuthenticator.INSTANCE);
    }

    /** Attempts to connect are 100 ms apart at first, and 5 s at most. */
    public ClientOptions(String user, Duration connectTimeout, Duration requestTimeout, int inFlightMax) {
        this(user, connectTimeout, requestTimeout, inFlightMax, RETRY_FIRST, RETRY_LONGEST);
    }

    /** The system user, 10 s to connect, 60 s for a request, 256 requests in flight. */
    public static ClientOptions defaults() {
        return new ClientOptions(
                System.getProperty("user.name", "nobody"), Duration.ofSeconds(10), Duration.ofSeconds(60), 256);
    }

    /** These options for another user. */
    public ClientOptions withUser(String newUser) {
        return with(newUser, realUser, transport, authentication);
    }

    /** These options with a proxy that acts for the user; empty: none. */
    public ClientOptions withRealUser(String newRealUser) {
        return with(user, newRealUser, transport, authentication);
    }

    /** These options over another transport. */
    public ClientOptions withTransport(TransportKind newTransport) {
        return with(user, realUser, newTransport, authentication);
    }

    /** These options with another proof of who the client is. */
    public ClientOptions withAuthentication(ClientAuthenticator newAuthentication) {
        return with(user, realUser, transport, newAuthentication);
    }

    private ClientOptions with(
            String newUser, String newRealUser, TransportKind newTransport, ClientAuthenticator newAuthentication) {
        return new ClientOptions(
                newUser,
                newRealUser,
                connectTimeout,
                requestTimeout,
                inFlightMax,
                retryFirst,
                retryLongest,
                newTransport,
                newAuthentication);
    }
}
