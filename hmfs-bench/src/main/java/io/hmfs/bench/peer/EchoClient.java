package io.hmfs.bench.peer;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;

/** A client of {@link EchoServer} of the same make as HMFS's: one connection, one event loop, futures that it completes. */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails ends the connection, which fails its answers
public final class EchoClient implements AutoCloseable {
    private final int requestSize;
    private final int replySize;
    private final MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final Channel channel;

    // Of the event loop only.
    private final ArrayDeque<CompletableFuture<Void>> inFlight = new ArrayDeque<>();
    private int received;
    private boolean reading;

    public EchoClient(int port, int requestSize, int replySize) throws InterruptedException {
        this.requestSize = requestSize;
        this.replySize = replySize;
        channel = new Bootstrap()
                .group(loops)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .handler(new Replies())
                .connect("127.0.0.1", port)
                .sync()
                .channel();
    }

    /** Sends a frame; completes on the event loop when the answer is there. */
    public CompletableFuture<Void> echoAsync() {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        if (channel.eventLoop().inEventLoop()) {
            send(answer);
        } else {
            channel.eventLoop().execute(() -> send(answer));
        }
        return answer;
    }

    private void send(CompletableFuture<Void> answer) {
        inFlight.add(answer);
        ByteBuf request = channel.alloc().ioBuffer(requestSize).writeZero(requestSize);
        channel.write(request, channel.voidPromise());
        if (!reading) {
            channel.flush();
        }
    }

    private final class Replies extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf data = (ByteBuf) message;
            received += data.readableBytes();
            data.release();
            reading = true;
            for (; received >= replySize; received -= replySize) {
                inFlight.remove().complete(null);
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            reading = false;
            context.flush();
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            IllegalStateException gone = new IllegalStateException("the echo server is gone");
            inFlight.forEach(answer -> answer.completeExceptionally(gone));
        }
    }

    @Override
    public void close() {
        channel.close().syncUninterruptibly();
        loops.shutdownGracefully().syncUninterruptibly();
    }
}
