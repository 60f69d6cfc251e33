package io.hmfs.server.transport.netty;

import io.hmfs.server.transport.ConnectionLimits;
import io.hmfs.server.transport.Connections;
import io.hmfs.server.transport.EventLoopBatch;
import io.hmfs.server.transport.FrameReceiver;
import io.hmfs.server.transport.ServerTransport;
import io.hmfs.server.transport.SocketKind;
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
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** TCP: listens, and serves each connection on one of a few event loops. */
@SuppressWarnings("FutureReturnValueIgnored") // tasks for an event loop; what they do reports by itself
public final class NettyTransport implements ServerTransport {
    private static final int BACKLOG = 1024;

    static final WriteBufferWaterMark WATER_MARK =
            new WriteBufferWaterMark(ConnectionLimits.WRITABLE_AGAIN, ConnectionLimits.WRITABLE_MAX);

    private static final int KEEP_ALIVE_IDLE_SECONDS = 60; // half-open connections are found within 90 s
    private static final int KEEP_ALIVE_INTERVAL_SECONDS = 10;
    private static final int KEEP_ALIVE_COUNT = 3;
    private static final long LOOPS_END_SECONDS = 5;

    private final Connections connections;
    private final SocketKind sockets;
    private final MultiThreadIoEventLoopGroup loops;
    private final FastThreadLocal<EventLoopBatch> batches;
    private volatile @Nullable Channel listener;

    /**
     * Makes its threads; nothing reaches it before {@link #listen}.
     *
     * @param receivers makes a receiver of frames for each event loop
     * @param connections of the server
     * @param eventLoops threads that serve connections
     * @throws IOException these sockets cannot be used here; the message says why
     */
    public NettyTransport(
            Supplier<? extends FrameReceiver> receivers, Connections connections, int eventLoops, SocketKind wanted)
            throws IOException {
        this.connections = connections;
        sockets = NettySockets.resolve(wanted);
        batches = new FastThreadLocal<>() {
            @Override
            protected EventLoopBatch initialValue() {
                return new EventLoopBatch(receivers.get());
            }
        };
        loops = new MultiThreadIoEventLoopGroup(
                eventLoops,
                new DefaultThreadFactory("hmfs-loop", true),
                BatchingIoHandler.factory(NettySockets.handlers(sockets), batches::get));
    }

    @Override
    public void listen(InetSocketAddress address) throws IOException {
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(loops)
                .channel(NettySockets.listener(sockets))
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .childOption(NettySockets.keepAliveIdle(sockets), KEEP_ALIVE_IDLE_SECONDS)
                .childOption(NettySockets.keepAliveInterval(sockets), KEEP_ALIVE_INTERVAL_SECONDS)
                .childOption(NettySockets.keepAliveCount(sockets), KEEP_ALIVE_COUNT)
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(new NettyChannel(connections, batches.get(), channel));
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

    @Override
    public InetSocketAddress address() {
        if (!(listener instanceof ServerSocketChannel channel)) {
            throw new IllegalStateException("it does not listen yet");
        }
        return channel.localAddress();
    }

    @Override
    public String label() {
        return sockets.label();
    }

    @Override
    public void stopListening() {
        Channel channel = listener;
        if (channel != null) {
            channel.close().awaitUninterruptibly();
        }
    }

    @Override
    public void close() {
        stopListening();
        endLoops();
    }

    private void endLoops() {
        loops.shutdownGracefully(0, LOOPS_END_SECONDS, TimeUnit.SECONDS)
                .awaitUninterruptibly(LOOPS_END_SECONDS, TimeUnit.SECONDS);
    }
}
