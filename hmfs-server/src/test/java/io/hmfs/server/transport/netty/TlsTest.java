package io.hmfs.server.transport.netty;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ResultCode;
import io.hmfs.server.transport.netty.FuzzReplies.Reply;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import javax.net.ssl.KeyManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: the transport can be wrapped: with TLS in front of the connection's handler a peer gets the same replies, back-pressure and ends as
 * without. Method: as {@link NettyChannelTest}, with Netty's TLS between pipeline and peer, and a certificate that the test makes; the same peer without TLS
 * beside it. Not tried: how long the end of a peer takes that takes nothing, for which TLS has a timer, and a channel without a network ends all timers
 * when it is closed.
 */
class TlsTest {
    private static final String PASSWORD = "changeit";
    private static final int READ_BLOCK = 40;
    private static final int STATUS = 12;
    private static final int STAT = 3;
    private static final long MORE_THAN_IDLE = FuzzRig.LIMITS.idleNanos() * 3 / 2;
    private static final int REQUESTS = 4_000;

    @TempDir
    private static Path keys;

    @TempDir
    private Path directory;

    private static SslContext ofServer;
    private static SslContext ofClient;

    private FuzzRig rig;
    private FuzzRequests requests;
    private FuzzChannel server;
    private EmbeddedChannel peer;
    private final ByteArrayOutputStream received = new ByteArrayOutputStream();

    @BeforeAll
    static void makeCertificate() throws Exception {
        Path store = keys.resolve("keys.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "hmfs",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=hmfs",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        PASSWORD)
                .inheritIO()
                .start();
        assertEquals(0, keytool.waitFor());
        KeyStore loaded = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            loaded.load(in, PASSWORD.toCharArray());
        }
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(loaded, PASSWORD.toCharArray());
        ofServer = SslContextBuilder.forServer(factory)
                .sslProvider(SslProvider.JDK)
                .build();
        ofClient = SslContextBuilder.forClient()
                .sslProvider(SslProvider.JDK)
                .trustManager(InsecureTrustManagerFactory.INSTANCE) // what is tried is the way of the bytes
                .build();
    }

    @BeforeEach
    void connect() throws Exception {
        rig = new FuzzRig(directory);
        rig.reset();
        requests = new FuzzRequests(new Random(3), rig);
        server = rig.connect();
        String end = server.pipeline().context(NettyChannel.class).name();
        server.pipeline().addBefore(end, "tls", ofServer.newHandler(server.alloc()));
        peer = new EmbeddedChannel(ofClient.newHandler(server.alloc()));
        carry();
        assertTrue(peer.pipeline().get(SslHandler.class).handshakeFuture().isSuccess());
    }

    @AfterEach
    void leave() throws Exception {
        var _ = peer.close();
        server.leave();
        peer.releaseOutbound();
        peer.releaseInbound();
        rig.close();
    }

    /** Carries bytes both ways until there are none. */
    private void carry() {
        for (boolean any = true; any; ) {
            any = false;
            for (ByteBuf out = peer.readOutbound(); out != null; out = peer.readOutbound()) {
                any = true;
                byte[] bytes = new byte[out.readableBytes()];
                out.readBytes(bytes).release();
                server.send(bytes);
            }
            byte[] back = server.takeBytes();
            if (back.length > 0) {
                any = true;
                peer.writeInbound(Unpooled.wrappedBuffer(back));
            }
        }
        for (ByteBuf plain = peer.readInbound(); plain != null; plain = peer.readInbound()) {
            byte[] bytes = new byte[plain.readableBytes()];
            plain.readBytes(bytes).release();
            received.writeBytes(bytes);
        }
    }

    private byte[] frame(int template) {
        return requests.frame(Objects.requireNonNull(WireSchema.INSTANCE.request(template)));
    }

    private void send(byte... frame) {
        peer.writeOutbound(Unpooled.copiedBuffer(frame));
        carry();
    }

    private byte[] taken() {
        byte[] bytes = received.toByteArray();
        received.reset();
        return bytes;
    }

    private List<Reply> replies() {
        return FuzzReplies.in(taken());
    }

    @Test
    void repliesAreThoseOfAPeerWithoutIt() {
        byte[] hello = frame(WireSchema.HELLO);
        FuzzChannel plain = rig.connect();
        plain.send(hello);
        plain.takeBytes(); // says when, and which connection
        send(hello);
        assertFalse(replies().getFirst().isFailure());
        for (int i = 0; i < 100; i++) {
            byte[] stat = frame(STAT);
            plain.send(stat);
            send(stat);
            assertArrayEquals(plain.takeBytes(), taken());
        }
        byte[] read = requests.chunk(
                Objects.requireNonNull(WireSchema.INSTANCE.request(READ_BLOCK)),
                rig.known().getLast());
        plain.send(read);
        send(read);
        byte[] chunk = taken();
        assertTrue(chunk.length > FuzzRig.CHUNK_SIZE, chunk.length + " bytes");
        assertArrayEquals(plain.takeBytes(), chunk);
        plain.leave();
    }

    /** Reads chunks, and takes none, as long as the server reads. Returns how many that were. */
    private int sendUntilItReadsNoMore() {
        send(frame(WireSchema.HELLO));
        taken();
        byte[] read = requests.chunk(
                Objects.requireNonNull(WireSchema.INSTANCE.request(READ_BLOCK)),
                rig.known().getLast());
        server.stall();
        int sent = 0;
        while (server.config().isAutoRead() && sent < REQUESTS) {
            send(read);
            sent++;
        }
        return sent;
    }

    @Test
    void repliesThatThePeerDoesNotTakeStopTheReading() {
        int sent = sendUntilItReadsNoMore();
        assertNotEquals(REQUESTS, sent);
        long waiting = server.waitingBytes();
        assertTrue(waiting > 1 << 20, waiting + " bytes");
        assertTrue(waiting < (1 << 20) + 3 * FuzzRig.CHUNK_SIZE, waiting + " bytes"); // and what TLS adds
        server.take();
        carry();
        assertEquals(sent, replies().size());
        assertTrue(server.config().isAutoRead());
        assertEquals(0, server.waitingBytes());
    }

    @Test
    void whoDoesNotGreetIsToldSoAndClosed() {
        send(frame(STATUS)); // instead of a Hello
        List<Reply> told = replies();
        assertEquals(1, told.size());
        assertTrue(told.getFirst().isFailure());
        assertFalse(server.isOpen());
    }

    @Test
    void silenceEndsWithTheSameWord() {
        server.pass(MORE_THAN_IDLE);
        carry();
        assertEquals(ResultCode.TIMEOUT.code(), replies().getFirst().code());
        assertFalse(server.isOpen());
    }
}
