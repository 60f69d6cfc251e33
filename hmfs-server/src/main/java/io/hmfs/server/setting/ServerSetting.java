package io.hmfs.server.setting;

import io.hmfs.client.HmfsClient;
import io.hmfs.client.ServerInfo;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.PoolPlace;
import io.hmfs.server.access.AccessConfig;
import io.hmfs.server.access.ProxyUsers;
import io.hmfs.server.transport.RdmaUse;
import io.hmfs.server.transport.SocketKind;
import io.hmfs.wire.Wire;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The one table of what can be set about a server: name, type, default, bounds and text of a setting stand in its row and nowhere else.
 * From a row come a flag ({@code --data-store}), a variable ({@code HMFS_DATA_STORE}), a key of the properties file
 * ({@code data-store}), a line of the help and of {@code --print-config}, a line of docs/operations.md, which a test compares, and the
 * default and the check of the value in a {@code ServerConfig}, whether a command or an embedding program sets it.
 *
 * @param <T> the type of the values, which also decides how they are written: {@code Integer} a number, {@code Long} a size
 */
public final class ServerSetting<T> {
    private static final List<ServerSetting<?>> ALL = new ArrayList<>(); // before the rows, which add themselves

    /** As an admin port: not served. */
    public static final int OFF = -1;

    /** What the longest reply that no setting bounds has room in: the metrics, of every operation with every outcome. */
    public static final int FRAME_MAX_MIN = 448 << 10;

    private static final String UNITS = "KMGT";
    private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();
    private static final Duration TIME_MAX = Duration.ofDays(24); // its milliseconds fit into an int

    public static final ServerSetting<Path> POOL =
            path("pool", "FILE", new Default<>(v -> null, null), "The pool, made by `hmfs format`; must be given.");
    public static final ServerSetting<Long> POOL_MAX = size(
            "pool-max",
            Bounds.of(0L, OpenOptions.SIZE_MAX),
            Default.is(0L),
            "Bytes to which the pool grows by itself, ahead of need, while it serves; one that has as many does not"
                    + " grow. Mapped pools only.");
    public static final ServerSetting<String> HOST =
            text("host", "NAME", Default.is("127.0.0.1"), "Address to listen on; `0.0.0.0` for all.");
    public static final ServerSetting<Integer> PORT =
            number("port", 0, 65_535, Default.is(HmfsClient.DEFAULT_PORT), "Port to listen on; 0 takes a free one.");

    /** A command finds out what the pool was made for; an embedding program that says nothing gets what needs nothing. */
    public static final ServerSetting<Persistence> PERSISTENCE = choice(
            "persistence",
            "MODE",
            Persistence.class,
            new Default<>(v -> Persistence.PROCESS, "what the pool was made for"),
            (mode, v) -> mode == Persistence.LOGGED && v.find(ServerSetting.LOG_DIRECTORY) == null
                    ? "is logged, and log-directory is not set: the directory that format --log-directory made"
                    : null,
            "What an answered operation survives. `pmem`: power failure, needs a pool on DAX memory; `logged`: power"
                    + " failure, by a log on a disk; `process`: the death of the server process, not of the machine, and"
                    + " has to be asked for.");

    public static final ServerSetting<Boolean> EMULATE_PMEM = truth(
            "emulate-pmem",
            false,
            "Allow `pmem` on memory that is not DAX: for measurements only, it does not survive power failure.");
    public static final ServerSetting<Boolean> REFUSE_UNCHECKED = truth(
            "refuse-unchecked",
            false,
            "Do not open a pool that was open when the machine ended, until `hmfs fsck` has found no damage in it. Means"
                    + " nothing in mode `logged`, in which the pool is rebuilt then.");
    public static final ServerSetting<Path> LOG_DIRECTORY = path(
            "log-directory",
            "DIR",
            new Default<>(v -> null, "the pool's name with `.log`; none if that is in memory"),
            "Directory of the log, on a disk, in the mode `logged`; made by `hmfs format`.");
    public static final ServerSetting<Long> LOG_SEGMENT = size(
            "log-segment",
            Bounds.of(64L << 10, 128L << 20),
            Default.is(16L << 20),
            "Bytes of a log file before the next is begun.");
    public static final ServerSetting<Long> LOG_MAX = size(
            "log-max",
            new Bounds<>(v -> 2 * v.get(LOG_SEGMENT), v -> 1L << 40, "two log files to 1T"),
            Default.is(1L << 30),
            "Bytes of log files before changes wait for the image.");
    public static final ServerSetting<String> DATA_STORE = text(
            "data-store",
            "STORE",
            Default.is(ServerInfo.BUILTIN),
            (store, v) -> store.equals(ServerInfo.BUILTIN) || store.indexOf(':') > 0
                    ? null
                    : "is '" + store + "'; write builtin or the URI of a filesystem",
            "Where file data goes. `builtin`: objects in `data-directory`, streamed by this server; else the URI of a"
                    + " Hadoop filesystem or a pool of RADOS that clients write to (`s3a://bucket/data`,"
                    + " `rados://pool`).");

    /** Data must survive what the names survive: with a log, it is where the log is. */
    public static final ServerSetting<Path> DATA_DIRECTORY = path(
            "data-directory",
            "DIR",
            new Default<>(
                    ServerSetting::dataDirectory,
                    "the pool's name with `.data`; `data` in the log's directory, if there is one"),
            (directory, v) -> PoolPlace.isDevice(v.get(POOL)) && directory.equals(dataDirectory(v))
                    ? "is " + directory + ", but beside a device nothing can be kept: name a directory on a disk"
                    : null,
            "Directory of the builtin store; must be given where the pool is a device, whose key is kept beside it, too.");

    public static final ServerSetting<Long> BLOCK_SIZE = size(
            "block-size", Bounds.of(64L << 10, 1L << 40), Default.is(64L << 20), "Bytes of file data in one object.");
    public static final ServerSetting<Long> CHUNK_SIZE = size(
            "chunk-size",
            new Bounds<>(
                    v -> 4L << 10,
                    // if frame-max is below its least, that is wrong, and not the chunk-size
                    v -> Math.max(v.get(ServerSetting.FRAME_MAX), FRAME_MAX_MIN) - Wire.DATA_OVERHEAD,
                    "4K to what fits into `frame-max`"),
            Default.is(256L << 10),
            "Most bytes of data in one request.");
    public static final ServerSetting<Duration> SCRUB_INTERVAL = time(
            "scrub-interval",
            new Bounds<>(v -> Duration.ZERO, v -> TIME_MAX, "0s and more"),
            Duration.ofDays(7),
            "From the end of a scrub of the builtin store to the next one; the first begins ten minutes after the start, or"
                    + " sooner. `0s`: none but those of `hmfs scrub`.");
    public static final ServerSetting<Long> SCRUB_RATE = size(
            "scrub-rate",
            Bounds.of(64L << 10, 1L << 40),
            Default.is(16L << 20),
            "Bytes in a second that a scrub reads at most.");
    public static final ServerSetting<Integer> EVENT_LOOPS = number(
            "event-loops",
            1,
            1024,
            new Default<>(v -> Math.min(PROCESSORS, 1024), "one for each processor"),
            "Threads that serve connections, so many for RDMA too.");
    public static final ServerSetting<Integer> CONNECTIONS_MAX = number(
            "connections-max",
            1,
            1_000_000,
            Default.is(16 << 10),
            "Connections at once; further ones are told so and closed.");
    public static final ServerSetting<Integer> IO_THREADS = number(
            "io-threads",
            1,
            1024,
            new Default<>(v -> Math.clamp(4L * PROCESSORS, 8, 128), "four for each processor, 8 to 128"),
            "Threads for the builtin store's disk; a user has half of those that no other user's requests hold.");
    public static final ServerSetting<Long> FRAME_MAX = size(
            "frame-max",
            Bounds.of((long) FRAME_MAX_MIN, 64L << 20),
            Default.is(2L << 20),
            "Longest request or reply that is taken.");
    public static final ServerSetting<Integer> IN_FLIGHT_MAX = number(
            "in-flight-max",
            1,
            65_536,
            Default.is(256),
            "Requests of a connection that wait for the disk before no more are read from it.");
    public static final ServerSetting<Long> REPLY_BYTES_MAX = size(
            "reply-bytes-max",
            new Bounds<>(v -> v.get(FRAME_MAX), v -> 1L << 62, "at least `frame-max`"),
            new Default<>(
                    v -> Math.max(v.get(FRAME_MAX), Runtime.getRuntime().maxMemory() / 4),
                    "a quarter of the greatest heap"),
            "Bytes of replies that clients have not taken, in all; when its share is full, no request of a user is executed;"
                    + " from half of that on, each connection of the user gets one reply at a time.");
    public static final ServerSetting<Long> REQUEST_BYTES_MAX = size(
            "request-bytes-max",
            new Bounds<>(v -> 8 * v.get(FRAME_MAX), v -> 1L << 60, "at least 8 `frame-max`"),
            new Default<>(
                    v -> Math.max(8 * v.get(FRAME_MAX), Runtime.getRuntime().maxMemory() / 4),
                    "a quarter of the greatest heap"),
            "Bytes of requests that have come in part or wait, in all; a connection whose user has its share is not read on.");
    public static final ServerSetting<Long> ANSWER_BYTES_MAX = size(
            "answer-bytes-max",
            new Bounds<>(v -> 1L << 20, v -> 1L << 60, "at least 1M"),
            new Default<>(
                    v -> Math.max(1L << 20, Runtime.getRuntime().maxMemory() / 4), "a quarter of the greatest heap"),
            "Bytes of the heap for answers that are kept for clients that ask again, in all; each client takes 21 KB at least.");
    public static final ServerSetting<Long> IO_QUEUE_BYTES_MAX = size(
            "io-queue-bytes-max",
            new Bounds<>(v -> v.get(FRAME_MAX), v -> 1L << 62, "at least `frame-max`"),
            Default.is(64L << 20),
            "Bytes of data that wait for the disk in all; each client gets its share before no more are read from it.");
    public static final ServerSetting<Long> LISTING_CACHE_BYTES = size(
            "listing-cache-bytes",
            new Bounds<>(v -> 0L, v -> 1L << 62, "0 and more"),
            new Default<>(v -> Runtime.getRuntime().maxMemory() / 8, "an eighth of the greatest heap"),
            "Bytes of pages of listings that are kept, to be sent again while their directories do not change; 0 keeps"
                    + " none.");
    public static final ServerSetting<Duration> IDLE_TIMEOUT = time(
            "idle-timeout",
            new Bounds<>(v -> Duration.ofMillis(1), v -> TIME_MAX, "over 0s"),
            Duration.ofSeconds(60),
            "For a handshake, for the rest of a request once begun, and for a peer to take its replies.");
    public static final ServerSetting<Duration> DRAIN_TIMEOUT = time(
            "drain-timeout",
            new Bounds<>(v -> Duration.ZERO, v -> TIME_MAX, "0s and more"),
            Duration.ofSeconds(10),
            "For requests in flight when the server stops.");

    /** At least three renewals of a client; the default is that of HDFS. */
    public static final ServerSetting<Duration> LEASE_SOFT_LIMIT = time(
            "lease-soft-limit",
            new Bounds<>(v -> Duration.ofSeconds(30), v -> Duration.ofHours(1), "30s to 1h"),
            Duration.ofSeconds(60),
            "Silence of a file's writer after which another client may write the file.");

    public static final ServerSetting<Duration> LEASE_HARD_LIMIT = time(
            "lease-hard-limit",
            new Bounds<>(v -> v.get(LEASE_SOFT_LIMIT), v -> Duration.ofDays(7), "the soft limit to 168h"),
            Duration.ofMinutes(20),
            "Silence of a file's writer after which its lease ends.");
    public static final ServerSetting<SocketKind> TRANSPORT = choice(
            "transport",
            "KIND",
            SocketKind.class,
            Default.is(SocketKind.AUTO),
            (kind, v) -> null,
            "The sockets; `auto` takes `epoll` where it is there, else `nio`.");
    public static final ServerSetting<RdmaUse> RDMA = choice(
            "rdma",
            "USE",
            RdmaUse.class,
            Default.is(RdmaUse.AUTO),
            (use, v) -> null,
            "Whether clients reach the server by RDMA, too, at the same address and port: `auto` where there is a device and not on loopback, `on`"
                    + " or it does not start, `off`.");
    public static final ServerSetting<Integer> TRANSPORT_SPIN = number(
            "transport-spin",
            0,
            1_000_000,
            Default.is(50),
            "Microseconds for which the thread of RDMA looks for more when nothing is left to do, before it waits.");
    public static final ServerSetting<Integer> REMOTE_STAT_DIRECTORIES = number(
            "remote-stat-directories",
            0,
            1024,
            Default.is(0),
            "Directories at a time whose files' attributes clients may read by RDMA out of this server's memory, 512K each, without asking it: only"
                    + " directories that every user may pass. 0: none.");
    public static final ServerSetting<Long> COMPRESS_FROM = size(
            "compress-from",
            Bounds.of(0L, 1L << 20),
            Default.is(0L),
            "Pages of listings with so many bytes or more are compressed for clients on other machines; 0: none.");
    public static final ServerSetting<Boolean> COMPRESS_LOCAL =
            truth("compress-local", false, "Compress them for clients on this machine, too.");
    public static final ServerSetting<Boolean> PERMISSIONS_ENABLED =
            truth("permissions-enabled", true, "Check permissions; without, every user may do everything.");
    public static final ServerSetting<String> SUPERUSER = text(
            "superuser",
            "USER",
            new Default<>(v -> System.getProperty("user.name", "root"), "the user that runs the server"),
            ServerSetting::wrongName,
            "The user that may do everything.");
    public static final ServerSetting<String> SUPERGROUP = text(
            "supergroup",
            "GROUP",
            Default.is("supergroup"),
            ServerSetting::wrongName,
            "The group whose members may do everything.");
    public static final ServerSetting<AccessConfig.Source> GROUP_SOURCE = choice(
            "group-source",
            "SOURCE",
            AccessConfig.Source.class,
            Default.is(AccessConfig.Source.SYSTEM),
            (source, v) -> null,
            "Where the groups of users come from. `system`: the operating system of this machine; `static`:"
                    + " `static-groups` alone.");
    public static final ServerSetting<String> STATIC_GROUPS = text(
            "static-groups",
            "LIST",
            Default.is(""),
            (groups, v) -> refusal(groups, AccessConfig::parse),
            "Groups of some users, whatever the system says: `user=group1,group2;user2=group3`.");
    public static final ServerSetting<Duration> GROUP_EXPIRY = time(
            "group-expiry",
            new Bounds<>(v -> Duration.ofSeconds(1), v -> TIME_MAX, "1s and more"),
            Duration.ofMinutes(5),
            "How long the groups of a user are believed before they are looked up again.");
    public static final ServerSetting<String> PROXY_USERS = text(
            "proxy-users",
            "LIST",
            Default.is(""),
            (users, v) -> refusal(users, ProxyUsers::parse),
            "Which users may act for which others, and from where:"
                    + " `service=group,user:name@address,network/bits,host;service2=*@*`.");
    public static final ServerSetting<Integer> ADMIN_PORT = new ServerSetting<>(
            Integer.class,
            "admin-port",
            "N",
            "0 to 65535, or off",
            Default.is(OFF),
            (port, v) -> port == OFF ? null : Bounds.of(0, 65_535).complaint(port, v),
            "Port for `/metrics` and `/health` over HTTP, 8931 for example; 0 takes a free one.");
    public static final ServerSetting<String> ADMIN_HOST = text(
            "admin-host",
            "NAME",
            Default.is("127.0.0.1"),
            "Address for them; a client that reaches it may read them: there is no authentication.");
    public static final ServerSetting<Path> AUDIT_LOG = path(
            "audit-log",
            "FILE",
            new Default<>(v -> null, null),
            "Write a line for each operation on a path to this file, in HDFS's format; none without it.");
    public static final ServerSetting<Long> AUDIT_LOG_SIZE = size(
            "audit-log-size",
            Bounds.of(64L << 10, 1L << 40),
            Default.is(256L << 20),
            "Bytes of that file before it becomes `FILE.1` and the next is begun.");
    public static final ServerSetting<Integer> AUDIT_LOG_FILES = number(
            "audit-log-files",
            1,
            1000,
            Default.is(10),
            "Files of the audit log that are kept, the current one among them.");
    public static final ServerSetting<Duration> SLOW_THRESHOLD = time(
            "slow-threshold",
            new Bounds<>(v -> Duration.ZERO, v -> TIME_MAX, "0s and more"),
            Duration.ofSeconds(1),
            "Operations that take as long are counted as slow, and told a flight recording; `0s`: none.");

    private final Class<T> type;
    private final String key;
    private final String label;
    private final String range;
    private final Default<T> fallback;
    private final Check<T> check;
    private final String meaning;

    private ServerSetting(
            Class<T> type,
            String key,
            String label,
            String range,
            Default<T> fallback,
            Check<T> check,
            String meaning) {
        this.type = type;
        this.key = key;
        this.label = label;
        this.range = range;
        this.fallback = fallback;
        this.check = check;
        this.meaning = meaning;
        ALL.add(this);
    }

    /** What is wrong with a value, to be said after the setting's name; null: nothing. */
    private interface Check<T> {
        @Nullable
        String complaint(T value, Values values);
    }

    /** A default; {@code words} say what it is where it depends on the machine or the pool. */
    private record Default<T>(
            Function<Values, @Nullable T> of, @Nullable String words) {
        static <T> Default<T> is(T value) {
            return new Default<>(v -> value, null);
        }
    }

    /** From the least to the greatest value; {@code range} says so in words, which may name other settings. */
    private record Bounds<T extends Comparable<T>>(Function<Values, T> least, Function<Values, T> most, String range)
            implements Check<T> {
        static <T extends Comparable<T>> Bounds<T> of(T least, T most) {
            return new Bounds<>(v -> least, v -> most, show(least) + " to " + show(most));
        }

        @Override
        public @Nullable String complaint(T value, Values values) {
            T min = least.apply(values);
            T max = most.apply(values);
            if (value.compareTo(min) >= 0 && value.compareTo(max) <= 0) {
                return null;
            }
            String noun = value instanceof Integer ? "number" : value instanceof Long ? "size" : "time";
            return "is '" + show(value) + "'; write a " + noun + " from " + show(min) + " to " + show(max);
        }
    }

    private static ServerSetting<String> text(String key, String label, Default<String> fallback, String meaning) {
        return text(key, label, fallback, (value, v) -> null, meaning);
    }

    private static ServerSetting<String> text(
            String key, String label, Default<String> fallback, Check<String> check, String meaning) {
        return new ServerSetting<>(String.class, key, label, "", fallback, check, meaning);
    }

    private static ServerSetting<Path> path(String key, String label, Default<Path> fallback, String meaning) {
        return path(key, label, fallback, (value, v) -> null, meaning);
    }

    private static ServerSetting<Path> path(
            String key, String label, Default<Path> fallback, Check<Path> check, String meaning) {
        return new ServerSetting<>(Path.class, key, label, "", fallback, check, meaning);
    }

    private static ServerSetting<Integer> number(
            String key, int least, int most, Default<Integer> fallback, String meaning) {
        Bounds<Integer> bounds = Bounds.of(least, most);
        return new ServerSetting<>(Integer.class, key, "N", bounds.range, fallback, bounds, meaning);
    }

    private static ServerSetting<Long> size(String key, Bounds<Long> bounds, Default<Long> fallback, String meaning) {
        return new ServerSetting<>(Long.class, key, "SIZE", bounds.range, fallback, bounds, meaning);
    }

    private static ServerSetting<Duration> time(
            String key, Bounds<Duration> bounds, Duration fallback, String meaning) {
        return new ServerSetting<>(Duration.class, key, "TIME", bounds.range, Default.is(fallback), bounds, meaning);
    }

    private static ServerSetting<Boolean> truth(String key, boolean fallback, String meaning) {
        return new ServerSetting<>(
                Boolean.class, key, "BOOL", "true or false", Default.is(fallback), (value, v) -> null, meaning);
    }

    private static <E extends Enum<E>> ServerSetting<E> choice(
            String key, String label, Class<E> type, Default<E> fallback, Check<E> check, String meaning) {
        String all =
                Arrays.stream(type.getEnumConstants()).map(ServerSetting::show).collect(Collectors.joining(" or "));
        return new ServerSetting<>(type, key, label, all, fallback, check, meaning);
    }

    private static Path dataDirectory(Values values) {
        Path log = values.find(LOG_DIRECTORY);
        Path pool = values.get(POOL);
        return log == null ? pool.resolveSibling(pool.getFileName() + ".data") : log.resolve("data");
    }

    private static @Nullable String wrongName(String name, Values values) {
        return name.isEmpty() || name.indexOf('/') >= 0 || name.indexOf('\0') >= 0
                ? "is '" + name + "'; write the name of a user or group"
                : null;
    }

    private static @Nullable String refusal(String text, Consumer<String> parser) {
        try {
            parser.accept(text);
            return null;
        } catch (IllegalArgumentException e) {
            return e.getMessage();
        }
    }

    /** The rows, in the order of the help and of the documentation. */
    public static List<ServerSetting<?>> values() {
        return Collections.unmodifiableList(ALL);
    }

    public static List<String> keys() {
        return ALL.stream().map(ServerSetting::key).toList();
    }

    public Class<T> type() {
        return type;
    }

    /** Its name in the properties file and in messages. */
    public String key() {
        return key;
    }

    public String flag() {
        return "--" + key;
    }

    public String variable() {
        return "HMFS_" + key.replace('-', '_').toUpperCase(Locale.ROOT);
    }

    /** What stands for the value in the help. */
    public String label() {
        return label;
    }

    /** The values that are allowed; empty when the label says it. */
    public String range() {
        return range;
    }

    /** What the help says of it: meaning, then in brackets range and default. */
    public String help() {
        String words = fallback.words == null ? fallback(Path.of("POOL")) : fallback.words;
        String brackets = Stream.of(range, words.isEmpty() ? "" : "default: " + words)
                .filter(part -> !part.isEmpty())
                .collect(Collectors.joining("; "));
        return (brackets.isEmpty() ? meaning : meaning + " (" + brackets + ")").replace("`", "");
    }

    /** Its row in docs/operations.md. */
    public String row() {
        String value = range.isEmpty() ? label : label + ": " + range;
        String shown = fallback(Path.of("POOL"));
        String words = fallback.words != null ? fallback.words : shown.isEmpty() ? "" : "`" + shown + "`";
        return "| `" + key + "` | " + value + " | " + words + (words.isEmpty() ? "" : " ") + "| " + meaning + " |";
    }

    /** The text of the default for this pool; empty when there is none. */
    public String fallback(Path pool) {
        T value = fallback.of.apply(new Values(pool));
        return value == null ? "" : show(value);
    }

    /** A value as it is written in settings: of sizes the largest unit that needs no fraction, of times the seconds. */
    public static String show(Object value) {
        return switch (value) {
            case Integer number when number == OFF -> "off";
            case Long size -> compact(size);
            case Duration time -> time.toMillis() % 1000 == 0 ? time.toSeconds() + "s" : time.toMillis() + "ms";
            case Enum<?> constant -> constant.name().toLowerCase(Locale.ROOT);
            default -> value.toString();
        };
    }

    private static String compact(long bytes) {
        int power = bytes == 0 ? 0 : Math.min(Long.numberOfTrailingZeros(bytes) / 10, UNITS.length());
        return (bytes >> (10 * power)) + (power == 0 ? "" : UNITS.substring(power - 1, power));
    }

    /** Values of the settings of one server: what was set, and the defaults of the others, which may depend on it. */
    public static final class Values {
        private final Map<ServerSetting<?>, Object> given = new HashMap<>();

        public Values(Path pool) {
            set(POOL, pool);
        }

        /** Sets one, not checked yet; null: the default. */
        public <T> Values set(ServerSetting<T> setting, @Nullable T value) {
            if (value == null) {
                given.remove(setting);
            } else {
                given.put(setting, value);
            }
            return this;
        }

        /** The value, or null when there is none and no default. */
        public <T> @Nullable T find(ServerSetting<T> setting) {
            Object value = given.get(setting);
            return value == null ? setting.fallback.of.apply(this) : setting.type.cast(value);
        }

        /** The value of a setting that has a default, or of the pool. */
        public <T> T get(ServerSetting<T> setting) {
            return Objects.requireNonNull(find(setting), setting.key);
        }

        /**
         * Checks all of them, in the order of the table.
         *
         * @param name what messages call a setting
         * @throws IllegalArgumentException that names the first setting that is wrong, and says what to write
         */
        public Values checked(Function<ServerSetting<?>, String> name) {
            ALL.forEach(setting -> check(setting, name));
            return this;
        }

        private <T> void check(ServerSetting<T> setting, Function<ServerSetting<?>, String> name) {
            T value = find(setting);
            String complaint = value == null ? null : setting.check.complaint(value, this);
            if (complaint != null) {
                throw new IllegalArgumentException(name.apply(setting) + " " + complaint);
            }
        }
    }
}
