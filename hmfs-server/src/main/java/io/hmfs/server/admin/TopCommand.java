package io.hmfs.server.admin;

import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ServerStatus;
import java.io.Console;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code hmfs top}. */
@Command(
        name = "top",
        description = "Watch what a running server does: operations per second and their latencies, by kind.",
        sortOptions = false,
        footer = {
            "",
            "Latencies are the server's own: from a request's arrival at its thread to its reply, without the",
            "network and, in the mode logged, without the wait for the log. Ends with Ctrl-C.",
            "",
            "Examples:",
            "  hmfs top",
            "  hmfs top --server meta1:8930 --interval 5s",
            "  hmfs top --once --json",
            "  hmfs top --json | jq .operations.stat.perSecond"
        })
final class TopCommand implements Callable<Integer> {
    private static final String HOME_AND_CLEAR = "\033[H\033[2J";

    @Mixin
    private ServerView server = new ServerView();

    @Option(
            names = "--interval",
            paramLabel = "TIME",
            defaultValue = "2s",
            description = "Between two looks, at least 100ms (default: 2s).")
    private String interval = "2s";

    @Option(names = "--once", description = "Look for one interval, and end.")
    private boolean once;

    @Option(names = "--json", description = "One JSON object a line, for programs.")
    private boolean json;

    /** One look at a server. */
    record Look(long nanos, ServerStatus status, Exposition metrics, Traffic traffic) {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        long millis = Quantities.millis("--interval", interval);
        if (millis < 100) {
            throw CommandException.usage("--interval is '" + interval + "'; it must be at least 100ms");
        }
        boolean live = !once && !json && isTerminal();
        try (HmfsClient client = server.connect()) {
            Look before = look(client);
            boolean more = true;
            while (more) {
                Thread.sleep(millis);
                Look now = look(client);
                String text = json ? json(before, now) : table(before, now);
                System.out.print(live ? HOME_AND_CLEAR + text : text + (once || json ? "" : "\n"));
                more = !once && !System.out.checkError(); // or the pipe is gone
                before = now;
            }
        } catch (HmfsException e) {
            throw server.explained(e);
        }
        System.out.flush();
        return 0;
    }

    @SuppressWarnings("SystemConsoleNull") // with -Djdk.console=java.base there is none in a pipe
    private static boolean isTerminal() {
        Console console = System.console();
        return console != null && console.isTerminal();
    }

    private Look look(HmfsClient client) throws IOException {
        ServerStatus status = client.status();
        Exposition metrics = ServerView.metrics(client);
        if (metrics == null) {
            throw CommandException.failure("the server at " + server.address() + " has version "
                    + status.serverVersion() + ", which tells no metrics; hmfs status shows what it has");
        }
        return new Look(System.nanoTime(), status, metrics, Traffic.of(metrics));
    }

    private static double seconds(Look before, Look now) {
        return (now.nanos() - before.nanos()) / 1e9;
    }

    private static double perSecond(Look before, Look now, String counter) {
        double grown = now.metrics().sum(counter) - before.metrics().sum(counter);
        return Math.max(0, grown) / seconds(before, now);
    }

    private static double used(Look look) {
        double capacity = look.metrics().sum("hmfs_pool_capacity_bytes");
        return capacity == 0 ? 0 : look.metrics().sum("hmfs_pool_used_bytes") / capacity;
    }

    private static String growth(Look look) {
        long max = Math.round(look.metrics().sum("hmfs_pool_max_bytes"));
        String failing = look.metrics().sum("hmfs_pool_growth_failing") == 1 ? ", NO SPACE to grow" : "";
        return max <= look.status().capacity() ? "" : ", grows to " + Quantities.readable(max) + failing;
    }

    private static double lag(Look look) {
        double published = look.metrics().sum("hmfs_log_published_lines_total");
        return Math.max(0, published - look.metrics().sum("hmfs_log_durable_lines_total"));
    }

    private String table(Look before, Look now) {
        Exposition metrics = now.metrics();
        StringBuilder text = new StringBuilder();
        text.append(String.format(
                Locale.ROOT,
                "%s  up %s  %s  connections %.0f  in flight %.0f  in %s/s  out %s/s%n",
                server.address(),
                Quantities.duration(now.status().uptimeMillis()),
                metrics.sum("hmfs_healthy") == 1 ? "healthy" : "NOT HEALTHY",
                metrics.sum("hmfs_connections"),
                metrics.sum("hmfs_requests_in_flight"),
                Quantities.readable(Math.round(perSecond(before, now, "hmfs_received_bytes_total"))),
                Quantities.readable(Math.round(perSecond(before, now, "hmfs_sent_bytes_total")))));
        StringJoiner second = new StringJoiner("  ");
        second.add(String.format(
                Locale.ROOT,
                "pool %.0f %% of %s taken%s",
                100 * used(now),
                Quantities.readable(now.status().capacity()),
                growth(now)));
        if (metrics.has("hmfs_log_durable_lines_total")) {
            second.add(String.format(
                    Locale.ROOT,
                    "log %.0f lines behind, %.0f syncs/s of %s",
                    lag(now),
                    perSecond(before, now, "hmfs_log_sync_seconds_count"),
                    Quantities.time(syncSeconds(before, now))));
        }
        if (metrics.has("hmfs_audit_dropped_total")) {
            second.add(String.format(Locale.ROOT, "audit lines dropped %.0f", metrics.sum("hmfs_audit_dropped_total")));
        }
        second.add(String.format(Locale.ROOT, "slow %.1f/s", perSecond(before, now, "hmfs_slow_operations_total")));
        text.append(second).append(System.lineSeparator());
        return text.append(System.lineSeparator()).append(rows(before, now)).toString();
    }

    private static double syncSeconds(Look before, Look now) {
        double syncs = perSecond(before, now, "hmfs_log_sync_seconds_count");
        return syncs == 0 ? 0 : perSecond(before, now, "hmfs_log_sync_seconds_sum") / syncs;
    }

    private static String rows(Look before, Look now) {
        Traffic traffic = now.traffic().since(before.traffic());
        StringBuilder text = new StringBuilder();
        String form = "%-12s %12s %10s %10s %10s %10s%n";
        text.append(String.format(form, "operation", "per second", "failed/s", "median", "p99", "p99.9"));
        for (String operation : traffic.operations()) {
            Traffic.Kind kind = traffic.kind(operation);
            text.append(String.format(
                    form,
                    operation,
                    rate(kind.requests() / seconds(before, now)),
                    rate(kind.failed() / seconds(before, now)),
                    Quantities.time(kind.percentile(0.5)),
                    Quantities.time(kind.percentile(0.99)),
                    Quantities.time(kind.percentile(0.999))));
        }
        return text.toString();
    }

    private static String rate(double perSecond) {
        return String.format(Locale.ROOT, perSecond >= 10 || perSecond == 0 ? "%.0f" : "%.1f", perSecond);
    }

    private static String json(Look before, Look now) {
        double seconds = seconds(before, now);
        Traffic traffic = now.traffic().since(before.traffic());
        Map<String, Object> operations = new LinkedHashMap<>();
        for (String operation : traffic.operations()) {
            Traffic.Kind kind = traffic.kind(operation);
            Map<String, Object> values = new LinkedHashMap<>();
            values.put("perSecond", round(kind.requests() / seconds));
            values.put("failedPerSecond", round(kind.failed() / seconds));
            values.put("medianMicros", round(1e6 * kind.percentile(0.5)));
            values.put("p99Micros", round(1e6 * kind.percentile(0.99)));
            values.put("p999Micros", round(1e6 * kind.percentile(0.999)));
            operations.put(operation, new Json.Raw(Json.object(values)));
        }
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("seconds", round(seconds));
        all.put("uptimeMillis", now.status().uptimeMillis());
        all.put("healthy", now.metrics().sum("hmfs_healthy") == 1);
        all.put("connections", Math.round(now.metrics().sum("hmfs_connections")));
        all.put("inFlight", Math.round(now.metrics().sum("hmfs_requests_in_flight")));
        all.put("receivedBytesPerSecond", round(perSecond(before, now, "hmfs_received_bytes_total")));
        all.put("sentBytesPerSecond", round(perSecond(before, now, "hmfs_sent_bytes_total")));
        all.put("poolCapacityBytes", now.status().capacity());
        all.put("poolMaxBytes", Math.round(now.metrics().sum("hmfs_pool_max_bytes")));
        all.put("poolUsedBytes", Math.round(now.metrics().sum("hmfs_pool_used_bytes")));
        if (now.metrics().has("hmfs_log_durable_lines_total")) {
            all.put("logLagLines", Math.round(lag(now)));
            all.put("logSyncsPerSecond", round(perSecond(before, now, "hmfs_log_sync_seconds_count")));
            all.put("logSyncMicros", round(1e6 * syncSeconds(before, now)));
        }
        all.put("slowPerSecond", round(perSecond(before, now, "hmfs_slow_operations_total")));
        all.put("operations", new Json.Raw(Json.object(operations)));
        return Json.object(all) + System.lineSeparator();
    }

    /** Three digits behind the point say enough, and none is ever written as 1.0E-5. */
    private static Json.Raw round(double value) {
        return new Json.Raw(String.format(Locale.ROOT, "%.3f", value));
    }
}
