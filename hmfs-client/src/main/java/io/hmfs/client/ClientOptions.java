package io.hmfs.client;

import io.hmfs.wire.Wire;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * How a client behaves.
 *
 * @param user who the client says it is; new entries belong to this user (no authentication yet)
 * @param connectTimeout for connection and handshake together; over zero
 * @param requestTimeout for one request, from the call to the reply; over zero
 * @param inFlightMax requests on the wire at once, 1 to 65,536; further ones wait inside the client
 */
public record ClientOptions(String user, Duration connectTimeout, Duration requestTimeout, int inFlightMax) {
    public ClientOptions {
        int userBytes = user.getBytes(StandardCharsets.UTF_8).length;
        if (userBytes == 0 || userBytes > Wire.NAME_MAX) {
            throw new IllegalArgumentException(
                    "a user name has 1 to " + Wire.NAME_MAX + " bytes of UTF-8, not " + userBytes);
        }
        if (connectTimeout.isNegative() || connectTimeout.isZero()) {
            throw new IllegalArgumentException("connect timeout must be over zero, not " + connectTimeout);
        }
        if (requestTimeout.isNegative() || requestTimeout.isZero()) {
            throw new IllegalArgumentException("request timeout must be over zero, not " + requestTimeout);
        }
        if (inFlightMax < 1 || inFlightMax > 65_536) {
            throw new IllegalArgumentException("requests in flight must be 1 to 65536, not " + inFlightMax);
        }
    }

    /** The system user, 10 s to connect, 60 s for a request, 256 requests in flight. */
    public static ClientOptions defaults() {
        return new ClientOptions(
                System.getProperty("user.name", "nobody"), Duration.ofSeconds(10), Duration.ofSeconds(60), 256);
    }

    /** The same for another user. */
    public ClientOptions withUser(String newUser) {
        return new ClientOptions(newUser, connectTimeout, requestTimeout, inFlightMax);
    }
}
