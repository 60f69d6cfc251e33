package io.hmfs.client.transport.tcp;

import io.hmfs.client.transport.Transport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** TCP, by channels that never block and one selector to wait with. */
public final class TcpTransport implements Transport {
    private final Selector selector;
    private final List<TcpLink> links = new ArrayList<>(); // mostly one

    public TcpTransport() {
        try {
            selector = Selector.open();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot make a selector; is the limit of open files reached?", e);
        }
    }

    @Override
    public Link connect(String host, int port, Receiver receiver) {
        TcpLink link = new TcpLink(host, port, receiver, selector);
        link.connect();
        links.add(link);
        selector.wakeup(); // a thread that waits must wait for this connection too
        return link;
    }

    @Override
    public boolean poll() {
        boolean any = false;
        for (int i = links.size() - 1; i >= 0; i--) { // a receiver may add one behind, or close the transport
            if (i >= links.size()) {
                continue;
            }
            TcpLink link = links.get(i);
            any |= link.poll();
            if (link.isClosed()) {
                links.remove(link);
                selector.wakeup(); // the next wait lets go of its descriptor
            }
        }
        return any;
    }

    @Override
    public void await(long nanos) {
        try {
            selector.select(key -> {}, Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos)));
        } catch (ClosedSelectorException closed) {
            // close() was called: nothing will come
        } catch (IOException e) {
            throw new UncheckedIOException("cannot wait for the network", e);
        }
    }

    @Override
    public void wakeUp() {
        selector.wakeup();
    }

    @Override
    public void close() {
        links.forEach(TcpLink::close);
        links.clear();
        try {
            selector.close();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot close the selector", e);
        }
    }
}
