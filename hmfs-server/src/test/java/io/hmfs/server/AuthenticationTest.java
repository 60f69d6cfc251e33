package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ClientOptions;
import io.hmfs.client.CreateOptions;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ResultCode;
import io.hmfs.client.authentication.ClientAuthenticator;
import io.hmfs.client.transport.rdma.MemoryVerbs;
import io.hmfs.client.transport.rdma.RdmaTransport;
import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.ServerNamespace;
import io.hmfs.server.access.Authenticator;
import io.hmfs.server.access.Authenticators;
import io.hmfs.server.setting.ServerSetting;
import io.hmfs.server.transport.rdma.RdmaServerTransport;
import io.hmfs.wire.ChallengeDecoder;
import io.hmfs.wire.ChallengeEncoder;
import io.hmfs.wire.HelloEncoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.MessageHeaderEncoder;
import io.hmfs.wire.ResponseEncoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a handshake takes as many messages as a method of authentication has, lets nobody in before both ends are believed, and leaves
 * nothing behind, however it ends. Method: whole servers and clients with a method of two exchanges; peers that send what they like.
 */
@Timeout(240)
class AuthenticationTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int SHORT_TOKEN = 16;
    private static final int KERBEROS_TOKEN = 48_000; // MaxTokenSize of Active Directory
    private static final Executor HERE = Runnable::run;
    private static final Pattern NO_CONNECTIONS = Pattern.compile("(?m)^hmfs_connections(\\{[^}]*})? 0(\\.0)?$");

    @TempDir
    private Path directory;

    private final AtomicInteger atServer = new AtomicInteger();
    private final AtomicInteger atClient = new AtomicInteger();
    private final ExecutorService elsewhere = Executors.newFixedThreadPool(2);
    private @Nullable HmfsServer server;

    private HmfsServer start(Authenticator... methods) throws IOException {
        return start(LONG, methods);
    }

    private HmfsServer start(Duration idleTimeout, Authenticator... methods) throws IOException {
        ServerConfig config = config(idleTimeout);
        HmfsServer started = HmfsServer.start(
                config, namespace(config), Transports.of(config), new Authenticators(List.of(methods)));
        server = started;
        return started;
    }

    private ServerConfig config(Duration idleTimeout) {
        return ServerConfig.builder(directory.resolve("p.pool"))
                .set(ServerSetting.PORT, 0)
                .set(ServerSetting.ADMIN_PORT, 0)
                .set(ServerSetting.IDLE_TIMEOUT, idleTimeout)
                .set(ServerSetting.SUPERUSER, "alice")
                .build();
    }

    private static ServerNamespace namespace(ServerConfig config) throws IOException {
        Hmfs.format(config.pool(), FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        return Hmfs.openForServer(config.pool(), OpenOptions.process());
    }

    @AfterEach
    void stop() {
        elsewhere.shutdownNow();
        HmfsServer started = server;
        if (started != null) {
            started.close();
        }
    }

    private Authenticator secret(String secret, Executor executor) {
        return new SharedSecret.OfServer(secret, KERBEROS_TOKEN, executor, atServer);
    }

    private ClientOptions knows(String secret, int tokenBytes, Executor executor) {
        return new ClientOptions("alice", LONG, LONG, 16)
                .withAuthentication(new SharedSecret.OfClient("alice", secret, tokenBytes, executor, atClient));
    }

    private static HmfsClient connect(HmfsServer to, ClientOptions options) throws IOException {
        return HmfsClient.connect("127.0.0.1", to.address().getPort(), options);
    }

    private static void assertSays(String text, IOException refusal) {
        String message = String.valueOf(refusal.getMessage());
        assertTrue(message.contains(text), message);
    }

    private void assertNothingIsLeft() throws Exception {
        Await.until("all exchanges end", () -> atServer.get() == 0 && atClient.get() == 0);
    }

    private static void works(HmfsClient client) throws IOException {
        client.create("/f", new CreateOptions(0644, false, false, CreateOptions.INHERITED));
        assertEquals("alice", client.stat("/f").owner());
    }

    @ParameterizedTest
    @ValueSource(ints = {SHORT_TOKEN, KERBEROS_TOKEN})
    void bothEndsProveWhoTheyAre(int tokenBytes) throws Exception {
        try (HmfsClient client = connect(start(secret("s", HERE)), knows("s", tokenBytes, HERE))) {
            works(client);
            assertNothingIsLeft();
        }
    }

    @Test
    void theProofMayBeMadeByOtherThreads() throws Exception {
        try (HmfsClient client = connect(start(secret("s", elsewhere)), knows("s", KERBEROS_TOKEN, elsewhere))) {
            works(client);
            assertNothingIsLeft();
        }
    }

    @Test
    void longTokensGoByRdma() throws Exception {
        List<MemoryVerbs> verbs = List.of(new MemoryVerbs());
        ServerConfig config = config(LONG);
        HmfsServer started = HmfsServer.start(
                config,
                namespace(config),
                (receivers, connections) -> new RdmaServerTransport(receivers, connections, List.copyOf(verbs), 50_000),
                new Authenticators(List.of(secret("s", elsewhere))));
        server = started;
        try (HmfsClient client = HmfsClient.connect(
                new RdmaTransport(new MemoryVerbs()),
                "127.0.0.1",
                started.address().getPort(),
                knows("s", KERBEROS_TOKEN, elsewhere))) {
            works(client);
            assertNothingIsLeft();
        }
    }

    /** The server's end of a method that believes its client too soon, or never. */
    private final class Careless implements Authenticator {
        private final CompletableFuture<Step> step;

        private Careless(CompletableFuture<Step> step) {
            this.step = step;
        }

        @Override
        public int method() {
            return SharedSecret.METHOD;
        }

        @Override
        public String label() {
            return "careless";
        }

        @Override
        public int tokenMax() {
            return KERBEROS_TOKEN;
        }

        @Override
        public Authenticator.Exchange begin(String name, @Nullable InetAddress from) {
            atServer.incrementAndGet();
            return new Authenticator.Exchange() {
                @Override
                public CompletableFuture<Step> next(byte[] token) {
                    if (token.length == 1) {
                        throw new IllegalArgumentException("what only the log tells");
                    }
                    return step;
                }

                @Override
                public void close() {
                    atServer.decrementAndGet();
                }
            };
        }
    }

    private static Authenticator.Step challenge() {
        return Authenticator.Step.challenge(new byte[48]);
    }

    @Test
    void aServerThatProvesNothingIsNotBelieved() throws Exception {
        HmfsServer started = start(new Careless(CompletableFuture.completedFuture(Authenticator.Step.PROVEN)));
        IOException refused = assertThrows(
                IOException.class,
                () -> connect(started, knows("s", SHORT_TOKEN, HERE)).close());
        assertSays("did not prove by secret that it is the server", refused);
        assertNothingIsLeft();
    }

    @Test
    void aServerOfAnotherSecretIsToldNothing() throws Exception {
        HmfsServer started = start(secret("other", HERE));
        IOException refused = assertThrows(
                IOException.class,
                () -> connect(started, knows("s", SHORT_TOKEN, elsewhere)).close());
        assertSays("by secret: the server does not know the secret", refused);
        assertNothingIsLeft();
    }

    @Test
    void aClientThatTakesTooLongIsToldSo() throws Exception {
        HmfsServer started = start(secret("s", HERE));
        ClientOptions hasty = new ClientOptions("alice", Duration.ofMillis(50), LONG, 16)
                .withAuthentication(new SharedSecret.OfClient("alice", "s", SHORT_TOKEN, task -> {}, atClient));
        IOException late =
                assertThrows(IOException.class, () -> connect(started, hasty).close());
        String told = String.valueOf(late.getMessage());
        assertTrue(
                told.contains("authentication by secret for 127.0.0.1")
                        || told.contains("no answer within"), // the machine was busy: not even connected
                told);
        assertNothingIsLeft();
    }

    @Test
    void anUnknownMethodIsRefusedWithThoseThatAreKnown() throws Exception {
        HmfsServer started = start(secret("s", HERE));
        HmfsException refused = assertThrows(
                HmfsException.class,
                () -> connect(started, new ClientOptions("alice", LONG, LONG, 16))
                        .close());
        assertEquals(ResultCode.ACCESS_DENIED, refused.code());
        assertSays("authentication method 1 is unknown here; this server takes 200, secret", refused);
    }

    @Test
    void whatHasToBeProvedIsTheProxysName() throws Exception {
        HmfsServer started = start(secret("s", HERE));
        ClientAuthenticator asAlice = new SharedSecret.OfClient("alice", "s", SHORT_TOKEN, HERE, atClient);
        ClientOptions options =
                new ClientOptions("bob", LONG, LONG, 16).withRealUser("alice").withAuthentication(asAlice);
        HmfsException refused = assertThrows(
                HmfsException.class, () -> connect(started, options).close());
        assertSays("alice is not allowed to impersonate bob", refused);
        IOException unproved = assertThrows(
                IOException.class,
                () -> connect(started, options.withRealUser("carol").withUser("alice"))
                        .close());
        assertSays("cannot prove", unproved);
        assertNothingIsLeft();
    }

    private static boolean hasNoConnections(HmfsServer of) throws Exception {
        InetSocketAddress admin = Objects.requireNonNull(of.adminAddress());
        try (HttpClient http = HttpClient.newHttpClient()) {
            URI metrics = URI.create("http://127.0.0.1:" + admin.getPort() + "/metrics");
            String text = http.send(HttpRequest.newBuilder(metrics).build(), HttpResponse.BodyHandlers.ofString())
                    .body();
            return NO_CONNECTIONS.matcher(text).find();
        }
    }

    // ---- peers that send what they like

    private static byte[] hello(byte[] token) {
        ByteBuf buffer = Unpooled.buffer(70_000);
        WireBuffer window = new WireBuffer().wrap(buffer, 0, 70_000);
        HelloEncoder hello = new HelloEncoder()
                .wrapAndApplyHeader(window, Wire.LENGTH_SIZE, new MessageHeaderEncoder())
                .correlationId(7)
                .magic(Wire.MAGIC)
                .protocolVersion(Wire.PROTOCOL_VERSION);
        hello.clusterId().high(0).low(0);
        int limit = hello.clientId(99)
                .authMethod((short) SharedSecret.METHOD)
                .user("alice")
                .putToken(token, 0, token.length)
                .realUser("")
                .limit();
        return framed(buffer, limit);
    }

    private static byte[] response(byte[] token) {
        ByteBuf buffer = Unpooled.buffer(70_000);
        WireBuffer window = new WireBuffer().wrap(buffer, 0, 70_000);
        int limit = new ResponseEncoder()
                .wrapAndApplyHeader(window, Wire.LENGTH_SIZE, new MessageHeaderEncoder())
                .correlationId(8)
                .putToken(token, 0, token.length)
                .limit();
        return framed(buffer, limit);
    }

    private static byte[] framed(ByteBuf buffer, int limit) {
        buffer.setIntLE(0, limit - Wire.LENGTH_SIZE);
        byte[] bytes = new byte[limit];
        buffer.getBytes(0, bytes);
        return bytes;
    }

    private static RawPeer peer(HmfsServer of) throws IOException {
        return new RawPeer(of.address().getPort());
    }

    private static boolean isChallenge(WireBuffer frame) {
        return new MessageHeaderDecoder().wrap(frame, 0).templateId() == ChallengeDecoder.TEMPLATE_ID;
    }

    private static RawPeer challenged(HmfsServer by) throws IOException {
        RawPeer peer = peer(by);
        peer.send(hello(new byte[SHORT_TOKEN]));
        assertTrue(isChallenge(peer.read()));
        return peer;
    }

    private static void assertRefused(RawPeer peer, ResultCode code, String text) throws IOException {
        RawPeer.Failure failure = peer.readFailure();
        assertTrue(failure.message().contains(text), failure.message());
        assertEquals(code, failure.code());
        assertTrue(peer.isClosedByServer());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aWrongResponseIsRefused(boolean here) throws Exception {
        HmfsServer started = start(secret("s", here ? HERE : elsewhere));
        try (RawPeer peer = challenged(started)) {
            peer.send(response(new byte[32]));
            assertRefused(peer, ResultCode.ACCESS_DENIED, "authentication by secret failed: the secret is another");
        }
        assertNothingIsLeft();
    }

    @Test
    void noRequestIsExecutedBeforeTheProof() throws Exception {
        HmfsServer started = start(secret("s", HERE));
        try (RawPeer peer = challenged(started)) {
            peer.send(RawPeer.stat(9, "/".getBytes(StandardCharsets.UTF_8)));
            assertRefused(peer, ResultCode.BAD_REQUEST, "which is answered by Response");
        }
        try (RawPeer peer = challenged(started)) {
            peer.send(hello(new byte[SHORT_TOKEN]));
            assertRefused(peer, ResultCode.BAD_REQUEST, "which is answered by Response");
        }
        try (RawPeer peer = peer(started)) {
            peer.send(response(new byte[32]));
            assertRefused(peer, ResultCode.BAD_REQUEST, "a connection begins with Hello");
        }
        assertNothingIsLeft();
    }

    @Test
    void aResponseAfterTheHandshakeIsRefusedAsARequest() throws Exception {
        HmfsServer started = start(new Careless(CompletableFuture.completedFuture(Authenticator.Step.PROVEN)));
        try (RawPeer peer = peer(started)) {
            peer.send(hello(new byte[SHORT_TOKEN]));
            peer.read();
            peer.send(response(new byte[32]));
            RawPeer.Failure failure = peer.readFailure();
            assertEquals("the handshake was done before", failure.message());
            assertEquals(8, failure.correlationId());
        }
        assertNothingIsLeft();
    }

    /** The client's end of a method that never answers. */
    private final class Silent implements ClientAuthenticator {
        @Override
        public int method() {
            return SharedSecret.METHOD;
        }

        @Override
        public String label() {
            return "silent";
        }

        @Override
        public ClientAuthenticator.Exchange begin(String host) {
            atClient.incrementAndGet();
            return new ClientAuthenticator.Exchange() {
                @Override
                public CompletableFuture<byte[]> first() {
                    return CompletableFuture.completedFuture(new byte[SHORT_TOKEN]);
                }

                @Override
                public CompletableFuture<byte[]> answer(byte[] challenge) {
                    return new CompletableFuture<>();
                }

                @Override
                public boolean isComplete() {
                    return false;
                }

                @Override
                public void close() {
                    atClient.decrementAndGet();
                }
            };
        }
    }

    private static byte[] challengeFrame() {
        ByteBuf buffer = Unpooled.buffer(128);
        int limit = new ChallengeEncoder()
                .wrapAndApplyHeader(new WireBuffer().wrap(buffer, 0, 128), Wire.LENGTH_SIZE, new MessageHeaderEncoder())
                .correlationId(0)
                .putToken(new byte[48], 0, 48)
                .limit();
        return framed(buffer, limit);
    }

    @Test
    void aSecondChallengeBeforeTheFirstIsAnsweredEndsTheConnection() throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Future<?> server = elsewhere.submit(() -> {
                try (Socket peer = listener.accept()) {
                    peer.getInputStream().readNBytes(1);
                    peer.getOutputStream().write(challengeFrame());
                    peer.getOutputStream().write(challengeFrame());
                    peer.getInputStream().readAllBytes(); // until the client leaves
                }
                return null;
            });
            ClientOptions options = new ClientOptions("alice", LONG, LONG, 16).withAuthentication(new Silent());
            IOException ended = assertThrows(
                    IOException.class,
                    () -> HmfsClient.connect("127.0.0.1", listener.getLocalPort(), options)
                            .close());
            assertSays("a challenge came before the last one was answered", ended);
            server.get();
        }
        assertNothingIsLeft();
    }

    @Test
    void aCutOffResponseIsRefused() throws Exception {
        HmfsServer started = start(secret("s", HERE));
        byte[] whole = response(new byte[32]);
        try (RawPeer peer = challenged(started)) {
            peer.send(RawPeer.padded(Arrays.copyOf(whole, whole.length - 1), whole.length - 1));
            assertEquals(ResultCode.BAD_REQUEST, peer.readFailure().code());
            assertTrue(peer.isClosedByServer());
        }
        assertNothingIsLeft();
    }

    @Test
    void aTokenLongerThanThoseOfTheMethodIsRefused() throws Exception {
        HmfsServer started = start(secret("s", HERE));
        try (RawPeer peer = peer(started)) {
            peer.send(hello(new byte[KERBEROS_TOKEN + 1024]));
            assertRefused(peer, ResultCode.TOO_LARGE, "unreadable stream");
        }
        assertEquals(0, atServer.get());
    }

    @Test
    void withoutTokensAFrameBeforeTheProofIsAsShortAsEver() throws Exception {
        HmfsServer started = start(); // no method at all
        try (RawPeer peer = peer(started)) {
            peer.send(hello(new byte[1024]));
            assertRefused(peer, ResultCode.TOO_LARGE, "unreadable stream");
        }
    }

    @Test
    void aMethodWithoutEndIsEnded() throws Exception {
        HmfsServer started = start(new Careless(CompletableFuture.completedFuture(challenge())));
        try (RawPeer peer = challenged(started)) {
            for (int i = 1; i < 16; i++) {
                peer.send(response(new byte[0]));
                assertTrue(isChallenge(peer.read()), "message " + i);
            }
            peer.send(response(new byte[0]));
            assertRefused(peer, ResultCode.ACCESS_DENIED, "authentication by careless takes more than 16 messages");
        }
        assertNothingIsLeft();
    }

    @Test
    void anErrorOfAMethodRefusesItsClientAndNobodyElse() throws Exception {
        HmfsServer started = start(new Careless(CompletableFuture.completedFuture(challenge())));
        try (RawPeer peer = peer(started)) {
            peer.send(hello(new byte[1]));
            assertRefused(peer, ResultCode.ACCESS_DENIED, "the server could not do it; its log tells why");
        }
        challenged(started).close();
        assertNothingIsLeft();
    }

    @Test
    void silenceAfterAChallengeIsGivenUp() throws Exception {
        HmfsServer started = start(Duration.ofMillis(300), secret("s", HERE));
        try (RawPeer peer = peer(started)) {
            peer.send(hello(new byte[SHORT_TOKEN]));
            WireBuffer first = peer.read();
            if (isChallenge(first)) { // else this machine was so busy that not even Hello came in time
                assertRefused(peer, ResultCode.TIMEOUT, "no handshake in time");
            }
        }
        assertNothingIsLeft();
    }

    @Test
    void aPeerThatLeavesInTheMiddleLeavesNothing() throws Exception {
        HmfsServer started = start(secret("s", HERE));
        challenged(started).close();
        assertNothingIsLeft();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aPeerThatLeavesDuringAStepLeavesNothing(boolean proven) throws Exception {
        CompletableFuture<Authenticator.Step> underWay = new CompletableFuture<>();
        HmfsServer started = start(new Careless(underWay));
        try (RawPeer peer = peer(started)) {
            peer.send(hello(new byte[SHORT_TOKEN]));
            Await.until("the step is under way", () -> atServer.get() == 1);
        }
        Await.until("the connection has ended", () -> hasNoConnections(started));
        assertEquals(1, atServer.get()); // what is at work is not closed under its hands
        underWay.complete(proven ? Authenticator.Step.PROVEN : challenge());
        assertNothingIsLeft();
    }
}
