package io.hmfs.server.admin;

import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ServerInfo;
import io.hmfs.client.ServerStatus;
import io.hmfs.client.TransportKind;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code hmfs status}. */
@Command(
        name = "status",
        description = "Show what a running server says about itself.",
        sortOptions = false,
        footer = {"", "Examples:", "  hmfs status", "  hmfs status --server meta1:8930 --json"})
final class StatusCommand implements Callable<Integer> {
    @Mixin
    private ServerView server = new ServerView();

    @Option(names = "--json", description = "One JSON object, for programs.")
    private boolean json;

    private static final String BY_RDMA = "hmfs_connections_rdma";

    @Override
    public Integer call() throws IOException {
        try (HmfsClient client = server.connect()) {
            ServerStatus status = client.status();
            Exposition metrics = ServerView.metrics(client);
            ServerInfo info = client.server();
            System.out.print(
                    json
                            ? json(status, info, client.transport(), metrics)
                            : table(server.address(), status, info)
                                    + transport(client.transport(), metrics)
                                    + traffic(metrics));
        } catch (HmfsException e) {
            throw server.explained(e);
        }
        return 0;
    }

    private static String transport(TransportKind own, @Nullable Exposition metrics) {
        return metrics == null
                ? ""
                : String.format(
                        Locale.ROOT, "%-12s %.0f connections; this one by %s%n", "by RDMA", metrics.sum(BY_RDMA), own);
    }

    /** What it has done since its start. */
    static String traffic(@Nullable Exposition metrics) {
        if (metrics == null) {
            return "";
        }
        Traffic traffic = Traffic.of(metrics);
        StringBuilder table = new StringBuilder();
        table.append(growth(metrics));
        String memory = memory(metrics);
        if (!memory.isEmpty()) {
            table.append(String.format("%-12s %s%n", "memory", memory));
        }
        boolean healthy = metrics.sum("hmfs_healthy") == 1;
        table.append(String.format(
                "%-12s %s%n", "health", healthy ? "healthy" : "NOT healthy; /health and the server's log say why"));
        table.append(String.format("%-12s %s%n", "sockets", sockets(metrics)));
        table.append(String.format(
                Locale.ROOT,
                "%-12s %.0f wait for the disk; %.0f slow since the start, %.0f frames refused%n",
                "requests",
                metrics.sum("hmfs_requests_in_flight"),
                metrics.sum("hmfs_slow_operations_total"),
                metrics.sum("hmfs_frames_refused_total")));
        if (metrics.has("hmfs_audit_lines_total")) {
            table.append(String.format(
                    Locale.ROOT,
                    "%-12s %.0f lines, %.0f dropped%n",
                    "audit log",
                    metrics.sum("hmfs_audit_lines_total"),
                    metrics.sum("hmfs_audit_dropped_total")));
        }
        if (metrics.has("hmfs_quota_directories")) {
            table.append(String.format(
                    Locale.ROOT,
                    "%-12s of %.0f directories; %.0f changes refused%n",
                    "quotas",
                    metrics.sum("hmfs_quota_directories"),
                    metrics.sum("hmfs_quota_refusals_total")));
        }
        for (String operation : traffic.operations()) {
            Traffic.Kind kind = traffic.kind(operation);
            table.append(String.format(
                    Locale.ROOT,
                    "  %-10s %.0f, %.0f of them not OK; median %s, p99 %s%n",
                    operation,
                    kind.requests(),
                    kind.failed(),
                    Quantities.time(kind.percentile(0.5)),
                    Quantities.time(kind.percentile(0.99))));
        }
        return table.toString();
    }

    /** What the pool lies on, in words; empty of a server that does not tell. */
    private static String memory(Exposition metrics) {
        return metrics.samples("hmfs_info").stream()
                .map(sample -> sample.labels().getOrDefault("memory", ""))
                .findFirst()
                .orElse("");
    }

    private static String growth(Exposition metrics) {
        double max = metrics.sum("hmfs_pool_max_bytes");
        if (max <= metrics.sum("hmfs_pool_capacity_bytes")) {
            return "";
        }
        boolean failing = metrics.sum("hmfs_pool_growth_failing") == 1;
        return String.format(
                "%-12s to %s%s%n",
                "grows",
                Quantities.readable(Math.round(max)),
                failing ? ", but finds NO SPACE; /health and the server's log say why" : "");
    }

    static String table(Address address, ServerStatus status, ServerInfo server) {
        Map<String, Object> rows = new LinkedHashMap<>();
        rows.put("server", address + ", version " + status.serverVersion());
        rows.put("up for", Quantities.duration(status.uptimeMillis()));
        rows.put("connections", status.connections());
        rows.put("pool", status.poolPath().isEmpty() ? "(told to superusers)" : status.poolPath());
        rows.put("backing", status.backing() + ", format " + status.formatVersion());
        rows.put("persistence", status.persistence());
        rows.put(
                "used",
                status.regionsUsed() + " of " + status.regionsMax() + " regions ("
                        + percent(status.regionsUsed(), status.regionsMax()) + " % of "
                        + Quantities.readable(status.capacity()) + ")");
        rows.put("data store", server.dataStore() + ", blocks of " + Quantities.readable(server.blockSize()));
        rows.put(
                "recovery",
                (status.recovering() ? "scan running, " : "done, ") + status.recoveredObjects()
                        + " objects were half done at the start");
        rows.put("cluster", status.clusterId() + ", map version " + status.mapVersion());
        StringBuilder table = new StringBuilder();
        rows.forEach((name, value) -> table.append(String.format("%-12s %s%n", name, value)));
        return table.toString();
    }

    static String json(ServerStatus status, ServerInfo server, TransportKind own, @Nullable Exposition metrics) {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("serverVersion", status.serverVersion());
        values.put("uptimeMillis", status.uptimeMillis());
        values.put("connections", status.connections());
        values.put("connectionBy", own.toString().toLowerCase(Locale.ROOT));
        values.put("poolPath", status.poolPath());
        values.put("backing", status.backing());
        values.put("formatVersion", status.formatVersion());
        values.put("persistence", status.persistence());
        values.put("capacity", status.capacity());
        values.put("regionsUsed", status.regionsUsed());
        values.put("regionsMax", status.regionsMax());
        values.put("dataStore", server.dataStore());
        values.put("blockSize", server.blockSize());
        values.put("recovering", status.recovering());
        values.put("recoveredObjects", status.recoveredObjects());
        values.put("clusterId", status.clusterId());
        values.put("mapVersion", status.mapVersion());
        if (metrics != null) {
            values.put("memory", memory(metrics));
            values.put("capacityMax", Math.round(metrics.sum("hmfs_pool_max_bytes")));
            values.put("growthFailing", metrics.sum("hmfs_pool_growth_failing") == 1);
            values.put("healthy", metrics.sum("hmfs_healthy") == 1);
            values.put("transport", sockets(metrics));
            values.put("connectionsRdma", Math.round(metrics.sum(BY_RDMA)));
            values.put("rdmaWrittenBytes", Math.round(metrics.sum("hmfs_rdma_written_bytes_total")));
            values.put("rdmaReadBytes", Math.round(metrics.sum("hmfs_rdma_read_bytes_total")));
            values.put("remoteStatDirectories", Math.round(metrics.sum("hmfs_remote_stat_directories")));
            values.put("remoteStatRecords", Math.round(metrics.sum("hmfs_remote_stat_records_total")));
            values.put("inFlight", Math.round(metrics.sum("hmfs_requests_in_flight")));
            values.put("slowOperations", Math.round(metrics.sum("hmfs_slow_operations_total")));
            values.put("framesRefused", Math.round(metrics.sum("hmfs_frames_refused_total")));
            values.put("quotaDirectories", Math.round(metrics.sum("hmfs_quota_directories")));
            values.put("quotaRefusals", Math.round(metrics.sum("hmfs_quota_refusals_total")));
            values.put("operations", new Json.Raw(Json.object(operations(Traffic.of(metrics)))));
        }
        return Json.object(values) + System.lineSeparator();
    }

    /** Their kind; none known of a server that is older, or does not listen yet. */
    private static String sockets(Exposition metrics) {
        return metrics.samples("hmfs_transport").stream()
                .findFirst()
                .map(sample -> sample.labels().getOrDefault("kind", ""))
                .orElse("unknown");
    }

    private static Map<String, Object> operations(Traffic traffic) {
        Map<String, Object> operations = new LinkedHashMap<>();
        for (String operation : traffic.operations()) {
            Traffic.Kind kind = traffic.kind(operation);
            Map<String, Object> values = new LinkedHashMap<>();
            values.put("requests", Math.round(kind.requests()));
            values.put("failed", Math.round(kind.failed()));
            values.put("medianMicros", micros(kind.percentile(0.5)));
            values.put("p99Micros", micros(kind.percentile(0.99)));
            operations.put(operation, new Json.Raw(Json.object(values)));
        }
        return operations;
    }

    private static Json.Raw micros(double seconds) {
        return new Json.Raw(String.format(Locale.ROOT, "%.3f", 1e6 * seconds));
    }

    private static long percent(long part, long whole) {
        return whole == 0 ? 0 : Math.round(100.0 * part / whole);
    }
}
