package io.hmfs.server.transport.netty;

import io.hmfs.server.exec.Service;
import io.hmfs.server.metrics.WorkerMeter;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.FastThreadLocal;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.channels.UnresolvedAddressException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Listens, and serves each connection on one of a few event loops. */
@SuppressWarnings("FutureReturnValueIgnored") // tasks for an event loop; what they do reports by itself
public final class NettyTransport {
    private static final int BACKLOG = 1024;

    /** Bytes of replies that a peer may leave untaken before its requests are not read any more, and from when on they are again. */
    static final WriteBufferWaterMark WATER_MARK = new WriteBufferWaterMark(256 << 10, 1 << 20);

    /** Bytes of replies that requests at the disk may be about to make; further requests of that connection wait. */
    static final long OWED_MAX = 8 << 20;

    private static final int KEEP_ALIVE_IDLE_SECONDS = 60; // half-open connections are found within 90 s
    private static final int KEEP_ALIVE_INTERVAL_SECONDS = 10;
    private static final int KEEP_ALIVE_COUNT = 3;
    private static final long LOOPS_END_SECONDS = 5;

    /**
     * Bounds on connections.
     *
     * @param connectionsMax connections at once; the one bound that is not about one of them
     * @param frameMax longest frame
     * @param inFlightMax requests that wait for the disk at once
     * @param idleNanos for what was begun to be finished
     */
    public record Limits(int connectionsMax, int frameMax, int inFlightMax, long idleNanos) {}

    private final Service service;
    private final Limits limits;
    private final Sockets sockets;
    private final MultiThreadIoEventLoopGroup loops;
    private final Set<NettySession> sessions = ConcurrentHashMap.newKeySet();
    private final AtomicInteger open = new AtomicInteger(); // without those that are refused
    private final AtomicInteger lingering = new AtomicInteger(); // of those
    private final FastThreadLocal<Turn> turns = new FastThreadLocal<>() {
        @Override
        protected Turn initialValue() {
            return new Turn(service.newWorker());
        }
    };
    private volatile @Nullable Channel listener;

    /**
     * Makes its threads; nobody reaches it before {@link #listen}.
     *
     * @throws IOException these sockets cannot be had here; says why
     */
    public NettyTransport(Service service, Limits limits, int eventLoops, Sockets wanted) throws IOException {
        this.service = service;
        this.limits = limits;
        sockets = wanted.resolve();
        loops = new MultiThreadIoEventLoopGroup(
                eventLoops,
                new DefaultThreadFactory("hmfs-loop", true),
                TurnIo.factory(sockets.handlers(), turns::get));
    }

    /** Starts to listen. Throws with the address and what to do about it. */
    public void listen(InetSocketAddress address) throws IOException {
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(loops)
                .channel(sockets.listener())
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .childOption(sockets.keepAliveIdle(), KEEP_ALIVE_IDLE_SECONDS)
                .childOption(sockets.keepAliveInterval(), KEEP_ALIVE_INTERVAL_SECONDS)
                .childOption(sockets.keepAliveCount(), KEEP_ALIVE_COUNT)
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        accept(channel);
                    }
                });
        var bound = bootstrap.bind(address).awaitUninterruptibly();
        Throwable cause = bound.cause();
        if (cause != null) {
            throw new IOException(whyNot(address, cause), cause);
        }
        listener = bound.channel();
        bound.channel().pipeline().addLast(new AcceptErrors());
    }

    private static String whyNot(InetSocketAddress address, Throwable cause) {
        String where = address.getHostString() + ":" + address.getPort();
        String text = String.valueOf(cause.getMessage());
        if (address.isUnresolved() || cause instanceof UnresolvedAddressException) {
            return "cannot listen on " + where + ": the host name is unknown; listen on an address of this machine";
        }
        if (text.contains("in use")) {
            return "cannot listen on " + where + ": the port is in use; stop the process that has it, or choose another"
                    + " port (0: any free one)";
        }
        if (cause instanceof BindException || text.contains("assign")) {
            return "cannot listen on " + where + ": " + text + "; listen on an address of this machine";
        }
        return "cannot listen on " + where + ": " + text;
    }

    private void accept(Channel channel) {
        int max = limits.connectionsMax();
        if (open.getAndUpdate(count -> Math.min(count + 1, max)) >= max) {
            turns.get().worker().meter().add(WorkerMeter.Tally.CONNECTIONS_REFUSED, 1);
            channel.pipeline().addLast(new Refusal(max, lingering));
            return;
        }
        channel.closeFuture().addListener(closed -> open.decrementAndGet());
        NettySession session = new NettySession(service, limits, turns.get(), channel);
        sessions.add(session);
        channel.closeFuture().addListener(closed -> sessions.remove(session));
        channel.pipeline().addLast(session.handler());
    }

    /** Where it listens. */
    public InetSocketAddress address() {
        if (!(listener instanceof ServerSocketChannel channel)) {
            throw new IllegalStateException("it does not listen yet");
        }
        return channel.localAddress();
    }

    private void closeListener() {
        Channel channel = listener;
        if (channel != null) {
            channel.close().awaitUninterruptibly();
        }
    }

    /** The sockets' implementation. */
    public Sockets sockets() {
        return sockets;
    }

    /** Bytes of replies that were sent and that peers have not taken. */
    public long waitingBytes() {
        return sessions.stream().mapToLong(NettySession::waitingBytes).sum();
    }

    /** Takes no more connections and requests, waits for replies in flight, closes. False: the time was not enough. */
    public boolean drain(long timeoutMillis) throws InterruptedException {
        closeListener();
        NettySession[] open = sessions.toArray(NettySession[]::new);
        CountDownLatch closed = new CountDownLatch(open.length);
        for (NettySession session : open) {
            session.onClose(closed::countDown);
        }
        for (NettySession session : open) {
            session.onThread(session::drain);
        }
        return closed.await(timeoutMillis, TimeUnit.MILLISECONDS);
    }

    /** Closes everything at once. */
    public void close() {
        closeListener();
        endLoops();
    }

    private void endLoops() {
        loops.shutdownGracefully(0, LOOPS_END_SECONDS, TimeUnit.SECONDS)
                .awaitUninterruptibly(LOOPS_END_SECONDS, TimeUnit.SECONDS);
    }
}
