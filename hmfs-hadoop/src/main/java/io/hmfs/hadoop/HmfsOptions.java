package io.hmfs.hadoop;

import io.hmfs.client.ClientOptions;
import io.hmfs.client.TransportKind;
import io.hmfs.hadoop.store.RadosSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
import org.jspecify.annotations.Nullable;

/**
 * The {@code fs.hmfs.*} settings, checked: a misspelt one is an error, since it would be ignored silently otherwise.
 * Their meaning and ranges are told in {@code hmfs-default.xml}.
 */
record HmfsOptions(
        Duration connectTimeout,
        Duration requestTimeout,
        int requestsInFlight,
        Duration retryFirst,
        Duration retryLongest,
        TransportKind transport,
        int writeChunksInFlight,
        int readAheadChunks,
        int listPageEntries,
        int listPagesAhead,
        int deletesInFlight,
        boolean syncOnClose,
        Duration takeOver,
        RadosSettings rados) {
    static final String PREFIX = "fs.hmfs.";

    private static final String CONNECT_TIMEOUT = PREFIX + "connect.timeout";
    private static final String REQUEST_TIMEOUT = PREFIX + "request.timeout";
    private static final String REQUESTS_IN_FLIGHT = PREFIX + "requests.in.flight";
    private static final String RETRY_FIRST = PREFIX + "client.retry.interval";
    private static final String RETRY_LONGEST = PREFIX + "client.retry.interval.max";
    private static final String TRANSPORT = PREFIX + "transport";
    private static final String WRITE_CHUNKS = PREFIX + "write.chunks.in.flight";
    private static final String READ_AHEAD = PREFIX + "read.ahead.chunks";
    private static final String LIST_PAGE = PREFIX + "list.page.entries";
    private static final String LIST_PAGES_AHEAD = PREFIX + "list.pages.ahead";
    private static final String DELETES_IN_FLIGHT = PREFIX + "delete.in.flight";
    private static final String SYNC_ON_CLOSE = PREFIX + "sync.on.close";
    private static final long TIME_MAX_MILLIS = TimeUnit.DAYS.toMillis(1000);
    private static final String TAKE_OVER = PREFIX + "removal.takeover.after";
    private static final String RADOS_CONF = PREFIX + "rados.conf";
    private static final String RADOS_USER = PREFIX + "rados.user";
    private static final String RADOS_CONNECT_TIMEOUT = PREFIX + "rados.connect.timeout";
    private static final String RADOS_REQUEST_TIMEOUT = PREFIX + "rados.request.timeout";

    /** All names that may follow {@link #PREFIX}; the last two are Hadoop's own. */
    static final List<String> KNOWN = List.of(
            CONNECT_TIMEOUT,
            REQUEST_TIMEOUT,
            REQUESTS_IN_FLIGHT,
            RETRY_FIRST,
            RETRY_LONGEST,
            TRANSPORT,
            WRITE_CHUNKS,
            READ_AHEAD,
            LIST_PAGE,
            LIST_PAGES_AHEAD,
            DELETES_IN_FLIGHT,
            SYNC_ON_CLOSE,
            TAKE_OVER,
            RADOS_CONF,
            RADOS_USER,
            RADOS_CONNECT_TIMEOUT,
            RADOS_REQUEST_TIMEOUT,
            PREFIX + "impl",
            PREFIX + "impl.disable.cache");

    /**
     * Reads the settings for a cluster, which is the host of its addresses: {@code fs.hmfs.<cluster>.<key>} goes before
     * {@code fs.hmfs.<key>}.
     *
     * @throws IOException for an unknown name, or a value that is none or out of its range
     */
    static HmfsOptions from(Configuration conf, String cluster) throws IOException {
        rejectUnknown(conf);
        Settings settings = new Settings(conf, PREFIX + cluster.toLowerCase(Locale.ROOT) + ".");
        return new HmfsOptions(
                settings.time(CONNECT_TIMEOUT, 10_000),
                settings.time(REQUEST_TIMEOUT, 60_000),
                settings.number(REQUESTS_IN_FLIGHT, 256, 1, 65_536),
                settings.time(RETRY_FIRST, 100),
                settings.time(RETRY_LONGEST, 5_000),
                settings.transport(TRANSPORT),
                settings.number(WRITE_CHUNKS, 8, 1, 64),
                settings.number(READ_AHEAD, 4, 0, 64),
                settings.number(LIST_PAGE, 1000, 1, 100_000),
                settings.number(LIST_PAGES_AHEAD, 4, 1, 64),
                settings.number(DELETES_IN_FLIGHT, 64, 1, 4096),
                settings.truth(SYNC_ON_CLOSE),
                settings.time(TAKE_OVER, 300_000),
                new RadosSettings(
                        settings.text(RADOS_CONF, RadosSettings.DEFAULT_CONF),
                        settings.text(RADOS_USER, "admin"),
                        settings.time(RADOS_CONNECT_TIMEOUT, 10_000),
                        settings.time(RADOS_REQUEST_TIMEOUT, 120_000)));
    }

    /** The same with another way to the server. */
    HmfsOptions withTransport(TransportKind other) {
        return new HmfsOptions(
                connectTimeout,
                requestTimeout,
                requestsInFlight,
                retryFirst,
                retryLongest,
                other,
                writeChunksInFlight,
                readAheadChunks,
                listPageEntries,
                listPagesAhead,
                deletesInFlight,
                syncOnClose,
                takeOver,
                rados);
    }

    ClientOptions clientOptions(UserGroupInformation user) {
        UserGroupInformation real = user.getRealUser(); // of a proxy user
        return new ClientOptions(
                        user.getShortUserName(),
                        connectTimeout,
                        requestTimeout,
                        requestsInFlight,
                        retryFirst,
                        retryLongest)
                .withTransport(transport)
                .withRealUser(real == null ? "" : real.getShortUserName());
    }

    private static void rejectUnknown(Configuration conf) throws IOException {
        Map<String, String> given = conf.getPropsWithPrefix(PREFIX);
        for (String rest : new TreeSet<>(given.keySet())) {
            String name = PREFIX + rest;
            if (!KNOWN.contains(name) && !isOfOneCluster(rest)) {
                throw new IOException("Unknown setting " + name + ": did you mean " + nearest(name) + "?");
            }
        }
    }

    /**
     * Whether a name is of one cluster, any: a program may open several. Settings that Hadoop itself reads have no
     * cluster.
     */
    private static boolean isOfOneCluster(String rest) {
        for (String known : KNOWN) {
            String key = known.substring(PREFIX.length());
            if (!key.startsWith("impl") && rest.length() > key.length() + 1 && rest.endsWith("." + key)) {
                return true;
            }
        }
        return false;
    }

    private static String nearest(String name) {
        String best = KNOWN.get(0);
        int bestDistance = Integer.MAX_VALUE;
        for (String known : KNOWN) {
            int distance = distance(name, known);
            if (distance < bestDistance) {
                best = known;
                bestDistance = distance;
            }
        }
        return best;
    }

    /** Edits (insert, delete, replace a character) between two names. */
    static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[b.length()];
    }

    /** Reads values; that of one cluster goes before that of all. */
    private record Settings(Configuration conf, String prefix) {
        /** The name whose value is used. */
        String name(String known) {
            String own = prefix + known.substring(PREFIX.length());
            return conf.get(own) == null ? known : own;
        }

        Duration time(String known, long defaultMillis) throws IOException {
            String name = name(known);
            long millis;
            try {
                millis = conf.getTimeDuration(name, defaultMillis, TimeUnit.MILLISECONDS, TimeUnit.MILLISECONDS);
            } catch (IllegalArgumentException e) {
                throw bad(name, "a time such as 30s", e);
            }
            if (millis < 1) {
                throw bad(name, "a time over zero", null);
            }
            if (millis > TIME_MAX_MILLIS) {
                throw bad(name, "a time up to 1000d", null);
            }
            return Duration.ofMillis(millis);
        }

        int number(String known, int otherwise, int least, int most) throws IOException {
            String name = name(known);
            String range = "a whole number from " + least + " to " + most;
            int value;
            try {
                value = conf.getInt(name, otherwise);
            } catch (IllegalArgumentException e) {
                throw bad(name, range, e);
            }
            if (value < least || value > most) {
                throw bad(name, range, null);
            }
            return value;
        }

        String text(String known, String otherwise) {
            return conf.getTrimmed(name(known), otherwise);
        }

        boolean truth(String known) throws IOException {
            String name = name(known);
            String value = conf.getTrimmed(name, "false");
            return switch (value) {
                case "true" -> true;
                case "false" -> false;
                default -> throw bad(name, "true or false", null);
            };
        }

        TransportKind transport(String known) throws IOException {
            String name = name(known);
            String value = conf.getTrimmed(name, "auto");
            return switch (value) {
                case "auto" -> TransportKind.AUTO;
                case "tcp" -> TransportKind.TCP;
                case "rdma" -> TransportKind.RDMA;
                default -> throw bad(name, "auto, tcp or rdma", null);
            };
        }

        private IOException bad(String name, String wanted, @Nullable Throwable cause) {
            return new IOException(name + " must be " + wanted + ", not '" + conf.get(name) + "'", cause);
        }
    }
}
