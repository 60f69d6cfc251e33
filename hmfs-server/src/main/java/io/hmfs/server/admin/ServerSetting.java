package io.hmfs.server.admin;

import io.hmfs.server.ServerConfig;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What can be set about a server; each one as a flag ({@code --data-store}), a variable ({@code HMFS_DATA_STORE}) and a key of
 * the properties file ({@code data-store}). The defaults are those of {@link ServerConfig}.
 */
enum ServerSetting {
    POOL("FILE", "The pool, made by hmfs format."),
    POOL_MAX(
            "SIZE",
            "Bytes to which the pool grows by itself, ahead of need, while it serves; one that has as many does not grow."
                    + " Mapped pools only."),
    HOST("NAME", "Address to listen on; 0.0.0.0 for all."),
    PORT("N", "Port to listen on; 0 takes a free one."),
    PERSISTENCE(
            "MODE",
            "What an answered operation survives. pmem: power failure, needs a pool on DAX memory; logged: power failure,"
                    + " by a log on a disk; process: the death of the server process, not of the machine. Default: what"
                    + " the pool was made for; pmem on DAX memory, else logged. process has to be asked for."),
    EMULATE_PMEM(
            "BOOL", "Allow pmem on memory that is not DAX: for measurements only, it does not survive power failure."),
    LOG_DIRECTORY(
            "DIR",
            "Directory of the log, on a disk, in the mode logged; made by hmfs format. Default: the pool's name with .log;"
                    + " none if that is in memory."),
    LOG_SEGMENT("SIZE", "Bytes of a log file before the next is begun."),
    LOG_MAX("SIZE", "Bytes of log files before changes wait for the image."),
    DATA_STORE(
            "STORE",
            "Where file data goes. builtin: objects in data-directory, streamed by this server; else the URI of a"
                    + " Hadoop filesystem or a pool of RADOS that clients write to (s3a://bucket/data, rados://pool)."),
    DATA_DIRECTORY("DIR", "Directory of the builtin store."),
    BLOCK_SIZE("SIZE", "Bytes of file data in one object."),
    CHUNK_SIZE("SIZE", "Most bytes of data in one request."),
    EVENT_LOOPS("N", "Threads that serve connections."),
    CONNECTIONS_MAX("N", "Connections at once; further ones are told so and closed."),
    IO_THREADS("N", "Threads for the builtin store's disk."),
    FRAME_MAX("SIZE", "Longest request or reply that is taken."),
    IN_FLIGHT_MAX("N", "Requests of a connection that wait for the disk before no more are read from it."),
    IO_QUEUE_BYTES_MAX("SIZE", "Bytes of data that wait for the disk in all before no more are read."),
    IDLE_TIMEOUT("TIME", "For a handshake, for the rest of a request once begun, and for a peer to take its replies."),
    DRAIN_TIMEOUT("TIME", "For requests in flight when the server stops."),
    LEASE_SOFT_LIMIT("TIME", "After what silence of its writer another one may have a file; 30s to 1h."),
    LEASE_HARD_LIMIT("TIME", "After what silence of its writer a file is nobody's to write; up to 7 days."),
    TRANSPORT("KIND", "The sockets: auto, epoll, io_uring or nio. auto takes epoll where it is there, else nio."),
    PERMISSIONS_ENABLED("BOOL", "Check permissions; without, every user may do everything."),
    SUPERUSER("USER", "The user who may do everything; the one that runs the server unless set."),
    SUPERGROUP("GROUP", "The group whose members may do everything."),
    GROUP_SOURCE(
            "SOURCE",
            "Where the groups of users come from. system: the operating system of this machine; static: static-groups"
                    + " alone."),
    STATIC_GROUPS("LIST", "Groups of some users, whatever the system says: user=group1,group2;user2=group3"),
    GROUP_EXPIRY("TIME", "How long the groups of a user are believed before they are looked up again."),
    PROXY_USERS(
            "LIST",
            "Who may act for whom, and from where: service=group,user:name@address,network/bits,host;service2=*@*"),
    ADMIN_PORT("N", "Port for /metrics and /health over HTTP; 0 takes a free one, off serves none."),
    ADMIN_HOST("NAME", "Address for them. Whoever reaches it may read them: there is no authentication."),
    AUDIT_LOG("FILE", "Write a line for each operation on a path to this file, in HDFS's format. Empty: none."),
    AUDIT_LOG_SIZE("SIZE", "Bytes of that file before it becomes FILE.1 and the next is begun."),
    AUDIT_LOG_FILES("N", "Files of the audit log that are kept."),
    SLOW_THRESHOLD("TIME", "Operations that take as long are counted as slow, and told a flight recording; 0s: none.");

    private final String label;
    private final String description;

    ServerSetting(String label, String description) {
        this.label = label;
        this.description = description;
    }

    private static String lower(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    String key() {
        return lower(this).replace('_', '-');
    }

    String flag() {
        return "--" + key();
    }

    String variable() {
        return "HMFS_" + name();
    }

    String label() {
        return label;
    }

    String description() {
        return description;
    }

    /** The default for this pool; empty when there is none, or it depends on what the pool is. */
    String fallback(Path pool) {
        ServerConfig config = ServerConfig.of(pool);
        return switch (this) {
            case POOL, PERSISTENCE, LOG_DIRECTORY -> "";
            case POOL_MAX -> String.valueOf(config.poolMax());
            case HOST -> config.host();
            case PORT -> String.valueOf(config.port());
            case EMULATE_PMEM -> String.valueOf(config.emulatePmem());
            case LOG_SEGMENT -> Quantities.compact(config.logSegment());
            case LOG_MAX -> Quantities.compact(config.logMax());
            case DATA_STORE -> config.dataStore();
            case DATA_DIRECTORY -> config.dataDirectory().toString();
            case BLOCK_SIZE -> Quantities.compact(config.blockSize());
            case CHUNK_SIZE -> Quantities.compact(config.chunkSize());
            case EVENT_LOOPS -> String.valueOf(config.eventLoops());
            case CONNECTIONS_MAX -> String.valueOf(config.connectionsMax());
            case IO_THREADS -> String.valueOf(config.ioThreads());
            case FRAME_MAX -> Quantities.compact(config.frameMax());
            case IN_FLIGHT_MAX -> String.valueOf(config.inFlightMax());
            case IO_QUEUE_BYTES_MAX -> Quantities.compact(config.ioQueueBytesMax());
            case IDLE_TIMEOUT -> config.idleTimeout().toSeconds() + "s";
            case DRAIN_TIMEOUT -> config.drainTimeout().toSeconds() + "s";
            case LEASE_SOFT_LIMIT -> config.leases().soft().toSeconds() + "s";
            case LEASE_HARD_LIMIT -> config.leases().hard().toSeconds() + "s";
            case TRANSPORT -> config.transport().label();
            case PERMISSIONS_ENABLED -> String.valueOf(config.access().permissionsEnabled());
            case SUPERUSER -> config.access().superuser();
            case SUPERGROUP -> config.access().supergroup();
            case GROUP_SOURCE -> lower(config.access().groupSource());
            case STATIC_GROUPS -> config.access().staticGroups();
            case GROUP_EXPIRY -> config.access().groupExpiry().toSeconds() + "s";
            case PROXY_USERS -> config.access().proxyUsers();
            case ADMIN_PORT -> ServerSettings.OFF;
            case ADMIN_HOST -> config.observation().adminHost();
            case AUDIT_LOG -> "";
            case AUDIT_LOG_SIZE -> Quantities.compact(config.observation().auditLogSize());
            case AUDIT_LOG_FILES -> String.valueOf(config.observation().auditLogFiles());
            case SLOW_THRESHOLD -> config.observation().slowThreshold().toSeconds() + "s";
        };
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
