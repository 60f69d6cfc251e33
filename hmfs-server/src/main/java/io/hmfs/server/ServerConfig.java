package io.hmfs.server;

import io.hmfs.client.HmfsClient;
import io.hmfs.client.ServerInfo;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.log.LogOptions;
import io.hmfs.server.access.AccessConfig;
import io.hmfs.server.lease.Leases;
import io.hmfs.server.partition.PartitionConfig;
import io.hmfs.server.transport.SocketKind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * How a server runs. {@link #of} gives the defaults, {@link #builder} changes some of them; values out of range are an
 * {@code IllegalArgumentException} that names the setting.
 *
 * @param pool the pool's file, made by {@code hmfs format}
 * @param poolMax bytes to which the pool may grow by itself, at most {@link OpenOptions#SIZE_MAX}; one that has as many does not grow
 * @param host address or name to listen on
 * @param port port to listen on, 0 to 65,535; 0: a free one
 * @param persistence what an acknowledged operation survives
 * @param emulatePmem allow {@code PMEM} on memory that is not DAX, and a log in memory: for measurements only
 * @param logDirectory with {@code LOGGED}, and no other mode: the log's directory, made by {@code hmfs format}
 * @param logSegment bytes of a log file before the next is begun, 64 KiB to 128 MiB
 * @param logMax bytes of log files before changes wait for the image, at least two log files
 * @param dataStore {@code builtin}, or the URI of a Hadoop filesystem, which clients then write to and delete from themselves
 * @param dataDirectory where the builtin store keeps its objects
 * @param blockSize bytes of data in one object, 64 KiB to 1 TiB
 * @param chunkSize most bytes of data in one request, 4 KiB to frameMax less {@link io.hmfs.wire.Wire#DATA_OVERHEAD}
 * @param eventLoops threads that serve connections; 1 to 1,024
 * @param connectionsMax connections at once; further ones are told so and closed; 1 to 1,000,000
 * @param ioThreads threads for the builtin store's disk; 1 to 1,024
 * @param frameMax longest frame taken, {@link #FRAME_MAX_MIN} to 64 MiB
 * @param inFlightMax requests per connection that wait for the disk at once; further ones are not read; 1 to 65,536
 * @param ioQueueBytesMax bytes of data that wait for the disk in all, before connections are no longer read; at least frameMax
 * @param idleTimeout for a handshake, for the rest of a frame once begun, and for a peer to take its replies
 * @param drainTimeout for requests in flight when the server stops
 * @param transport how the server talks to the kernel about its sockets
 * @param leases after what silence of its writer another one may have a file, 30 s to 1 h, and after what silence it is free, as long to 7 days
 * @param access which users may do what
 * @param observation metrics, audit log, slow operations
 */
public record ServerConfig(
        Path pool,
        long poolMax,
        String host,
        int port,
        Persistence persistence,
        boolean emulatePmem,
        @Nullable Path logDirectory,
        long logSegment,
        long logMax,
        String dataStore,
        Path dataDirectory,
        long blockSize,
        int chunkSize,
        int eventLoops,
        int connectionsMax,
        int ioThreads,
        int frameMax,
        int inFlightMax,
        long ioQueueBytesMax,
        Duration idleTimeout,
        Duration drainTimeout,
        SocketKind transport,
        Leases.Limits leases,
        AccessConfig access,
        ObservationConfig observation) {
    /** What the longest reply that no setting bounds has room in: the metrics, of every operation with every outcome. */
    public static final int FRAME_MAX_MIN = 384 << 10;

    private static final int THREADS_MAX = 1024;
    private static final long SOFT_LIMIT_MIN = 30_000; // three renewals of a client
    private static final long SOFT_LIMIT_MAX = 3_600_000;
    private static final long HARD_LIMIT_MAX = 7 * 86_400_000L;

    public ServerConfig {
        SettingBounds.check("poolMax", poolMax, 0, OpenOptions.SIZE_MAX);
        SettingBounds.check("port", port, 0, 65_535);
        SettingBounds.check("frameMax", frameMax, FRAME_MAX_MIN, 64 << 20);
        SettingBounds.check("blockSize", blockSize, 64 << 10, 1L << 40);
        SettingBounds.check("chunkSize", chunkSize, 4 << 10, frameMax - io.hmfs.wire.Wire.DATA_OVERHEAD);
        SettingBounds.check("eventLoops", eventLoops, 1, THREADS_MAX);
        SettingBounds.check("connectionsMax", connectionsMax, 1, 1_000_000);
        SettingBounds.check("ioThreads", ioThreads, 1, THREADS_MAX);
        SettingBounds.check("inFlightMax", inFlightMax, 1, 65_536);
        SettingBounds.check("ioQueueBytesMax", ioQueueBytesMax, frameMax, Long.MAX_VALUE);
        SettingBounds.check("idleTimeout", idleTimeout.toMillis(), 1, Integer.MAX_VALUE);
        SettingBounds.check("drainTimeout", drainTimeout.toMillis(), 0, Integer.MAX_VALUE);
        SettingBounds.check("leaseSoftLimit", leases.soft().toMillis(), SOFT_LIMIT_MIN, SOFT_LIMIT_MAX);
        SettingBounds.check(
                "leaseHardLimit", leases.hard().toMillis(), leases.soft().toMillis(), HARD_LIMIT_MAX);
        SettingBounds.check("logSegment", logSegment, 64 << 10, 128 << 20);
        SettingBounds.check("logMax", logMax, 2 * logSegment, 1L << 40);
        if (persistence == Persistence.LOGGED && logDirectory == null) {
            throw new IllegalArgumentException(
                    "logDirectory is needed for the mode logged: the directory that format --log-directory made");
        }
        if (!dataStore.equals(ServerInfo.BUILTIN) && dataStore.indexOf(':') < 1) {
            throw new IllegalArgumentException(
                    "dataStore is '" + dataStore + "'; write builtin or the URI of a filesystem");
        }
    }

    /**
     * The defaults for this pool: loopback only, port 8930, mode process, builtin store beside the pool. The command {@code hmfs
     * server} looks at the pool, and chooses a mode that survives the machine.
     */
    public static ServerConfig of(Path pool) {
        return builder(pool).build();
    }

    /** A builder that holds the defaults for this pool. */
    public static Builder builder(Path pool) {
        return new Builder(pool);
    }

    /** Where the builtin store of this pool is unless told otherwise: beside it, with {@code .data} appended. */
    public static Path dataDirectoryOf(Path pool) {
        return pool.resolveSibling(pool.getFileName() + ".data");
    }

    /** Where the builtin store of a pool with a log is unless told otherwise: in the log's directory. */
    public static Path dataDirectoryIn(Path logDirectory) {
        return logDirectory.resolve("data");
    }

    /** Where the key of grants is kept: beside what survives as long as the names do. */
    Path grantKey() {
        Path directory = logDirectory;
        return directory == null ? pool.resolveSibling(pool.getFileName() + ".key") : directory.resolve("grants.key");
    }

    /** How to open the pool: replies are held back until they are safe, so no method waits. */
    OpenOptions openOptions(Consumer<String> progress) {
        Path directory = logDirectory;
        if (persistence != Persistence.LOGGED || directory == null) {
            return new OpenOptions(persistence, emulatePmem).growingTo(poolMax).keepingDataElsewhere();
        }
        LogOptions defaults = LogOptions.in(directory);
        LogOptions log = defaults.withSizes(logSegment, logMax, defaults.ringRecords())
                .withOnVolatile(emulatePmem)
                .withProgress(progress);
        return OpenOptions.logged(log).withoutWaiting().growingTo(poolMax).keepingDataElsewhere();
    }

    /** How its pool is opened; {@code progress} is told in words what takes long. */
    PartitionConfig partition(Consumer<String> progress) {
        return new PartitionConfig(
                pool,
                openOptions(progress),
                leases,
                isBuiltin() ? dataDirectory : null,
                blockSize,
                persistence.writesBack());
    }

    /** Whether the server keeps file data itself. */
    public boolean isBuiltin() {
        return dataStore.equals(ServerInfo.BUILTIN);
    }

    /** A configuration in the making. */
    public static final class Builder {
        private final Path pool;
        private long poolMax;
        private String host = "127.0.0.1";
        private int port = HmfsClient.DEFAULT_PORT;
        private Persistence persistence = Persistence.PROCESS;
        private boolean emulatePmem;
        private @Nullable Path logDirectory;
        private long logSegment = 16 << 20;
        private long logMax = 1 << 30;
        private String dataStore = ServerInfo.BUILTIN;
        private @Nullable Path dataDirectory;
        private long blockSize = 64L << 20;
        private int chunkSize = 256 << 10;
        private int eventLoops = Math.min(Runtime.getRuntime().availableProcessors(), THREADS_MAX);
        private int connectionsMax = 16 << 10;
        private int ioThreads = Math.clamp(2L * Runtime.getRuntime().availableProcessors(), 4, 64);
        private int frameMax = 2 << 20;
        private int inFlightMax = 256;
        private long ioQueueBytesMax = 64L << 20;
        private Duration idleTimeout = Duration.ofSeconds(60);
        private Duration drainTimeout = Duration.ofSeconds(10);
        private SocketKind transport = SocketKind.AUTO;
        private Leases.Limits leases = Leases.Limits.DEFAULT;
        private AccessConfig access = AccessConfig.defaults();
        private ObservationConfig observation = ObservationConfig.DEFAULT;

        private Builder(Path pool) {
            this.pool = pool;
        }

        public Builder poolMax(long value) {
            poolMax = value;
            return this;
        }

        public Builder host(String value) {
            host = value;
            return this;
        }

        public Builder port(int value) {
            port = value;
            return this;
        }

        public Builder persistence(Persistence value) {
            persistence = value;
            return this;
        }

        public Builder emulatePmem(boolean value) {
            emulatePmem = value;
            return this;
        }

        public Builder logDirectory(@Nullable Path value) {
            logDirectory = value;
            return this;
        }

        public Builder logSegment(long value) {
            logSegment = value;
            return this;
        }

        public Builder logMax(long value) {
            logMax = value;
            return this;
        }

        public Builder dataStore(String value) {
            dataStore = value;
            return this;
        }

        public Builder dataDirectory(Path value) {
            dataDirectory = value;
            return this;
        }

        public Builder blockSize(long value) {
            blockSize = value;
            return this;
        }

        public Builder chunkSize(int value) {
            chunkSize = value;
            return this;
        }

        public Builder eventLoops(int value) {
            eventLoops = value;
            return this;
        }

        public Builder connectionsMax(int value) {
            connectionsMax = value;
            return this;
        }

        public Builder ioThreads(int value) {
            ioThreads = value;
            return this;
        }

        public Builder frameMax(int value) {
            frameMax = value;
            return this;
        }

        public Builder inFlightMax(int value) {
            inFlightMax = value;
            return this;
        }

        public Builder ioQueueBytesMax(long value) {
            ioQueueBytesMax = value;
            return this;
        }

        public Builder idleTimeout(Duration value) {
            idleTimeout = value;
            return this;
        }

        public Builder drainTimeout(Duration value) {
            drainTimeout = value;
            return this;
        }

        public Builder transport(SocketKind value) {
            transport = value;
            return this;
        }

        /** After what silence another one may write the file. */
        public Builder leaseSoftLimit(Duration value) {
            leases = new Leases.Limits(value, leases.hard());
            return this;
        }

        /** After what silence a lease is over. */
        public Builder leaseHardLimit(Duration value) {
            leases = new Leases.Limits(leases.soft(), value);
            return this;
        }

        /** Changes which users may do what. */
        public Builder access(UnaryOperator<AccessConfig> change) {
            access = change.apply(access);
            return this;
        }

        public Builder observation(ObservationConfig value) {
            observation = value;
            return this;
        }

        /** What was set so far, to be changed. */
        public ObservationConfig observation() {
            return observation;
        }

        /** Data must survive what the names survive: with a log, it is where the log is. */
        private Path defaultDataDirectory() {
            return logDirectory == null ? dataDirectoryOf(pool) : dataDirectoryIn(logDirectory);
        }

        public ServerConfig build() {
            return new ServerConfig(
                    pool,
                    poolMax,
                    host,
                    port,
                    persistence,
                    emulatePmem,
                    logDirectory,
                    logSegment,
                    logMax,
                    dataStore,
                    dataDirectory == null ? defaultDataDirectory() : dataDirectory,
                    blockSize,
                    chunkSize,
                    eventLoops,
                    connectionsMax,
                    ioThreads,
                    frameMax,
                    inFlightMax,
                    ioQueueBytesMax,
                    idleTimeout,
                    drainTimeout,
                    transport,
                    leases,
                    access,
                    observation);
        }
    }
}
