package io.hmfs.server.admin;

import io.hmfs.core.OpenOptions;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.server.ObservationConfig;
import io.hmfs.server.ServerConfig;
import io.hmfs.server.access.AccessConfig;
import io.hmfs.server.transport.SocketKind;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The one table of what can be set about a server. From a row come a flag ({@code --data-store}), a variable
 * ({@code HMFS_DATA_STORE}), a key of the properties file ({@code data-store}), a line of the help and of {@code --print-config}, and
 * a line of docs/operations.md, which a test compares. Defaults are those of {@link ServerConfig}, which also checks what depends on
 * several settings.
 */
enum ServerSetting {
    POOL(SettingForm.path("FILE", null, (b, v) -> {}), "The pool, made by `hmfs format`; must be given."),
    POOL_MAX(
            SettingForm.size(0, OpenOptions.SIZE_MAX, ServerConfig::poolMax, ServerConfig.Builder::poolMax),
            "Bytes to which the pool grows by itself, ahead of need, while it serves; one that has as many does not"
                    + " grow. Mapped pools only."),
    HOST(
            SettingForm.text("NAME", ServerConfig::host, ServerConfig.Builder::host),
            "Address to listen on; `0.0.0.0` for all."),
    PORT(
            SettingForm.number(0, 65_535, ServerConfig::port, ServerConfig.Builder::port),
            "Port to listen on; 0 takes a free one."),
    PERSISTENCE(
            SettingForm.choice("MODE", Persistence.class, null, (b, v) -> {}),
            "what the pool was made for",
            "What an answered operation survives. `pmem`: power failure, needs a pool on DAX memory; `logged`: power"
                    + " failure, by a log on a disk; `process`: the death of the server process, not of the machine, and"
                    + " has to be asked for."),
    EMULATE_PMEM(
            SettingForm.truth(ServerConfig::emulatePmem, ServerConfig.Builder::emulatePmem),
            "Allow `pmem` on memory that is not DAX: for measurements only, it does not survive power failure."),
    LOG_DIRECTORY(
            SettingForm.path("DIR", null, (b, v) -> {}),
            "the pool's name with `.log`; none if that is in memory",
            "Directory of the log, on a disk, in the mode `logged`; made by `hmfs format`."),
    LOG_SEGMENT(
            SettingForm.size(64 << 10, 128 << 20, ServerConfig::logSegment, ServerConfig.Builder::logSegment),
            "Bytes of a log file before the next is begun."),
    LOG_MAX(
            SettingForm.size("two log files to 1T", ServerConfig::logMax, ServerConfig.Builder::logMax),
            "Bytes of log files before changes wait for the image."),
    DATA_STORE(
            SettingForm.text("STORE", ServerConfig::dataStore, ServerConfig.Builder::dataStore),
            "Where file data goes. `builtin`: objects in `data-directory`, streamed by this server; else the URI of a"
                    + " Hadoop filesystem or a pool of RADOS that clients write to (`s3a://bucket/data`,"
                    + " `rados://pool`)."),
    DATA_DIRECTORY(
            SettingForm.path("DIR", ServerConfig::dataDirectory, ServerConfig.Builder::dataDirectory),
            "the pool's name with `.data`; `data` in the log's directory, if there is one",
            "Directory of the builtin store."),
    BLOCK_SIZE(
            SettingForm.size(64 << 10, 1L << 40, ServerConfig::blockSize, ServerConfig.Builder::blockSize),
            "Bytes of file data in one object."),
    CHUNK_SIZE(
            SettingForm.size(
                    "4K to what fits into `frame-max`",
                    config -> (long) config.chunkSize(),
                    (builder, value) -> builder.chunkSize(Math.clamp(value, 0, Integer.MAX_VALUE))),
            "Most bytes of data in one request."),
    EVENT_LOOPS(
            SettingForm.number(1, 1024, ServerConfig::eventLoops, ServerConfig.Builder::eventLoops),
            "one for each processor",
            "Threads that serve connections."),
    CONNECTIONS_MAX(
            SettingForm.number(1, 1_000_000, ServerConfig::connectionsMax, ServerConfig.Builder::connectionsMax),
            "Connections at once; further ones are told so and closed."),
    IO_THREADS(
            SettingForm.number(1, 1024, ServerConfig::ioThreads, ServerConfig.Builder::ioThreads),
            "two for each processor, 4 to 64",
            "Threads for the builtin store's disk."),
    FRAME_MAX(
            SettingForm.size(
                    ServerConfig.FRAME_MAX_MIN,
                    64 << 20,
                    config -> (long) config.frameMax(),
                    (builder, value) -> builder.frameMax(value.intValue())),
            "Longest request or reply that is taken."),
    IN_FLIGHT_MAX(
            SettingForm.number(1, 65_536, ServerConfig::inFlightMax, ServerConfig.Builder::inFlightMax),
            "Requests of a connection that wait for the disk before no more are read from it."),
    IO_QUEUE_BYTES_MAX(
            SettingForm.size(
                    "at least `frame-max`", ServerConfig::ioQueueBytesMax, ServerConfig.Builder::ioQueueBytesMax),
            "Bytes of data that wait for the disk in all; each client gets its share before no more are read from it."),
    IDLE_TIMEOUT(
            SettingForm.time("over 0s", ServerConfig::idleTimeout, ServerConfig.Builder::idleTimeout),
            "For a handshake, for the rest of a request once begun, and for a peer to take its replies."),
    DRAIN_TIMEOUT(
            SettingForm.time("0s and more", ServerConfig::drainTimeout, ServerConfig.Builder::drainTimeout),
            "For requests in flight when the server stops."),
    LEASE_SOFT_LIMIT(
            SettingForm.time("30s to 1h", config -> config.leases().soft(), ServerConfig.Builder::leaseSoftLimit),
            "Silence of a file's writer after which another client may write the file."),
    LEASE_HARD_LIMIT(
            SettingForm.time(
                    "the soft limit to 168h", config -> config.leases().hard(), ServerConfig.Builder::leaseHardLimit),
            "Silence of a file's writer after which its lease ends."),
    TRANSPORT(
            SettingForm.choice("KIND", SocketKind.class, ServerConfig::transport, ServerConfig.Builder::transport),
            "The sockets; `auto` takes `epoll` where it is there, else `nio`."),
    PERMISSIONS_ENABLED(
            SettingForm.truth(
                    config -> config.access().permissionsEnabled(),
                    (builder, value) -> builder.access(access -> access.withPermissionsEnabled(value))),
            "Check permissions; without, every user may do everything."),
    SUPERUSER(
            SettingForm.text(
                    "USER",
                    config -> config.access().superuser(),
                    (builder, value) -> builder.access(access -> access.withSuperuser(value))),
            "the user that runs the server",
            "The user who may do everything."),
    SUPERGROUP(
            SettingForm.text(
                    "GROUP",
                    config -> config.access().supergroup(),
                    (builder, value) -> builder.access(access -> access.withSupergroup(value))),
            "The group whose members may do everything."),
    GROUP_SOURCE(
            SettingForm.choice(
                    "SOURCE",
                    AccessConfig.Source.class,
                    config -> config.access().groupSource(),
                    (builder, value) -> builder.access(access -> access.withGroupSource(value))),
            "Where the groups of users come from. `system`: the operating system of this machine; `static`:"
                    + " `static-groups` alone."),
    STATIC_GROUPS(
            SettingForm.text(
                    "LIST",
                    config -> config.access().staticGroups(),
                    (builder, value) -> builder.access(access -> access.withStaticGroups(value))),
            "Groups of some users, whatever the system says: `user=group1,group2;user2=group3`."),
    GROUP_EXPIRY(
            SettingForm.time(
                    "1s and more",
                    config -> config.access().groupExpiry(),
                    (builder, value) -> builder.access(access -> access.withGroupExpiry(value))),
            "How long the groups of a user are believed before they are looked up again."),
    PROXY_USERS(
            SettingForm.text(
                    "LIST",
                    config -> config.access().proxyUsers(),
                    (builder, value) -> builder.access(access -> access.withProxyUsers(value))),
            "Who may act for whom, and from where:"
                    + " `service=group,user:name@address,network/bits,host;service2=*@*`."),
    ADMIN_PORT(
            SettingForm.numberOr(
                    "off",
                    ObservationConfig.OFF,
                    65_535,
                    config -> config.observation().adminPort(),
                    (builder, value) -> builder.observation(builder.observation()
                            .withAdmin(builder.observation().adminHost(), value))),
            "Port for `/metrics` and `/health` over HTTP, 8931 for example; 0 takes a free one."),
    ADMIN_HOST(
            SettingForm.text(
                    "NAME",
                    config -> config.observation().adminHost(),
                    (builder, value) -> builder.observation(builder.observation()
                            .withAdmin(value, builder.observation().adminPort()))),
            "Address for them; a client that reaches it may read them: there is no authentication."),
    AUDIT_LOG(
            SettingForm.text("FILE", config -> "", (builder, value) -> {
                ObservationConfig old = builder.observation();
                Path file = value.isEmpty() ? null : SettingForm.absolute("audit-log", value);
                builder.observation(old.withAuditLog(file, old.auditLogSize(), old.auditLogFiles()));
            }),
            "Write a line for each operation on a path to this file, in HDFS's format; none without it."),
    AUDIT_LOG_SIZE(
            SettingForm.size(64 << 10, 1L << 40, config -> config.observation().auditLogSize(), (builder, value) -> {
                ObservationConfig old = builder.observation();
                builder.observation(old.withAuditLog(old.auditLog(), value, old.auditLogFiles()));
            }),
            "Bytes of that file before it becomes `FILE.1` and the next is begun."),
    AUDIT_LOG_FILES(
            SettingForm.number(1, 1000, config -> config.observation().auditLogFiles(), (builder, value) -> {
                ObservationConfig old = builder.observation();
                builder.observation(old.withAuditLog(old.auditLog(), old.auditLogSize(), value));
            }),
            "Files of the audit log that are kept, the current one among them."),
    SLOW_THRESHOLD(
            SettingForm.time(
                    "0s and more",
                    config -> config.observation().slowThreshold(),
                    (builder, value) ->
                            builder.observation(builder.observation().withSlowThreshold(value))),
            "Operations that take as long are counted as slow, and told a flight recording; `0s`: none.");

    @SuppressWarnings("ImmutableEnumChecker") // functions that hold nothing
    private final SettingForm<?> form;

    private final @Nullable String defaultWords;
    private final String meaning;

    ServerSetting(SettingForm<?> form, String meaning) {
        this(form, null, meaning);
    }

    /** {@code defaultWords}: what the default is, where it depends on the machine or the pool. */
    ServerSetting(SettingForm<?> form, @Nullable String defaultWords, String meaning) {
        this.form = form;
        this.defaultWords = defaultWords;
        this.meaning = meaning;
    }

    String key() {
        return SettingForm.lower(this).replace('_', '-');
    }

    String flag() {
        return "--" + key();
    }

    String variable() {
        return "HMFS_" + name();
    }

    SettingForm<?> form() {
        return form;
    }

    /** What the help says of it: meaning, then in brackets range and default. */
    String help() {
        String words = defaultWords == null ? fallback(Path.of("POOL")) : defaultWords;
        String brackets = Stream.of(form.range(), words.isEmpty() ? "" : "default: " + words)
                .filter(part -> !part.isEmpty())
                .collect(Collectors.joining("; "));
        return (brackets.isEmpty() ? meaning : meaning + " (" + brackets + ")").replace("`", "");
    }

    /** Its row in docs/operations.md. */
    String row() {
        String value = form.label() + (form.range().isEmpty() ? "" : ": " + form.range());
        String fallback = fallback(Path.of("POOL"));
        String words = defaultWords != null ? defaultWords : fallback.isEmpty() ? "" : "`" + fallback + "`";
        return "| `" + key() + "` | " + value + " | " + words + (words.isEmpty() ? "" : " ") + "| " + meaning + " |";
    }

    /** The default for this pool; empty when there is none, or it depends on what the pool is. */
    String fallback(Path pool) {
        return form.text(ServerConfig.of(pool));
    }

    static List<String> keys() {
        return Arrays.stream(values()).map(ServerSetting::key).toList();
    }

    static @Nullable ServerSetting ofKey(String key) {
        return Arrays.stream(values())
                .filter(s -> s.key().equals(key))
                .findFirst()
                .orElse(null);
    }
}
