package io.hmfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A client that tries again and again must not keep what it tried: one attempt has at most one timer, and its end takes it back. */
@Timeout(120)
class ConnectionTest {
    private static final long LONG = TimeUnit.SECONDS.toNanos(100);

    private final ScriptedTransport transport = new ScriptedTransport((request, header, reply) -> 0);
    private final ClientLoop loop = new ClientLoop(transport); // on the thread of the test
    private final CompletableFuture<Integer> timersAtWelcome = new CompletableFuture<>();
    private final CompletableFuture<IOException> end = new CompletableFuture<>();
    private final Connection attempt = new Connection(
            new Connection.Owner() {
                @Override
                public void welcomed(Connection.Greeting greeting) {
                    loop.execute(() -> timersAtWelcome.complete(loop.timers()));
                }

                @Override
                public void replied(long correlationId, ReplyFrame reply) {
                    throw new AssertionError("nothing was asked");
                }

                @Override
                public void read(long correlationId, ByteBuffer bytes, int at) {
                    throw new AssertionError("nothing was asked");
                }

                @Override
                public void ended(Connection connection, IOException reason, boolean wasReady) {
                    end.complete(reason);
                }
            },
            transport,
            loop,
            "nowhere:1",
            ClientOptions.defaults().withUser("bob"),
            new Connection.Introduction(new UUID(0, 0), 1, 1, 1),
            new ReplyFrame());

    private void await(CompletableFuture<?> future) throws InterruptedException {
        assertTrue(loop.await(future, LONG));
    }

    private int timers() throws InterruptedException {
        CompletableFuture<Integer> count = new CompletableFuture<>();
        loop.execute(() -> count.complete(loop.timers()));
        await(count);
        return count.join();
    }

    @Test
    void anAttemptThatFailsLeavesNoTimer() throws InterruptedException {
        loop.execute(() -> {
            attempt.connect("nowhere", 1);
            attempt.ended(new IOException("refused"));
        });
        await(end);
        assertEquals(0, timers());
    }

    @Test
    void aHandshakeThatIsThroughLeavesNoTimer() throws InterruptedException {
        loop.execute(() -> attempt.connect("nowhere", 1));
        await(timersAtWelcome);
        assertEquals(0, timersAtWelcome.join());
    }

    @Test
    void aStepHasOneTimer() throws InterruptedException {
        CompletableFuture<Integer> asked = new CompletableFuture<>();
        loop.execute(() -> {
            attempt.connect("nowhere", 1);
            loop.execute(() -> {
                attempt.connected();
                loop.execute(() -> asked.complete(loop.timers()));
            });
        });
        await(asked);
        assertEquals(1, asked.join());
    }
}
