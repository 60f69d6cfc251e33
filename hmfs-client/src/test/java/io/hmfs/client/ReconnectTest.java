package io.hmfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ScriptedServer.Peer;
import io.hmfs.wire.DeleteDecoder;
import io.hmfs.wire.HelloDecoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.StatDecoder;
import io.hmfs.wire.WireBuffer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: what a connection lost goes out again on the next one, in its order and under its sequence, and nothing that a
 * server may have executed goes to the next one. Method: the real client against a server that a test plays.
 */
@Timeout(300)
class ReconnectTest {
    private static final Duration LONG = Duration.ofSeconds(40);
    private static final Duration SOON = Duration.ofMillis(1);
    private static final ClientOptions OPTIONS = new ClientOptions("bob", LONG, LONG, 4, SOON, SOON);

    private ScriptedServer server;

    @BeforeEach
    void listen() throws IOException {
        server = new ScriptedServer();
    }

    @AfterEach
    void end() throws IOException {
        server.close();
    }

    private HmfsClient connect(ClientOptions options) throws Exception {
        return HmfsClient.connect("127.0.0.1", server.port(), options);
    }

    private CompletableFuture<HmfsClient> connecting(ClientOptions options) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return connect(options);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private static HmfsException failureOf(CompletableFuture<?> future) {
        ExecutionException thrown = assertThrows(ExecutionException.class, future::get);
        return assertInstanceOf(HmfsException.class, thrown.getCause());
    }

    private static HelloDecoder hello(Peer peer) throws IOException {
        return new HelloDecoder().wrapAndApplyHeader(peer.read(), 0, new MessageHeaderDecoder());
    }

    private static String deleted(WireBuffer frame) {
        return new DeleteDecoder()
                .wrapAndApplyHeader(frame, 0, new MessageHeaderDecoder())
                .path();
    }

    @Test
    void whatWasLostGoesOutAgainInItsOrderUnderItsSequence() throws Exception {
        CompletableFuture<HmfsClient> connecting = connecting(OPTIONS);
        Peer first = server.accept();
        long clientId = hello(first).clientId();
        first.answerHello(1, 7);
        try (HmfsClient client = connecting.get()) {
            List<CompletableFuture<Void>> calls = new ArrayList<>();
            for (int i = 1; i <= 6; i++) { // four on the wire, two waiting
                calls.add(client.deleteAsync("/f" + i));
            }
            for (int i = 1; i <= 4; i++) {
                WireBuffer frame = first.read();
                assertEquals("/f" + i, deleted(frame));
                assertEquals(i, Peer.sequence(frame));
                if (i == 2) {
                    first.done(Peer.correlationId(frame));
                    calls.get(1).get();
                }
            }
            first.close();
            try (Peer second = server.accept()) {
                HelloDecoder hello = hello(second);
                assertEquals(clientId, hello.clientId());
                assertEquals(1, hello.oldestSequence());
                assertTrue(hello.nextSequence() >= 5, "at least four were numbered");
                second.answerHello(1, 7);
                for (int i = 1; i <= 6; i++) {
                    if (i != 2) {
                        WireBuffer frame = second.read();
                        assertEquals("/f" + i, deleted(frame));
                        assertEquals(i, Peer.sequence(frame));
                        second.done(Peer.correlationId(frame));
                        calls.get(i - 1).get();
                    }
                }
            }
        }
    }

    @Test
    void aServerThatWasStartedAgainGetsNoChangeThatTheLastOneMayHaveExecuted() throws Exception {
        CompletableFuture<HmfsClient> connecting = connecting(OPTIONS);
        Peer first = server.accept();
        first.welcome(1);
        try (HmfsClient client = connecting.get()) {
            CompletableFuture<Void> change = client.deleteAsync("/a");
            CompletableFuture<FileInfo> look = client.statAsync("/b");
            first.read();
            first.read();
            first.close();
            try (Peer second = server.accept()) {
                hello(second);
                second.answerHello(1, 2);
                HmfsException unknown = failureOf(change);
                assertEquals(ResultCode.OUTCOME_UNKNOWN, unknown.code());
                String text = String.valueOf(unknown.getMessage());
                assertTrue(text.contains("delete /a") && text.contains("127.0.0.1:" + server.port()), text);
                WireBuffer again = second.read();
                assertEquals(
                        StatDecoder.TEMPLATE_ID,
                        new MessageHeaderDecoder().wrap(again, 0).templateId());
                second.failure(Peer.correlationId(again), ResultCode.NOT_FOUND, "");
                assertEquals(ResultCode.NOT_FOUND, failureOf(look).code());
                CompletableFuture<Void> next = client.deleteAsync("/c");
                WireBuffer frame = second.read();
                assertEquals(2, Peer.sequence(frame), "a new change, a new sequence");
                second.done(Peer.correlationId(frame));
                next.get();
            }
        }
    }

    @Test
    void aCleanStopMakesWhatItDidNotAnswerNewAgain() throws Exception {
        CompletableFuture<HmfsClient> connecting = connecting(OPTIONS);
        Peer first = server.accept();
        first.welcome(1);
        try (HmfsClient client = connecting.get()) {
            CompletableFuture<Void> change = client.deleteAsync("/a");
            long before = Peer.sequence(first.read());
            first.failure(0, ResultCode.SHUTTING_DOWN, "it stops");
            try (Peer second = server.accept()) {
                HelloDecoder hello = hello(second);
                assertEquals(hello.nextSequence(), hello.oldestSequence(), "nothing is waited for");
                second.answerHello(1, 2);
                WireBuffer again = second.read();
                assertEquals("/a", deleted(again));
                assertNotEquals(before, Peer.sequence(again));
                second.done(Peer.correlationId(again));
                change.get();
            }
        }
    }

    /** It was lost before, so the server may have executed it, whatever the second connection did. */
    @Test
    void aCleanStopSaysNothingAboutWhatWasLostBefore() throws Exception {
        CompletableFuture<HmfsClient> connecting = connecting(OPTIONS);
        Peer first = server.accept();
        first.welcome(1);
        try (HmfsClient client = connecting.get()) {
            CompletableFuture<Void> change = client.deleteAsync("/a");
            first.read();
            first.close();
            Peer second = server.accept();
            second.welcome(1);
            second.read();
            second.failure(0, ResultCode.SHUTTING_DOWN, "it stops");
            try (Peer third = server.accept()) {
                hello(third);
                third.answerHello(1, 2);
                assertEquals(ResultCode.OUTCOME_UNKNOWN, failureOf(change).code());
            }
        }
    }

    /** The next sequence, as Hello tells it, shows what was given meanwhile. */
    @Test
    void noMoreSequencesAreOutThanTheServerRemembers() throws Exception {
        CompletableFuture<HmfsClient> connecting = connecting(OPTIONS);
        Peer first = server.accept();
        first.welcome(1);
        try (HmfsClient client = connecting.get()) {
            CompletableFuture<Void> slow = client.deleteAsync("/slow");
            first.read();
            CompletableFuture<CompletableFuture<Void>> beyond = new CompletableFuture<>();
            for (int i = 2; i <= ScriptedServer.OUTCOMES_KEPT; i++) {
                boolean last = i == ScriptedServer.OUTCOMES_KEPT;
                CompletableFuture<Void> call = client.deleteAsync("/f" + i);
                CompletableFuture<Void> followed = call.thenRun(() -> {
                    if (last) {
                        beyond.complete(client.deleteAsync("/beyond")); // on the client's thread: decided at once
                    }
                });
                WireBuffer frame = first.read();
                assertEquals(i, Peer.sequence(frame));
                first.done(Peer.correlationId(frame));
                followed.get();
            }
            first.close();
            try (Peer second = server.accept()) {
                HelloDecoder hello = hello(second);
                assertEquals(1, hello.oldestSequence());
                assertEquals(ScriptedServer.OUTCOMES_KEPT + 1, hello.nextSequence());
                second.answerHello(1, 1);
                WireBuffer frame = second.read();
                assertEquals("/slow", deleted(frame));
                second.done(Peer.correlationId(frame));
                slow.get();
                frame = second.read();
                assertEquals("/beyond", deleted(frame));
                assertEquals(ScriptedServer.OUTCOMES_KEPT + 1, Peer.sequence(frame));
                second.done(Peer.correlationId(frame));
                beyond.get().get();
            }
        }
    }

    @Test
    void theDeadlineEndsItWithOneMessageThatSaysAll() throws Exception {
        Duration deadline = Duration.ofSeconds(3);
        CompletableFuture<HmfsClient> connecting = connecting(new ClientOptions("bob", LONG, deadline, 1, SOON, SOON));
        Peer first = server.accept();
        first.welcome(1);
        try (HmfsClient client = connecting.get()) {
            CompletableFuture<Void> sent = client.deleteAsync("/sent");
            first.read();
            CompletableFuture<Void> unsent = client.deleteAsync("/unsent"); // one at a time
            server.close();
            first.close();
            HmfsException lost = failureOf(sent);
            assertEquals(ResultCode.TIMEOUT, lost.code());
            String text = String.valueOf(lost.getMessage());
            assertTrue(text.contains("delete /sent: no answer from 127.0.0.1:" + server.port()), text);
            assertTrue(
                    text.contains("within PT3S (") && text.contains(" attempts failed; the last: cannot connect"),
                    text);
            assertTrue(text.endsWith("whether it was executed is unknown"), text);
            String other = String.valueOf(failureOf(unsent).getMessage());
            assertFalse(other.contains("unknown"), other);
        }
    }

    @Test
    void noThreadIsRunningAfterAServerThatNoThreadWaitsFor() throws Exception {
        CompletableFuture<HmfsClient> connecting = connecting(OPTIONS);
        Peer first = server.accept();
        first.welcome(1);
        try (HmfsClient client = connecting.get()) {
            CompletableFuture<Void> answered = client.deleteAsync("/a");
            first.done(Peer.correlationId(first.read()));
            answered.get();
            first.close();
            CompletableFuture<Void> next = client.deleteAsync("/b"); // the first that makes a connection
            try (Peer second = server.accept()) {
                second.welcome(1);
                WireBuffer frame = second.read();
                assertEquals("/b", deleted(frame));
                second.done(Peer.correlationId(frame));
                next.get();
            }
        }
    }

    @Test
    void whileTheServerIsAwayNoMoreCallsWaitThanAllowed() throws Exception {
        CompletableFuture<HmfsClient> connecting = connecting(OPTIONS);
        Peer first = server.accept();
        first.welcome(1);
        try (HmfsClient client = connecting.get()) {
            List<CompletableFuture<?>> calls = new ArrayList<>();
            calls.add(client.statAsync("/0"));
            first.read();
            first.close();
            Peer second = server.accept(); // and never welcome
            hello(second);
            for (int i = 1; i <= Dispatcher.WAITING_MAX; i++) {
                calls.add(client.statAsync("/f"));
            }
            CompletableFuture<?> last = calls.get(Dispatcher.WAITING_MAX);
            ExecutionException thrown = assertThrows(ExecutionException.class, last::get);
            assertTrue(String.valueOf(thrown.getMessage()).contains("calls wait for one already"), thrown.getMessage());
            assertFalse(calls.get(Dispatcher.WAITING_MAX - 1).isDone());
        }
    }
}
