package io.hmfs.client.transport.netty;

import io.hmfs.client.transport.Transport;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.TimeUnit;

/** TCP, on one event loop. */
@SuppressWarnings("FutureReturnValueIgnored") // tasks of the event loop; what they do reports by itself
public final class TcpTransport implements Transport {
    private static final long CLOSE_TIMEOUT_MILLIS = 2_000;

    private final IoEventLoopGroup group = new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("hmfs-client", true), NioIoHandler.newFactory());
    private final EventLoop loop = group.next();

    @Override
    public Link connect(String host, int port, long timeoutNanos, Receiver receiver) {
        TcpLink link = new TcpLink(host + ":" + port, receiver);
        link.connect(loop, host, port, timeoutNanos);
        return link;
    }

    @Override
    public boolean inThread() {
        return loop.inEventLoop();
    }

    @Override
    public void execute(Runnable task) {
        loop.execute(task);
    }

    @Override
    public void schedule(Runnable task, long delayNanos) {
        loop.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void repeat(Runnable task, long periodNanos) {
        loop.scheduleAtFixedRate(task, periodNanos, periodNanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void close() {
        var ended = group.shutdownGracefully(0, CLOSE_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
        if (!inThread()) {
            ended.awaitUninterruptibly(CLOSE_TIMEOUT_MILLIS);
        }
    }
}
