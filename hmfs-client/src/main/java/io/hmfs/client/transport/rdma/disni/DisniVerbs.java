package io.hmfs.client.transport.rdma.disni;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import com.ibm.disni.verbs.RdmaEventChannel;
import com.ibm.disni.verbs.impl.NatCmaIdPrivate;
import com.ibm.disni.verbs.impl.NatIbvQP;
import com.ibm.disni.verbs.impl.NatIbvRecvWR;
import com.ibm.disni.verbs.impl.NatIbvSge;
import com.ibm.disni.verbs.impl.NatRdmaEventChannel;
import com.ibm.disni.verbs.impl.NativeDispatcher;
import com.ibm.disni.verbs.impl.SockAddrIn;
import io.hmfs.client.transport.rdma.Verbs;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * {@link Verbs} over DiSNI. Objects that live long (ids, queue pairs, queues, registrations) are DiSNI's; requests are
 * written by {@link SendChain} and posted by DiSNI's natives, because DiSNI's prepared calls fix operation and number.
 *
 * <p>The number of a work request says whose completion it is, so that one that comes late reaches no other connection:
 * <pre>
 *   63        62 … 48      47 … 32            31 … 0
 *   | receive | generation | place in `pairs` | slot |
 * </pre>
 * An event of the connection manager is acknowledged when it is read, for an id can only be destroyed then. A connection
 * that ends is released before its {@link Verbs.Events#ended}.
 *
 * <p>A wait arms the queues that are not armed and returns at once, because what is in them makes no event: the next poll
 * finds it. The wait after that waits. So no completion is missed, and no queue need be looked into here.
 */
public final class DisniVerbs implements Verbs {
    private static final int PRIVATE_DATA_MOST = 56;
    private static final int INLINE_WANTED = 128;

    /** 7 would mean without end for a peer that posts no receives; the other one has no such meaning. */
    private static final byte RNR_RETRIES = 6;

    private static final byte RETRIES = 7;

    /** 0.5 s without an acknowledgement, 8 times: about 4 s. The kernel's own value is 4 times as much. */
    private static final int ACKNOWLEDGE_TIMEOUT = 17;

    /** The connection manager's events are looked for this often while completions are polled: each look is a system call. */
    private static final long EVENTS_NANOS = 100_000;

    private static final int EVENTS_MOST = 256; // per poll
    private static final int BATCHES_MOST = 8; // per queue and poll
    private static final int PAIRS_MOST = 1 << 16;
    private static final int GENERATION_MASK = 0x7fff;
    private static final byte QUEUE_PAIR_RC = 2;
    private static final int REJECTED_NO_LISTENER = 8; // IB_CM_REJ_INVALID_SERVICE_ID
    private static final int REJECTED_BY_PEER = 28; // IB_CM_REJ_CONSUMER_DEFINED
    private static final short AF_INET = 2;
    private static final short AF_INET6 = 10;

    private final NativeDispatcher dispatcher;
    private final Channel channel;
    private final long waiter;
    private final ByteBuffer event = direct(Natives.EVENT_SIZE);
    private final long eventAt = Natives.address(event);
    private final ByteBuffer privateData =
            event.slice(Natives.EVENT_PRIVATE_DATA, Natives.PRIVATE_DATA_MOST).asReadOnlyBuffer();
    private final ByteBuffer ready = direct(Natives.READY_MOST * Long.BYTES);
    private final long readyAt = Natives.address(ready);
    private final ByteBuffer receive = direct(NatIbvRecvWR.CSIZE + NatIbvSge.CSIZE);
    private final long receiveAt = Natives.address(receive);
    private final ByteBuffer socketAddress = direct(SockAddrIn.CSIZE);
    private final ByteBuffer ownPrivate = direct(PRIVATE_DATA_MOST);
    private final long ownPrivateAt = Natives.address(ownPrivate);

    private final Map<Long, Pair> byId = new HashMap<>();
    private final List<Pair> connecting = new ArrayList<>();
    private final ArrayDeque<Pair> ending = new ArrayDeque<>();
    private final ArrayDeque<SendChain> chains = new ArrayDeque<>();
    private @Nullable Pair[] pairs = new Pair[16];
    private int[] generations = new int[16];
    private int nextPlace;
    private int pairCount;
    private int memories; // numbers below it are memories', or free
    private final BitSet freeMemories = new BitSet();

    private @Nullable RdmaCmId listener;
    private @Nullable Acceptor acceptor;
    private @Nullable InetSocketAddress address;

    private final List<DisniVerbs> sharers = new ArrayList<>(); // of the requests that these hear
    private int turn;
    private final Queue<Offer> offered = new ConcurrentLinkedQueue<>(); // by verbs that listen

    private long eventsSeenNanos = System.nanoTime();

    private final ReentrantLock awaiting =
            new ReentrantLock(); // held by a wait; close takes it before it takes things away
    private final Object signalling = new Object();
    private volatile DisniDevice[] devices = {};
    private volatile DisniQueue[] queues = {};
    private volatile boolean eventsReady = true;
    private volatile boolean closed;
    private volatile @Nullable IOException broken;

    /** When the first of the connections that are being made has waited too long; only if {@link #hasDeadline}. */
    private volatile long deadlineNanos;

    private volatile boolean hasDeadline;

    DisniVerbs(NativeDispatcher dispatcher) throws IOException {
        this.dispatcher = dispatcher;
        waiter = Natives.openWaiter();
        RdmaEventChannel made = null;
        try {
            made = RdmaEventChannel.createEventChannel();
            channel = new Channel(((NatRdmaEventChannel) made).getObjId());
            Natives.watch(waiter, channel.getObjId());
        } catch (IOException e) {
            if (made != null) {
                made.destroyEventChannel();
            }
            Natives.closeWaiter(waiter);
            throw e;
        }
    }

    /** DiSNI's own keeps each id that it has seen for ever. */
    private static final class Channel extends NatRdmaEventChannel {
        Channel(long handle) throws IOException {
            super(handle, -1);
        }

        @Override
        public void addCmId(NatCmaIdPrivate id) {}
    }

    /** A request for a connection that other verbs have heard; its events come by the channel of these. */
    private record Offer(long id, ByteBuffer privateBytes) {}

    private static ByteBuffer direct(int size) {
        return ByteBuffer.allocateDirect(size).order(ByteOrder.nativeOrder());
    }

    @Override
    public QueuePair connect(InetSocketAddress to, ByteBuffer privateBytes, long nanos, Events events) {
        requireOpen();
        int length = privateBytes.remaining();
        if (length > PRIVATE_DATA_MOST) {
            throw new IllegalArgumentException("private data of " + length + " bytes");
        }
        byte[] copy = new byte[length];
        privateBytes.duplicate().get(copy);
        Pair pair = new Pair(events, to, copy, nanos);
        try {
            NatCmaIdPrivate id = (NatCmaIdPrivate) channel.createId(RdmaCm.RDMA_PS_TCP);
            pair.identify(id);
            pair.place();
            writeAddress(to);
            dispatcher._resolveAddr(id.getObjId(), 0, Natives.address(socketAddress), millis(nanos));
            pair.state = State.ADDRESS;
            pair.deadlineNanos = System.nanoTime() + nanos;
            connecting.add(pair);
            findDeadline();
        } catch (IOException e) {
            pair.fail(reason(e));
        }
        return pair;
    }

    @Override
    public void listen(InetSocketAddress at, int backlog, Acceptor newAcceptor) throws IOException {
        requireOpen();
        if (listener != null) {
            throw new IllegalStateException("listens already");
        }
        NatCmaIdPrivate id = null;
        try {
            writeAddress(at);
            id = (NatCmaIdPrivate) channel.createId(RdmaCm.RDMA_PS_TCP);
            dispatcher._bindAddr(id.getObjId(), Natives.address(socketAddress));
            id.listen(backlog);
            address = Objects.requireNonNull(localAddress(id));
        } catch (IOException e) {
            if (id != null) {
                id.destroyId();
            }
            throw new IOException("cannot listen on " + at + " by RDMA: " + e.getMessage(), e);
        }
        listener = id;
        acceptor = newAcceptor;
    }

    @Override
    public void share(Verbs other, Acceptor itsAcceptor) {
        requireOpen();
        if (listener != null) {
            throw new IllegalStateException("listens already");
        }
        sharers.add((DisniVerbs) other);
        ((DisniVerbs) other).acceptor = itsAcceptor;
    }

    @Override
    public InetSocketAddress address() {
        if (address == null) {
            throw new IllegalStateException("does not listen");
        }
        return address;
    }

    @Override
    public void stopListening() {
        RdmaCmId id = listener;
        listener = null;
        acceptor = null;
        if (id != null) {
            destroy(id);
        }
    }

    @Override
    public Memory register(ByteBuffer direct, Remote remote) {
        requireOpen();
        int number = freeMemories.isEmpty() ? memories : freeMemories.nextSetBit(0);
        DisniMemory made = new DisniMemory(number, direct, remote);
        freeMemories.clear(number);
        memories = Math.max(memories, number + 1);
        return made;
    }

    @Override
    public void deregister(Memory memory) {
        int number = ((DisniMemory) memory).takeNumber();
        if (number < 0 || closed) {
            return;
        }
        for (DisniDevice each : devices) {
            each.deregister(number);
        }
        freeMemories.set(number);
    }

    @Override
    public boolean poll() throws IOException {
        if (closed) {
            return false;
        }
        if (broken != null) {
            throw broken;
        }
        boolean any = takeOffers(); // before events of their connections
        long now = System.nanoTime();
        if (eventsReady || now - eventsSeenNanos > EVENTS_NANOS) {
            eventsReady = false;
            eventsSeenNanos = now;
            any |= events();
            any |= overdue(now);
        }
        any |= completions();
        while (!ending.isEmpty()) {
            Pair pair = ending.remove();
            any = true;
            pair.end(pair.failure == null ? "failed" : pair.failure);
        }
        return any;
    }

    private boolean events() throws IOException {
        boolean any = false;
        for (int i = 0; i < EVENTS_MOST && !closed; i++) {
            int type = Natives.nextEvent(channel.getObjId(), eventAt);
            if (type < 0) {
                return any;
            }
            any = true;
            handle(type);
        }
        eventsReady = true; // there may be more
        return any;
    }

    private void handle(int type) throws IOException {
        long id = event.getLong(Natives.EVENT_ID);
        int status = event.getInt(Natives.EVENT_STATUS);
        if (type == EventTypes.CONNECT_REQUEST) {
            int length = event.getInt(Natives.EVENT_PRIVATE_LENGTH);
            turn = (turn + 1) % (sharers.size() + 1);
            if (turn == 0
                    || !sharers.get(turn - 1).offer(id, privateData.clear().limit(length))) {
                requested(
                        new NatCmaIdPrivate(id, channel, dispatcher),
                        privateData.clear().limit(length));
            }
            return;
        }
        Pair pair = byId.get(id);
        if (pair == null) {
            return; // the listener's, or a connection that has been closed
        }
        if (type == EventTypes.ADDR_RESOLVED) {
            pair.addressResolved();
        } else if (type == EventTypes.ROUTE_RESOLVED) {
            pair.routeResolved();
        } else if (type == EventTypes.ESTABLISHED) {
            pair.established();
        } else if (type == EventTypes.ADDR_ERROR) {
            pair.end("no RDMA device reaches its address (" + status + ")");
        } else if (type == EventTypes.ROUTE_ERROR) {
            pair.end("there is no RDMA route to it (" + status + ")");
        } else if (type == EventTypes.UNREACHABLE) {
            pair.end("it does not answer by RDMA (" + status + ")");
        } else if (type == EventTypes.REJECTED) {
            pair.end(
                    switch (status) {
                        case REJECTED_NO_LISTENER -> "it does not listen for RDMA on this port";
                        case REJECTED_BY_PEER -> "it refused the connection";
                        default -> "its connection manager refused the connection (" + status + ")";
                    });
        } else if (type == EventTypes.CONNECT_ERROR) {
            pair.end("the connection could not be made (" + status + ")");
        } else if (type == EventTypes.DISCONNECTED) {
            completions(); // what it sent before
            pair.end("it closed the connection");
        } else if (type == EventTypes.DEVICE_REMOVAL) {
            pair.end("the RDMA device was removed");
        }
    }

    /** Numbers of the connection manager's events, once and for all: an enum's numbers are what DiSNI offers. */
    private static final class EventTypes {
        static final int ADDR_RESOLVED = number(EventType.RDMA_CM_EVENT_ADDR_RESOLVED);
        static final int ADDR_ERROR = number(EventType.RDMA_CM_EVENT_ADDR_ERROR);
        static final int ROUTE_RESOLVED = number(EventType.RDMA_CM_EVENT_ROUTE_RESOLVED);
        static final int ROUTE_ERROR = number(EventType.RDMA_CM_EVENT_ROUTE_ERROR);
        static final int CONNECT_REQUEST = number(EventType.RDMA_CM_EVENT_CONNECT_REQUEST);
        static final int CONNECT_ERROR = number(EventType.RDMA_CM_EVENT_CONNECT_ERROR);
        static final int UNREACHABLE = number(EventType.RDMA_CM_EVENT_UNREACHABLE);
        static final int REJECTED = number(EventType.RDMA_CM_EVENT_REJECTED);
        static final int ESTABLISHED = number(EventType.RDMA_CM_EVENT_ESTABLISHED);
        static final int DISCONNECTED = number(EventType.RDMA_CM_EVENT_DISCONNECTED);
        static final int DEVICE_REMOVAL = number(EventType.RDMA_CM_EVENT_DEVICE_REMOVAL);

        private static int number(EventType type) {
            return Arrays.asList(EventType.values()).indexOf(type);
        }
    }

    /** A request that other verbs have heard, which are polled by the caller; false: they must serve it themselves. */
    private boolean offer(long id, ByteBuffer bytes) {
        ByteBuffer copy = ByteBuffer.allocate(bytes.remaining()).order(ByteOrder.LITTLE_ENDIAN);
        copy.put(bytes).flip();
        synchronized (signalling) {
            if (closed || Natives.migrate(id, channel.getObjId()) != 0) {
                return false;
            }
            offered.add(new Offer(id, copy));
            Natives.signal(waiter);
        }
        return true;
    }

    private boolean takeOffers() throws IOException {
        boolean any = false;
        for (Offer offer = offered.poll(); offer != null; offer = offered.poll()) {
            any = true;
            requested(new NatCmaIdPrivate(offer.id, channel, dispatcher), offer.privateBytes);
        }
        return any;
    }

    private void requested(NatCmaIdPrivate id, ByteBuffer bytes) {
        Acceptor current = acceptor;
        if (current == null) { // asked for before listening ended
            Natives.reject(id.getObjId());
            destroy(id);
            return;
        }
        Pair pair = new Pair(null, null, new byte[0], 0);
        Events events = null;
        try {
            pair.identify(id);
            pair.place();
            pair.state = State.REQUESTED;
            Natives.acknowledgeTimeout(
                    id.getObjId(), ACKNOWLEDGE_TIMEOUT); // best effort: an old kernel has its own value
            pair.createQueuePair();
            events = current.requested(pair, bytes);
        } catch (IOException e) {
            events = null; // no resources: the peer tries again, or takes another transport
        } finally {
            pair.events = events;
            if (events == null) {
                if (pair.state == State.REQUESTED) {
                    Natives.reject(id.getObjId());
                }
                pair.release();
            }
        }
    }

    private boolean overdue(long now) {
        boolean any = false;
        for (int i = connecting.size() - 1; i >= 0; i--) {
            if (i < connecting.size() && connecting.get(i).deadlineNanos - now <= 0) {
                any = true;
                connecting.get(i).end("it does not answer by RDMA within its time");
            }
        }
        return any;
    }

    private void findDeadline() {
        boolean has = false;
        long first = 0;
        for (int i = 0; i < connecting.size(); i++) {
            long each = connecting.get(i).deadlineNanos;
            first = !has || each - first < 0 ? each : first;
            has = true;
        }
        deadlineNanos = first;
        hasDeadline = has;
    }

    private boolean completions() throws IOException {
        boolean any = false;
        for (DisniQueue each : queues) {
            for (int i = 0; i < BATCHES_MOST && !closed; i++) {
                int polled = each.poll();
                for (int k = 0; k < polled; k++) {
                    completed(each.completion(k));
                }
                any |= polled > 0;
                if (!DisniQueue.isFull(polled)) {
                    break;
                }
            }
        }
        return any;
    }

    private void completed(IbvWC completion) {
        long id = completion.getWr_id();
        int place = (int) (id >>> 32) & (PAIRS_MOST - 1);
        Pair pair = place < pairs.length ? pairs[place] : null;
        if (pair == null || pair.generation != ((int) (id >>> 48) & GENERATION_MASK)) {
            return; // of a connection that has been closed
        }
        int status = completion.getStatus();
        if (status != 0) {
            pair.end(pair.failure != null ? pair.failure : failure(status));
            return;
        }
        if (pair.state == State.ACCEPTED) {
            pair.established(); // its message was faster than the connection manager's
        }
        Events events = pair.events;
        if (events == null) {
            return;
        }
        if (id < 0) {
            events.received((int) id, completion.getByte_len());
        } else {
            events.sent((int) id);
        }
    }

    private static String failure(int status) {
        return switch (status) {
            case 1 -> "a message was longer than the buffer for it";
            case 2 ->
                "a request was not valid, or a message was longer than the buffer for it"; // the latter of soft-RoCE
            case 4 -> "memory of ours was used that is not registered for it";
            case 5 -> "the connection was lost";
            case 9 -> "the peer could not take a request";
            case 10 -> "the peer's memory was used against its registration, or beyond its end";
            case 11 -> "the peer could not carry a request out";
            case 12 -> "the peer does not acknowledge messages any more";
            case 13 -> "the peer has no buffers for messages";
            default -> "a request failed with status " + status + " of verbs";
        };
    }

    @Override
    public void await(long nanos) {
        awaiting.lock();
        try {
            if (closed || broken != null) {
                return;
            }
            boolean fresh = false;
            for (DisniQueue each : queues) {
                if (!each.armed) {
                    each.arm();
                    fresh = true;
                }
            }
            if (fresh) {
                return;
            }
            long wait = hasDeadline ? Math.min(nanos, deadlineNanos - System.nanoTime()) : nanos;
            int count = Natives.await(waiter, Math.max(wait, 0), readyAt);
            for (int i = 0; i < count; i++) {
                long handle = ready.getLong(i * Long.BYTES);
                if (handle == channel.getObjId()) {
                    eventsReady = true;
                } else {
                    takeCompletionEvents(handle);
                }
            }
            if (hasDeadline && deadlineNanos - System.nanoTime() <= 0) {
                eventsReady = true;
            }
        } catch (IOException e) {
            broken = e;
        } finally {
            awaiting.unlock();
        }
    }

    private void takeCompletionEvents(long completionChannel) throws IOException {
        for (long queue = Natives.nextCompletionEvent(completionChannel);
                queue != 0;
                queue = Natives.nextCompletionEvent(completionChannel)) {
            for (DisniQueue each : queues) {
                if (each.handle == queue) {
                    each.armed = false;
                }
            }
        }
    }

    @Override
    public void wakeUp() {
        synchronized (signalling) { // a closed waiter's descriptor may be another file's by now
            if (!closed) {
                Natives.signal(waiter);
            }
        }
    }

    @Override
    public void close() {
        synchronized (signalling) {
            if (closed) {
                return;
            }
            closed = true;
            Natives.signal(waiter);
        }
        awaiting.lock();
        try {
            stopListening();
            for (Offer offer = offered.poll(); offer != null; offer = offered.poll()) {
                Natives.reject(offer.id);
                dispatcher._destroyCmId(offer.id);
            }
            for (Pair each : pairs.clone()) {
                if (each != null) {
                    each.release();
                }
            }
            ending.clear();
            for (DisniDevice each : devices) {
                each.close();
            }
            try {
                channel.destroyEventChannel();
            } catch (IOException e) {
                throw new AssertionError(e); // closed before
            }
            synchronized (signalling) {
                Natives.closeWaiter(waiter);
            }
        } finally {
            awaiting.unlock();
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("closed");
        }
    }

    private DisniDevice device(RdmaCmId id) throws IOException {
        long context = dispatcher._getContext(((NatCmaIdPrivate) id).getObjId());
        if (context < 0) {
            throw new IOException("the connection has no device");
        }
        DisniDevice[] before = devices;
        for (DisniDevice each : before) {
            if (each.context == context) {
                return each;
            }
        }
        DisniDevice made = new DisniDevice(context, dispatcher, waiter);
        DisniDevice[] after = Arrays.copyOf(before, before.length + 1);
        after[before.length] = made;
        devices = after;
        return made;
    }

    private DisniQueue queueOf(DisniDevice device) throws IOException {
        DisniQueue queue = device.queueWithRoom();
        if (queue == null) {
            queue = device.addQueue();
            DisniQueue[] before = queues;
            DisniQueue[] after = Arrays.copyOf(before, before.length + 1);
            after[before.length] = queue;
            queues = after;
        }
        return queue;
    }

    private static void destroy(RdmaCmId id) {
        try {
            id.destroyId();
        } catch (IOException e) {
            throw new AssertionError(e); // destroyed before
        }
    }

    private static int millis(long nanos) {
        return (int) Math.max(1, Math.min(Integer.MAX_VALUE, TimeUnit.NANOSECONDS.toMillis(nanos)));
    }

    private static String reason(IOException e) {
        return String.valueOf(e.getMessage());
    }

    /* struct sockaddr_in and sockaddr_in6: family, port (network order), address; of IPv6 the flow before the address and the scope behind it */

    private void writeAddress(InetSocketAddress from) throws IOException {
        if (from.isUnresolved()) {
            throw new UnknownHostException(from.getHostString() + " has no address");
        }
        byte[] bytes = from.getAddress().getAddress();
        for (int i = 0; i < SockAddrIn.CSIZE; i++) {
            socketAddress.put(i, (byte) 0);
        }
        boolean six = bytes.length == 16;
        socketAddress.putShort(0, six ? AF_INET6 : AF_INET);
        socketAddress.put(2, (byte) (from.getPort() >>> 8));
        socketAddress.put(3, (byte) from.getPort());
        int at = six ? 8 : 4;
        for (int i = 0; i < bytes.length; i++) {
            socketAddress.put(at + i, bytes[i]);
        }
        if (six && from.getAddress() instanceof java.net.Inet6Address scoped) {
            socketAddress.putInt(24, scoped.getScopeId());
        }
    }

    private @Nullable InetSocketAddress readAddress() {
        short family = socketAddress.getShort(0);
        if (family != AF_INET && family != AF_INET6) {
            return null;
        }
        byte[] bytes = new byte[family == AF_INET ? 4 : 16];
        int at = family == AF_INET ? 4 : 8;
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = socketAddress.get(at + i);
        }
        int port = ((socketAddress.get(2) & 0xff) << 8) | (socketAddress.get(3) & 0xff);
        try {
            return new InetSocketAddress(InetAddress.getByAddress(bytes), port);
        } catch (UnknownHostException e) {
            throw new AssertionError(e); // 4 or 16 bytes
        }
    }

    private @Nullable InetSocketAddress localAddress(NatCmaIdPrivate id) {
        return dispatcher._getSrcAddr(id.getObjId(), Natives.address(socketAddress)) == 0 ? readAddress() : null;
    }

    /** How far a connection is; later states stand later. */
    private enum State {
        NEW,
        ADDRESS,
        ROUTE,
        CONNECTING,
        REQUESTED,
        ACCEPTED,
        CONNECTED,
        ENDED
    }

    private final class Pair implements QueuePair {
        private final byte[] ownPrivateData;
        private final long stepNanos;
        private @Nullable InetSocketAddress remote;
        private @Nullable Events events;
        private State state = State.NEW;
        private long deadlineNanos;
        private @Nullable String failure; // posted requests failed: the next poll ends it

        private @Nullable NatCmaIdPrivate id;
        private @Nullable DisniDevice device;
        private @Nullable DisniQueue queue;
        private long queuePair; // its handle, 0 before it is there
        private int inlineMost;
        private @Nullable SendChain chain; // what is queued

        private int place = -1;
        private int generation;
        private long number; // generation and place, for work requests

        Pair(@Nullable Events events, @Nullable InetSocketAddress remote, byte[] privateData, long stepNanos) {
            this.events = events;
            this.remote = remote;
            ownPrivateData = privateData;
            this.stepNanos = stepNanos;
        }

        void identify(NatCmaIdPrivate newId) {
            id = newId;
            byId.put(newId.getObjId(), this);
        }

        /** Takes a place, the one that was free for longest, so that its generation comes again late. */
        void place() throws IOException {
            if (2 * pairCount >= pairs.length && pairs.length < PAIRS_MOST) {
                pairs = Arrays.copyOf(pairs, 2 * pairs.length);
                generations = Arrays.copyOf(generations, pairs.length);
            }
            if (pairCount == PAIRS_MOST) {
                throw new IOException("there are " + PAIRS_MOST + " connections");
            }
            do {
                nextPlace = (nextPlace + 1) & (pairs.length - 1);
            } while (pairs[nextPlace] != null);
            place = nextPlace;
            pairCount++;
            pairs[place] = this;
            generation = (generations[place] + 1) & GENERATION_MASK;
            generations[place] = generation;
            number = ((long) generation << 48) | ((long) place << 32);
        }

        NatCmaIdPrivate id() {
            return Objects.requireNonNull(id);
        }

        void addressResolved() {
            if (state != State.ADDRESS) {
                return;
            }
            try {
                Natives.acknowledgeTimeout(
                        id().getObjId(), ACKNOWLEDGE_TIMEOUT); // best effort: an old kernel has its own value
                id().resolveRoute(millis(stepNanos));
                step(State.ROUTE);
            } catch (IOException e) {
                end(reason(e));
            }
        }

        void routeResolved() {
            if (state != State.ROUTE || events == null) {
                return;
            }
            try {
                createQueuePair();
                events.prepared();
                if (state != State.ROUTE || failure != null) {
                    return;
                }
                ownPrivate.clear().put(ownPrivateData);
                RdmaConnParam parameters = parameters();
                parameters.setPrivate_data(ownPrivateAt);
                parameters.setPrivate_data_len((byte) ownPrivateData.length);
                id().connect(parameters);
                step(State.CONNECTING);
            } catch (IOException e) {
                end(reason(e));
            }
        }

        private static RdmaConnParam parameters() throws IOException {
            RdmaConnParam parameters = new RdmaConnParam();
            parameters.setRetry_count(RETRIES);
            parameters.setRnr_retry_count(RNR_RETRIES);
            return parameters;
        }

        private void step(State to) {
            state = to;
            deadlineNanos = System.nanoTime() + stepNanos;
            findDeadline();
        }

        void createQueuePair() throws IOException {
            DisniDevice used = device(id());
            DisniQueue completions = queueOf(used);
            IbvQPInitAttr wanted = new IbvQPInitAttr();
            wanted.setQp_type(QUEUE_PAIR_RC);
            wanted.setSend_cq(completions.queue);
            wanted.setRecv_cq(completions.queue);
            wanted.cap().setMax_send_wr(DEPTH);
            wanted.cap().setMax_recv_wr(DEPTH);
            wanted.cap().setMax_inline_data(INLINE_WANTED);
            IbvQP made = id().createQP(used.domain, wanted);
            device = used;
            queue = completions;
            completions.open();
            queuePair = ((NatIbvQP) made).getObjId();
            inlineMost = Natives.inlineMost(queuePair);
        }

        void established() {
            if (state != State.CONNECTING && state != State.ACCEPTED) {
                return;
            }
            state = State.CONNECTED;
            noDeadline();
            if (events != null) {
                events.connected();
            }
        }

        @Override
        public void accept() throws IOException {
            if (state != State.REQUESTED) {
                if (state == State.ENDED) {
                    throw new IOException("the connection has ended");
                }
                throw new IllegalStateException("not a request for a connection: " + state);
            }
            try {
                id().accept(parameters());
                state = State.ACCEPTED;
            } catch (IOException e) {
                release();
                throw e;
            }
        }

        @Override
        public void receive(int slot, Memory memory, int offset, int length) {
            if (!usable()) {
                return;
            }
            try {
                DisniMemory from = checked(memory, offset, length);
                receive.putLong(0, Long.MIN_VALUE | number | (slot & 0xffffffffL));
                receive.putLong(16, receiveAt + NatIbvRecvWR.CSIZE);
                receive.putInt(24, length == 0 ? 0 : 1);
                receive.putLong(NatIbvRecvWR.CSIZE, from.address() + offset);
                receive.putInt(NatIbvRecvWR.CSIZE + 8, length);
                receive.putInt(NatIbvRecvWR.CSIZE + 12, region(from).getLkey());
                dispatcher._postRecv(queuePair, receiveAt);
            } catch (IOException e) {
                fail(reason(e));
            }
        }

        @Override
        public void send(int slot, Memory memory, int offset, int length, boolean signalled) {
            queue(IbvSendWR.IBV_WR_SEND, slot, memory, offset, length, 0, 0, signalled);
        }

        @Override
        public void write(
                int slot, Memory memory, int offset, int length, long remoteAddress, int remoteKey, boolean signalled) {
            queue(IbvSendWR.IBV_WR_RDMA_WRITE, slot, memory, offset, length, remoteAddress, remoteKey, signalled);
        }

        @Override
        public void read(
                int slot, Memory memory, int offset, int length, long remoteAddress, int remoteKey, boolean signalled) {
            queue(IbvSendWR.IBV_WR_RDMA_READ, slot, memory, offset, length, remoteAddress, remoteKey, signalled);
        }

        private void queue(
                int opcode,
                int slot,
                Memory memory,
                int offset,
                int length,
                long remoteAddress,
                int remoteKey,
                boolean signalled) {
            if (!usable()) {
                return;
            }
            DisniMemory from = checked(memory, offset, length);
            SendChain requests = chain;
            if (requests == null) {
                requests = chains.isEmpty() ? new SendChain(DEPTH) : chains.removeLast();
                chain = requests;
            }
            if (requests.isFull()) {
                throw new IllegalStateException("more than " + DEPTH + " sends");
            }
            boolean inline = length <= inlineMost && SendChain.canBeInline(opcode);
            try {
                requests.add(
                        number | (slot & 0xffffffffL),
                        opcode,
                        (signalled ? IbvSendWR.IBV_SEND_SIGNALED : 0) | (inline ? IbvSendWR.IBV_SEND_INLINE : 0),
                        from.address() + offset,
                        length,
                        inline ? 0 : region(from).getLkey(),
                        remoteAddress,
                        remoteKey);
            } catch (IOException e) {
                fail(reason(e));
            }
        }

        @Override
        public void flush() {
            SendChain requests = chain;
            if (requests == null) {
                return;
            }
            chain = null;
            try {
                if (usable()) {
                    requests.post(dispatcher, queuePair);
                }
            } catch (IOException e) {
                fail(reason(e));
            } finally {
                requests.clear();
                chains.addLast(requests);
            }
        }

        @Override
        public void prepare(Memory memory) throws IOException {
            prepared(memory);
        }

        @Override
        public int remoteKey(Memory memory) throws IOException {
            return prepared(memory).getRkey();
        }

        private IbvMr prepared(Memory memory) throws IOException {
            if (!usable()) {
                throw new IOException(failure == null ? "the connection has ended" : failure);
            }
            return region((DisniMemory) memory);
        }

        /** Whether there is a queue pair, and posting to it has not failed. */
        private boolean usable() {
            return state != State.ENDED && failure == null && queuePair != 0;
        }

        private static DisniMemory checked(Memory memory, int offset, int length) {
            DisniMemory checked = (DisniMemory) memory;
            Objects.checkFromIndexSize(offset, length, checked.bytes().capacity());
            return checked;
        }

        private IbvMr region(DisniMemory memory) throws IOException {
            return Objects.requireNonNull(device).region(memory);
        }

        @Override
        public @Nullable InetSocketAddress remote() {
            if (remote == null && state != State.ENDED && id != null) {
                remote = dispatcher._getDstAddr(id.getObjId(), Natives.address(socketAddress)) == 0
                        ? readAddress()
                        : null;
            }
            return remote;
        }

        /** The next poll ends it: what fails is never told from where it fails. */
        void fail(String reason) {
            if (failure == null && state != State.ENDED) {
                failure = reason;
                ending.add(this);
                Natives.signal(waiter);
            }
        }

        void end(String reason) {
            if (state == State.ENDED) {
                return;
            }
            release();
            if (events != null) {
                events.ended(reason);
            }
        }

        private void noDeadline() {
            if (connecting.remove(this)) {
                findDeadline();
            }
        }

        /** Gives all back. */
        void release() {
            if (state == State.ENDED) {
                return;
            }
            state = State.ENDED;
            noDeadline();
            if (place >= 0) {
                pairs[place] = null;
                pairCount--;
            }
            if (chain != null) {
                chain.clear();
                chains.addLast(chain);
                chain = null;
            }
            if (id != null) {
                byId.remove(id.getObjId());
                dispatcher._disconnect(id.getObjId()); // so that the peer learns of it; not connected: refused
                destroy(id); // with its queue pair: nothing is written into memory after this
            }
            if (queue != null) {
                queue.close();
            }
        }

        @Override
        public void close() {
            release();
        }
    }
}
