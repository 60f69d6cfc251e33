package io.hmfs.hadoop.store;

import java.time.Duration;

/**
 * How a RADOS cluster is reached; hmfs-default.xml tells more.
 *
 * @param conf path of its configuration file; {@link #DEFAULT_CONF}: where librados looks
 * @param user without {@code client.}, if the store's address has none
 * @param connectTimeout longest wait for a monitor
 * @param requestTimeout longest wait for one request about an object
 */
public record RadosSettings(String conf, String user, Duration connectTimeout, Duration requestTimeout) {
    public static final String DEFAULT_CONF = "default";
}
