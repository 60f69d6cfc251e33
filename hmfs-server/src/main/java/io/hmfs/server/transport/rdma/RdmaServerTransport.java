package io.hmfs.server.transport.rdma;

import io.hmfs.client.transport.rdma.Verbs;
import io.hmfs.server.transport.Connections;
import io.hmfs.server.transport.EventLoopBatch;
import io.hmfs.server.transport.FrameReceiver;
import io.hmfs.server.transport.ServerTransport;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** RDMA: listens with the connection manager, and serves each connection on one of a few threads. */
public final class RdmaServerTransport implements ServerTransport {
    private static final int BACKLOG = 128;

    private final Verbs listening; // those of the first loop
    private final List<RdmaLoop> loops = new ArrayList<>();

    /**
     * Nothing reaches it before {@link #listen}.
     *
     * @param receivers makes a receiver of frames for each event loop
     * @param connections of the server
     * @param verbs one for each thread, at least one; they are this transport's from now on
     * @param spinNanos for which a thread polls on when there is nothing to do
     */
    public RdmaServerTransport(
            Supplier<? extends FrameReceiver> receivers,
            Connections connections,
            List<? extends Verbs> verbs,
            long spinNanos) {
        listening = verbs.get(0);
        AtomicInteger channels = new AtomicInteger();
        for (Verbs each : verbs) {
            RdmaLoop loop = new RdmaLoop(
                    each, connections, channels, new EventLoopBatch(receivers.get()), spinNanos, loops.size());
            if (!loops.isEmpty()) {
                listening.share(each, loop::requested);
            }
            loops.add(loop);
        }
    }

    @Override
    public void listen(InetSocketAddress address) throws IOException {
        listening.listen(address, BACKLOG, loops.get(0)::requested);
        loops.forEach(RdmaLoop::start);
    }

    @Override
    public InetSocketAddress address() {
        return listening.address();
    }

    @Override
    public String label() {
        return "rdma";
    }

    @Override
    public void stopListening() {
        loops.get(0).execute(listening::stopListening);
    }

    @Override
    public void close() {
        loops.forEach(RdmaLoop::stop); // that which listens first: it hands connections to the others
    }
}
