package io.hmfs.server;

import io.hmfs.client.transport.rdma.Verbs;
import io.hmfs.client.transport.rdma.disni.VerbsLoader;
import io.hmfs.server.transport.BothTransports;
import io.hmfs.server.transport.Connections;
import io.hmfs.server.transport.FrameReceiver;
import io.hmfs.server.transport.RdmaUse;
import io.hmfs.server.transport.ServerTransport;
import io.hmfs.server.transport.netty.NettyTransport;
import io.hmfs.server.transport.rdma.RdmaServerTransport;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The ways to reach a server: TCP, and RDMA if its settings allow it and the machine can. */
final class Transports implements ServerTransport.Factory {
    private static final System.Logger LOG = System.getLogger(Transports.class.getName());

    private final ServerConfig config;
    private final @Nullable Verbs verbs;

    private Transports(ServerConfig config, @Nullable Verbs verbs) {
        this.config = config;
        this.verbs = verbs;
    }

    /**
     * Those of these settings.
     *
     * @throws IOException RDMA is {@code on}, and this machine cannot; the message says why
     */
    static Transports of(ServerConfig config) throws IOException {
        return new Transports(config, verbs(config.rdma()));
    }

    private static @Nullable Verbs verbs(RdmaUse use) throws IOException {
        switch (use) {
            case OFF -> {
                return null;
            }
            case ON -> {
                try {
                    return VerbsLoader.open();
                } catch (IOException e) {
                    throw new IOException(
                            "rdma is on, but " + e.getMessage() + "; set rdma to auto or off to go on without", e);
                }
            }
            case AUTO -> {
                if (!VerbsLoader.hasDevice()) {
                    return null;
                }
                try {
                    return VerbsLoader.open();
                } catch (IOException e) {
                    LOG.log(Level.WARNING, "there is a device for RDMA, but {0}; serving TCP only", e.getMessage());
                    return null;
                }
            }
        }
        throw new AssertionError(use);
    }

    @Override
    public boolean offersRdma() {
        return verbs != null;
    }

    @Override
    public ServerTransport open(Supplier<? extends FrameReceiver> receivers, Connections connections)
            throws IOException {
        ServerTransport tcp = new NettyTransport(receivers, connections, config.eventLoops(), config.transport());
        Verbs known = verbs;
        if (known == null) {
            return tcp;
        }
        long spinNanos = TimeUnit.MICROSECONDS.toNanos(config.transportSpinMicros());
        return new BothTransports(tcp, new RdmaServerTransport(receivers, connections, known, spinNanos));
    }
}
