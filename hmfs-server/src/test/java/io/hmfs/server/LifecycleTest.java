package io.hmfs.server;

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
import io.hmfs.core.OpenOptions;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.type.CreateBatch;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.StatBatch;
import io.hmfs.server.setting.ServerSetting;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a server starts with a clear answer, stops without losing a reply, and never runs on over half an operation.
 * Method: start it wrongly, stop it under load, and let one operation of a real namespace throw.
 */
@Timeout(300)
class LifecycleTest {
    private static final CreateOptions PLAIN = new CreateOptions(0644, false, false, 0755);

    @TempDir
    private Path directory;

    private Path formatted(String name) throws IOException {
        Path pool = directory.resolve(name);
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        return pool;
    }

    @Test
    void portInUseIsOneClearErrorAndLeavesThePoolUsable() throws IOException {
        try (ServerFixture fixture = new ServerFixture(directory)) {
            Path other = formatted("other.pool");
            ServerConfig config = ServerConfig.builder(other)
                    .set(ServerSetting.PORT, fixture.port())
                    .build();
            IOException thrown = assertThrows(IOException.class, () -> HmfsServer.start(config));
            String message = String.valueOf(thrown.getMessage());
            assertTrue(message.contains("127.0.0.1:" + fixture.port()) && message.contains("in use"), message);
            HmfsServer.start(ServerConfig.builder(other)
                            .set(ServerSetting.PORT, 0)
                            .build())
                    .close();
        }
    }

    @Test
    void unknownHostIsOneClearError() throws IOException {
        ServerConfig config = ServerConfig.builder(formatted("p.pool"))
                .set(ServerSetting.HOST, "no.such.host.invalid")
                .set(ServerSetting.PORT, 0)
                .build();
        IOException thrown = assertThrows(IOException.class, () -> HmfsServer.start(config));
        assertTrue(String.valueOf(thrown.getMessage()).contains("no.such.host.invalid"), thrown.getMessage());
    }

    @Test
    void missingPoolIsThePoolsOwnError() {
        ServerConfig config = ServerConfig.of(directory.resolve("nothing.pool"));
        assertInstanceOf(PoolException.class, assertThrows(IOException.class, () -> HmfsServer.start(config)));
    }

    @Test
    void dataDirectoryThatCannotBeIsNamed() throws IOException {
        Path file = Files.createFile(directory.resolve("a-file"));
        ServerConfig config = ServerConfig.builder(formatted("p.pool"))
                .set(ServerSetting.PORT, 0)
                .set(ServerSetting.DATA_DIRECTORY, file.resolve("data"))
                .build();
        IOException thrown = assertThrows(IOException.class, () -> HmfsServer.start(config));
        assertTrue(String.valueOf(thrown.getMessage()).contains("a-file"), thrown.getMessage());
    }

    @Test
    void settingsOutOfRangeAreNamed() {
        Path pool = directory.resolve("p");
        IllegalArgumentException port = assertThrows(
                IllegalArgumentException.class,
                () -> ServerConfig.builder(pool).set(ServerSetting.PORT, 65_536).build());
        assertTrue(String.valueOf(port.getMessage()).contains("port"), port.getMessage());
        assertThrows(
                IllegalArgumentException.class,
                () -> ServerConfig.builder(pool)
                        .set(ServerSetting.CHUNK_SIZE, 2L << 20)
                        .build());
        assertThrows(
                IllegalArgumentException.class,
                () -> ServerConfig.builder(pool)
                        .set(ServerSetting.DATA_STORE, "nonsense")
                        .build());
    }

    @Test
    void closeReleasesPortAndPoolAndAwaitStopTellsZero() throws Exception {
        try (ServerFixture fixture = new ServerFixture(directory)) {
            HmfsServer server = fixture.server();
            server.close();
            server.close(); // idempotent
            assertEquals(0, server.awaitStop());
            fixture.restart();
        }
    }

    @Test
    void createsUnderLoadAreExecutedOnceEachOverACleanStop() throws Exception {
        try (ServerFixture fixture = new ServerFixture(directory);
                HmfsClient client = fixture.client()) {
            List<CompletableFuture<FileInfo>> creates = new ArrayList<>();
            for (int i = 0; i < 3000; i++) {
                creates.add(client.createAsync("/f" + i, PLAIN));
            }
            creates.get(500).get();
            fixture.restart();
            for (int i = 0; i < creates.size(); i++) { // those that it had not executed are, once, after the restart
                assertEquals("f" + i, creates.get(i).get().name());
                assertEquals("f" + i, client.stat("/f" + i).name());
            }
        }
    }

    @Test
    void unexpectedErrorInsideAnOperationStopsTheServerWithoutClosingThePool() throws Exception {
        Path pool = formatted("p.pool");
        AtomicBoolean closed = new AtomicBoolean();
        try (ServerNamespace real = Hmfs.openForServer(pool, OpenOptions.process())) {
            ServerNamespace failing = failingOn(real, "bomb", closed);
            HmfsServer server = HmfsServer.start(
                    ServerConfig.builder(pool)
                            .set(ServerSetting.PORT, 0)
                            .set(ServerSetting.SUPERUSER, "a")
                            .build(),
                    failing);
            ClientOptions options = new ClientOptions("a", Duration.ofSeconds(5), Duration.ofSeconds(5), 16);
            try (HmfsClient client =
                    HmfsClient.connect("127.0.0.1", server.address().getPort(), options)) {
                client.create("/fine", PLAIN);
                IOException thrown = assertThrows(IOException.class, () -> client.create("/bomb", PLAIN));
                assertEquals(
                        ResultCode.TIMEOUT,
                        assertInstanceOf(HmfsException.class, thrown).code());
                assertTrue(
                        String.valueOf(thrown.getMessage()).endsWith("whether it was executed is unknown"),
                        "no outcome may be claimed: " + thrown);
                assertEquals(HmfsServer.EXIT_FAILED, server.awaitStop());
                assertThrows(IOException.class, () -> client.stat("/fine"));
            }
            assertEquals(HmfsServer.EXIT_FAILED, server.stop());
            assertFalse(closed.get(), "the pool was marked clean");
        }
    }

    @Test
    void aFailureBeforeItListensEndsItToo() throws Exception {
        Path pool = formatted("p.pool");
        AtomicBoolean closed = new AtomicBoolean();
        try (ServerNamespace real = Hmfs.openForServer(pool, OpenOptions.process())) {
            ServerConfig config =
                    ServerConfig.builder(pool).set(ServerSetting.PORT, 0).build();
            HmfsServer server = HmfsServer.prepare(config, failingOn(real, "bomb", closed), new StartSteps());
            server.failStop(new IllegalStateException("planned"));
            assertEquals(HmfsServer.EXIT_FAILED, server.awaitStop());
            assertEquals(HmfsServer.EXIT_FAILED, server.stop());
            assertFalse(closed.get(), "the pool was marked clean");
        }
    }

    private static boolean isAbout(Object argument, String bomb) {
        return switch (argument) {
            case Name name -> name.toString().equals(bomb);
            case CreateBatch batch ->
                IntStream.range(0, batch.size())
                        .anyMatch(i -> batch.name(i).toString().equals(bomb));
            case StatBatch batch ->
                IntStream.range(0, batch.size())
                        .anyMatch(i -> batch.name(i).toString().equals(bomb));
            default -> false;
        };
    }

    /** A real namespace whose operations throw when they are about one name. */
    private static ServerNamespace failingOn(ServerNamespace real, String bomb, AtomicBoolean closed) {
        return (ServerNamespace) Proxy.newProxyInstance(
                LifecycleTest.class.getClassLoader(),
                new Class<?>[] {ServerNamespace.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("close")) {
                        closed.set(true);
                        return null;
                    }
                    if (arguments != null) {
                        for (Object argument : arguments) {
                            if (isAbout(argument, bomb)) {
                                throw new IndexOutOfBoundsException("a bad pointer");
                            }
                        }
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
