package io.hmfs.server.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ClientOptions;
import io.hmfs.client.CreateOptions;
import io.hmfs.client.FileInfo;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ResultCode;
import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.server.HmfsServer;
import io.hmfs.server.ServerConfig;
import io.hmfs.server.setting.ServerSetting;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: the setting {@code pool-max} lets the pool of a server grow; status, top, metrics and health tell of it, also of a growth that
 * finds no space. Method: a real server whose pool is filled; without its file's name a growth cannot tell what its disk has free.
 */
@Timeout(300)
class GrowthToldTest {
    private static final CreateOptions PLAIN = new CreateOptions(0644, false, false, 0755);
    private static final Duration LONG = Duration.ofSeconds(250);
    private static final int BATCH = 5000;
    private static final long MAX = 2 * FormatOptions.SIZE_MIN;

    @TempDir
    private Path directory = Path.of("");

    private Path pool() {
        return directory.resolve("p.pool");
    }

    private HmfsServer start() throws IOException {
        Hmfs.format(pool(), FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        ServerConfig config = ServerSettings.resolve(
                        Map.of(
                                ServerSetting.POOL, pool().toString(),
                                ServerSetting.POOL_MAX, "128M",
                                ServerSetting.PERSISTENCE, "process",
                                ServerSetting.PORT, "0"),
                        Map.of(),
                        null)
                .config();
        return HmfsServer.start(config);
    }

    private static HmfsClient connect(HmfsServer server) throws IOException {
        ClientOptions defaults = ClientOptions.defaults();
        ClientOptions patient = new ClientOptions(defaults.user(), LONG, LONG, defaults.inFlightMax());
        return HmfsClient.connect("127.0.0.1", server.address().getPort(), patient);
    }

    /** Creates until the pool is full. */
    private static void fill(HmfsClient client) throws InterruptedException {
        for (boolean full = false; !full; ) {
            List<CompletableFuture<FileInfo>> made = new ArrayList<>();
            for (int i = 0; i < BATCH; i++) {
                made.add(client.createAsync("/" + System.nanoTime() + "-" + i, PLAIN));
            }
            for (CompletableFuture<FileInfo> each : made) {
                try {
                    each.get();
                } catch (ExecutionException e) {
                    HmfsException refused = assertInstanceOf(HmfsException.class, e.getCause());
                    assertEquals(ResultCode.NO_SPACE, refused.code(), refused::toString);
                    full = true;
                }
            }
        }
    }

    private static String run(HmfsServer server, String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--server", "127.0.0.1:" + server.address().getPort()));
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

    @Test
    void aServersPoolGrowsToItsMaximum() throws Exception {
        try (HmfsServer server = start();
                HmfsClient client = connect(server)) {
            assertTrue(run(server, "status").contains("grows        to 128"), run(server, "status"));
            assertTrue(run(server, "status", "--json").contains("\"capacityMax\":" + MAX));
            String top = run(server, "top", "--once", "--interval", "100ms");
            assertTrue(top.contains(", grows to 128"), top);
            fill(client);
            assertEquals(MAX, client.status().capacity());
            String status = run(server, "status", "--json");
            assertTrue(status.contains("\"capacity\":" + MAX) && status.contains("\"growthFailing\":false"), status);
            assertFalse(run(server, "status").contains("grows"), "it has grown to its end");
        }
        assertEquals(MAX, Files.size(pool()));
    }

    @Test
    void aGrowthThatFindsNoSpaceIsTold() throws Exception {
        try (HmfsServer server = start();
                HmfsClient client = connect(server)) {
            assertTrue(server.health().isHealthy());
            Files.delete(pool());
            fill(client);
            assertEquals(FormatOptions.SIZE_MIN, client.status().capacity());
            List<String> problems = server.health().problems();
            assertTrue(problems.stream().anyMatch(each -> each.contains("cannot grow")), problems.toString());
            assertTrue(run(server, "status", "--json").contains("\"growthFailing\":true"));
            assertTrue(run(server, "status").contains("NO SPACE"));
            String top = run(server, "top", "--once", "--interval", "100ms");
            assertTrue(top.contains("NO SPACE to grow"), top);
        }
    }

    @Test
    void aMaximumThatNoPoolCanHaveIsNamed() {
        CommandException wrong = assertThrows(
                CommandException.class,
                () -> ServerSettings.resolve(
                                Map.of(
                                        ServerSetting.POOL, pool().toString(),
                                        ServerSetting.PERSISTENCE, "process",
                                        ServerSetting.POOL_MAX, "1T"),
                                Map.of(),
                                null)
                        .config());
        assertTrue(String.valueOf(wrong.getMessage()).contains("pool-max"), wrong.getMessage());
    }
}
