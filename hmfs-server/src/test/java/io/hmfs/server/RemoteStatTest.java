package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ClientOptions;
import io.hmfs.client.CreateOptions;
import io.hmfs.client.FileInfo;
import io.hmfs.client.Grant;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ResultCode;
import io.hmfs.client.transport.Transport;
import io.hmfs.client.transport.rdma.MemoryVerbs;
import io.hmfs.client.transport.rdma.RdmaTransport;
import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.OpenOptions;
import io.hmfs.server.setting.ServerSetting;
import io.hmfs.server.transport.rdma.RdmaServerTransport;
import io.hmfs.wire.StatRecord;
import io.hmfs.wire.WireBuffer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: stats that a client reads in the server's memory are those that the server would answer, and hostile reads reach nothing. Method:
 * a whole server and clients over verbs whose network is memory; what a client reads is counted, redirected and torn on its way.
 */
@Timeout(120)
class RemoteStatTest {
    private static final CreateOptions PLAIN = new CreateOptions(0644, false, false, CreateOptions.INHERITED);
    private static final int MANY =
            100; // stats: enough to ask for the directory, to have a record made, and to read it

    @TempDir
    private Path directory;

    private List<MemoryVerbs> serverVerbs = List.of();
    private HmfsServer server;

    @BeforeEach
    void start() throws IOException {
        start(2);
    }

    private void start(int directories) throws IOException {
        serverVerbs = List.of(new MemoryVerbs(), new MemoryVerbs());
        Path pool = directory.resolve("p" + directories + ".pool");
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        ServerConfig config = ServerConfig.builder(pool)
                .set(ServerSetting.PORT, 0)
                .set(ServerSetting.SUPERUSER, "root")
                .set(ServerSetting.STATIC_GROUPS, "alice=users;bob=users")
                .set(ServerSetting.REMOTE_STAT_DIRECTORIES, directories)
                .build();
        server = HmfsServer.start(
                config,
                Hmfs.openForServer(pool, OpenOptions.process()),
                (receivers, connections) -> new RdmaServerTransport(receivers, connections, serverVerbs, 50_000));
        try (HmfsClient root = client("root")) {
            root.mkdir("/a", 0755, false);
            root.chown("/a", "alice", null);
        }
        try (HmfsClient alice = client("alice")) {
            alice.mkdir("/a/d", 0755, false);
            alice.create("/a/d/f", PLAIN);
        }
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private HmfsClient client(String user) throws IOException {
        return client(user, new RdmaTransport(new MemoryVerbs()));
    }

    private HmfsClient client(String user, Transport transport) throws IOException {
        ClientOptions options = new ClientOptions(user, Duration.ofSeconds(60), Duration.ofSeconds(60), 256);
        return HmfsClient.connect(transport, "127.0.0.1", server.address().getPort(), options);
    }

    private int reads() {
        return serverVerbs.stream().mapToInt(MemoryVerbs::read).sum();
    }

    /** Stats a file until one of them was answered by a read. */
    private static FileInfo warm(HmfsClient client, String path) throws IOException {
        long before = client.statsRead();
        FileInfo info = client.stat(path);
        for (int i = 0; i < 100_000 && client.statsRead() == before; i++) {
            info = client.stat(path);
        }
        assertTrue(client.statsRead() > before, "no stat was read");
        return info;
    }

    private static void assertCode(ResultCode code, HmfsClient client, String path) {
        assertEquals(
                code, assertThrows(HmfsException.class, () -> client.stat(path)).code());
    }

    @Test
    void hotFilesAreReadAndNotAskedFor() throws Exception {
        try (HmfsClient bob = client("bob");
                HmfsClient fresh = client("bob")) {
            FileInfo asked = fresh.stat("/a/d/f");
            for (int i = 0; i < MANY; i++) {
                assertEquals(asked, bob.stat("/a/d/f"));
            }
            assertTrue(bob.statsRead() >= MANY / 2, "read: " + bob.statsRead());
            assertEquals(0, fresh.statsRead());
            assertTrue(reads() >= bob.statsRead());
            String metrics = bob.metrics();
            assertTrue(metrics.contains("hmfs_remote_stat_directories 1.0"), metrics);
            assertTrue(metrics.contains("hmfs_remote_stat_records_total 1.0"), metrics);
        }
    }

    @Test
    void theServerDoesNothingForAStatThatIsRead() throws Exception {
        try (HmfsClient bob = client("bob")) {
            warm(bob, "/a/d/f");
            String before = stats(bob);
            assertFalse(before.isEmpty());
            for (int i = 0; i < MANY; i++) {
                bob.stat("/a/d/f");
            }
            assertEquals(before, stats(bob));
        }
    }

    /** How many stats the server has answered. */
    private static String stats(HmfsClient client) throws IOException {
        return client.metrics()
                .lines()
                .filter(line -> line.startsWith("hmfs_requests_total{operation=\"stat\""))
                .collect(Collectors.joining("\n"));
    }

    @Test
    void afterEachChangeTheAnswerIsTheNewOne() throws Exception {
        try (HmfsClient alice = client("alice");
                HmfsClient bob = client("bob")) {
            FileInfo file = warm(bob, "/a/d/f");
            alice.append(file, 100, alice.open("/a/d/f", false, true).grant());
            assertEquals(100, bob.stat("/a/d/f").size());
            warm(bob, "/a/d/f");
            alice.truncate("/a/d/f", 10);
            assertEquals(10, bob.stat("/a/d/f").size());
            warm(bob, "/a/d/f");
            alice.chmod("/a/d/f", 0600);
            assertEquals(0600, bob.stat("/a/d/f").mode());
            warm(bob, "/a/d/f");
            alice.setTimes("/a/d/f", 1_000, 2_000);
            assertEquals(2_000, bob.stat("/a/d/f").atimeMillis());
            warm(bob, "/a/d/f");
            alice.chown("/a/d/f", null, "users");
            assertEquals("users", bob.stat("/a/d/f").group());
            warm(bob, "/a/d/f");
            alice.rename("/a/d/f", "/a/d/g", false);
            assertCode(ResultCode.NOT_FOUND, bob, "/a/d/f");
            assertEquals(file.id(), bob.stat("/a/d/g").id());
            warm(bob, "/a/d/g");
            alice.create("/a/d/h", PLAIN);
            alice.rename("/a/d/h", "/a/d/g", true);
            assertFalse(file.id() == bob.stat("/a/d/g").id());
            warm(bob, "/a/d/g");
            alice.delete("/a/d/g");
            assertCode(ResultCode.NOT_FOUND, bob, "/a/d/g");
            alice.create("/a/d/g", PLAIN);
            assertEquals(0, bob.stat("/a/d/g").size());
            assertEquals(warm(bob, "/a/d/g"), alice.stat("/a/d/g"));
        }
    }

    @Test
    void whatMayNotBePassedAnyMoreIsNotRead() throws Exception {
        try (HmfsClient alice = client("alice");
                HmfsClient bob = client("bob")) {
            for (String closed : new String[] {"/a/d", "/a"}) {
                warm(bob, "/a/d/f");
                alice.chmod(closed, 0700);
                long read = bob.statsRead();
                assertCode(ResultCode.ACCESS_DENIED, bob, "/a/d/f");
                for (int i = 0; i < MANY; i++) {
                    alice.stat("/a/d/f"); // which makes no record
                    assertCode(ResultCode.ACCESS_DENIED, bob, "/a/d/f");
                }
                assertEquals(read, bob.statsRead());
                alice.chmod(closed, 0755);
            }
            warm(bob, "/a/d/f");
        }
    }

    @Test
    void aDirectoryThatHasMovedOrWasMadeAnewIsAskedForAnew() throws Exception {
        try (HmfsClient alice = client("alice");
                HmfsClient bob = client("bob")) {
            FileInfo file = warm(bob, "/a/d/f");
            alice.rename("/a/d", "/a/e", false);
            assertEquals(file.id(), warm(alice, "/a/e/f").id());
            assertCode(ResultCode.NOT_FOUND, bob, "/a/d/f");
            alice.mkdir("/a/d", 0755, false);
            alice.create("/a/d/f", PLAIN);
            assertFalse(file.id() == bob.stat("/a/d/f").id());
            FileInfo made = warm(bob, "/a/d/f");
            assertFalse(file.id() == made.id());
            alice.trees().remove("/a/d");
            assertCode(ResultCode.NOT_FOUND, bob, "/a/d/f");
            assertEquals(file.id(), alice.stat("/a/e/f").id());
        }
    }

    @Test
    void whatHasNoRecordIsAskedFor() throws Exception {
        try (HmfsClient alice = client("alice");
                HmfsClient bob = client("bob")) {
            warm(bob, "/a/d/f");
            alice.mkdir("/a/d/sub", 0755, false);
            for (int i = 0; i < MANY; i++) {
                assertCode(ResultCode.NOT_FOUND, bob, "/a/d/none");
                assertTrue(bob.stat("/a/d/sub").directory());
                alice.create("/a/d/sub/" + i, PLAIN);
                assertEquals(
                        alice.stat("/a/d/sub").mtimeNanos(),
                        bob.stat("/a/d/sub").mtimeNanos());
            }
            int before = reads();
            for (int i = 0; i < 20 * MANY; i++) {
                assertCode(ResultCode.NOT_FOUND, bob, "/a/d/none");
            }
            assertTrue(reads() - before < 5 * MANY, "reads that were of no use: " + (reads() - before));
            assertTrue(bob.stat("/").directory());
        }
    }

    @Test
    void directoriesNotOpenToAllAreAskedFor() throws Exception {
        try (HmfsClient alice = client("alice")) {
            alice.mkdir("/a/private", 0710, false);
            alice.create("/a/private/f", PLAIN);
            for (int i = 0; i < 10 * MANY; i++) {
                alice.stat("/a/private/f");
            }
            assertEquals(0, alice.statsRead());
            assertEquals(0, reads());
        }
    }

    @Test
    void manyAtOnceAreBoundedAndRight() throws Exception {
        try (HmfsClient alice = client("alice");
                HmfsClient bob = client("bob")) {
            List<FileInfo> files = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                files.add(alice.create("/a/d/n" + i, PLAIN));
            }
            warm(bob, "/a/d/f");
            for (int round = 0; round < 20; round++) {
                List<CompletableFuture<FileInfo>> found = IntStream.range(0, 200)
                        .mapToObj(i -> bob.statAsync("/a/d/n" + i))
                        .toList();
                for (int i = 0; i < 200; i++) {
                    assertEquals(files.get(i), found.get(i).get());
                }
            }
            assertTrue(bob.statsRead() > 200, "read: " + bob.statsRead());
        }
    }

    /** Sizes only grow, and a thread that has seen one sees no smaller one; after an append is answered all see it. */
    @Test
    void readersBesideAWriterSeeItsChangesInTheirOrder() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try (HmfsClient alice = client("alice");
                HmfsClient bob = client("bob");
                HmfsClient eve = client("eve")) {
            FileInfo file = warm(bob, "/a/d/f");
            warm(eve, "/a/d/f");
            Grant grant = alice.open("/a/d/f", false, true).grant();
            AtomicInteger answered = new AtomicInteger();
            List<Future<?>> readers = List.of(
                    threads.submit(() -> readWhileItGrows(bob, answered)),
                    threads.submit(() -> readWhileItGrows(eve, answered)));
            for (int size = 1; size <= 1000; size++) {
                alice.append(file, size, grant);
                answered.set(size);
                alice.stat("/a/d/f");
            }
            for (Future<?> each : readers) {
                each.get();
            }
            assertEquals(1000, warm(bob, "/a/d/f").size());
        } finally {
            threads.shutdownNow();
        }
    }

    private static Void readWhileItGrows(HmfsClient client, AtomicInteger answered) throws IOException {
        long last = 0;
        while (last < 1000) {
            long least = Math.max(last, answered.get());
            last = client.stat("/a/d/f").size();
            assertTrue(last >= least, last + " after " + least);
        }
        return null;
    }

    /** RDMA, but what is read is read elsewhere, or is torn when it comes. */
    private static final class Hostile implements Transport {
        private final Transport rdma = new RdmaTransport(new MemoryVerbs());
        private volatile long asked; // where the last read was to be
        private volatile long address; // added to it
        private volatile int key;
        private volatile int tornWord = -1;
        private final AtomicInteger connections = new AtomicInteger();

        @Override
        public Link connect(String host, int port, Receiver receiver) {
            connections.incrementAndGet();
            Link link = rdma.connect(host, port, new Receiver() {
                @Override
                public void connected() {
                    receiver.connected();
                }

                @Override
                public void received(WireBuffer frame) throws IOException {
                    receiver.received(frame);
                }

                @Override
                public void read(long number, ByteBuffer bytes, int at) throws IOException {
                    ByteBuffer copy = ByteBuffer.allocateDirect(StatRecord.BYTES);
                    copy.put(0, bytes, at, StatRecord.BYTES);
                    if (tornWord >= 0) {
                        copy.put(tornWord * Long.BYTES + 4, (byte) (copy.get(tornWord * Long.BYTES + 4) + 1));
                    }
                    receiver.read(number, copy, 0);
                }

                @Override
                public void ended(IOException reason) {
                    receiver.ended(reason);
                }
            });
            return new Link() {
                @Override
                public WireBuffer begin(int bound) {
                    return link.begin(bound);
                }

                @Override
                public void end(int length) {
                    link.end(length);
                }

                @Override
                public void drop() {
                    link.drop();
                }

                @Override
                public void flush() {
                    link.flush();
                }

                @Override
                public boolean read(long right, int rightKey, long number) {
                    asked = right;
                    return link.read(right + address, rightKey + key, number);
                }

                @Override
                public boolean hasReadSince(long nanos) {
                    return link.hasReadSince(nanos);
                }

                @Override
                public void close() {
                    link.close();
                }
            };
        }

        @Override
        public boolean poll() {
            return rdma.poll();
        }

        @Override
        public void await(long nanos) {
            rdma.await(nanos);
        }

        @Override
        public void wakeUp() {
            rdma.wakeUp();
        }

        @Override
        public boolean isRdma() {
            return true;
        }

        @Override
        public void close() {
            rdma.close();
        }
    }

    @Test
    void aForgedKeyOrAddressEndsTheConnectionAndNoOther() throws Exception {
        Hostile transport = new Hostile();
        try (HmfsClient eve = client("eve", transport);
                HmfsClient bob = client("bob")) {
            FileInfo file = warm(eve, "/a/d/f");
            warm(bob, "/a/d/f");
            for (int i = 0; i < 18; i++) { // more than there are places for reads
                int forgery = i % 3;
                int connections = transport.connections.get();
                transport.key = forgery == 0 ? 1 : 0;
                transport.address = forgery == 1 ? -(1 << 20) : forgery == 2 ? 1 << 20 : 0;
                long read = eve.statsRead();
                assertEquals(file, eve.stat("/a/d/f"), "by another connection");
                assertEquals(read, eve.statsRead());
                assertEquals(connections + 1, transport.connections.get());
                transport.key = 0;
                transport.address = 0;
                assertEquals(file, warm(eve, "/a/d/f"));
                long others = bob.statsRead();
                assertEquals(file, bob.stat("/a/d/f"));
                assertEquals(others + 1, bob.statsRead());
            }
        }
    }

    @Test
    void aReadOfAnotherRecordIsNone() throws Exception {
        Hostile transport = new Hostile();
        try (HmfsClient bob = client("bob", transport)) {
            bob.stat("/a/d/f");
            try (HmfsClient alice = client("alice")) {
                alice.create("/a/d/other", PLAIN);
            }
            FileInfo file = warm(bob, "/a/d/f");
            long itsAddress = transport.asked;
            warm(bob, "/a/d/other");
            transport.address = transport.asked - itsAddress;
            long read = bob.statsRead();
            assertEquals(file, bob.stat("/a/d/f"), "in place of the other, which was read");
            assertEquals(read, bob.statsRead());
        }
    }

    @Test
    void aTornReadIsAskedForInstead() throws Exception {
        Hostile transport = new Hostile();
        try (HmfsClient bob = client("bob", transport)) {
            FileInfo file = warm(bob, "/a/d/f");
            for (int word = 0; word < 8; word++) {
                transport.tornWord = word;
                long read = bob.statsRead();
                assertEquals(file, bob.stat("/a/d/f"));
                assertEquals(read, bob.statsRead(), "torn at word " + word);
                transport.tornWord = -1;
                assertEquals(file, bob.stat("/a/d/f"));
                assertEquals(read + 1, bob.statsRead());
            }
        }
    }

    @Test
    void noneIsReadWhereTheServerExportsNone() throws Exception {
        server.close();
        start(0);
        try (HmfsClient bob = client("bob")) {
            for (int i = 0; i < 10 * MANY; i++) {
                bob.stat("/a/d/f");
            }
            assertEquals(0, bob.statsRead());
            assertEquals(0, reads());
        }
    }
}
