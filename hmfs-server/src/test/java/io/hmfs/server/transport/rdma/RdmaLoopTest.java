package io.hmfs.server.transport.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.transport.rdma.MemoryVerbs;
import io.hmfs.client.transport.rdma.MessageStream;
import io.hmfs.client.transport.rdma.Verbs;
import io.hmfs.server.Await;
import io.hmfs.server.metrics.Meters;
import io.hmfs.server.metrics.WorkerMeter;
import io.hmfs.server.share.UserShares;
import io.hmfs.server.transport.ConnectionLimits;
import io.hmfs.server.transport.Connections;
import io.hmfs.server.transport.EventLoopBatch;
import io.hmfs.server.transport.FrameReceiver;
import io.hmfs.server.transport.PeerState;
import io.hmfs.server.transport.ReadableMemory;
import io.hmfs.server.transport.ReplyChannel;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: connections are bounded, their memory and their places come back, and what fails on one of them, or never says anything, ends that
 * one alone. Method: a loop over verbs in memory, called by hand or with its thread, and peers that send what they like.
 */
@Timeout(300)
class RdmaLoopTest {
    private static final int CONNECTIONS_MAX = 3;
    private static final int OVER = 256; // that are made to be told why they are refused
    private static final int REGION = 32; // connections whose messages have room in one registration
    private static final long LONG_NANOS = TimeUnit.HOURS.toNanos(1);

    private final MemoryVerbs verbs = new MemoryVerbs();
    private final MemoryVerbs peers = new MemoryVerbs();
    private final AtomicInteger made = new AtomicInteger();
    private final Connections connections = connections(LONG_NANOS);
    private @Nullable RdmaLoop served;

    @AfterEach
    void close() {
        peers.close();
        RdmaLoop loop = served;
        if (loop != null) {
            loop.stop();
        }
        verbs.close();
    }

    /** Takes all frames and answers none; the first byte of one may say that it fails. */
    private static final class Mute implements FrameReceiver {
        private final WorkerMeter meter = new Meters().newMeter();
        private boolean failsOnce; // when it is asked whether a peer has said who it is

        @Override
        public PeerState accept(ReplyChannel channel) {
            return new PeerState() {
                @Override
                public boolean isGreeted() {
                    if (failsOnce) {
                        failsOnce = false;
                        throw new IllegalStateException("planted");
                    }
                    return false;
                }

                @Override
                public boolean isGreeting() {
                    return false;
                }
            };
        }

        @Override
        public void closed(PeerState peer) {}

        @Override
        public void beginRead() {}

        @Override
        public void frame(PeerState peer, ByteBuf frames, int offset, int length) {
            if (frames.getByte(offset) == 'x') {
                throw new IllegalStateException("planted");
            }
        }

        @Override
        public void endBatch() {}

        @Override
        public boolean mayProceed(PeerState peer) {
            return true;
        }

        @Override
        public void whenMayProceed(PeerState peer, Runnable task) {}

        @Override
        public boolean holdsReplies() {
            return false;
        }

        @Override
        public void whenSafe(Runnable task) {
            task.run();
        }

        @Override
        public boolean hasFailed() {
            return false;
        }

        @Override
        public WorkerMeter meter() {
            return meter;
        }
    }

    private static Connections connections(long idleNanos) {
        return new Connections(
                new ConnectionLimits(CONNECTIONS_MAX, 1 << 20, 0, 4, idleNanos),
                new UserShares(Map.of()),
                ByteBuffer.allocateDirect(64));
    }

    private RdmaLoop loop(Connections of, FrameReceiver receiver) {
        return new RdmaLoop(verbs, of, made, new EventLoopBatch(receiver), 0, 0);
    }

    private RdmaLoop loop() {
        return loop(connections, new Mute());
    }

    private RdmaLoop serve(RdmaLoop loop) throws IOException {
        served = loop;
        verbs.listen(loopback(), 8, loop::requested);
        loop.start();
        return loop;
    }

    private static InetSocketAddress loopback() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    /** A peer without a stream. */
    private final class Peer implements Verbs.Events {
        private final List<String> told = new ArrayList<>();
        private final ByteBuffer message = ByteBuffer.allocateDirect(64).order(ByteOrder.LITTLE_ENDIAN);
        private final Verbs.Memory out = peers.register(message, Verbs.Remote.NOTHING);
        private final Verbs.Memory in = peers.register(ByteBuffer.allocateDirect(4096), Verbs.Remote.NOTHING);
        private final Verbs.QueuePair pair = peers.connect(verbs.address(), MessageStream.greeting(), 1, this);

        @Override
        public void prepared() {
            for (int i = 0; i < 20; i++) {
                pair.receive(i, in, 0, 4096);
            }
        }

        @Override
        public void connected() {
            told.add("connected");
        }

        @Override
        public void received(int slot, int length) {}

        @Override
        public void sent(int slot) {}

        @Override
        public void ended(String reason) {
            told.add("ended");
        }

        /** The first word of a frame, and its first byte. */
        void beginFrame(int length, char first) {
            message.putLong(0, 0).putInt(8, length).put(12, (byte) first);
            pair.send(0, out, 0, 13 + (first == 'x' ? length - 1 : 0), true);
            pair.flush();
        }

        void await(String what) throws Exception {
            Await.until(what, () -> {
                peers.poll();
                return told.contains(what) || told.contains("ended");
            });
            assertTrue(told.contains(what), what);
        }
    }

    private Peer connected() throws Exception {
        Peer peer = new Peer();
        peer.await("connected");
        return peer;
    }

    @Test
    void moreConnectionsThanCanBeToldWhyAreNotMade() throws IOException {
        RdmaLoop loop = loop();
        verbs.listen(loopback(), 8, loop::requested);
        for (int there : new int[] {CONNECTIONS_MAX + OVER, CONNECTIONS_MAX + OVER - 1}) {
            made.set(there);
            Peer peer = new Peer();
            peers.poll();
            verbs.poll(1);
            peers.poll();
            assertEquals(there == CONNECTIONS_MAX + OVER ? List.of("ended") : List.of("connected"), peer.told);
            assertEquals(CONNECTIONS_MAX + OVER, made.get());
        }
    }

    /** A pair that does nothing, or refuses what it is asked for. */
    private static Verbs.QueuePair pair(boolean refuses) {
        return (Verbs.QueuePair) Proxy.newProxyInstance(
                RdmaLoopTest.class.getClassLoader(), new Class<?>[] {Verbs.QueuePair.class}, (_, method, _) -> {
                    if (refuses && List.of("accept", "remoteKey").contains(method.getName())) {
                        throw new IOException("refused");
                    }
                    return null;
                });
    }

    @Test
    void aConnectionThatCannotBeAcceptedTakesNothing() {
        RdmaLoop loop = loop();
        int registered = verbs.registered();
        for (int i = 0; i < REGION + 1; i++) {
            assertNull(loop.requested(pair(true), MessageStream.greeting()));
        }
        assertEquals(0, made.get());
        assertEquals(registered + 1, verbs.registered());
    }

    @Test
    void memoryThatADeviceDoesNotTakeIsNotOffered() throws IOException {
        RdmaLoop loop = loop();
        assertNull(loop.readable(pair(true)));
        List<@Nullable ReadableMemory> offered = new ArrayList<>();
        verbs.listen(loopback(), 8, (pair, _) -> {
            offered.add(loop.readable(pair));
            return null;
        });
        Peer peer = new Peer();
        peers.poll();
        verbs.poll();
        peers.poll();
        assertEquals(List.of("ended"), peer.told);
        assertNotNull(offered.getFirst());
    }

    private void leave(Peer peer) throws Exception {
        peer.pair.close();
        Await.until("its end", () -> verbs.connections() == 0);
    }

    @Test
    void connectionsThatHaveEndedLeaveNothing() throws Exception {
        RdmaLoop loop = serve(loop());
        leave(connected());
        int registered = verbs.registered();
        for (int i = 0; i < CONNECTIONS_MAX + OVER; i++) {
            leave(connected());
        }
        assertEquals(registered, verbs.registered());
        loop.stop();
        assertEquals(0, made.get());
        assertEquals(0, loop.channels());
        assertEquals(0, connections.byRdma());
    }

    @Test
    void aPeerThatGoesBeforeItIsConnectedLeavesNothing() throws Exception {
        RdmaLoop loop = loop();
        List<Verbs.Events> asked = new ArrayList<>();
        verbs.listen(loopback(), 8, (pair, privateData) -> {
            asked.add(Objects.requireNonNull(loop.requested(pair, privateData)));
            return asked.getFirst();
        });
        Peer peer = new Peer();
        peers.poll();
        verbs.poll(1);
        assertEquals(List.of(), peer.told);
        asked.getFirst().ended("gone");
        served = loop;
        loop.start();
        Await.until("its end", () -> made.get() == 0);
    }

    @Test
    void aPeerThatSaysNothingIsNotWaitedForEver() throws Exception {
        serve(loop(connections(TimeUnit.MILLISECONDS.toNanos(1)), new Mute()));
        connected().await("ended");
    }

    @Test
    void aConnectionThatIsNotThereYetIsNotLookedAt() throws Exception {
        RdmaLoop loop = loop(connections(TimeUnit.MILLISECONDS.toNanos(1)), new Mute());
        assertNotNull(loop.requested(pair(false), MessageStream.greeting()));
        serve(loop);
        connected().await("ended");
        connected().await("ended");
    }

    @Test
    void aCheckThatFailsEndsItsOwnConnection() throws Exception {
        Mute failing = new Mute();
        failing.failsOnce = true;
        serve(loop(connections(TimeUnit.MILLISECONDS.toNanos(1)), failing));
        connected().await("ended");
        connected().await("ended");
    }

    @Test
    void whatFailsEndsItsOwnConnection() throws Exception {
        RdmaLoop loop = serve(loop());
        Peer other = connected();
        Peer failing = connected();
        failing.beginFrame(40, 'x');
        failing.await("ended");
        AtomicBoolean goesOn = new AtomicBoolean();
        loop.execute(() -> {
            throw new IllegalStateException("planted");
        });
        loop.execute(() -> goesOn.set(true));
        Await.until("the task behind one that fails", goesOn::get);
        connected();
        assertEquals(List.of("connected"), other.told);
    }

    @Test
    void allConnectionsEndWithTheLoop() throws Exception {
        RdmaLoop loop = serve(loop());
        Peer one = connected();
        Peer other = connected();
        assertEquals(2, connections.byRdma());
        loop.stop();
        one.await("ended");
        other.await("ended");
        assertEquals(0, connections.byRdma());
        assertEquals(0, made.get());
        Peer late = new Peer();
        late.await("ended");
        assertEquals(List.of("ended"), late.told);
    }
}
