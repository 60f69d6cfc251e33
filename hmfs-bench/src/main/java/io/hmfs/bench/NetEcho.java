package io.hmfs.bench;

import io.hmfs.bench.load.FrameSizes;
import io.hmfs.bench.peer.EchoClient;
import io.hmfs.bench.peer.EchoServer;
import java.io.IOException;
import java.util.List;

/** An echo in a JVM of its own, with the server's flags, and a client of it. */
final class NetEcho implements AutoCloseable {
    private final ChildJvm server;
    private final EchoClient client;

    NetEcho(FrameSizes sizes, int eventLoops) throws IOException, InterruptedException {
        server = ChildJvm.start(
                EchoServer.class,
                RemoteServer.FLAGS,
                List.of("" + sizes.request(), "" + sizes.reply(), "" + eventLoops));
        try {
            client = new EchoClient(RemoteServer.number(server.answer(), "ready "), sizes.request(), sizes.reply());
        } catch (IOException | InterruptedException | RuntimeException e) {
            server.close();
            throw e;
        }
    }

    EchoClient client() {
        return client;
    }

    @Override
    public void close() {
        try (server) {
            client.close();
        }
    }
}
