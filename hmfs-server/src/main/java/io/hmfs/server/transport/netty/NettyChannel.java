package io.hmfs.server.transport.netty;

import io.hmfs.server.transport.ChannelListener;
import io.hmfs.server.transport.Connections;
import io.hmfs.server.transport.EventLoopBatch;
import io.hmfs.server.transport.TransportChannel;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.concurrent.Future;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One TCP connection: the handler at the end of a Netty channel's pipeline, which is the channel that the neutral flow
 * needs.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write closes the channel, and that is reported
final class NettyChannel extends ChannelInboundHandlerAdapter implements TransportChannel {
    private static final long LINGER_MILLIS = 1_000; // for the peer to read why it was refused

    private final Connections connections;
    private final EventLoopBatch batch;
    private final Channel channel;
    private @Nullable ChannelListener listener; // from channelActive on
    private @Nullable Future<?> idleChecks;

    /** {@code batch}: that of the channel's event loop. */
    NettyChannel(Connections connections, EventLoopBatch batch, Channel channel) {
        this.connections = connections;
        this.batch = batch;
        this.channel = channel;
    }

    // ---- what Netty reports

    @Override
    public void channelActive(ChannelHandlerContext context) {
        ChannelListener accepted = connections.accept(this, batch);
        listener = accepted;
        long period = connections.limits().idleCheckNanos();
        idleChecks = channel.eventLoop().scheduleAtFixedRate(accepted::checkIdle, period, period, TimeUnit.NANOSECONDS);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        ChannelListener to = listener;
        if (to == null) {
            bytes.release();
        } else {
            to.received(bytes);
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        ChannelListener to = listener;
        if (to != null) {
            to.writable();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        Future<?> checks = idleChecks;
        if (checks != null) {
            checks.cancel(false);
        }
        ChannelListener to = listener;
        if (to != null) {
            to.closed();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        ChannelListener to = listener;
        if (to == null) {
            channel.close();
        } else {
            to.failed(cause);
        }
    }

    // ---- what the flow asks for

    @Override
    public ByteBufAllocator allocator() {
        return channel.alloc();
    }

    @Override
    public @Nullable SocketAddress remote() {
        return channel.remoteAddress();
    }

    @Override
    public boolean isOpen() {
        return channel.isActive();
    }

    @Override
    public boolean inThread() {
        return channel.eventLoop().inEventLoop();
    }

    @Override
    public void execute(Runnable task) {
        channel.eventLoop().execute(task);
    }

    @Override
    public long nanoTime() {
        return channel.eventLoop().ticker().nanoTime();
    }

    @Override
    public void receive(boolean on) {
        channel.config().setAutoRead(on);
    }

    @Override
    public void write(ByteBuf bytes) {
        channel.write(bytes, channel.voidPromise());
    }

    @Override
    public void flush() {
        channel.flush();
    }

    @Override
    public boolean isWritable() {
        return channel.isWritable();
    }

    @Override
    public void whenTaken(Runnable task) {
        // Nothing, behind all that was written: it is written when that has been.
        channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(written -> {
            if (written.isSuccess()) {
                task.run();
            }
        });
    }

    @Override
    public long waitingBytes() {
        var waiting = channel.unsafe().outboundBuffer();
        return waiting == null ? 0 : waiting.totalPendingWriteBytes();
    }

    @Override
    public void closeAfter(ByteBuf last, boolean linger) {
        channel.writeAndFlush(last).addListener(written -> {
            if (linger && channel instanceof DuplexChannel duplex && written.isSuccess()) {
                duplex.shutdownOutput();
                channel.eventLoop().schedule(this::close, LINGER_MILLIS, TimeUnit.MILLISECONDS);
            } else {
                channel.close();
            }
        });
    }

    @Override
    public void close() {
        channel.close();
    }
}
