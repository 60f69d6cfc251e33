package io.hmfs.client.transport.rdma;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Verbs whose network is memory, for machines without a device: reliable and in order, and strict. A message that finds no
 * posted receive, or one that is too short, ends the connection, as a receiver that is not ready does; memory that is sent
 * from is read when the peer polls, so that what is changed too early arrives changed, and may not be sent from again before.
 */
public final class MemoryVerbs implements Verbs {
    private static final ConcurrentHashMap<Integer, MemoryVerbs> LISTENERS = new ConcurrentHashMap<>();
    private static int lastPort = 1 << 16;

    private final Queue<Runnable> events = new ConcurrentLinkedQueue<>();
    private final List<Pair> pairs = new ArrayList<>();
    private final Object monitor = new Object();
    private final List<Runnable> heldSent = new ArrayList<>();
    private volatile boolean holdsSent;
    private boolean woken; // guarded by monitor
    private @Nullable Acceptor acceptor;
    private @Nullable InetSocketAddress address;
    private boolean closed;

    @Override
    public QueuePair connect(InetSocketAddress to, ByteBuffer privateData, long nanos, Events listener) {
        Pair here = new Pair(this, listener);
        ByteBuffer copy = ByteBuffer.allocate(privateData.remaining())
                .put(privateData.duplicate())
                .flip();
        tell(() -> here.tell(() -> {
            MemoryVerbs server = LISTENERS.get(to.getPort());
            if (server == null) {
                here.end("rejected");
                return;
            }
            listener.prepared();
            server.tell(() -> server.request(here, copy));
        }));
        return here;
    }

    private void request(Pair client, ByteBuffer privateData) {
        Pair here = new Pair(this, null);
        here.peer = client;
        client.peer = here;
        Acceptor to = acceptor;
        here.listener = to == null ? null : to.requested(here, privateData);
        if (here.listener == null || !here.accepted) {
            here.ended = true;
            client.owner.tell(() -> client.end("rejected"));
        }
    }

    @Override
    public void listen(InetSocketAddress at, int backlog, Acceptor newAcceptor) throws IOException {
        synchronized (LISTENERS) {
            int port = at.getPort() == 0 ? ++lastPort & 0xFFFF : at.getPort();
            if (LISTENERS.putIfAbsent(port, this) != null) {
                throw new IOException("cannot listen on port " + port + ": it is in use");
            }
            address = new InetSocketAddress(at.getAddress(), port);
        }
        acceptor = newAcceptor;
    }

    @Override
    public InetSocketAddress address() {
        InetSocketAddress known = address;
        if (known == null) {
            throw new IllegalStateException("it does not listen yet");
        }
        return known;
    }

    @Override
    public void stopListening() {
        InetSocketAddress known = address;
        if (known != null) {
            LISTENERS.remove(known.getPort(), this);
        }
    }

    @Override
    public Memory register(ByteBuffer direct, Remote remote) {
        return new Region(direct);
    }

    @Override
    public boolean poll() {
        boolean any = false;
        for (int left = 64; left > 0 && !closed; left--) {
            Runnable event = events.poll();
            if (event == null) {
                break;
            }
            event.run();
            any = true;
        }
        return any;
    }

    private void tell(Runnable event) {
        events.add(event);
        wakeUp();
    }

    /** On: that sends are done is not told. Off: it is, of all before too. A device may acknowledge late. */
    void holdSent(boolean on) {
        holdsSent = on;
        if (!on) {
            heldSent.forEach(Runnable::run);
            heldSent.clear();
        }
    }

    private void tellSent(Runnable told) {
        if (holdsSent) {
            heldSent.add(told);
        } else {
            told.run();
        }
    }

    @Override
    public void await(long nanos) {
        synchronized (monitor) {
            try {
                if (!woken && events.isEmpty()) {
                    TimeUnit.NANOSECONDS.timedWait(monitor, Math.max(1, nanos));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            woken = false;
        }
    }

    @Override
    public void wakeUp() {
        synchronized (monitor) {
            woken = true;
            monitor.notifyAll();
        }
    }

    @Override
    public void close() {
        closed = true;
        stopListening();
        List.copyOf(pairs).forEach(Pair::close);
    }

    private record Region(ByteBuffer bytes) implements Memory {
        @Override
        public long address() {
            return 0;
        }
    }

    private record Receive(int slot, ByteBuffer room) {}

    private record Send(int slot, ByteBuffer message, boolean signalled) {}

    private static final class Pair implements QueuePair {
        private final MemoryVerbs owner;
        private final ArrayDeque<Receive> receives = new ArrayDeque<>();
        private final List<Send> sends = new ArrayList<>();
        private int posted;
        private final BitSet busy = new BitSet(); // slots of sends that are not known to be done
        private final ArrayDeque<Integer> sent = new ArrayDeque<>(); // the same, in their order
        private volatile @Nullable Events listener;
        private volatile @Nullable Pair peer;
        private volatile boolean accepted;
        private volatile boolean ended;

        Pair(MemoryVerbs owner, @Nullable Events listener) {
            this.owner = owner;
            this.listener = listener;
            owner.pairs.add(this);
        }

        private void tell(Runnable event) {
            owner.tell(() -> {
                if (!ended) {
                    event.run();
                }
            });
        }

        private Events listener() {
            Events known = listener;
            if (known == null) {
                throw new IllegalStateException("not accepted");
            }
            return known;
        }

        private Pair peer() {
            Pair known = peer;
            if (known == null) {
                throw new IllegalStateException("not connected");
            }
            return known;
        }

        void end(String reason) {
            if (!ended) {
                ended = true;
                owner.pairs.remove(this);
                listener().ended(reason);
            }
        }

        @Override
        public void accept() {
            accepted = true;
            Pair client = peer();
            tell(() -> listener().connected()); // first: the client may send as soon as it knows
            client.tell(() -> client.listener().connected());
        }

        @Override
        public void receive(int slot, Memory memory, int offset, int length) {
            if (receives.size() == DEPTH) {
                throw new IllegalStateException("more receives than the queue has places");
            }
            receives.add(new Receive(slot, memory.bytes().slice(offset, length)));
        }

        @Override
        public void send(int slot, Memory memory, int offset, int length, boolean signalled) {
            if (++posted > DEPTH) {
                throw new IllegalStateException("more sends than the queue has places");
            }
            if (busy.get(slot)) {
                throw new IllegalStateException("the memory of a send is used again before it is done");
            }
            busy.set(slot);
            sent.add(slot);
            sends.add(new Send(slot, memory.bytes().slice(offset, length), signalled));
        }

        @Override
        public void write(
                int slot, Memory memory, int offset, int length, long remoteAddress, int remoteKey, boolean signalled) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void read(
                int slot, Memory memory, int offset, int length, long remoteAddress, int remoteKey, boolean signalled) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void flush() {
            Pair to = peer();
            int unsignalled = 0;
            for (Send send : sends) {
                unsignalled++;
                int done = send.signalled ? unsignalled : 0;
                unsignalled = send.signalled ? 0 : unsignalled;
                to.owner.tell(() -> to.arrive(this, send, done));
            }
            pendingUnsignalled += unsignalled;
            sends.clear();
        }

        private int pendingUnsignalled; // of flushes before: done with the next signalled one

        private void arrive(Pair from, Send send, int done) {
            if (ended) {
                return;
            }
            Receive into = receives.poll();
            if (into == null || into.room.remaining() < send.message.remaining()) {
                from.tell(() -> from.end("the peer was not ready to receive"));
                end("a message came for which nothing was posted");
                return;
            }
            int length = send.message.remaining();
            into.room.put(send.message);
            if (send.signalled) {
                from.owner.tellSent(() -> from.tell(() -> {
                    from.posted -= done + from.pendingUnsignalled;
                    from.pendingUnsignalled = 0;
                    for (int slot = -1; slot != send.slot; ) {
                        slot = from.sent.remove();
                        from.busy.clear(slot);
                    }
                    from.listener().sent(send.slot);
                }));
            }
            listener().received(into.slot, length);
        }

        @Override
        public int remoteKey(Memory memory) {
            throw new UnsupportedOperationException();
        }

        @Override
        public InetSocketAddress remote() {
            return InetSocketAddress.createUnresolved("memory", 1);
        }

        @Override
        public void close() {
            if (!ended) {
                ended = true;
                owner.pairs.remove(this);
                Pair other = peer;
                if (other != null) {
                    other.tell(() -> other.end("it was closed"));
                }
            }
        }
    }
}
