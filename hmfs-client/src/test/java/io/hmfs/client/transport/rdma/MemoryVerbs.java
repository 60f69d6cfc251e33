package io.hmfs.client.transport.rdma;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Verbs whose network is memory, for machines without a device: reliable and in order, and strict. A message that finds no
 * posted receive, or one that is too short, ends the connection, as a receiver that is not ready does; so does a write or a
 * read with a key that is not one of the peer's, beyond the memory's end, or without the right. Memory that is sent from, or
 * written from, is read when the peer polls, so that what is changed too early arrives changed, and may not be used again before.
 */
public final class MemoryVerbs implements Verbs {
    private static final ConcurrentHashMap<Integer, MemoryVerbs> LISTENERS = new ConcurrentHashMap<>();
    private static final AtomicInteger KEYS = new AtomicInteger(1000);
    private static final AtomicLong ADDRESSES = new AtomicLong(1L << 40); // not real ones
    private static final int POLL_MAX = 64;
    private static final long STEP_MILLIS = 60_000; // for a thread that hangs: no step takes so long
    private static int lastPort = 1 << 16;

    private final Queue<Runnable> events = new ConcurrentLinkedQueue<>();
    private final List<Pair> pairs = new CopyOnWriteArrayList<>();
    private final List<MemoryVerbs> sharers = new ArrayList<>();
    private int turn;
    private final Map<Integer, Region> regions = new ConcurrentHashMap<>(); // by key
    private final AtomicInteger written = new AtomicInteger(); // by peers
    private final AtomicInteger read = new AtomicInteger();
    private final AtomicInteger tearsAfter = new AtomicInteger(-1);
    private final Object monitor = new Object();
    private final List<Runnable> heldSent = new ArrayList<>();
    private volatile boolean holdsSent;
    private volatile boolean refusesMemory;
    private boolean woken; // guarded by monitor, as are these
    private boolean stepped;
    private boolean parked;
    private @Nullable Acceptor acceptor;
    private @Nullable InetSocketAddress address;
    private volatile boolean closed;

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
        turn = (turn + 1) % (sharers.size() + 1);
        if (turn == 0) {
            take(client, privateData);
        } else {
            MemoryVerbs other = sharers.get(turn - 1);
            other.tell(() -> other.take(client, privateData));
        }
    }

    private void take(Pair client, ByteBuffer privateData) {
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
    public void share(Verbs other, Acceptor itsAcceptor) {
        sharers.add((MemoryVerbs) other);
        ((MemoryVerbs) other).acceptor = itsAcceptor;
    }

    /** Connections that there are. */
    public int connections() {
        return pairs.size();
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
        if (!direct.isDirect() || direct.capacity() == 0) {
            throw new IllegalArgumentException("not a direct buffer, or an empty one: " + direct);
        }
        long address = ADDRESSES.getAndAdd(direct.capacity() + 4096L);
        Region made = new Region(direct, remote, address, KEYS.incrementAndGet());
        regions.put(made.key, made);
        return made;
    }

    @Override
    public void deregister(Memory memory) {
        regions.remove(((Region) memory).key);
    }

    /** How many registrations there are. */
    public int registered() {
        return regions.size();
    }

    /** How many of them peers may reach. */
    public long exposed() {
        return regions.values().stream()
                .filter(each -> each.remote != Remote.NOTHING)
                .count();
    }

    /** Takes no memory any more, as a device does when too much is locked. */
    void refuseMemory() {
        refusesMemory = true;
    }

    /** Writes of peers into memory of these verbs. */
    public int written() {
        return written.get();
    }

    /** Reads of peers from memory of these verbs. */
    public int read() {
        return read.get();
    }

    /** After so many more writes of peers, one arrives by half, and its connection ends: the peer dies. */
    public void tearWriteAfter(int writes) {
        tearsAfter.set(writes);
    }

    /** What a peer reaches by a key, or null. */
    private @Nullable ByteBuffer reach(int key, long address, int length, Remote right) {
        Region region = regions.get(key);
        if (region == null || region.remote != right) {
            return null;
        }
        long offset = address - region.address;
        if (offset < 0 || offset > region.bytes.capacity() - (long) length) {
            return null;
        }
        return region.bytes.duplicate().limit((int) offset + length).position((int) offset);
    }

    @Override
    public boolean poll() {
        return poll(POLL_MAX);
    }

    /** Handles so many events at most. */
    public boolean poll(int most) {
        boolean any = false;
        for (int left = most; left > 0 && !closed; left--) {
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
    public void holdSent(boolean on) {
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

    /**
     * On: the thread that polls stops where it would wait, and goes on in {@link #step} alone, so that it does the same each
     * time. Off: it waits for events again.
     */
    public void stepped(boolean on) {
        synchronized (monitor) {
            stepped = on;
            parked = false;
            monitor.notifyAll();
        }
    }

    /** Has the thread that polls handle all that is there, and what that brings about; nothing of it runs when this returns. */
    public void step() {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(STEP_MILLIS);
        synchronized (monitor) {
            do {
                parked = false;
                monitor.notifyAll();
                try {
                    while (!parked && !closed && System.nanoTime() < end) {
                        monitor.wait(STEP_MILLIS);
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new IllegalStateException(e);
                }
                if (!parked) {
                    throw new IllegalStateException("the thread that polls has ended, or finds no end");
                }
            } while (!events.isEmpty());
        }
    }

    @Override
    public void await(long nanos) {
        synchronized (monitor) {
            try {
                parked = stepped;
                monitor.notifyAll();
                while (parked) {
                    monitor.wait();
                }
                if (!stepped && !woken && events.isEmpty()) {
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
        stepped(false);
        stopListening();
        List.copyOf(pairs).forEach(Pair::close);
    }

    private record Region(ByteBuffer bytes, Remote remote, long address, int key) implements Memory {}

    private record Receive(int slot, ByteBuffer room) {}

    private enum Operation {
        SEND,
        WRITE,
        READ
    }

    private record Work(
            Operation operation, int slot, ByteBuffer local, long remoteAddress, int remoteKey, boolean signalled) {}

    private static final class Pair implements QueuePair {
        private final MemoryVerbs owner;
        private final ArrayDeque<Receive> receives = new ArrayDeque<>();
        private final List<Work> sends = new ArrayList<>();
        private final BitSet busy = new BitSet(); // slots of sends that are not known to be done
        private final ArrayDeque<Integer> sent = new ArrayDeque<>(); // the same, in their order
        private volatile @Nullable Events listener;
        private volatile @Nullable Pair peer;
        private volatile boolean accepted;
        private volatile boolean ended;
        private boolean closed; // by this side, which may have given its memory to another connection

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
            requireUnclosed();
            if (receives.size() == DEPTH) {
                throw new IllegalStateException("more receives than the queue has places");
            }
            receives.add(new Receive(slot, part(memory, offset, length)));
        }

        private void requireUnclosed() {
            if (closed) {
                throw new IllegalStateException("used after it was closed");
            }
        }

        private ByteBuffer part(Memory memory, int offset, int length) {
            Region region = (Region) memory;
            if (!region.equals(owner.regions.get(region.key))) {
                throw new IllegalStateException("memory of other verbs, or that has been deregistered");
            }
            return region.bytes.slice(offset, length);
        }

        @Override
        public void send(int slot, Memory memory, int offset, int length, boolean signalled) {
            queue(new Work(Operation.SEND, slot, part(memory, offset, length), 0, 0, signalled));
        }

        @Override
        public void write(
                int slot, Memory memory, int offset, int length, long remoteAddress, int remoteKey, boolean signalled) {
            queue(new Work(Operation.WRITE, slot, part(memory, offset, length), remoteAddress, remoteKey, signalled));
        }

        @Override
        public void read(
                int slot, Memory memory, int offset, int length, long remoteAddress, int remoteKey, boolean signalled) {
            queue(new Work(Operation.READ, slot, part(memory, offset, length), remoteAddress, remoteKey, signalled));
        }

        private void queue(Work work) {
            requireUnclosed();
            if (sent.size() == DEPTH) {
                throw new IllegalStateException("more sends than the queue has places");
            }
            if (busy.get(work.slot)) {
                throw new IllegalStateException("the memory of a send is used again before it is done");
            }
            busy.set(work.slot);
            sent.add(work.slot);
            sends.add(work);
        }

        @Override
        public void flush() {
            Pair to = peer();
            for (Work work : sends) {
                to.owner.tell(() -> to.arrive(this, work));
            }
            sends.clear();
        }

        private void arrive(Pair from, Work work) {
            if (ended) {
                return;
            }
            switch (work.operation) {
                case SEND -> arrived(from, work);
                case WRITE -> written(from, work);
                case READ -> read(from, work);
            }
        }

        private void arrived(Pair from, Work work) {
            Receive into = receives.poll();
            if (into == null || into.room.remaining() < work.local.remaining()) {
                from.tell(() -> from.end("the peer was not ready to receive"));
                end("a message came for which nothing was posted");
                return;
            }
            int length = work.local.remaining();
            into.room.put(work.local);
            done(from, work);
            listener().received(into.slot, length);
        }

        private void written(Pair from, Work work) {
            ByteBuffer into = owner.reach(work.remoteKey, work.remoteAddress, work.local.remaining(), Remote.WRITE);
            if (into == null) {
                refuse(from);
            } else if (owner.tearsAfter.getAndDecrement() == 0) {
                into.put(work.local.limit(work.local.remaining() / 2));
                from.tell(() -> from.end("it dies"));
                end("the peer does not acknowledge messages any more");
            } else {
                into.put(work.local);
                owner.written.incrementAndGet();
                done(from, work);
            }
        }

        private void read(Pair from, Work work) {
            ByteBuffer what = owner.reach(work.remoteKey, work.remoteAddress, work.local.remaining(), Remote.READ);
            if (what == null) {
                refuse(from);
            } else {
                work.local.put(what);
                owner.read.incrementAndGet();
                done(from, work);
            }
        }

        private void refuse(Pair from) {
            from.tell(() -> from.end("the peer's memory was used against its registration, or beyond its end"));
            end("it closed the connection");
        }

        /** Tells the peer, if it wants to know. */
        private static void done(Pair from, Work work) {
            if (work.signalled) {
                from.owner.tellSent(() -> from.tell(() -> {
                    for (int slot = -1; slot != work.slot; ) {
                        slot = from.sent.remove();
                        from.busy.clear(slot);
                    }
                    from.listener().sent(work.slot);
                }));
            }
        }

        @Override
        public void prepare(Memory memory) throws IOException {
            Region region = (Region) memory;
            if (ended || owner.refusesMemory || !region.equals(owner.regions.get(region.key))) {
                throw new IOException("the connection has ended, or the memory has been deregistered or is refused");
            }
        }

        @Override
        public int remoteKey(Memory memory) throws IOException {
            prepare(memory);
            return ((Region) memory).key;
        }

        @Override
        public InetSocketAddress remote() {
            return InetSocketAddress.createUnresolved("memory", 1);
        }

        @Override
        public void close() {
            closed = true;
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
