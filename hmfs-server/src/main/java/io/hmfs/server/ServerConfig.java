package io.hmfs.server;

import io.hmfs.client.ServerInfo;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.PoolPlace;
import io.hmfs.core.pmem.log.LogOptions;
import io.hmfs.core.type.Progress;
import io.hmfs.server.access.AccessConfig;
import io.hmfs.server.lease.Leases;
import io.hmfs.server.partition.PartitionConfig;
import io.hmfs.server.partition.ScrubLimits;
import io.hmfs.server.protocol.ReplyCompression;
import io.hmfs.server.setting.ServerSetting;
import io.hmfs.server.share.UserShares.Resource;
import io.hmfs.server.transport.RdmaUse;
import io.hmfs.server.transport.SocketKind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a server runs: the values of its settings, of which {@link ServerSetting} has names, defaults, bounds and meaning. {@link #of(Path)}
 * gives the defaults, {@link #builder} changes some of them; both refuse values out of range with an {@code IllegalArgumentException}
 * that names the setting. The constructor checks nothing.
 */
public record ServerConfig(
        Path pool,
        long poolMax,
        String host,
        int port,
        Persistence persistence,
        boolean emulatePmem,
        boolean refuseUnchecked,
        @Nullable Path logDirectory,
        long logSegment,
        long logMax,
        String dataStore,
        Path dataDirectory,
        long blockSize,
        int chunkSize,
        ScrubLimits scrub,
        int eventLoops,
        int connectionsMax,
        int ioThreads,
        int frameMax,
        int inFlightMax,
        long replyBytesMax,
        long requestBytesMax,
        long answerBytesMax,
        long ioQueueBytesMax,
        long listingCacheBytes,
        Duration idleTimeout,
        Duration drainTimeout,
        SocketKind transport,
        RdmaUse rdma,
        int transportSpinMicros,
        int remoteStatDirectories,
        ReplyCompression compression,
        Leases.Limits leases,
        AccessConfig access,
        ObservationConfig observation) {
    /**
     * The defaults for this pool, among them the mode process. The command {@code hmfs server} looks at the pool instead, and chooses
     * a mode that survives the machine.
     */
    public static ServerConfig of(Path pool) {
        return builder(pool).build();
    }

    /** These values, if they are within their bounds. */
    public static ServerConfig of(ServerSetting.Values values) {
        ServerSetting.Values v = values.checked(ServerSetting::key);
        return new ServerConfig(
                v.get(ServerSetting.POOL),
                v.get(ServerSetting.POOL_MAX),
                v.get(ServerSetting.HOST),
                v.get(ServerSetting.PORT),
                v.get(ServerSetting.PERSISTENCE),
                v.get(ServerSetting.EMULATE_PMEM),
                v.get(ServerSetting.REFUSE_UNCHECKED),
                v.find(ServerSetting.LOG_DIRECTORY),
                v.get(ServerSetting.LOG_SEGMENT),
                v.get(ServerSetting.LOG_MAX),
                v.get(ServerSetting.DATA_STORE),
                v.get(ServerSetting.DATA_DIRECTORY),
                v.get(ServerSetting.BLOCK_SIZE),
                Math.toIntExact(v.get(ServerSetting.CHUNK_SIZE)),
                new ScrubLimits(v.get(ServerSetting.SCRUB_INTERVAL), v.get(ServerSetting.SCRUB_RATE)),
                v.get(ServerSetting.EVENT_LOOPS),
                v.get(ServerSetting.CONNECTIONS_MAX),
                v.get(ServerSetting.IO_THREADS),
                Math.toIntExact(v.get(ServerSetting.FRAME_MAX)),
                v.get(ServerSetting.IN_FLIGHT_MAX),
                v.get(ServerSetting.REPLY_BYTES_MAX),
                v.get(ServerSetting.REQUEST_BYTES_MAX),
                v.get(ServerSetting.ANSWER_BYTES_MAX),
                v.get(ServerSetting.IO_QUEUE_BYTES_MAX),
                v.get(ServerSetting.LISTING_CACHE_BYTES),
                v.get(ServerSetting.IDLE_TIMEOUT),
                v.get(ServerSetting.DRAIN_TIMEOUT),
                v.get(ServerSetting.TRANSPORT),
                v.get(ServerSetting.RDMA),
                v.get(ServerSetting.TRANSPORT_SPIN),
                v.get(ServerSetting.REMOTE_STAT_DIRECTORIES),
                new ReplyCompression(
                        Math.toIntExact(v.get(ServerSetting.COMPRESS_FROM)), v.get(ServerSetting.COMPRESS_LOCAL)),
                new Leases.Limits(v.get(ServerSetting.LEASE_SOFT_LIMIT), v.get(ServerSetting.LEASE_HARD_LIMIT)),
                new AccessConfig(
                        v.get(ServerSetting.PERMISSIONS_ENABLED),
                        v.get(ServerSetting.SUPERUSER),
                        v.get(ServerSetting.SUPERGROUP),
                        v.get(ServerSetting.GROUP_SOURCE),
                        v.get(ServerSetting.STATIC_GROUPS),
                        v.get(ServerSetting.GROUP_EXPIRY),
                        v.get(ServerSetting.PROXY_USERS)),
                new ObservationConfig(
                        v.get(ServerSetting.ADMIN_HOST),
                        v.get(ServerSetting.ADMIN_PORT),
                        v.find(ServerSetting.AUDIT_LOG),
                        v.get(ServerSetting.AUDIT_LOG_SIZE),
                        v.get(ServerSetting.AUDIT_LOG_FILES),
                        v.get(ServerSetting.SLOW_THRESHOLD)));
    }

    /** A builder that holds the defaults for this pool. */
    public static Builder builder(Path pool) {
        return new Builder(pool);
    }

    /** Where the key of grants is kept: beside what survives as long as the names do. */
    Path grantKey() {
        Path directory = logDirectory;
        if (directory != null) {
            return directory.resolve("grants.key");
        }
        Path kept = PoolPlace.isDevice(pool) ? dataDirectory : pool; // beside a device is memory
        return kept.resolveSibling(kept.getFileName() + ".key");
    }

    /** How to open the pool: replies are held back until they are safe, so no method waits. */
    OpenOptions openOptions(Progress progress) {
        Path directory = logDirectory;
        if (persistence != Persistence.LOGGED || directory == null) {
            return new OpenOptions(persistence, emulatePmem)
                    .growingTo(poolMax)
                    .refusingUnchecked(refuseUnchecked)
                    .keepingDataElsewhere();
        }
        LogOptions defaults = LogOptions.in(directory);
        LogOptions log = defaults.withSizes(logSegment, logMax, defaults.ringRecords())
                .withOnVolatile(emulatePmem)
                .withProgress(progress);
        return OpenOptions.logged(log).withoutWaiting().growingTo(poolMax).keepingDataElsewhere();
    }

    /** How its pool is opened; {@code progress} hears how far a rebuild of the pool is. */
    PartitionConfig partition(Progress progress) {
        return new PartitionConfig(
                pool,
                openOptions(progress),
                leases,
                isBuiltin() ? dataDirectory : null,
                blockSize,
                persistence.writesBack(),
                scrub,
                listingCacheBytes,
                remoteStatDirectories,
                Map.of(
                        Resource.CONNECTIONS, (long) connectionsMax,
                        Resource.REPLY_BYTES, replyBytesMax,
                        Resource.REQUEST_BYTES, requestBytesMax,
                        Resource.ANSWER_BYTES, answerBytesMax));
    }

    /** Whether the server keeps file data itself. */
    public boolean isBuiltin() {
        return dataStore.equals(ServerInfo.BUILTIN);
    }

    /** A configuration in the making. */
    public static final class Builder {
        private final ServerSetting.Values values;

        private Builder(Path pool) {
            values = new ServerSetting.Values(pool);
        }

        /** Sets one; null: the default. */
        public <T> Builder set(ServerSetting<T> setting, @Nullable T value) {
            values.set(setting, value);
            return this;
        }

        public ServerConfig build() {
            return of(values);
        }
    }
}
