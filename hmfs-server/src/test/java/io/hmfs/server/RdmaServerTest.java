package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ClientOptions;
import io.hmfs.client.CreateOptions;
import io.hmfs.client.FileInfo;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.ListPage;
import io.hmfs.client.ListingCursor;
import io.hmfs.client.OpenedFile;
import io.hmfs.client.TransportKind;
import io.hmfs.client.transport.rdma.MemoryVerbs;
import io.hmfs.client.transport.rdma.RdmaTransport;
import io.hmfs.client.transport.rdma.Verbs;
import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.OpenOptions;
import io.hmfs.server.setting.ServerSetting;
import io.hmfs.server.transport.RdmaUse;
import io.hmfs.server.transport.rdma.RdmaServerTransport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a server is the same over RDMA. Method: a whole server and clients over verbs whose network is memory; on a device
 * the same is run by {@code bin/dev guest-test}.
 */
@Timeout(120)
class RdmaServerTest {
    private static final ClientOptions OPTIONS =
            new ClientOptions("alice", Duration.ofSeconds(60), Duration.ofSeconds(60), 256);

    private static final int CHUNK = 256 << 10;
    private static final CreateOptions PLAIN = new CreateOptions(0644, false, false, CreateOptions.INHERITED);

    @TempDir
    private Path directory;

    private final List<MemoryVerbs> serverVerbs =
            List.of(new MemoryVerbs(), new MemoryVerbs(), new MemoryVerbs()); // for a thread each

    private HmfsServer server;

    @BeforeEach
    void start() throws IOException {
        Path pool = directory.resolve("p.pool");
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        ServerConfig config = ServerConfig.builder(pool)
                .set(ServerSetting.PORT, 0)
                .set(ServerSetting.PERMISSIONS_ENABLED, false)
                .build();
        server = HmfsServer.start(
                config,
                Hmfs.openForServer(pool, OpenOptions.process()),
                (receivers, connections) -> new RdmaServerTransport(receivers, connections, serverVerbs, 50_000));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private HmfsClient client() throws IOException {
        return client(OPTIONS);
    }

    private HmfsClient client(ClientOptions options) throws IOException {
        return client(new MemoryVerbs(), options);
    }

    private HmfsClient client(MemoryVerbs verbs, ClientOptions options) throws IOException {
        return HmfsClient.connect(
                new RdmaTransport(verbs), "127.0.0.1", server.address().getPort(), options);
    }

    private static int count(HmfsClient client) throws IOException {
        int count = 0;
        for (ListingCursor at = ListingCursor.START; at != null; ) {
            ListPage page = client.list("/d", at, 1000);
            count += page.entries().size();
            at = page.next();
        }
        return count;
    }

    @Test
    void threadsOfSeveralClientsMakeAndFindFiles() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(6);
        try (HmfsClient one = client();
                HmfsClient other = client()) {
            one.mkdir("/d", 0755, false);
            List<Future<?>> done = new ArrayList<>();
            for (int t = 0; t < 6; t++) {
                HmfsClient client = t % 2 == 0 ? one : other;
                String prefix = "/d/t" + t + "-";
                done.add(threads.submit(() -> {
                    for (int i = 0; i < 500; i++) {
                        FileInfo made = client.create(prefix + i, PLAIN);
                        assertEquals(made.id(), client.stat(prefix + i).id());
                    }
                    return null;
                }));
            }
            for (Future<?> each : done) {
                each.get();
            }
            assertEquals(3000, count(one));
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void manyCallsUnderWayAtOnce() throws Exception {
        try (HmfsClient client = client()) {
            client.mkdir("/d", 0755, false);
            List<CompletableFuture<FileInfo>> made = new ArrayList<>();
            for (int i = 0; i < 20_000; i++) {
                made.add(client.createAsync("/d/" + "n".repeat(i % 200) + i, PLAIN));
            }
            for (CompletableFuture<FileInfo> each : made) {
                each.get();
            }
            assertEquals(20_000, count(client));
        }
    }

    @Test
    void longRepliesAreWrittenIntoTheClientsMemoryAndLongRequestsReadThere() throws Exception {
        MemoryVerbs verbs = new MemoryVerbs();
        byte[] bytes = new byte[8 * CHUNK];
        new Random(7).nextBytes(bytes);
        try (HmfsClient client = client(verbs, OPTIONS)) {
            OpenedFile opened = LeasedFiles.create(client, "/f", PLAIN);
            FileInfo file = opened.info();
            List<CompletableFuture<Void>> written = new ArrayList<>();
            for (int at = 0; at < bytes.length; at += CHUNK) {
                written.add(client.writeBlockAsync(opened.grant(), file.id(), 0, at, bytes, at, CHUNK));
            }
            for (CompletableFuture<Void> each : written) {
                each.get();
            }
            int reads = verbs.read();
            assertTrue(reads >= 7 * 4, "reads: " + reads);
            byte[] back = new byte[bytes.length];
            List<CompletableFuture<Integer>> read = new ArrayList<>();
            for (int at = 0; at < bytes.length; at += CHUNK) {
                read.add(client.readBlockAsync(file.id(), 0, at, back, at, CHUNK));
            }
            for (CompletableFuture<Integer> each : read) {
                assertEquals(CHUNK, each.get());
            }
            assertArrayEquals(bytes, back);
            assertTrue(verbs.written() >= 8 * 4, "writes: " + verbs.written());
            client.mkdir("/d", 0755, false);
            for (int i = 0; i < 3000; i++) {
                client.create("/d/a-name-of-some-length-" + i, PLAIN);
            }
            int before = verbs.written();
            assertEquals(3000, count(client));
            assertTrue(verbs.written() >= before + 3, "writes of pages: " + (verbs.written() - before));
            String metrics = client.metrics();
            assertTrue(metrics.contains("hmfs_rdma_read_bytes_total 2"), metrics);
        }
    }

    @Test
    void connectionsAreSpreadOverTheThreads() throws Exception {
        List<HmfsClient> clients = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            clients.add(client());
        }
        for (int i = 0; i < 6; i++) {
            clients.get(i).mkdir("/d" + i, 0755, false);
        }
        serverVerbs.forEach(each -> assertEquals(2, each.connections()));
        clients.forEach(HmfsClient::close);
        Await.until("no connection", () -> serverVerbs.stream().allMatch(each -> each.connections() == 0));
    }

    @Test
    void theServerTellsHowItIsReached() throws Exception {
        try (HmfsClient client = client()) {
            assertEquals(TransportKind.RDMA, client.transport());
            assertTrue(client.metrics().contains("hmfs_connections_rdma 1.0"), client.metrics());
        }
    }

    @Test
    void loopbackIsReachedByNoDevice() {
        assertTrue(Transports.isLoopback("127.0.0.1"));
        assertTrue(Transports.isLoopback("localhost"));
        assertFalse(Transports.isLoopback("0.0.0.0"));
        assertFalse(Transports.isLoopback("192.0.2.1"));
        ServerConfig config = ServerConfig.builder(directory.resolve("p.pool"))
                .set(ServerSetting.HOST, "127.0.0.1")
                .set(ServerSetting.RDMA, RdmaUse.ON)
                .build();
        IOException refused = assertThrows(IOException.class, () -> Transports.of(config));
        assertTrue(String.valueOf(refused.getMessage()).contains("which no device reaches"), refused.getMessage());
    }

    @Test
    void aClientThatIsGoneLeavesTheOthersAlone() throws Exception {
        try (HmfsClient stays = client()) {
            for (int i = 0; i < 50; i++) {
                HmfsClient goes = client();
                goes.mkdir("/d" + i, 0755, false);
                var _ = goes.createAsync("/d" + i + "/f", PLAIN);
                goes.close();
                stays.stat("/d" + i);
            }
        }
    }

    @Test
    void aServerThatHasStoppedIsGone() throws Exception {
        ClientOptions hasty = new ClientOptions("alice", Duration.ofSeconds(60), Duration.ofSeconds(3), 256);
        try (HmfsClient client = client(hasty)) {
            client.mkdir("/d", 0755, false);
            server.close();
            assertThrows(IOException.class, () -> client.stat("/d"));
        }
    }

    @Test
    void aRequestOfAnotherProtocolIsRefused() throws Exception {
        MemoryVerbs verbs = new MemoryVerbs();
        List<String> ends = new ArrayList<>();
        verbs.connect(
                new InetSocketAddress(
                        InetAddress.getLoopbackAddress(), server.address().getPort()),
                ByteBuffer.allocate(56),
                1,
                new Verbs.Events() {
                    @Override
                    public void prepared() {}

                    @Override
                    public void connected() {
                        ends.add("connected");
                    }

                    @Override
                    public void received(int slot, int length) {}

                    @Override
                    public void sent(int slot) {}

                    @Override
                    public void ended(String reason) {
                        ends.add(reason);
                    }
                });
        Await.until("an end", () -> {
            verbs.poll();
            return !ends.isEmpty();
        });
        assertEquals(List.of("rejected"), ends);
        verbs.close();
    }
}
