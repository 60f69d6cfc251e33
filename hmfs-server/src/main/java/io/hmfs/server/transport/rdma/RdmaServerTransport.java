package io.hmfs.server.transport.rdma;

import io.hmfs.client.transport.rdma.Verbs;
import io.hmfs.server.transport.Connections;
import io.hmfs.server.transport.EventLoopBatch;
import io.hmfs.server.transport.FrameReceiver;
import io.hmfs.server.transport.ServerTransport;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.function.Supplier;

/** RDMA: listens with the connection manager, and serves all connections on one thread. */
public final class RdmaServerTransport implements ServerTransport {
    private static final int BACKLOG = 128;

    private final Verbs verbs;
    private final RdmaLoop loop;

    /**
     * Nothing reaches it before {@link #listen}.
     *
     * @param receivers makes a receiver of frames for each event loop
     * @param connections of the server
     * @param verbs are this transport's from now on
     * @param spinNanos for which the thread polls on when there is nothing to do
     */
    public RdmaServerTransport(
            Supplier<? extends FrameReceiver> receivers, Connections connections, Verbs verbs, long spinNanos) {
        this.verbs = verbs;
        loop = new RdmaLoop(verbs, connections, new EventLoopBatch(receivers.get()), spinNanos);
    }

    @Override
    public void listen(InetSocketAddress address) throws IOException {
        verbs.listen(address, BACKLOG, loop::requested);
        loop.start();
    }

    @Override
    public InetSocketAddress address() {
        return verbs.address();
    }

    @Override
    public String label() {
        return "rdma";
    }

    @Override
    public void stopListening() {
        loop.execute(verbs::stopListening);
    }

    @Override
    public void close() {
        loop.stop();
    }
}
