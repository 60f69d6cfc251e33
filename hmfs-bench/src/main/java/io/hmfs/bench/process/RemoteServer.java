package io.hmfs.bench.process;

import io.hmfs.client.ClientOptions;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.TransportKind;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.server.transport.SocketKind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A server in a JVM of its own on a new pool, which goes with it. */
public final class RemoteServer implements AutoCloseable {
    /** Flags of the JVM of a server, and of the echo that stands beside it. */
    public static final List<String> FLAGS = List.of("-Xmx512m");

    private final TemporaryDirectory directory;
    private final @Nullable TemporaryDirectory logDirectory;
    private final ChildJvm child;
    private final int port;

    /**
     * How it runs.
     *
     * @param poolParent where its pool is made
     * @param poolSize bytes of the pool
     * @param eventLoops threads that serve connections
     * @param persistence its mode; {@code PMEM} is emulated where there is no persistent memory
     * @param logParent where the log is made, with {@code LOGGED}
     * @param flags further flags of its JVM
     */
    public record Setup(
            Path poolParent,
            long poolSize,
            int eventLoops,
            Persistence persistence,
            Path logParent,
            List<String> flags) {}

    public RemoteServer(Path parent, long poolSize, int eventLoops) throws IOException {
        this(new Setup(parent, poolSize, eventLoops, Persistence.PROCESS, parent, List.of()));
    }

    public RemoteServer(Setup setup) throws IOException {
        directory = new TemporaryDirectory(setup.poolParent());
        TemporaryDirectory log = null;
        ChildJvm started = null;
        try {
            List<String> arguments = new ArrayList<>(List.of(
                    directory.path().resolve("pool").toString(),
                    Long.toString(setup.poolSize()),
                    Integer.toString(setup.eventLoops()),
                    setup.persistence().name()));
            if (setup.persistence() == Persistence.LOGGED) {
                log = new TemporaryDirectory(setup.logParent());
                arguments.add(log.path().resolve("log").toString());
            }
            List<String> flags = new ArrayList<>(FLAGS);
            flags.addAll(setup.flags());
            started = ChildJvm.start(ServerMain.class, flags, arguments);
            port = number(started.answer(), "ready ");
        } catch (IOException | RuntimeException e) {
            try (directory;
                    TemporaryDirectory _ = log;
                    ChildJvm _ = started) {
                throw e;
            }
        }
        child = started;
        logDirectory = log;
    }

    public int port() {
        return port;
    }

    public HmfsClient connect() throws IOException {
        return connect(ClientOptions.defaults().inFlightMax());
    }

    /** A client that has so many requests on the wire. */
    public HmfsClient connect(int inFlightMax) throws IOException {
        return HmfsClient.connect("127.0.0.1", port, options(inFlightMax));
    }

    /** The same, over a transport, to the address on which a server with {@link #rdma} listens. */
    public HmfsClient connect(String host, TransportKind transport, int inFlightMax) throws IOException {
        return HmfsClient.connect(host, port, options(inFlightMax).withTransport(transport));
    }

    private static ClientOptions options(int inFlightMax) {
        ClientOptions defaults = ClientOptions.defaults();
        return new ClientOptions(defaults.user(), defaults.connectTimeout(), defaults.requestTimeout(), inFlightMax);
    }

    /** Bytes used on the server's heap after a full collection. */
    public long heapUsed() throws IOException {
        return ask(ServerMain.HEAP);
    }

    /**
     * What a server holds, after a full collection.
     *
     * @param heap bytes used on its heap
     * @param direct bytes that its buffers have outside
     * @param resident bytes of its process that are in memory, its pool among them
     */
    public record Memory(long heap, long direct, long resident) {}

    public Memory memory() throws IOException {
        String[] words = child.ask(ServerMain.MEMORY).split(" ", -1);
        return new Memory(Long.parseLong(words[1]), Long.parseLong(words[2]), Long.parseLong(words[3]));
    }

    /** Nanoseconds for which the server's threads have run, as {@link ChildJvm#processorNanos}. */
    public long processorNanos() {
        return child.processorNanos();
    }

    /** Bytes of the server that devices may reach, and which therefore stay in memory. */
    public long pinned() throws IOException {
        return ask(ServerMain.PINNED);
    }

    private long ask(String what) throws IOException {
        return Long.parseLong(child.ask(what).substring(what.length()).strip());
    }

    /** Flags for a server that is reached by RDMA too, and lets clients read the attributes in so many directories. */
    public static List<String> rdma(String host, int remoteStatDirectories) {
        return List.of(
                "-D" + ServerMain.RDMA_HOST + "=" + host, "-D" + ServerMain.REMOTE_STATS + "=" + remoteStatDirectories);
    }

    /** Flags for a server with these sockets. */
    public static List<String> transport(SocketKind kind) {
        return List.of("-D" + ServerMain.TRANSPORT + "=" + kind.name());
    }

    /** The number behind a word in a child's answer. */
    public static int number(String answer, String word) throws IOException {
        if (!answer.startsWith(word)) {
            throw new IOException("a child JVM said: " + answer);
        }
        return Integer.parseInt(answer.substring(word.length()));
    }

    @Override
    public void close() throws IOException {
        try (TemporaryDirectory _ = logDirectory;
                directory) {
            child.close();
        }
    }
}
