package io.hmfs.client;

import io.hmfs.client.transport.Transport;
import io.hmfs.wire.WireBuffer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * TCP, and RDMA to a server that offers it, where this machine can. A connection by RDMA that cannot be made becomes one by
 * TCP, and for some time no other is tried. One connection at a time.
 */
final class ChoosingTransport implements Transport {
    private static final System.Logger LOG = System.getLogger(ChoosingTransport.class.getName());
    private static final long AGAIN_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** Makes the transport over RDMA. */
    @FunctionalInterface
    interface Opener {
        /**
         * Opens it.
         *
         * @throws IOException this machine cannot; the message says why
         */
        Transport open() throws IOException;
    }

    private final Transport tcp;
    private final Opener opener;
    private @Nullable Transport rdma;
    private volatile Transport latest; // that has made a connection: the one to wait for
    private boolean offered;
    private boolean failed;
    private long failedNanos;

    ChoosingTransport(Transport tcp, Opener opener) {
        this.tcp = tcp;
        this.opener = opener;
        latest = tcp;
    }

    @Override
    public boolean offersRdma() {
        if (!latest.equals(tcp) || hasFailed()) {
            return false;
        }
        if (rdma == null) {
            try {
                rdma = opener.open();
            } catch (IOException e) {
                LOG.log(System.Logger.Level.DEBUG, "the server offers RDMA, but goes by TCP: {0}", e.getMessage());
                fail();
                return false;
            }
        }
        offered = true;
        return true;
    }

    private boolean hasFailed() {
        return failed && System.nanoTime() - failedNanos < AGAIN_NANOS;
    }

    private void fail() {
        failed = true;
        failedNanos = System.nanoTime();
    }

    @Override
    public Link connect(String host, int port, Receiver receiver) {
        Transport wanted = rdma;
        if (wanted == null || !offered || hasFailed()) {
            waitFor(tcp);
            return tcp.connect(host, port, receiver);
        }
        waitFor(wanted);
        return new Attempt(host, port, receiver, wanted);
    }

    private void waitFor(Transport next) {
        Transport old = latest;
        latest = next;
        old.wakeUp(); // a thread that waits there must wait for the other one
    }

    @Override
    public boolean isRdma() {
        return !latest.equals(tcp);
    }

    @Override
    public boolean poll() {
        Transport other = rdma;
        boolean any = tcp.poll();
        if (other != null) {
            any |= other.poll();
        }
        return any;
    }

    @Override
    public void await(long nanos) {
        latest.await(nanos);
    }

    @Override
    public void wakeUp() {
        latest.wakeUp();
    }

    @Override
    public void close() {
        Transport other = rdma;
        if (other != null) {
            other.close();
        }
        tcp.close();
    }

    /** A connection by RDMA, or by TCP if that cannot be made. */
    private final class Attempt implements Link, Receiver {
        private final String host;
        private final int port;
        private final Receiver receiver;
        private Link link;
        private boolean connected;

        Attempt(String host, int port, Receiver receiver, Transport wanted) {
            this.host = host;
            this.port = port;
            this.receiver = receiver;
            link = wanted.connect(host, port, this);
        }

        @Override
        public void connected() {
            connected = true;
            receiver.connected();
        }

        @Override
        public void received(WireBuffer frame) throws IOException {
            receiver.received(frame);
        }

        @Override
        public void read(long number, ByteBuffer bytes, int at) throws IOException {
            receiver.read(number, bytes, at);
        }

        @Override
        public void ended(IOException reason) {
            if (connected) {
                receiver.ended(reason);
                return;
            }
            LOG.log(System.Logger.Level.DEBUG, "{0}; going by TCP", reason.getMessage());
            fail();
            waitFor(tcp);
            link = tcp.connect(host, port, receiver);
        }

        @Override
        public WireBuffer begin(int bound) {
            return link.begin(bound);
        }

        @Override
        public void end(int length) {
            link.end(length);
        }

        @Override
        public void drop() {
            link.drop();
        }

        @Override
        public void flush() {
            link.flush();
        }

        @Override
        public boolean read(long address, int key, long number) {
            return link.read(address, key, number);
        }

        @Override
        public boolean hasReadSince(long nanos) {
            return link.hasReadSince(nanos);
        }

        @Override
        public void close() {
            link.close();
        }
    }
}
