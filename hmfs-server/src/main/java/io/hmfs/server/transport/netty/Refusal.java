package io.hmfs.server.transport.netty;

import io.hmfs.client.ResultCode;
import io.hmfs.server.exec.ProtocolError;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A connection beyond the bound: it is told so and closed, and nothing that it sends is looked at. */
@SuppressWarnings("FutureReturnValueIgnored") // the connection ends in any case
final class Refusal extends ChannelInboundHandlerAdapter {
    /** So many may stay for a moment to read why; a reset on the way can take it from the rest. */
    static final int LINGERING_MAX = 256;

    private static final long LINGER_MILLIS = 1_000;
    private static final int FRAME_BYTES = 256;

    private final int connectionsMax;
    private final AtomicInteger lingering;

    /** {@code lingering}: how many stay for a moment now; counts this one if it does. */
    Refusal(int connectionsMax, AtomicInteger lingering) {
        this.connectionsMax = connectionsMax;
        this.lingering = lingering;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        Channel channel = context.channel();
        ByteBuf frame = channel.alloc().ioBuffer(FRAME_BYTES);
        ProtocolError.write(
                frame::ensureWritable,
                ResultCode.TOO_MANY_CONNECTIONS,
                "the server has " + connectionsMax
                        + " connections, its connections-max; close some, or start it with more");
        channel.writeAndFlush(frame).addListener(written -> {
            if (written.isSuccess() && channel instanceof DuplexChannel duplex && mayLinger()) {
                channel.closeFuture().addListener(closed -> lingering.decrementAndGet());
                duplex.shutdownOutput(); // what it sent is read and dropped: unread, it would reset the connection
                channel.eventLoop().schedule(() -> channel.close(), LINGER_MILLIS, TimeUnit.MILLISECONDS);
            } else {
                channel.close();
            }
        });
    }

    private boolean mayLinger() {
        return lingering.getAndUpdate(count -> Math.min(count + 1, LINGERING_MAX)) < LINGERING_MAX;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ReferenceCountUtil.release(message);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }
}
