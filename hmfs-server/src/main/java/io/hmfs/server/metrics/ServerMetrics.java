package io.hmfs.server.metrics;

import io.hmfs.core.PoolFigures;
import io.hmfs.core.PoolStatus;
import io.hmfs.core.ServerNamespace;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The metrics of a server, as text for Prometheus. The server's own and those of the JVM are two registries: peers of the wire are told
 * the first only. docs/operations.md lists all of the first.
 */
public final class ServerMetrics implements AutoCloseable {
    private static final long FRESH_NANOS = 100_000_000;

    /** A text and its time. */
    private static final class Told {
        private final long nanos;
        private final byte[] text;

        Told(long nanos, byte[] text) {
            this.nanos = nanos;
            this.text = text;
        }
    }

    private final PrometheusMeterRegistry own = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final PrometheusMeterRegistry jvm = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final JvmGcMetrics collections = new JvmGcMetrics();
    private final List<Object> held = new ArrayList<>(); // Micrometer holds what it counts weakly
    private final Meters meters;
    private final ServerNamespace namespace;
    private volatile PoolFigures pool = PoolFigures.NONE;
    private volatile @Nullable PoolStatus poolStatus;
    private volatile @Nullable Told told;

    public ServerMetrics(Meters meters, ServerNamespace namespace, String version) {
        this.meters = meters;
        this.namespace = namespace;
        look();
        own.getPrometheusRegistry().register(new RequestCollector(meters));
        bindPool(version);
        bindTallies();
        bindJvm();
    }

    // ---- what others add before the first look

    /** A value that goes up and down. */
    public void gauge(String name, @Nullable String unit, String help, DoubleSupplier value) {
        Gauge.builder(name, value::getAsDouble)
                .baseUnit(unit)
                .description(help)
                .strongReference(true)
                .register(own);
    }

    /** One of several values of a kind, told by the resource that it is of. */
    public void gaugeOf(String resource, String name, String help, DoubleSupplier value) {
        Gauge.builder(name, value::getAsDouble)
                .description(help)
                .tag("resource", resource)
                .strongReference(true)
                .register(own);
    }

    /** The same of a value that only grows. */
    public void counterOf(String resource, String name, String help, LongSupplier value) {
        FunctionCounter.builder(name, value, LongSupplier::getAsLong)
                .description(help)
                .tag("resource", resource)
                .register(own);
        held.add(value);
    }

    /** A value that only grows. */
    public void counter(String name, @Nullable String unit, String help, LongSupplier value) {
        FunctionCounter.builder(name, value, LongSupplier::getAsLong)
                .baseUnit(unit)
                .description(help)
                .register(own);
        held.add(value);
    }

    /** 1 or 0. */
    public void truth(String name, String help, BooleanSupplier value) {
        gauge(name, null, help, () -> value.getAsBoolean() ? 1 : 0);
    }

    /** The kind of the sockets. */
    public void transport(String kind) {
        Gauge.builder("hmfs.transport", () -> 1)
                .description("The kind of the sockets, as a label")
                .tag("kind", kind)
                .strongReference(true)
                .register(own);
    }

    /** How long each step of the start took. */
    public void startSteps(Map<String, Long> nanosByStep) {
        nanosByStep.forEach((step, nanos) -> TimeGauge.builder("hmfs.start.step", () -> nanos, TimeUnit.NANOSECONDS)
                .description("Time that a step of the start took")
                .tag("step", step)
                .strongReference(true)
                .register(own));
    }

    /** What an audit log does. */
    public void audit(AuditLog audit) {
        counter("hmfs.audit.lines", null, "Lines of the audit log that were written", audit::written);
        counter(
                "hmfs.audit.dropped",
                null,
                "Lines of the audit log that were dropped: its queue was full or its disk failed",
                () -> meters.tally(WorkerMeter.Tally.AUDIT_DROPPED) + audit.failed());
        truth("hmfs.audit.stopped", "1 once the audit log has ended after an unexpected error", audit::hasStopped);
    }

    // ---- what this class knows itself

    private void look() {
        pool = namespace.poolFigures();
        try {
            poolStatus = namespace.poolStatus();
        } catch (IllegalStateException e) {
            // It has stopped: the last figures stand.
            return;
        }
    }

    private double poolValue(ToDoubleFunction<PoolStatus> value) {
        PoolStatus status = poolStatus;
        return status == null ? 0 : value.applyAsDouble(status);
    }

    private void bindPool(String version) {
        PoolStatus status = poolStatus;
        String persistence = status == null ? "" : status.persistence();
        Gauge.builder("hmfs.info", () -> 1)
                .description("Version, mode and the pool's memory, as labels")
                .tag("version", version)
                .tag("persistence", persistence)
                .tag("memory", status == null ? "" : status.memory())
                .strongReference(true)
                .register(own);
        gauge("hmfs.pool.capacity", "bytes", "Size of the pool", () -> poolValue(PoolStatus::capacity));
        gauge(
                "hmfs.pool.max",
                "bytes",
                "Size to which the pool may grow by itself",
                () -> poolValue(PoolStatus::capacityMax));
        truth(
                "hmfs.pool.growth.failing",
                "1 from a growth of the pool that found no space until one that does",
                () -> poolValue(each -> each.growthProblem() == null ? 0 : 1) > 0);
        for (String kind : pool.usedBytes().keySet()) {
            Gauge.builder("hmfs.pool.used", () -> pool.usedBytes().getOrDefault(kind, 0L))
                    .baseUnit("bytes")
                    .description("Regions of the pool that are taken, by what they hold")
                    .tag("kind", kind)
                    .strongReference(true)
                    .register(own);
        }
        truth(
                "hmfs.pool.full",
                "1 from a request that found no room until one that makes or finds some",
                meters::isFull);
        counter("hmfs.recovered.objects", null, "Objects found half done and finished or undone since the start", () ->
                (long) poolValue(PoolStatus::recoveredObjects));
        truth(
                "hmfs.scan.running",
                "1 while the background scan that follows a start runs",
                () -> poolValue(each -> each.recovering() ? 1 : 0) > 0);
        if (persistence.equals("logged")) {
            counter(
                    "hmfs.log.published.lines",
                    null,
                    "Position of the log: lines put into it, over all starts",
                    () -> pool.log().publishedLines());
            counter(
                    "hmfs.log.durable.lines",
                    null,
                    "Of these, lines on the disk",
                    () -> pool.log().durableLines());
            counter(
                    "hmfs.log.written",
                    "bytes",
                    "Written to the log since the start",
                    () -> pool.log().writtenBytes());
            FunctionTimer.builder(
                            "hmfs.log.sync",
                            this,
                            self -> self.pool.log().syncs(),
                            self -> self.pool.log().syncNanos(),
                            TimeUnit.NANOSECONDS)
                    .description("Times that the disk was told to keep the log, and how long that took")
                    .register(own);
            gauge(
                    "hmfs.replies.held",
                    "bytes",
                    "Replies that wait for the log",
                    () -> tally(WorkerMeter.Tally.HELD_BYTES));
            FunctionTimer.builder(
                            "hmfs.reply.hold",
                            this,
                            self -> self.tally(WorkerMeter.Tally.HOLDS),
                            self -> self.tally(WorkerMeter.Tally.HOLD_NANOS),
                            TimeUnit.NANOSECONDS)
                    .description("Batches of replies that waited for the log, and how long")
                    .register(own);
        }
    }

    private long tally(WorkerMeter.Tally tally) {
        return meters.tally(tally);
    }

    private void bindTallies() {
        counter(
                "hmfs.connections.accepted",
                null,
                "Connections since the start",
                () -> tally(WorkerMeter.Tally.CONNECTIONS_ACCEPTED));
        counter(
                "hmfs.connections.refused",
                null,
                "Connections beyond connections-max or their user's share, and those whose place another got",
                () -> tally(WorkerMeter.Tally.CONNECTIONS_REFUSED));
        counter("hmfs.received", "bytes", "Bytes read from connections", () -> tally(WorkerMeter.Tally.RECEIVED_BYTES));
        counter("hmfs.sent", "bytes", "Bytes of replies", () -> tally(WorkerMeter.Tally.SENT_BYTES));
        counter(
                "hmfs.rdma.written",
                "bytes",
                "Bytes of long replies that were written into clients' memory",
                () -> tally(WorkerMeter.Tally.RDMA_WRITTEN_BYTES));
        counter(
                "hmfs.rdma.read",
                "bytes",
                "Bytes of long requests that were read from clients' memory",
                () -> tally(WorkerMeter.Tally.RDMA_READ_BYTES));
        counter(
                "hmfs.frames.refused",
                null,
                "Frames that were no request: unreadable, malformed, of another protocol or version, too late",
                () -> tally(WorkerMeter.Tally.FRAMES_REFUSED));
        counter(
                "hmfs.allocations.failed",
                null,
                "Connections that ended because there was no memory for their buffers",
                () -> tally(WorkerMeter.Tally.ALLOCATIONS_FAILED));
        counter(
                "hmfs.slow.operations",
                null,
                "Operations that took longer than slow-threshold",
                () -> tally(WorkerMeter.Tally.SLOW_OPERATIONS));
        counter(
                "hmfs.path.hits",
                null,
                "Paths whose directories were all known to their thread",
                () -> tally(WorkerMeter.Tally.PATH_HITS));
        counter(
                "hmfs.path.misses",
                null,
                "Paths of whose directories at least one had to be looked up",
                () -> tally(WorkerMeter.Tally.PATH_MISSES));
        counter(
                "hmfs.path.invalidations",
                null,
                "Known directories that were forgotten because something on their path had changed",
                () -> tally(WorkerMeter.Tally.PATH_INVALIDATIONS));
        gauge(
                "hmfs.netty.direct",
                "bytes",
                "Memory outside the heap that buffers of connections have",
                () -> ByteBufAllocator.DEFAULT instanceof ByteBufAllocatorMetricProvider known
                        ? known.metric().usedDirectMemory()
                        : 0);
    }

    private void bindJvm() {
        new ClassLoaderMetrics().bindTo(jvm);
        new JvmMemoryMetrics().bindTo(jvm);
        collections.bindTo(jvm);
        new JvmThreadMetrics().bindTo(jvm);
        new ProcessorMetrics().bindTo(jvm);
        new FileDescriptorMetrics().bindTo(jvm);
        new UptimeMetrics().bindTo(jvm);
    }

    /** All of them, in Prometheus's text format. */
    public String text() {
        look();
        return own.scrape() + jvm.scrape();
    }

    /** The server's own, in Prometheus's text format, UTF-8; at most 0.1 s old, so that asking often costs little. */
    public byte[] ownText() {
        long now = System.nanoTime();
        Told known = told;
        if (known == null || now - known.nanos > FRESH_NANOS) {
            look();
            known = new Told(now, own.scrape().getBytes(StandardCharsets.UTF_8));
            told = known;
        }
        return known.text;
    }

    @Override
    public void close() {
        collections.close();
        own.close();
        jvm.close();
    }
}
