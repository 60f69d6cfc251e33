package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ClientOptions;
import io.hmfs.client.CreateOptions;
import io.hmfs.client.FileInfo;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.OpenedFile;
import io.hmfs.client.ResultCode;
import io.hmfs.server.setting.ServerSetting;
import io.hmfs.server.transport.SocketKind;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.WelcomeDecoder;
import io.hmfs.wire.Wire;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: whatever the sockets are, data comes back whole, a stop loses nothing, and connections are bounded without harm to those that are
 * there. Method: a real server on each kind that this machine has; EndToEndTest, StrangerTest and BadInputTest run on each of them too.
 */
@Timeout(300)
class SocketsTest {
    private static final CreateOptions PLAIN = new CreateOptions(0644, false, false, 0755);
    private static final int CONNECTIONS_MAX = 3;

    @TempDir
    private Path directory;

    @ParameterizedTest
    @EnumSource(
            value = SocketKind.class,
            names = {"EPOLL", "IO_URING", "NIO"})
    void dataInManyChunksAtOnceComesBackWholeAndTheServerTellsItsKind(SocketKind sockets) throws Exception {
        byte[] written = new byte[ServerFixture.BLOCK_SIZE];
        new Random(4).nextBytes(written);
        byte[] read = new byte[written.length];
        try (ServerFixture fixture = ServerFixture.on(sockets, directory);
                HmfsClient client = fixture.client()) {
            assertEquals(sockets.label(), fixture.server().transportLabel());
            String metrics = client.metrics();
            assertTrue(metrics.contains("hmfs_transport{kind=\"" + sockets.label() + "\"} 1"), metrics);
            OpenedFile file = LeasedFiles.create(client, "/f", PLAIN);
            List<CompletableFuture<?>> chunks = new ArrayList<>();
            for (int block = 0; block < 8; block++) {
                for (int at = 0; at < written.length; at += ServerFixture.CHUNK_SIZE) {
                    chunks.add(client.writeBlockAsync(
                            file.grant(), file.info().id(), block, at, written, at, ServerFixture.CHUNK_SIZE));
                }
            }
            chunks.forEach(CompletableFuture::join);
            chunks.clear();
            LeasedFiles.close(client, file, 8L * ServerFixture.BLOCK_SIZE);
            OpenedFile opened = client.open("/f", true, false);
            for (int at = 0; at < read.length; at += ServerFixture.CHUNK_SIZE) {
                chunks.add(client.readBlockAsync(
                        opened.grant(), opened.info().id(), 7, at, read, at, ServerFixture.CHUNK_SIZE));
            }
            chunks.forEach(CompletableFuture::join);
        }
        assertArrayEquals(written, read);
    }

    @ParameterizedTest
    @EnumSource(
            value = SocketKind.class,
            names = {"EPOLL", "IO_URING", "NIO"})
    void aStopUnderLoadLosesNothing(SocketKind sockets) throws Exception {
        try (ServerFixture fixture = ServerFixture.on(sockets, directory);
                HmfsClient client = fixture.client()) {
            List<CompletableFuture<FileInfo>> creates = new ArrayList<>();
            for (int i = 0; i < 2_000; i++) {
                creates.add(client.createAsync("/f" + i, PLAIN));
            }
            creates.get(500).get();
            fixture.restart();
            for (int i = 0; i < creates.size(); i++) {
                assertEquals("f" + i, creates.get(i).get().name());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = SocketKind.class,
            names = {"EPOLL", "IO_URING", "NIO"})
    void aConnectionBeyondTheBoundIsToldSoAndTheOthersStay(SocketKind sockets) throws Exception {
        assertEquals(ResultCode.TOO_MANY_CONNECTIONS, ResultCode.of(109)); // wire format
        try (ServerFixture fixture = ServerFixture.on(
                        sockets, directory, builder -> builder.set(ServerSetting.CONNECTIONS_MAX, CONNECTIONS_MAX));
                HmfsClient first = fixture.client();
                HmfsClient second = fixture.client()) {
            try (RawPeer third = new RawPeer(fixture.port())) {
                third.greet();
                for (int i = 0; i < 2 * CONNECTIONS_MAX; i++) {
                    HmfsException refused = assertThrows(HmfsException.class, fixture::client);
                    assertEquals(ResultCode.TOO_MANY_CONNECTIONS, refused.code());
                    String message = String.valueOf(refused.getMessage());
                    assertTrue(message.contains("has 3 connections, its connections-max"), message);
                }
                try (RawPeer silent = new RawPeer(fixture.port())) { // is told before it says anything
                    RawPeer.Failure failure = silent.readFailure();
                    assertEquals(0, failure.correlationId());
                    assertEquals(ResultCode.TOO_MANY_CONNECTIONS, failure.code());
                    assertTrue(silent.isClosedByServer());
                }
                third.send(RawPeer.stat(9, new byte[] {'/'}));
                third.read();
                assertEquals(CONNECTIONS_MAX, first.status().connections());
                String metrics = second.metrics();
                assertTrue(metrics.contains("hmfs_connections_refused_total 7.0"), metrics);
            }
            // A place that was left, and that of each refused one, is free again.
            Await.until("room", () -> {
                try (HmfsClient again = fixture.client()) {
                    return again.status().connections() == CONNECTIONS_MAX;
                } catch (HmfsException e) {
                    assertEquals(ResultCode.TOO_MANY_CONNECTIONS, e.code());
                    return false;
                }
            });
        }
    }

    /** Clients that are refused stay for a moment to read why, and come again before that is over. */
    @Test
    void aRefusedClientTakesNoOtherClientsPlace() throws Exception {
        try (ServerFixture fixture =
                new ServerFixture(directory, builder -> builder.set(ServerSetting.CONNECTIONS_MAX, 1))) {
            List<RawPeer> refused = new ArrayList<>();
            try (HmfsClient first = fixture.client()) {
                assertEquals(1, first.status().connections());
                for (int i = 0; i < 20; i++) {
                    refused.add(new RawPeer(fixture.port()));
                    assertEquals(
                            ResultCode.TOO_MANY_CONNECTIONS,
                            refused.getLast().readFailure().code());
                }
            }
            Await.until("room", () -> {
                refused.add(new RawPeer(fixture.port())); // and stays
                refused.getLast().send(RawPeer.hello(Wire.MAGIC, Wire.PROTOCOL_VERSION, 0, "eve"));
                return new MessageHeaderDecoder()
                                .wrap(refused.getLast().read(), 0)
                                .templateId()
                        == WelcomeDecoder.TEMPLATE_ID;
            });
            for (RawPeer peer : refused) {
                peer.close();
            }
        }
    }

    /** Its calls wait, as they would for a server that is away. */
    @Test
    void aClientThatLostItsConnectionWaitsForRoom() throws Exception {
        try (ServerFixture fixture =
                new ServerFixture(directory, builder -> builder.set(ServerSetting.CONNECTIONS_MAX, 1))) {
            List<RawPeer> others = new ArrayList<>();
            AtomicInteger times = new AtomicInteger();
            FrameProxy.Weather firstIsLost =
                    (number, request) -> number == 0 ? FrameProxy.Fate.LOSE : FrameProxy.Fate.PASS;
            Runnable between = () -> {
                switch (times.getAndIncrement()) {
                    // In the client's place, until it has been refused.
                    case 0 -> others.add(peerThatGetsIn(fixture.port()));
                    case 1 -> assertDoesNotThrow(others.getFirst()::close);
                    default -> {
                        // The server may still be freeing that place.
                    }
                }
            };
            try (FrameProxy proxy = new FrameProxy(fixture.port(), firstIsLost, between);
                    HmfsClient client = HmfsClient.connect(
                            "127.0.0.1", proxy.port(), ClientOptions.defaults().withUser("alice"))) {
                assertTrue(client.statAsync("/").join().directory());
                assertTrue(proxy.connections() > 2, proxy.connections() + " connections");
            }
        }
    }

    private static RawPeer peerThatGetsIn(int port) {
        List<RawPeer> in = new ArrayList<>();
        assertDoesNotThrow(() -> Await.until("room", () -> {
            RawPeer peer = new RawPeer(port);
            peer.send(RawPeer.hello(Wire.MAGIC, Wire.PROTOCOL_VERSION, 0, "eve"));
            if (new MessageHeaderDecoder().wrap(peer.read(), 0).templateId() == WelcomeDecoder.TEMPLATE_ID) {
                return in.add(peer);
            }
            peer.close();
            return false;
        }));
        return in.getFirst();
    }
}
