package io.hmfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.transport.Transport;
import io.hmfs.wire.WireBuffer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ChoosingTransportTest {
    private final List<String> done = new ArrayList<>();
    private final Recorded tcp = new Recorded("tcp");
    private final Recorded rdma = new Recorded("rdma");

    /** Notes what is asked of it; the test plays the network. */
    private final class Recorded implements Transport {
        private final String name;
        private @Nullable Receiver receiver;

        Recorded(String name) {
            this.name = name;
        }

        Receiver receiver() {
            Receiver known = receiver;
            if (known == null) {
                throw new AssertionError("nothing was connected by " + name);
            }
            return known;
        }

        @Override
        public Link connect(String host, int port, Receiver newReceiver) {
            receiver = newReceiver;
            done.add(name + " connects");
            return new RecordedLink(name);
        }

        @Override
        public boolean poll() {
            return false;
        }

        @Override
        public void await(long nanos) {
            done.add(name + " waits");
        }

        @Override
        public void wakeUp() {
            done.add(name + " is woken");
        }

        @Override
        public void close() {
            done.add(name + " is closed");
        }
    }

    private final class RecordedLink implements Transport.Link {
        private final String name;

        RecordedLink(String name) {
            this.name = name;
        }

        @Override
        public WireBuffer begin(int bound) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void end(int length) {}

        @Override
        public void drop() {}

        @Override
        public void flush() {
            done.add(name + " flushes");
        }

        @Override
        public boolean hasReadSince(long nanos) {
            return true;
        }

        @Override
        public void close() {}
    }

    private final class Heard implements Transport.Receiver {
        @Override
        public void connected() {
            done.add("connected");
        }

        @Override
        public void received(WireBuffer frame) {}

        @Override
        public void ended(IOException reason) {
            done.add("ended: " + reason.getMessage());
        }
    }

    private List<String> taken() {
        List<String> all = List.copyOf(done);
        done.clear();
        return all;
    }

    private ChoosingTransport choosing() {
        return new ChoosingTransport(tcp, () -> rdma);
    }

    @Test
    void aServerThatOffersNothingIsReachedByTcp() {
        ChoosingTransport transport = choosing();
        transport.connect("h", 1, new Heard());
        transport.connect("h", 1, new Heard()).flush();
        transport.await(1);
        assertEquals(
                List.of("tcp is woken", "tcp connects", "tcp is woken", "tcp connects", "tcp flushes", "tcp waits"),
                taken());
    }

    @Test
    void afterTheOfferTheNextConnectionIsByRdma() {
        ChoosingTransport transport = choosing();
        transport.connect("h", 1, new Heard());
        taken();
        assertTrue(transport.offersRdma());
        transport.connect("h", 1, new Heard()).flush();
        transport.await(1);
        assertEquals(List.of("tcp is woken", "rdma connects", "rdma flushes", "rdma waits"), taken());
        assertFalse(transport.offersRdma(), "it goes by RDMA already");
    }

    @Test
    void aConnectionThatCannotBeMadeByRdmaIsMadeByTcpWithoutAnEnd() {
        ChoosingTransport transport = choosing();
        transport.connect("h", 1, new Heard());
        assertTrue(transport.offersRdma());
        Transport.Link link = transport.connect("h", 1, new Heard());
        taken();
        rdma.receiver().ended(new IOException("no route"));
        link.flush();
        transport.await(1);
        assertEquals(List.of("rdma is woken", "tcp connects", "tcp flushes", "tcp waits"), taken());
        tcp.receiver().connected();
        assertEquals(List.of("connected"), taken());
        assertFalse(transport.offersRdma(), "it has just failed");
        transport.connect("h", 1, new Heard());
        assertEquals(List.of("tcp is woken", "tcp connects"), taken());
    }

    @Test
    void aConnectionByRdmaThatWasThereEndsAsAnyOther() throws IOException {
        ChoosingTransport transport = choosing();
        transport.connect("h", 1, new Heard());
        assertTrue(transport.offersRdma());
        transport.connect("h", 1, new Heard());
        rdma.receiver().connected();
        taken();
        rdma.receiver().ended(new IOException("the peer died"));
        assertEquals(List.of("ended: the peer died"), taken());
        transport.connect("h", 1, new Heard());
        assertEquals(List.of("rdma is woken", "rdma connects"), taken());
    }

    @Test
    void aMachineThatCannotStaysWithTcp() {
        ChoosingTransport transport = new ChoosingTransport(tcp, () -> {
            done.add("opened");
            throw new IOException("no device");
        });
        transport.connect("h", 1, new Heard());
        taken();
        assertFalse(transport.offersRdma());
        assertFalse(transport.offersRdma());
        assertEquals(List.of("opened"), taken(), "once for some time");
    }
}
