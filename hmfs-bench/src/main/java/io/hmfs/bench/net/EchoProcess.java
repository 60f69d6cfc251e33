package io.hmfs.bench.net;

import io.hmfs.bench.load.FrameSizes;
import io.hmfs.bench.peer.EchoServer;
import io.hmfs.bench.process.ChildJvm;
import io.hmfs.bench.process.RemoteServer;
import java.io.IOException;
import java.util.List;

/** An echo of frames of these sizes, in a JVM of its own with the server's flags. */
final class EchoProcess implements AutoCloseable {
    private final ChildJvm server;
    private final int port;

    EchoProcess(FrameSizes sizes, int eventLoops) throws IOException {
        server = ChildJvm.start(
                EchoServer.class,
                RemoteServer.FLAGS,
                List.of("" + sizes.request(), "" + sizes.reply(), "" + eventLoops));
        try {
            port = RemoteServer.number(server.answer(), "ready ");
        } catch (IOException | RuntimeException e) {
            server.close();
            throw e;
        }
    }

    int port() {
        return port;
    }

    /** Nanoseconds for which its threads have run. */
    long processorNanos() {
        return server.processorNanos();
    }

    @Override
    public void close() {
        server.close();
    }
}
