package io.hmfs.server.transport.netty;

import io.hmfs.client.transport.rdma.MemoryVerbs;
import io.hmfs.client.transport.rdma.Verbs;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Counts what a thread of the server has left: connections that find room for their messages in the memory that is registered,
 * and reads at a time, of which each takes a piece. Both are as many as at the start, unless a connection has left some taken.
 */
final class FuzzProbe {
    private static final int BLOCKS = 32; // of a region
    private static final int READS = 64; // pieces of a thread
    private static final int READS_OF_ONE = 4;
    private static final int MESSAGE_BYTES = 64;

    private final MemoryVerbs server;
    private final FuzzRdmaRun.Network network;

    FuzzProbe(MemoryVerbs server, FuzzRdmaRun.Network network) {
        this.server = server;
        this.network = network;
    }

    private static final class Deaf implements Verbs.Events {
        @Override
        public void prepared() {}

        @Override
        public void connected() {}

        @Override
        public void received(int slot, int length) {}

        @Override
        public void sent(int slot) {}

        @Override
        public void ended(String reason) {}
    }

    /** Counts, with so many other connections. Null, or what is missing. */
    @Nullable
    String missing(int others) {
        int registered = server.registered();
        try (Prober prober = new Prober()) {
            List<Verbs.QueuePair> pairs = new ArrayList<>();
            for (int i = others; i < BLOCKS; i++) {
                pairs.add(prober.connect(server));
            }
            prober.poll(network);
            List<Verbs.QueuePair> readers = pairs.subList(0, READS / READS_OF_ONE);
            for (Verbs.QueuePair pair : readers) {
                prober.announce(pair);
            }
            prober.poll(network); // the server gives pieces
            server.holdSent(true); // so that what was read stays in its piece
            for (Verbs.QueuePair pair : readers) {
                prober.askForReads(pair);
            }
            prober.poll(network);
            if (server.registered() != registered) {
                return "memory of messages was not given back";
            }
            int reads = prober.verbs.read();
            return reads == READS ? null : (READS - reads) + " pieces were not given back";
        } catch (IOException e) {
            throw new IllegalStateException("its own memory has no key", e);
        } finally {
            server.holdSent(false);
            network.pump();
        }
    }

    /** One that has many connections. */
    private static final class Prober implements AutoCloseable {
        private final MemoryVerbs verbs = new MemoryVerbs();
        private final Verbs.Memory memory =
                verbs.register(ByteBuffer.allocateDirect((1 + READS_OF_ONE) * MESSAGE_BYTES), Verbs.Remote.NOTHING);
        private final Verbs.Memory window =
                verbs.register(ByteBuffer.allocateDirect(READS_OF_ONE * FuzzMessage.PIECE_BYTES), Verbs.Remote.READ);

        Verbs.QueuePair connect(MemoryVerbs server) {
            return verbs.connect(server.address(), ByteBuffer.wrap(FuzzMessage.greeting()), 1, new Deaf());
        }

        void poll(FuzzRdmaRun.Network network) {
            do {
                network.step();
            } while (verbs.poll());
        }

        void announce(Verbs.QueuePair pair) throws IOException {
            pair.receive(
                    0,
                    verbs.register(ByteBuffer.allocateDirect(MESSAGE_BYTES), Verbs.Remote.NOTHING),
                    0,
                    MESSAGE_BYTES);
            byte[] windows = FuzzMessage.windowsBody(0, 0, window.address(), pair.remoteKey(window));
            send(pair, 0, FuzzMessage.of(0, 0, FuzzMessage.WINDOWS, windows));
            pair.flush();
        }

        void askForReads(Verbs.QueuePair pair) {
            for (int piece = 0; piece < READS_OF_ONE; piece++) {
                send(pair, 1 + piece, FuzzMessage.of(0, 0, FuzzMessage.LONG, FuzzMessage.longBody(piece, 1)));
            }
            pair.flush();
        }

        private void send(Verbs.QueuePair pair, int slot, FuzzMessage message) {
            memory.bytes().put(slot * MESSAGE_BYTES, message.bytes());
            pair.send(slot, memory, slot * MESSAGE_BYTES, message.bytes().length, true);
        }

        @Override
        public void close() {
            verbs.close();
        }
    }
}
