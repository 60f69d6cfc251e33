package io.hmfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ScriptedServer.Peer;
import io.hmfs.wire.HelloDecoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.WireBuffer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: every call ends, with its own reply or with an error that says why.
 * Method: the real client against a server that a test plays: it answers late, out of order, wrongly, or not at all.
 */
@Timeout(300)
class HmfsClientTest {
    private static final ClientOptions OPTIONS =
            new ClientOptions("bob", Duration.ofSeconds(40), Duration.ofSeconds(40), 4);

    /** For what must time out; so long that a machine that stands still for two seconds lets no other call time out. */
    private static final ClientOptions HASTY =
            new ClientOptions("bob", Duration.ofSeconds(3), Duration.ofSeconds(3), 4);

    private ScriptedServer server;

    @BeforeEach
    void listen() throws IOException {
        server = new ScriptedServer();
    }

    @AfterEach
    void end() throws IOException {
        server.close();
    }

    private CompletableFuture<HmfsClient> connect(ClientOptions options) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return HmfsClient.connect("127.0.0.1", server.port(), options);
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        });
    }

    private static IOException failureOf(CompletableFuture<?> future) throws InterruptedException {
        ExecutionException thrown = assertThrows(ExecutionException.class, future::get);
        Throwable cause = thrown.getCause();
        return assertInstanceOf(
                IOException.class, cause instanceof java.io.UncheckedIOException ? cause.getCause() : cause);
    }

    private static void assertCode(ResultCode code, IOException thrown) {
        assertEquals(code, assertInstanceOf(HmfsException.class, thrown).code(), thrown.getMessage());
    }

    @Test
    void repliesOutOfOrderReachTheirCalls() throws Exception {
        CompletableFuture<HmfsClient> connecting = connect(OPTIONS);
        try (Peer peer = server.accept()) {
            peer.welcome(1);
            try (HmfsClient client = connecting.get()) {
                assertEquals(ScriptedServer.CLUSTER, client.server().clusterId());
                assertEquals("9", client.server().serverVersion());
                CompletableFuture<Void> first = client.deleteAsync("/a");
                long firstId = Peer.correlationId(peer.read());
                CompletableFuture<Void> second = client.deleteAsync("/b");
                long secondId = Peer.correlationId(peer.read());
                peer.done(secondId);
                second.get();
                assertFalse(first.isDone());
                peer.failure(firstId, ResultCode.NOT_FOUND, "");
                IOException thrown = failureOf(first);
                assertCode(ResultCode.NOT_FOUND, thrown);
                assertTrue(String.valueOf(thrown.getMessage()).contains("/a"), thrown.getMessage());
            }
        }
    }

    @Test
    void noMoreCallsAreOnTheWireThanAllowed() throws Exception {
        CompletableFuture<HmfsClient> connecting = connect(OPTIONS);
        try (Peer peer = server.accept()) {
            peer.welcome(1);
            try (HmfsClient client = connecting.get()) {
                List<CompletableFuture<Void>> calls = new ArrayList<>();
                for (int i = 0; i < 10; i++) {
                    calls.add(client.deleteAsync("/f" + i));
                }
                ArrayDeque<Long> onTheWire = new ArrayDeque<>();
                for (int i = 0; i < 4; i++) {
                    onTheWire.add(Peer.correlationId(peer.read()));
                }
                for (int i = 0; i < 10; i++) {
                    assertFalse(peer.hasMore(), "more than 4 in flight");
                    peer.done(onTheWire.remove());
                    calls.get(i).get();
                    if (i < 6) {
                        onTheWire.add(Peer.correlationId(peer.read()));
                    }
                }
            }
        }
    }

    @Test
    void callWithoutAnswerTimesOutAndItsLateReplyIsDropped() throws Exception {
        CompletableFuture<HmfsClient> connecting = connect(HASTY);
        try (Peer peer = server.accept()) {
            peer.welcome(1);
            try (HmfsClient client = connecting.get()) {
                CompletableFuture<Void> late = client.deleteAsync("/a");
                long lateId = Peer.correlationId(peer.read());
                CompletableFuture<Void> answered = client.deleteAsync("/b");
                peer.done(Peer.correlationId(peer.read())); // the peer lives: only the one call is given up
                answered.get();
                assertCode(ResultCode.TIMEOUT, failureOf(late));
                peer.done(lateId);
                CompletableFuture<Void> next = client.deleteAsync("/c");
                peer.done(Peer.correlationId(peer.read()));
                next.get();
            }
        }
    }

    @Test
    void theNextConnectionIsToTheSameClusterAndARefusalEndsWhatWaits() throws Exception {
        CompletableFuture<HmfsClient> connecting = connect(OPTIONS);
        Peer peer = server.accept();
        peer.welcome(1);
        try (HmfsClient client = connecting.get()) {
            List<CompletableFuture<Void>> calls = new ArrayList<>();
            for (int i = 0; i < 8; i++) { // some on the wire, some waiting
                calls.add(client.deleteAsync("/a"));
            }
            peer.read();
            peer.close();
            try (Peer second = server.accept()) {
                WireBuffer hello = second.read();
                HelloDecoder decoder = new HelloDecoder().wrapAndApplyHeader(hello, 0, new MessageHeaderDecoder());
                assertEquals(
                        ScriptedServer.CLUSTER.getLeastSignificantBits(),
                        decoder.clusterId().low());
                second.failure(0, ResultCode.WRONG_CLUSTER, "another cluster");
                assertCode(ResultCode.OUTCOME_UNKNOWN, failureOf(calls.get(0))); // the peer had it
                for (CompletableFuture<Void> call : calls) {
                    Throwable failure = failureOf(call);
                    assertTrue(String.valueOf(failure.getMessage()).endsWith("another cluster"), failure::toString);
                }
            }
        }
    }

    @Test
    void serverThatNeverAnswersTheHandshakeIsATimeout() throws Exception {
        CompletableFuture<HmfsClient> connecting = connect(HASTY);
        try (Peer peer = server.accept()) {
            peer.read();
            assertCode(ResultCode.TIMEOUT, failureOf(connecting));
        }
    }

    @Test
    void serverOfAnotherVersionIsOneClearError() throws Exception {
        CompletableFuture<HmfsClient> refused = connect(OPTIONS);
        try (Peer peer = server.accept()) {
            peer.read();
            peer.failure(0, ResultCode.UNSUPPORTED_VERSION, "the server speaks protocol version 2");
            IOException thrown = failureOf(refused);
            assertCode(ResultCode.UNSUPPORTED_VERSION, thrown);
            assertTrue(String.valueOf(thrown.getMessage()).contains("version 2"), thrown.getMessage());
        }
        CompletableFuture<HmfsClient> accepted = connect(OPTIONS);
        try (Peer peer = server.accept()) {
            peer.welcome(2);
            assertCode(ResultCode.UNSUPPORTED_VERSION, failureOf(accepted));
        }
    }

    @Test
    void garbageFromTheServerEndsTheConnectionWithAnError() throws Exception {
        CompletableFuture<HmfsClient> connecting = connect(OPTIONS);
        try (Peer peer = server.accept()) {
            peer.read();
            peer.send("SSH-2.0-OpenSSH_9.9\r\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
            assertTrue(String.valueOf(failureOf(connecting).getMessage()).contains("cannot read"));
        }
        CompletableFuture<HmfsClient> second = connect(OPTIONS);
        try (Peer peer = server.accept()) {
            peer.welcome(1);
            try (HmfsClient client = second.get()) {
                CompletableFuture<FileInfo> stat = client.statAsync("/a");
                peer.done(Peer.correlationId(peer.read())); // a reply of the wrong kind
                assertTrue(String.valueOf(failureOf(stat).getMessage()).contains("unexpected reply"));
            }
        }
    }

    @Test
    void noServerListeningIsOneClearError() throws Exception {
        int port = server.port();
        server.close();
        IOException thrown = assertThrows(IOException.class, () -> HmfsClient.connect("127.0.0.1", port, OPTIONS));
        String message = String.valueOf(thrown.getMessage());
        assertTrue(message.contains("127.0.0.1:" + port) && message.contains("is the server running"), message);
    }

    @Test
    void closeFailsWhatIsOpenAndWhatComesLater() throws Exception {
        CompletableFuture<HmfsClient> connecting = connect(OPTIONS);
        try (Peer peer = server.accept()) {
            peer.welcome(1);
            HmfsClient client = connecting.get();
            CompletableFuture<Void> open = client.deleteAsync("/a");
            peer.read();
            client.close();
            client.close();
            failureOf(open);
            failureOf(client.deleteAsync("/b"));
        }
    }

    @Test
    void blockingOnTheClientsOwnThreadIsRefused() throws Exception {
        CompletableFuture<HmfsClient> connecting = connect(OPTIONS);
        try (Peer peer = server.accept()) {
            peer.welcome(1);
            try (HmfsClient client = connecting.get()) {
                CompletableFuture<Void> chained = client.deleteAsync("/a").thenAccept(done -> {
                    try {
                        client.delete("/b");
                    } catch (IOException e) {
                        throw new java.io.UncheckedIOException(e);
                    }
                });
                peer.done(Peer.correlationId(peer.read()));
                ExecutionException thrown = assertThrows(ExecutionException.class, chained::get);
                assertInstanceOf(IllegalStateException.class, thrown.getCause());
            }
        }
    }

    @Test
    void unknownCodesAndBadArgumentsAreErrorsToo() {
        assertEquals(ResultCode.INTERNAL, ResultCode.of(60_000));
        for (ResultCode code : ResultCode.values()) {
            assertEquals(code, ResultCode.of(code.code()));
        }
        assertThrows(
                IllegalArgumentException.class, () -> ClientOptions.defaults().withUser(""));
        assertThrows(
                IllegalArgumentException.class, () -> ClientOptions.defaults().withUser("u".repeat(256)));
        assertThrows(
                IllegalArgumentException.class, () -> new ClientOptions("a", Duration.ZERO, Duration.ofSeconds(1), 1));
        assertThrows(
                IllegalArgumentException.class,
                () -> new ClientOptions("a", Duration.ofSeconds(1), Duration.ofSeconds(1), 0));
    }
}
