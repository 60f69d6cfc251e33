package io.hmfs.server.transport;

import java.io.IOException;
import java.net.InetSocketAddress;

/** Two ways to reach the server, at the same address and port. */
public final class BothTransports implements ServerTransport {
    private final ServerTransport first;
    private final ServerTransport second;

    /** The first one chooses the port if any will do. */
    public BothTransports(ServerTransport first, ServerTransport second) {
        this.first = first;
        this.second = second;
    }

    @Override
    public void listen(InetSocketAddress address) throws IOException {
        first.listen(address);
        second.listen(
                address.isUnresolved()
                        ? address
                        : new InetSocketAddress(
                                address.getAddress(), first.address().getPort()));
    }

    @Override
    public InetSocketAddress address() {
        return first.address();
    }

    @Override
    public String label() {
        return first.label() + " and " + second.label();
    }

    @Override
    public void stopListening() {
        first.stopListening();
        second.stopListening();
    }

    @Override
    public void close() {
        first.close();
        second.close();
    }
}
