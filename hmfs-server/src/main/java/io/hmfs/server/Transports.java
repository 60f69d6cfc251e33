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
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** The ways to reach a server: TCP, and RDMA if its settings allow it and the machine can. */
final class Transports implements ServerTransport.Factory {
    private static final System.Logger LOG = System.getLogger(Transports.class.getName());

    private final ServerConfig config;
    private final List<Verbs> verbs; // for each thread; none without RDMA

    private Transports(ServerConfig config, List<Verbs> verbs) {
        this.config = config;
        this.verbs = verbs;
    }

    /**
     * Those of these settings.
     *
     * @throws IOException RDMA is {@code on}, and this machine cannot; the message says why
     */
    static Transports of(ServerConfig config) throws IOException {
        return new Transports(config, verbs(config));
    }

    /** Whether only this machine reaches the server, and so no device for RDMA does. */
    static boolean isLoopback(String host) {
        InetAddress address = new InetSocketAddress(host, 0).getAddress();
        return address != null && address.isLoopbackAddress();
    }

    private static List<Verbs> verbs(ServerConfig config) throws IOException {
        if (config.rdma() != RdmaUse.OFF && isLoopback(config.host())) {
            if (config.rdma() == RdmaUse.ON) {
                throw new IOException("rdma is on, but the server is to listen on " + config.host()
                        + ", which no device reaches; set host to an address of the device, or to 0.0.0.0");
            }
            return List.of();
        }
        switch (config.rdma()) {
            case OFF -> {
                return List.of();
            }
            case ON -> {
                try {
                    return open(config.eventLoops());
                } catch (IOException e) {
                    throw new IOException(
                            "rdma is on, but " + e.getMessage() + "; set rdma to auto or off to go on without", e);
                }
            }
            case AUTO -> {
                if (!VerbsLoader.hasDevice()) {
                    return List.of();
                }
                try {
                    return open(config.eventLoops());
                } catch (IOException e) {
                    LOG.log(Level.WARNING, "there is a device for RDMA, but {0}; serving TCP only", e.getMessage());
                    return List.of();
                }
            }
        }
        throw new AssertionError(config.rdma());
    }

    private static List<Verbs> open(int count) throws IOException {
        List<Verbs> opened = new ArrayList<>();
        try {
            while (opened.size() < count) {
                opened.add(VerbsLoader.open());
            }
        } catch (IOException e) {
            opened.forEach(Verbs::close);
            throw e;
        }
        return opened;
    }

    @Override
    public boolean offersRdma() {
        return !verbs.isEmpty();
    }

    @Override
    public ServerTransport open(Supplier<? extends FrameReceiver> receivers, Connections connections)
            throws IOException {
        ServerTransport tcp = new NettyTransport(receivers, connections, config.eventLoops(), config.transport());
        if (verbs.isEmpty()) {
            return tcp;
        }
        long spinNanos = TimeUnit.MICROSECONDS.toNanos(config.transportSpinMicros());
        return new BothTransports(tcp, new RdmaServerTransport(receivers, connections, verbs, spinNanos));
    }
}
