package io.hmfs.server.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ClientOptions;
import io.hmfs.client.CreateOptions;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.ListingCursor;
import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.pmem.Backing;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.log.LogOptions;
import io.hmfs.server.HmfsServer;
import io.hmfs.server.ServerConfig;
import io.hmfs.server.setting.ServerSetting;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: metrics add up, are the ones that docs/operations.md lists, and {@code status} and {@code top} show them.
 * Method: a real server in mode logged with all that can be observed, a known number of requests, and the commands as a user runs them.
 */
@Timeout(120)
class WatchCommandsTest {
    private static final Pattern DOCUMENTED =
            Pattern.compile("\\| `(hmfs_[a-z_]+)` \\| (counter|gauge|histogram|summary) \\|.*");

    @TempDir
    private Path directory = Path.of("");

    private @Nullable HmfsServer server;

    @BeforeEach
    void start() throws IOException {
        Path pool = directory.resolve("p.pool");
        Path log = directory.resolve("log");
        Hmfs.format(
                pool,
                new FormatOptions(
                        FormatOptions.SIZE_MIN,
                        Backing.MAPPED,
                        false,
                        LogOptions.in(log).withOnVolatile(true)));
        server = HmfsServer.start(ServerConfig.builder(pool)
                .set(ServerSetting.PORT, 0)
                .set(ServerSetting.PERSISTENCE, Persistence.LOGGED)
                .set(ServerSetting.EMULATE_PMEM, true)
                .set(ServerSetting.LOG_DIRECTORY, log)
                .set(ServerSetting.ADMIN_HOST, "127.0.0.1")
                .set(ServerSetting.ADMIN_PORT, 0)
                .set(ServerSetting.AUDIT_LOG, directory.resolve("audit.log"))
                .set(ServerSetting.AUDIT_LOG_SIZE, 1L << 20)
                .set(ServerSetting.AUDIT_LOG_FILES, 2)
                .set(ServerSetting.SLOW_THRESHOLD, Duration.ofSeconds(30))
                .build());
    }

    @AfterEach
    void stop() {
        if (server != null) {
            server.close();
        }
    }

    private HmfsServer server() {
        if (server == null) {
            throw new AssertionError("no server");
        }
        return server;
    }

    private HmfsClient client() throws IOException {
        return HmfsClient.connect("127.0.0.1", server().address().getPort(), ClientOptions.defaults());
    }

    private Exposition scrape() throws Exception {
        InetSocketAddress at = server().adminAddress();
        URI uri = URI.create("http://127.0.0.1:" + (at == null ? 0 : at.getPort()) + "/metrics");
        try (HttpClient http = HttpClient.newHttpClient()) {
            return Exposition.parse(http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
                    .body());
        }
    }

    /** What a command prints. */
    private String run(String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.add("--server");
        all.add("127.0.0.1:" + server().address().getPort());
        PrintStream before = System.out;
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
        try {
            assertEquals(0, Main.commandLine().execute(all.toArray(String[]::new)));
        } finally {
            System.setOut(before);
        }
        return out.toString(StandardCharsets.UTF_8);
    }

    private void work(HmfsClient client) throws IOException {
        client.mkdir("/d", 0755, false);
        for (int i = 0; i < 20; i++) {
            client.create("/d/f" + i, new CreateOptions(0644, false, false, 0755));
            client.stat("/d/f" + i);
        }
        for (int i = 0; i < 5; i++) {
            try {
                client.stat("/none");
            } catch (IOException e) {
                // as expected
            }
        }
        client.list("/d", ListingCursor.START, 0);
        client.delete("/d/f0");
    }

    private static double requests(Exposition metrics, String operation, String status) {
        return metrics.sum(
                "hmfs_requests_total",
                labels -> operation.equals(labels.get("operation")) && status.equals(labels.get("status")));
    }

    @Test
    void safeModeIsEnteredAndLeftByCommand() throws Exception {
        assertEquals("safe mode is off\n", run("safemode"));
        assertEquals("safe mode is on\n", run("safemode", "enter"));
        assertEquals("safe mode is on\n", run("safemode", "get"));
        try (HmfsClient client = client()) {
            assertTrue(client.isInSafeMode());
        }
        assertEquals("safe mode is off\n", run("safemode", "leave"));
    }

    @Test
    void safeModeIsWaitedForByCommand() throws Exception {
        try (HmfsClient client = client()) {
            client.setSafeMode(true);
            Thread leaves = Thread.startVirtualThread(() -> {
                try {
                    while (scrape().sum("hmfs_connections", _ -> true) < 2) {
                        Thread.sleep(10);
                    }
                    client.setSafeMode(false);
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            });
            assertEquals("safe mode is off\n", run("safemode", "wait"));
            leaves.join();
        }
        assertEquals("safe mode is off\n", run("safemode", "wait"));
    }

    @Test
    void quotasAreSetShownAndClearedByCommand() throws Exception {
        try (HmfsClient client = client()) {
            client.mkdir("/q", 0755, false);
        }
        assertEquals("/q has no quota\n", run("quota", "show", "/q"));
        assertEquals("path     /q\nnames    1 of 5\nspace    0 B of any\n", run("quota", "set", "/q", "--names", "5"));
        assertEquals(
                "path     /q\nnames    1 of 5\nspace    0 B of 1.5 GiB\n",
                run("quota", "set", "/q", "--space", "1536M"));
        assertTrue(run("status").contains("\nquotas       of 1 directories; 0 changes refused\n"));
        assertEquals(
                "path     /q\nnames    1 of any\nspace    0 B of 1.5 GiB\n", run("quota", "clear", "/q", "--names"));
        assertEquals("/q has no quota\n", run("quota", "clear", "/q"));
    }

    @Test
    void eachRequestIsCountedOnceByOperationAndStatus() throws Exception {
        try (HmfsClient client = client()) {
            work(client);
            Exposition metrics = scrape();
            assertEquals(20, requests(metrics, "create", "OK"));
            assertEquals(20, requests(metrics, "stat", "OK"));
            assertEquals(5, requests(metrics, "stat", "NOT_FOUND"));
            assertEquals(1, requests(metrics, "delete", "OK"));
            assertEquals(1, metrics.sum("hmfs_connections"));
            assertTrue(metrics.sum("hmfs_received_bytes_total") > 48 * 28);
            assertTrue(metrics.sum("hmfs_sent_bytes_total") > 48 * 28);
            assertTrue(metrics.sum("hmfs_log_sync_seconds_count") > 0);
            assertTrue(metrics.sum("hmfs_log_durable_lines_total") > 40);
            assertTrue(metrics.sum("hmfs_pool_used_bytes") > 0);
            assertEquals(FormatOptions.SIZE_MIN, metrics.sum("hmfs_pool_capacity_bytes"));
            assertTrue(metrics.sum("hmfs_reply_hold_seconds_count") > 0);
            assertEquals(0, metrics.sum("hmfs_replies_held_bytes"));
            for (String operation : List.of("create", "stat", "list", "mkdir", "delete")) {
                assertHistogram(metrics, operation);
            }
        }
    }

    /** Buckets ascend, and the last one has all that were counted. */
    private static void assertHistogram(Exposition metrics, String operation) {
        TreeMap<Double, Double> buckets = new TreeMap<>();
        for (Exposition.Sample sample : metrics.samples("hmfs_request_duration_seconds_bucket")) {
            if (operation.equals(sample.labels().get("operation"))) {
                String bound = sample.labels().getOrDefault("le", "");
                buckets.put(
                        bound.equals("+Inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(bound), sample.value());
            }
        }
        double before = 0;
        for (double count : buckets.values()) {
            assertTrue(count >= before, operation + " " + buckets);
            before = count;
        }
        assertEquals(Double.POSITIVE_INFINITY, buckets.lastKey());
        Traffic.Kind kind = Traffic.of(metrics).kind(operation);
        assertEquals(kind.requests(), before);
        double sum =
                metrics.sum("hmfs_request_duration_seconds_sum", labels -> operation.equals(labels.get("operation")));
        assertTrue(sum > 0 && kind.percentile(1) > 0, operation);
    }

    @Test
    void theTableOfMetricsInTheDocumentationIsWhatAServerTells() throws Exception {
        try (HmfsClient client = client()) {
            work(client);
            Map<String, String> told = new TreeMap<>();
            scrape().families().forEach((name, family) -> {
                if (name.startsWith("hmfs_")) {
                    told.put(name, family.type());
                }
            });
            Map<String, String> documented = new TreeMap<>();
            for (String line : Files.readAllLines(Path.of("..", "docs", "operations.md"))) {
                Matcher row = DOCUMENTED.matcher(line);
                if (row.matches()) {
                    documented.put(row.group(1), row.group(2));
                }
            }
            assertEquals(documented, told);
            Set<String> own =
                    new TreeSet<>(Exposition.parse(client.metrics()).families().keySet());
            assertEquals(told.keySet(), own); // what the wire tells: these, and nothing of the JVM
        }
    }

    @Test
    void framesThatAreNoRequestsAreCounted() throws Exception {
        try (Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), server().address().getPort())) {
            socket.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertTrue(socket.getInputStream().read() >= 0); // the refusal
            assertEquals(1, scrape().sum("hmfs_frames_refused_total"));
        }
    }

    @Test
    void topShowsRatesAndLatenciesWithoutControlCharacters() throws Exception {
        try (HmfsClient client = client()) {
            Thread load = Thread.ofPlatform().start(() -> {
                try {
                    for (int i = 0; !Thread.currentThread().isInterrupted(); i++) {
                        client.statAsync("/" + i).exceptionally(e -> null).join();
                    }
                } catch (RuntimeException e) {
                    // the end of the test
                }
            });
            String json = run("top", "--once", "--json", "--interval", "300ms");
            assertTrue(json.startsWith("{\"seconds\":") && json.endsWith("}}\n"), json);
            assertEquals(1, json.lines().count());
            Matcher rate = Pattern.compile(
                            "\"stat\":\\{\"perSecond\":([0-9.]+),\"failedPerSecond\":([0-9.]+),\"medianMicros\":([0-9.]+)")
                    .matcher(json);
            assertTrue(rate.find(), json);
            assertTrue(Double.parseDouble(rate.group(1)) > 0, json);
            assertEquals(rate.group(1), rate.group(2)); // nothing of that is there
            assertTrue(Double.parseDouble(rate.group(3)) > 0, json);
            assertTrue(json.contains("\"logLagLines\":"), json);
            String table = run("top", "--once", "--interval", "300ms");
            assertTrue(table.contains("operation") && table.contains("\nstat "), table);
            assertTrue(table.contains(" lines behind"), table);
            assertFalse(Pattern.compile("[\\p{Cntrl}&&[^\n]]").matcher(table).find(), "control characters");
            load.interrupt();
            load.join();
        }
    }

    @Test
    void statusShowsRequestsByKind() throws Exception {
        try (HmfsClient client = client()) {
            work(client);
            String table = run("status");
            assertTrue(table.contains("health       healthy\n"), table);
            assertTrue(
                    Pattern.compile("\nsockets +(epoll|nio)\n").matcher(table).find(), table);
            assertTrue(table.contains("\n  stat       25, 5 of them not OK; median "), table);
            String json = run("status", "--json");
            assertTrue(json.contains("\"stat\":{\"requests\":25,\"failed\":5,\"medianMicros\":"), json);
            assertTrue(json.contains("\"healthy\":true"), json);
            assertTrue(
                    Pattern.compile("\"transport\":\"(epoll|nio)\"")
                            .matcher(json)
                            .find(),
                    json);
        }
    }
}
