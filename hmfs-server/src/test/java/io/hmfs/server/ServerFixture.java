package io.hmfs.server;

import io.hmfs.client.ClientOptions;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.StablePort;
import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.pmem.Backing;
import io.hmfs.core.pmem.log.LogOptions;
import io.hmfs.server.access.AccessConfig;
import io.hmfs.server.setting.ServerSetting;
import io.hmfs.server.transport.SocketKind;
import io.hmfs.server.transport.netty.NettySockets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Assumptions;

/** A server on a fresh pool and a free loopback port, for tests. Its superuser is alice, the user of {@link #client()}. */
final class ServerFixture implements AutoCloseable {
    static final int FRAME_MAX = ServerSetting.FRAME_MAX_MIN;
    static final int CHUNK_SIZE = 64 << 10;
    static final int BLOCK_SIZE = 256 << 10;
    static final String GROUPS = "bob=staff,engineers;carol=staff;dave=supergroup,staff;eve=";

    final Path pool;
    private final UnaryOperator<ServerConfig.Builder> change;
    private final StablePort port = StablePort.claim();
    private HmfsServer server;

    ServerFixture(Path directory) throws IOException {
        this(directory, builder -> builder);
    }

    ServerFixture(Path directory, UnaryOperator<ServerConfig.Builder> change) throws IOException {
        this.change = change;
        pool = directory.resolve("test.pool");
        Path log = config().logDirectory();
        LogOptions options = log == null ? null : LogOptions.in(log).withOnVolatile(true);
        Hmfs.format(pool, new FormatOptions(FormatOptions.SIZE_MIN, Backing.MAPPED, false, options));
        server = HmfsServer.start(config());
    }

    /** With these sockets. Where the machine does not allow them the test is left out, and says why. */
    static ServerFixture on(SocketKind sockets, Path directory) throws IOException {
        return on(sockets, directory, builder -> builder);
    }

    /** The same with other settings. */
    static ServerFixture on(SocketKind sockets, Path directory, UnaryOperator<ServerConfig.Builder> change)
            throws IOException {
        String obstacle = NettySockets.obstacle(sockets);
        Assumptions.assumeTrue(obstacle == null, () -> sockets.label() + " cannot be had here: " + obstacle);
        return new ServerFixture(directory, builder -> change.apply(builder.set(ServerSetting.TRANSPORT, sockets)));
    }

    ServerConfig config() {
        return change.apply(ServerConfig.builder(pool)
                        .set(ServerSetting.PORT, port.number())
                        .set(ServerSetting.FRAME_MAX, (long) FRAME_MAX)
                        .set(ServerSetting.CHUNK_SIZE, (long) CHUNK_SIZE)
                        .set(ServerSetting.BLOCK_SIZE, (long) BLOCK_SIZE)
                        .set(ServerSetting.EVENT_LOOPS, 2)
                        .set(ServerSetting.SUPERUSER, "alice")
                        .set(ServerSetting.GROUP_SOURCE, AccessConfig.Source.STATIC)
                        .set(ServerSetting.STATIC_GROUPS, GROUPS))
                .build();
    }

    HmfsServer server() {
        return server;
    }

    int port() {
        return port.number();
    }

    Path dataDirectory() {
        return config().dataDirectory();
    }

    HmfsClient client() throws IOException {
        return client(ClientOptions.defaults().withUser("alice"));
    }

    HmfsClient client(String user) throws IOException {
        return client(ClientOptions.defaults().withUser(user));
    }

    HmfsClient client(ClientOptions options) throws IOException {
        return HmfsClient.connect("127.0.0.1", port(), options);
    }

    /** Stops the server, takes away what the loss of the machine would take, and starts one. */
    void loseMachine() throws IOException {
        server.close();
        Files.delete(pool);
        Files.delete(pool.resolveSibling(pool.getFileName() + ".ring"));
        server = HmfsServer.start(config());
    }

    /** Stops the server cleanly and starts one on the same pool. */
    void restart() throws IOException {
        restartAfter(_ -> {});
    }

    /** What is done to a pool that no server has open. */
    interface Change {
        void of(Path pool) throws IOException;
    }

    /** The same, after something was done to the pool. */
    void restartAfter(Change between) throws IOException {
        server.close();
        between.of(pool);
        server = HmfsServer.start(config());
    }

    @Override
    public void close() {
        server.close();
        port.close();
    }
}
