package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ClientOptions;
import io.hmfs.client.CreateOptions;
import io.hmfs.client.FileInfo;
import io.hmfs.client.HmfsClient;
import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.server.setting.ServerSetting;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: in mode logged nothing is answered before the log has it, replies keep their order, and what was answered survives the loss of
 * the machine. Method: a real server; and one on a namespace whose log says when it is durable only when the test lets it.
 */
@Timeout(300)
class LoggedServerTest {
    private static final CreateOptions PLAIN = new CreateOptions(0644, false, false, 0755);

    @TempDir
    private Path directory;

    private ServerFixture fixture() throws IOException {
        return new ServerFixture(
                directory,
                builder -> builder.set(ServerSetting.PERSISTENCE, Persistence.LOGGED)
                        .set(ServerSetting.EMULATE_PMEM, true)
                        .set(ServerSetting.LOG_DIRECTORY, directory.resolve("log")));
    }

    @Test
    void whatWasAnsweredSurvivesTheLossOfTheMachine() throws Exception {
        try (ServerFixture fixture = fixture()) {
            for (int round = 0; round < 3; round++) {
                List<CompletableFuture<FileInfo>> made = new ArrayList<>();
                try (HmfsClient one = fixture.client();
                        HmfsClient other = fixture.client()) {
                    one.mkdir("/d" + round, 0755, false);
                    for (int i = 0; i < 500; i++) {
                        made.add((i % 2 == 0 ? one : other).createAsync("/d" + round + "/f" + i, PLAIN));
                    }
                    for (CompletableFuture<FileInfo> each : made) {
                        each.get();
                    }
                    one.delete("/d" + round + "/f7");
                }
                if (round == 1) {
                    fixture.restart();
                } else {
                    fixture.loseMachine();
                }
                try (HmfsClient client = fixture.client()) {
                    for (int i = 0; i < 500; i++) {
                        String path = "/d" + round + "/f" + i;
                        if (i == 7) {
                            assertThrows(IOException.class, () -> client.stat(path));
                        } else {
                            assertEquals(
                                    made.get(i).get().id(), client.stat(path).id());
                        }
                    }
                    assertEquals("logged", client.status().persistence());
                }
            }
        }
    }

    /** A namespace whose log is durable when the test says so. */
    private static final class SlowLog {
        final ConcurrentLinkedQueue<Runnable> held = new ConcurrentLinkedQueue<>();
        final ConcurrentLinkedQueue<Consumer<Throwable>> failures = new ConcurrentLinkedQueue<>();
        volatile boolean holds;

        @SuppressWarnings("unchecked")
        ServerNamespace over(ServerNamespace namespace) {
            return (ServerNamespace) Proxy.newProxyInstance(
                    ServerNamespace.class.getClassLoader(),
                    new Class<?>[] {ServerNamespace.class},
                    (_, method, arguments) -> {
                        if (method.getName().equals("logPosition")) {
                            return 1L;
                        }
                        if (method.getName().equals("whenDurable")) {
                            hold((Runnable) arguments[1], (Consumer<Throwable>) arguments[2]);
                            return null;
                        }
                        try {
                            return method.invoke(namespace, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        }

        /** One step with {@link #release}, or an action could be held when no thread releases any more. */
        private synchronized void hold(Runnable action, Consumer<Throwable> onFailure) {
            if (holds) {
                failures.add(onFailure); // before the action: a thread that waits for that one takes this one too
                held.add(action);
            } else {
                action.run();
            }
        }

        synchronized void release() {
            holds = false;
            for (Runnable next = held.poll(); next != null; next = held.poll()) {
                next.run();
            }
        }
    }

    private HmfsServer serve(SlowLog log) throws IOException {
        Path pool = directory.resolve("pool");
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        return HmfsServer.start(
                ServerConfig.builder(pool)
                        .set(ServerSetting.PORT, 0)
                        .set(ServerSetting.SUPERUSER, "alice")
                        .build(),
                log.over(Hmfs.openForServer(pool, OpenOptions.process())));
    }

    private static HmfsClient client(HmfsServer server) throws IOException {
        return HmfsClient.connect(
                "127.0.0.1",
                server.address().getPort(),
                ClientOptions.defaults().withUser("alice"));
    }

    @Test
    void noReplyLeavesBeforeTheLogHasIt() throws Exception {
        SlowLog log = new SlowLog();
        try (HmfsServer server = serve(log);
                HmfsClient client = client(server);
                HmfsClient other = client(server)) {
            log.holds = true;
            CompletableFuture<FileInfo> made = client.createAsync("/f", PLAIN);
            Await.until("the reply is held", () -> !log.held.isEmpty());
            CompletableFuture<FileInfo> seen = other.statAsync("/f"); // a read of what is not safe yet waits too
            Await.until("both are held", () -> log.held.size() >= 2);
            assertThrows(TimeoutException.class, () -> made.get(50, TimeUnit.MILLISECONDS));
            assertFalse(made.isDone());
            assertFalse(seen.isDone());
            log.release();
            assertEquals(made.get().id(), seen.get().id());
        }
    }

    @Test
    void repliesKeepTheirOrderWhateverBecomesSafeFirst() throws Exception {
        SlowLog log = new SlowLog();
        try (HmfsServer server = serve(log);
                HmfsClient client = client(server)) {
            log.holds = true;
            CompletableFuture<FileInfo> first = client.createAsync("/a", PLAIN);
            Await.until("one is held", () -> log.held.size() == 1);
            CompletableFuture<FileInfo> second = client.createAsync("/b", PLAIN);
            Await.until("two are held", () -> log.held.size() == 2);
            Runnable one = log.held.remove();
            log.held.remove().run();
            assertThrows(TimeoutException.class, () -> second.get(50, TimeUnit.MILLISECONDS));
            log.holds = false;
            one.run();
            assertTrue(first.get().id() < second.get().id());
        }
    }

    @Test
    void aStopWaitsForWhatIsHeld() throws Exception {
        SlowLog log = new SlowLog();
        HmfsServer server = serve(log);
        try (HmfsClient client = client(server)) {
            log.holds = true;
            CompletableFuture<FileInfo> made = client.createAsync("/f", PLAIN);
            Await.until("the reply is held", () -> !log.held.isEmpty());
            Thread stop = Thread.ofPlatform().start(server::close);
            assertThrows(TimeoutException.class, () -> made.get(50, TimeUnit.MILLISECONDS));
            log.release();
            assertTrue(made.get().id() > 0);
            stop.join();
        }
    }

    @Test
    void aLogThatFailsEndsTheServerAndAnswersNothing() throws Exception {
        SlowLog log = new SlowLog();
        try (HmfsServer server = serve(log);
                HmfsClient client = client(server)) {
            log.holds = true;
            CompletableFuture<FileInfo> made = client.createAsync("/f", PLAIN);
            Await.until("the reply is held", () -> !log.held.isEmpty());
            log.failures.remove().accept(new IllegalStateException("no disk"));
            assertEquals(HmfsServer.EXIT_FAILED, server.awaitStop());
            assertFalse(made.isDone() && !made.isCompletedExceptionally());
        }
    }
}
