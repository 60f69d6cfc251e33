package io.hmfs.server;

import io.hmfs.core.PoolStatus;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.type.Progress;
import io.hmfs.server.access.Authenticators;
import io.hmfs.server.access.Grants;
import io.hmfs.server.metrics.AdminHttp;
import io.hmfs.server.metrics.AuditLog;
import io.hmfs.server.metrics.Health;
import io.hmfs.server.metrics.Meters;
import io.hmfs.server.metrics.Observation;
import io.hmfs.server.metrics.ServerMetrics;
import io.hmfs.server.partition.Partition;
import io.hmfs.server.partition.Partitions;
import io.hmfs.server.pipeline.Pipelines;
import io.hmfs.server.pipeline.Service;
import io.hmfs.server.protocol.WelcomeInfo;
import io.hmfs.server.setting.ServerSetting;
import io.hmfs.server.share.FairQueue;
import io.hmfs.server.transport.ConnectionLimits;
import io.hmfs.server.transport.Connections;
import io.hmfs.server.transport.ServerTransport;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A running server. It ends in one of two ways: {@link #close} stops it cleanly, or an unexpected error inside an operation stops
 * it at once, with the pool left as after a crash, for the next start's recovery; {@link #awaitStop} tells which.
 */
public final class HmfsServer implements AutoCloseable {
    /** What {@link #awaitStop} returns after an unexpected error: the process should end with it, and be started again. */
    public static final int EXIT_FAILED = 70;

    private static final System.Logger LOG = System.getLogger(HmfsServer.class.getName());
    private static final long MAP_VERSION = 1; // a cluster is one server yet
    private static final long DISK_END_SECONDS = 30;

    private final ServerConfig config;
    private final Partition partition;
    private final ServerNamespace namespace;
    private final ExecutorService disk;
    private final Users users;
    private final Service service;
    private final Connections connections;
    private final ServerTransport transport;
    private final AtomicBoolean stopping = new AtomicBoolean();
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final StartSteps steps;
    private final Meters meters = new Meters();
    private final ServerMetrics metrics;
    private final @Nullable AuditLog audit;
    private final @Nullable AdminHttp admin;
    private volatile boolean listening;
    private volatile int exitCode;

    private HmfsServer(
            ServerConfig config,
            Partition partition,
            StartSteps steps,
            ServerTransport.Factory transports,
            Authenticators authenticators)
            throws IOException {
        this.config = config;
        this.partition = partition;
        this.steps = steps;
        namespace = partition.namespace();
        metrics = new ServerMetrics(meters, namespace, version());
        try {
            audit = openAudit();
        } catch (IOException | RuntimeException e) {
            metrics.close();
            throw e;
        }
        steps.ended("metrics");
        disk = Executors.newFixedThreadPool(config.ioThreads(), new DefaultThreadFactory("hmfs-disk", true));
        users = new Users(namespace, config.access());
        try {
            users.ownRoot();
            service = new Service(
                    new Partitions(List.of(partition)),
                    info(transports.offersRdma()),
                    config.compression(),
                    authenticators,
                    users.callers(),
                    Grants.open(config.grantKey(), namespace.poolStatus().clusterId()),
                    new FairQueue(disk, config.ioThreads(), config.ioQueueBytesMax()),
                    observation(),
                    this::failStop);
            Figures.bind(metrics, service, () -> health().isHealthy());
            Figures.bind(metrics, partition);
            Figures.bind(metrics, partition.shares());
            admin = startAdmin(); // before the listener: what fails after that fails under clients
            connections = new Connections(
                    new ConnectionLimits(
                            config.connectionsMax(),
                            config.frameMax(),
                            authenticators.tokenMax(),
                            config.inFlightMax(),
                            config.idleTimeout().toNanos()),
                    partition.shares(),
                    partition.exports().memory());
            transport = transports.open(new Pipelines(service)::newPipeline, connections);
        } catch (IOException | RuntimeException e) {
            users.close();
            disk.shutdown();
            closeAudit();
            closeAdmin();
            throw e;
        }
    }

    /** Lets clients in; before this nothing reaches the server, and from here on it can fail under them. */
    private void listen() throws IOException {
        String warning = FileLimit.warning(config.connectionsMax());
        if (warning != null) {
            LOG.log(Level.WARNING, warning);
        }
        transport.listen(new InetSocketAddress(config.host(), config.port()));
        service.start();
        steps.ended("listen");
        Figures.bind(metrics, connections, transport);
        metrics.startSteps(steps.nanos());
        listening = true;
    }

    /**
     * Opens the pool, listens, serves.
     *
     * @throws IOException {@code PoolException} for the pool; otherwise with the address or directory, what is wrong and what to do
     */
    public static HmfsServer start(ServerConfig config) throws IOException {
        return start(config, Progress.NONE);
    }

    /** Opens the pool, listens, serves. {@code progress} hears how far the pool is, if it has to be rebuilt. */
    public static HmfsServer start(ServerConfig config, Progress progress) throws IOException {
        StartSteps steps = new StartSteps();
        Partition partition = Partition.open(config.partition(progress), steps::ended);
        return start(prepare(config, partition, steps, Transports.of(config), Authenticators.SIMPLE));
    }

    /** Serves a namespace that is open already, and closes it in the end. */
    static HmfsServer start(ServerConfig config, ServerNamespace namespace) throws IOException {
        return start(prepare(config, namespace, new StartSteps()));
    }

    /** Serves a namespace that is open already over a transport of the caller's, and closes both in the end. */
    static HmfsServer start(ServerConfig config, ServerNamespace namespace, ServerTransport.Factory transports)
            throws IOException {
        return start(config, namespace, transports, Authenticators.SIMPLE);
    }

    /** The same, for clients that prove by these methods who they are. */
    static HmfsServer start(
            ServerConfig config,
            ServerNamespace namespace,
            ServerTransport.Factory transports,
            Authenticators authenticators)
            throws IOException {
        StartSteps steps = new StartSteps();
        Partition partition = Partition.open(config.partition(Progress.NONE), namespace, steps::ended);
        return start(prepare(config, partition, steps, transports, authenticators));
    }

    private static HmfsServer start(HmfsServer server) throws IOException {
        try {
            server.listen();
        } catch (IOException | RuntimeException e) {
            server.close();
            throw e;
        }
        LOG.log(
                Level.INFO,
                "serving {0} on {1} ({2}), persistence {3}, memory {4}, data store {5}",
                server.config.pool(),
                server.address(),
                server.transportLabel(),
                server.config.persistence(),
                server.memory(),
                server.config.dataStore());
        return server;
    }

    /** A server that does not listen yet. */
    static HmfsServer prepare(ServerConfig config, ServerNamespace namespace, StartSteps steps) throws IOException {
        return prepare(
                config,
                Partition.open(config.partition(Progress.NONE), namespace, steps::ended),
                steps,
                Transports.of(config),
                Authenticators.SIMPLE);
    }

    private static HmfsServer prepare(
            ServerConfig config,
            Partition partition,
            StartSteps steps,
            ServerTransport.Factory transports,
            Authenticators authenticators)
            throws IOException {
        try {
            return new HmfsServer(config, partition, steps, transports, authenticators);
        } catch (IOException | RuntimeException e) {
            partition.close();
            throw e;
        }
    }

    private @Nullable AuditLog openAudit() throws IOException {
        ObservationConfig wanted = config.observation();
        Path file = wanted.auditLog();
        if (file == null) {
            return null;
        }
        AuditLog log =
                AuditLog.open(file, wanted.auditLogSize(), wanted.auditLogFiles(), meters, namespace::principalName);
        metrics.audit(log);
        return log;
    }

    private Observation observation() {
        return new Observation(meters, metrics, audit, config.observation().slowNanos());
    }

    private @Nullable AdminHttp startAdmin() throws IOException {
        ObservationConfig wanted = config.observation();
        if (wanted.adminPort() == ServerSetting.OFF) {
            return null;
        }
        InetSocketAddress address = new InetSocketAddress(wanted.adminHost(), wanted.adminPort());
        AdminHttp http = AdminHttp.start(address, metrics::text, this::health);
        steps.ended("admin");
        return http;
    }

    /** Whether it serves all requests, and if not, why. */
    public Health health() {
        List<String> problems = new ArrayList<>();
        if (service.hasFailed()) {
            problems.add("the server has failed and serves nothing; the next start recovers");
        } else if (stopping.get()) {
            problems.add("the server is stopping");
        } else if (!listening) {
            problems.add("the server is starting");
        } else {
            try {
                String growth = namespace.poolStatus().growthProblem();
                if (growth != null) {
                    problems.add("the pool cannot grow; it goes on with what it has, and tries again: " + growth);
                }
            } catch (IllegalStateException e) {
                problems.add("the pool has stopped after an error, perhaps of its log; the next start recovers");
            }
        }
        if (meters.isFull()) {
            problems.add("the pool is full: nothing can be made until something is removed");
        }
        if (audit != null && audit.hasStopped()) {
            problems.add("the audit log has stopped after an error, see the server's log; operations go on without it");
        }
        return new Health(List.copyOf(problems));
    }

    /** Where {@code /metrics} and {@code /health} are; null if they are not served. */
    public @Nullable InetSocketAddress adminAddress() {
        AdminHttp http = admin;
        return http == null ? null : http.address();
    }

    /** Nanoseconds that each step of the start took, in their order. */
    public Map<String, Long> startSteps() {
        return steps.nanos();
    }

    /** What the pool lies on and how stores become durable there, in words. */
    public String memory() {
        return namespace.poolStatus().memory();
    }

    /** How this start has come to know the pool's free slots, in words. */
    public String freeSlots() {
        return namespace.poolStatus().freeSlots();
    }

    private WelcomeInfo info(boolean rdma) {
        PoolStatus pool = namespace.poolStatus();
        return new WelcomeInfo(
                pool.clusterId(),
                MAP_VERSION,
                version(),
                pool.persistence(),
                config.dataStore(),
                config.blockSize(),
                config.chunkSize(),
                config.frameMax(),
                config.persistence().writesBack(),
                rdma);
    }

    /** This build's version. */
    public static String version() {
        try (InputStream in = HmfsServer.class.getResourceAsStream("server.properties")) {
            Properties properties = new Properties();
            properties.load(in);
            return properties.getProperty("version", "unknown");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The transport's name, such as {@code epoll}. */
    public String transportLabel() {
        return transport.label();
    }

    /** Where the server listens; the port is the real one when a free one was asked for. */
    public InetSocketAddress address() {
        return transport.address();
    }

    /** Waits until the server has stopped. Returns the exit code: 0 after {@link #close}, else {@link #EXIT_FAILED}. */
    public int awaitStop() throws InterruptedException {
        stopped.await();
        return exitCode;
    }

    /** Stops cleanly: takes no more, drains requests in flight, closes the pool, releases the port. Idempotent. */
    @Override
    public void close() {
        stop();
    }

    /** The same. Returns how it has ended, as {@link #awaitStop} does: it may have failed before. */
    public int stop() {
        if (stopping.compareAndSet(false, true)) {
            stopCleanly();
        } else {
            awaitStopped();
            closeAdmin();
        }
        return exitCode;
    }

    private void stopCleanly() {
        LOG.log(Level.INFO, "stopping");
        try {
            transport.stopListening();
            if (!connections.drain(config.drainTimeout().toMillis())) {
                LOG.log(Level.WARNING, "requests were still in flight after {0}", config.drainTimeout());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        try {
            transport.close();
            users.close();
            partition.stop(); // ends walks too
            endDisk();
            closeAudit();
            if (!service.hasFailed()) { // while draining: then the pool must not be marked clean
                partition.close();
            }
            exitCode = service.hasFailed() ? EXIT_FAILED : exitCode;
        } finally {
            stopped.countDown();
        }
        closeAdmin();
        LOG.log(Level.INFO, "stopped");
    }

    private void closeAudit() {
        AuditLog log = audit;
        if (log != null) {
            log.close();
        }
    }

    /** Last: until then it tells that the server stops, or has failed. */
    private void closeAdmin() {
        AdminHttp http = admin;
        if (http != null) {
            http.close();
        }
        metrics.close();
    }

    private void awaitStopped() {
        try {
            stopped.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void endDisk() {
        disk.shutdown();
        try {
            if (!disk.awaitTermination(DISK_END_SECONDS, TimeUnit.SECONDS)) {
                LOG.log(Level.WARNING, "the disk still works on requests after {0} s", DISK_END_SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Never over half an operation: nothing more is executed or closed, the next start recovers. */
    void failStop(Throwable cause) {
        LOG.log(Level.ERROR, "unexpected error inside an operation; stopping, the next start recovers", cause);
        if (stopping.compareAndSet(false, true)) {
            exitCode = EXIT_FAILED;
            Thread.ofPlatform().name("hmfs-fail-stop").start(() -> {
                transport.close();
                users.close();
                disk.shutdown();
                closeAudit();
                stopped.countDown();
            });
        }
    }
}
