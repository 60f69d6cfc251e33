package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ClientOptions;
import io.hmfs.client.CreateOptions;
import io.hmfs.client.FileInfo;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.ListingCursor;
import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.setting.ServerSetting;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a peer that watches a server sees what it does: its health, a line for each operation, its slow operations; and cannot harm it.
 * Method: a real server, or one on a namespace that fails, is full or slow when a name says so.
 */
@Timeout(120)
class ObservationTest {
    private static final CreateOptions PLAIN = new CreateOptions(0644, false, false, 0755);
    private static final ClientOptions OPTIONS = ClientOptions.defaults().withUser("alice");

    @TempDir
    private Path directory;

    private final HttpClient http = HttpClient.newHttpClient();

    private HttpResponse<String> ask(HmfsServer server, String method, String path) throws Exception {
        InetSocketAddress at = server.adminAddress();
        assertNotNull(at);
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + at.getPort() + path))
                .timeout(Duration.ofSeconds(30))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .build();
        return http.send(request, HttpResponse.BodyHandlers.ofString());
    }

    private static ServerConfig.Builder served(ServerConfig.Builder builder) {
        return builder.set(ServerSetting.ADMIN_HOST, "127.0.0.1").set(ServerSetting.ADMIN_PORT, 0);
    }

    private static HmfsClient client(HmfsServer server) throws IOException {
        return HmfsClient.connect("127.0.0.1", server.address().getPort(), OPTIONS);
    }

    /** A server whose namespace does something else about names that begin so. */
    private HmfsServer serve(ServerNamespace namespace, Path pool, UnaryOperator<ServerConfig.Builder> change)
            throws IOException {
        ServerConfig.Builder builder =
                ServerConfig.builder(pool).set(ServerSetting.PORT, 0).set(ServerSetting.SUPERUSER, OPTIONS.user());
        return HmfsServer.start(change.apply(served(builder)).build(), namespace);
    }

    private static ServerNamespace odd(ServerNamespace real) {
        return (ServerNamespace) Proxy.newProxyInstance(
                ObservationTest.class.getClassLoader(),
                new Class<?>[] {ServerNamespace.class},
                (proxy, method, arguments) -> {
                    for (Object argument : arguments == null ? new Object[0] : arguments) {
                        String name = argument instanceof Name it ? it.toString() : "";
                        switch (name) {
                            case "bomb" -> throw new IndexOutOfBoundsException("a bad pointer");
                            case "full" -> {
                                return Status.NO_SPACE;
                            }
                            case "slow" -> LockSupport.parkNanos(30_000_000);
                            default -> {}
                        }
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private Path formatted() throws IOException {
        Path pool = directory.resolve("p.pool");
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        return pool;
    }

    @Test
    void aHealthyServerSaysSoAndAnswersOnlyGet() throws Exception {
        try (ServerFixture fixture = new ServerFixture(directory, ObservationTest::served)) {
            HmfsServer server = fixture.server();
            HttpResponse<String> health = ask(server, "GET", "/health");
            assertEquals(200, health.statusCode());
            assertEquals("{\"status\":\"ok\",\"problems\":[]}\n", health.body());
            assertTrue(ask(server, "GET", "/metrics").body().contains("\njvm_memory_used_bytes{"));
            assertEquals(
                    "text/plain; version=0.0.4; charset=utf-8",
                    ask(server, "GET", "/metrics")
                            .headers()
                            .firstValue("Content-Type")
                            .orElse(""));
            for (String method : List.of("POST", "PUT", "DELETE", "TRACE", "OPTIONS")) {
                assertEquals(405, ask(server, method, "/metrics").statusCode(), method);
            }
            assertEquals(200, ask(server, "HEAD", "/health").statusCode());
            for (String path : List.of("/", "/metricsx", "/metrics/", "/../metrics", "/health/x")) {
                assertEquals(404, ask(server, "GET", path).statusCode(), path);
            }
        }
    }

    @Test
    void nothingIsServedUnlessItIsAskedFor() throws Exception {
        try (ServerFixture fixture = new ServerFixture(directory)) {
            assertEquals(null, fixture.server().adminAddress());
        }
    }

    @Test
    void peersThatStopInTheMiddleKeepNoOtherPeerFromIt() throws Exception {
        try (ServerFixture fixture = new ServerFixture(directory, ObservationTest::served)) {
            InetSocketAddress at = fixture.server().adminAddress();
            assertNotNull(at);
            Socket[] silent = new Socket[30];
            for (int i = 0; i < silent.length; i++) {
                silent[i] = new Socket(InetAddress.getLoopbackAddress(), at.getPort());
                silent[i].getOutputStream().write("GET /metrics HTTP/1.1\r\nHo".getBytes(StandardCharsets.US_ASCII));
            }
            assertEquals(200, ask(fixture.server(), "GET", "/health").statusCode());
            for (Socket each : silent) {
                each.close();
            }
        }
    }

    @Test
    void peersThatHaveTheirAnswerKeepNoOtherPeerFromIt() throws Exception {
        try (ServerFixture fixture = new ServerFixture(directory, ObservationTest::served)) {
            InetSocketAddress at = fixture.server().adminAddress();
            assertNotNull(at);
            Socket[] answered = new Socket[100];
            for (int i = 0; i < answered.length; i++) {
                answered[i] = new Socket(InetAddress.getLoopbackAddress(), at.getPort());
                answered[i]
                        .getOutputStream()
                        .write("GET /health HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                byte[] answer = answered[i].getInputStream().readNBytes(15);
                assertEquals("HTTP/1.1 200 OK", new String(answer, StandardCharsets.US_ASCII), "peer " + i);
            }
            assertEquals(200, ask(fixture.server(), "GET", "/health").statusCode());
            for (Socket each : answered) {
                each.close();
            }
        }
    }

    @Test
    void aPortInUseIsOneClearErrorAndLeavesThePoolUsable() throws Exception {
        try (ServerFixture fixture = new ServerFixture(directory, ObservationTest::served)) {
            InetSocketAddress taken = fixture.server().adminAddress();
            assertNotNull(taken);
            Path other = formatted();
            ServerConfig config = ServerConfig.builder(other)
                    .set(ServerSetting.PORT, 0)
                    .set(ServerSetting.ADMIN_HOST, "127.0.0.1")
                    .set(ServerSetting.ADMIN_PORT, taken.getPort())
                    .build();
            IOException thrown = assertThrows(IOException.class, () -> HmfsServer.start(config));
            String message = String.valueOf(thrown.getMessage());
            assertTrue(message.contains("127.0.0.1:" + taken.getPort()) && message.contains("admin-port"), message);
            HmfsServer.start(ServerConfig.builder(other)
                            .set(ServerSetting.PORT, 0)
                            .build())
                    .close();
        }
    }

    @Test
    void aFullPoolIsUnhealthyUntilSomethingIsRemoved() throws Exception {
        Path pool = formatted();
        try (HmfsServer server = serve(odd(Hmfs.openForServer(pool, OpenOptions.process())), pool, builder -> builder);
                HmfsClient client = client(server)) {
            client.create("/a", PLAIN);
            assertEquals(200, ask(server, "GET", "/health").statusCode());
            assertThrows(IOException.class, () -> client.mkdir("/full", 0755, false));
            HttpResponse<String> full = ask(server, "GET", "/health");
            assertEquals(503, full.statusCode());
            assertTrue(full.body().contains("the pool is full"), full.body());
            client.delete("/a");
            assertEquals(200, ask(server, "GET", "/health").statusCode());
        }
    }

    @Test
    void aServerThatHasFailedSaysSoUntilItIsClosed() throws Exception {
        Path pool = formatted();
        try (ServerNamespace real = Hmfs.openForServer(pool, OpenOptions.process())) {
            HmfsServer server = serve(odd(real), pool, builder -> builder);
            ClientOptions hasty =
                    new ClientOptions(OPTIONS.user(), OPTIONS.connectTimeout(), Duration.ofSeconds(5), 16);
            try (HmfsClient client =
                    HmfsClient.connect("127.0.0.1", server.address().getPort(), hasty)) {
                assertThrows(IOException.class, () -> client.mkdir("/bomb", 0755, false));
            }
            assertEquals(HmfsServer.EXIT_FAILED, server.awaitStop());
            HttpResponse<String> failed = ask(server, "GET", "/health");
            assertEquals(503, failed.statusCode());
            assertTrue(failed.body().contains("has failed"), failed.body());
            assertTrue(ask(server, "GET", "/metrics").body().contains("\nhmfs_healthy 0.0\n"));
            server.close();
            assertThrows(IOException.class, () -> ask(server, "GET", "/health"));
        }
    }

    @Test
    void aPoolWhoseLogHasFailedIsUnhealthyBeforeAnyRequestFindsOut() throws Exception {
        Path pool = formatted();
        try (ServerNamespace real = Hmfs.openForServer(pool, OpenOptions.process())) {
            boolean[] stopped = new boolean[1];
            ServerNamespace failing = (ServerNamespace) Proxy.newProxyInstance(
                    ObservationTest.class.getClassLoader(),
                    new Class<?>[] {ServerNamespace.class},
                    (_, method, arguments) -> {
                        if (stopped[0] && method.getName().equals("poolStatus")) {
                            throw new IllegalStateException("the namespace has stopped after an error; reopen it");
                        }
                        return method.getName().equals("close") ? null : method.invoke(real, arguments);
                    });
            try (HmfsServer server = serve(failing, pool, builder -> builder)) {
                assertEquals(200, ask(server, "GET", "/health").statusCode());
                stopped[0] = true;
                HttpResponse<String> health = ask(server, "GET", "/health");
                assertEquals(503, health.statusCode());
                assertTrue(health.body().contains("the pool has stopped"), health.body());
                assertEquals(200, ask(server, "GET", "/metrics").statusCode());
            }
        }
    }

    @Test
    void eachOperationOnAPathHasItsLineInHdfsFormat() throws Exception {
        Path file = directory.resolve("audit.log");
        long parent = 0;
        try (ServerFixture fixture = new ServerFixture(
                        directory,
                        builder -> builder.set(ServerSetting.AUDIT_LOG, file)
                                .set(ServerSetting.AUDIT_LOG_SIZE, 1L << 20)
                                .set(ServerSetting.AUDIT_LOG_FILES, 2)
                                .set(ServerSetting.COMPRESS_FROM, 1L) // lines are written of what is compressed, too
                                .set(ServerSetting.COMPRESS_LOCAL, true));
                HmfsClient client = fixture.client(OPTIONS)) {
            client.mkdir("/a/b", 01750, true);
            FileInfo made = client.create("/a/b/f", PLAIN);
            parent = made.parentId();
            client.stat("/a/b/f");
            client.stat("/");
            client.list("/a", ListingCursor.START, 0);
            client.listMany(List.of("/a/b", "/none", "/a/b/f"), ListingCursor.START, 0);
            client.chmod("/a/b/f", 0600);
            client.chown("/a/b/f", null, "staff");
            client.setTimes("/a/b/f", 1, 2);
            client.append(made, 5);
            client.truncate("/a/b/f", 3);
            client.create("/g\n", PLAIN);
            client.rename("/a/b/f", "/h", false);
            client.rename("/g\n", "/h", true);
            assertThrows(IOException.class, () -> client.stat("/none"));
            client.delete("/h");
            client.rmdir("/a/b");
            client.status();
            client.metrics();
            try (HmfsClient stranger = fixture.client(OPTIONS.withUser("bob"))) {
                assertThrows(IOException.class, () -> stranger.mkdir("/bobs", 0755, false));
            }
        }
        String user = OPTIONS.user();
        String group = "supergroup"; // of the directory above
        String head = "INFO FSNamesystem.audit: allowed=true\tugi=" + user + " (auth:SIMPLE)\tip=/127.0.0.1\tcmd=";
        List<String> expected = List.of(
                "mkdirs\tsrc=/a/b\tdst=null\tperm=" + user + ":" + group + ":drwxr-x--T",
                "create\tsrc=/a/b/f\tdst=null\tperm=" + user + ":" + group + ":-rw-r--r--",
                "getfileinfo\tsrc=/a/b/f\tdst=null\tperm=null",
                "getfileinfo\tsrc=/\tdst=null\tperm=null",
                "listStatus\tsrc=/a\tdst=null\tperm=null",
                "listStatus\tsrc=/a/b\tdst=null\tperm=null",
                "listStatus\tsrc=/none\tdst=null\tperm=null\tNOT_FOUND",
                "listStatus\tsrc=/a/b/f\tdst=null\tperm=null",
                "setPermission\tsrc=/a/b/f\tdst=null\tperm=null",
                "setOwner\tsrc=/a/b/f\tdst=null\tperm=null",
                "setTimes\tsrc=/a/b/f\tdst=null\tperm=null",
                "append\tsrc=/.reserved/.inodes/" + parent + "/f\tdst=null\tperm=null",
                "truncate\tsrc=/a/b/f\tdst=null\tperm=null",
                "create\tsrc=/g\\x0a\tdst=null\tperm=" + user + ":" + group + ":-rw-r--r--",
                "rename\tsrc=/a/b/f\tdst=/h\tperm=null",
                "rename (options=[OVERWRITE])\tsrc=/g\\x0a\tdst=/h\tperm=null",
                "getfileinfo\tsrc=/none\tdst=null\tperm=null\tNOT_FOUND",
                "delete\tsrc=/h\tdst=null\tperm=null",
                "delete\tsrc=/a/b\tdst=null\tperm=null");
        List<String> lines = new ArrayList<>(Files.readAllLines(file));
        String denied = lines.removeLast();
        assertTrue(
                denied.endsWith("allowed=false\tugi=bob (auth:SIMPLE)\tip=/127.0.0.1\tcmd=mkdirs\tsrc=/bobs\tdst=null"
                        + "\tperm=null\tproto=hmfs\tstatus=ACCESS_DENIED"),
                denied);
        assertEquals(expected.size(), lines.size(), () -> String.join("\n", lines));
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            assertTrue(line.matches("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d,\\d{3} .*"), line);
            boolean failed = expected.get(i).endsWith("\tNOT_FOUND");
            String wanted = failed ? expected.get(i).replace("\tNOT_FOUND", "") : expected.get(i);
            assertEquals(head + wanted + "\tproto=hmfs\tstatus=" + (failed ? "NOT_FOUND" : "OK"), line.substring(24));
        }
    }

    @Test
    void operationsThatAreExecutedTogetherHaveTheirOwnLines() throws Exception {
        Path file = directory.resolve("audit.log");
        List<String> expected = new ArrayList<>();
        try (ServerFixture fixture = new ServerFixture(
                        directory,
                        builder -> builder.set(ServerSetting.AUDIT_LOG, file)
                                .set(ServerSetting.AUDIT_LOG_SIZE, 1L << 20)
                                .set(ServerSetting.AUDIT_LOG_FILES, 2));
                HmfsClient client = fixture.client(OPTIONS)) {
            List<CompletableFuture<FileInfo>> asked = new ArrayList<>();
            for (int i = 0; i < 600; i++) {
                String path = "/f" + i % 400 + "-".repeat(i % 7 * 20);
                boolean stat = i % 100 >= 60;
                asked.add(stat ? client.statAsync(path) : client.createAsync(path, PLAIN));
                expected.add((stat ? "getfileinfo " : "create ") + path);
            }
            for (int i = 0; i < asked.size(); i++) {
                CompletableFuture<FileInfo> each = asked.get(i);
                String status =
                        each.handle((info, e) -> info == null ? "failed" : "OK").get();
                expected.set(i, expected.get(i) + " " + status);
            }
        }
        Pattern line = Pattern.compile(".*\tcmd=(\\w+)\tsrc=([^\t]+)\t.*\tperm=([^\t]+)\t.*\tstatus=(\\w+)");
        List<String> told = new ArrayList<>();
        for (String each : Files.readAllLines(file)) {
            Matcher parts = line.matcher(each);
            assertTrue(parts.matches(), each);
            boolean ok = parts.group(4).equals("OK");
            assertEquals(ok && parts.group(1).equals("create"), parts.group(3).endsWith(":-rw-r--r--"), each);
            told.add(parts.group(1) + " " + parts.group(2) + " " + (ok ? "OK" : "failed"));
        }
        assertEquals(expected, told);
        assertTrue(told.stream().anyMatch(each -> each.endsWith("failed")));
    }

    @Test
    void aSlowOperationIsAnEventOfAFlightRecording() throws Exception {
        Path pool = formatted();
        try (Recording recording = new Recording()) {
            recording.enable("io.hmfs.SlowOperation");
            recording.start();
            UnaryOperator<ServerConfig.Builder> patient =
                    builder -> builder.set(ServerSetting.SLOW_THRESHOLD, Duration.ofMillis(20));
            try (HmfsServer server = serve(odd(Hmfs.openForServer(pool, OpenOptions.process())), pool, patient);
                    HmfsClient client = client(server)) {
                client.mkdir("/slow", 0755, false);
                assertThrows(IOException.class, () -> client.stat("/slow/x"));
                assertTrue(client.metrics().matches("(?s).*\nhmfs_slow_operations_total ([2-9]|\\d\\d+)\\.0\n.*"));
            }
            recording.dump(directory.resolve("slow.jfr"));
        }
        List<RecordedEvent> events = RecordingFile.readAllEvents(directory.resolve("slow.jfr")).stream()
                .filter(event -> event.getEventType().getName().equals("io.hmfs.SlowOperation"))
                .toList();
        assertSlow(events, "mkdir", "/slow", "OK");
        assertSlow(events, "stat", "/slow/x", "NOT_FOUND");
    }

    private static void assertSlow(List<RecordedEvent> events, String operation, String path, String status) {
        RecordedEvent event = events.stream()
                .filter(each -> each.getString("path").equals(path)
                        && each.getString("operation").equals(operation))
                .findFirst()
                .orElseThrow(() -> new AssertionError(operation + " " + path + " is not in " + events));
        assertEquals(status, event.getString("status"));
        assertEquals(OPTIONS.user(), event.getString("user"));
        assertTrue(event.getDuration("timeTaken").toNanos() >= 20_000_000, () -> String.valueOf(event));
    }
}
