package io.hmfs.bench.peer;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * The peer of the server: answers each frame of one size with one of another size and does nothing else. The same sockets, event
 * loops and flush at the end of each read as a server has that does something.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails ends the connection, which fails its answers
public final class EchoServer {
    private final int requestSize;
    private final int replySize;

    private EchoServer(int requestSize, int replySize) {
        this.requestSize = requestSize;
        this.replySize = replySize;
    }

    /** Arguments: bytes of a request, of a reply, event loops. Says {@code ready PORT}; ends when its input does. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        EchoServer server = new EchoServer(Integer.parseInt(arguments[0]), Integer.parseInt(arguments[1]));
        boolean epoll = Epoll.isAvailable();
        IoHandlerFactory io = epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
        MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(Integer.parseInt(arguments[2]), io);
        Channel listener = new ServerBootstrap()
                .group(loops)
                .channel(epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(server.new Answers());
                    }
                })
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .sync()
                .channel();
        System.out.println("ready " + ((InetSocketAddress) listener.localAddress()).getPort());
        while (System.in.read() >= 0) {
            // nothing to be told but the end
        }
        loops.shutdownGracefully().sync();
    }

    private final class Answers extends ChannelInboundHandlerAdapter {
        private final ByteBuf reply = Unpooled.directBuffer(replySize).writeZero(replySize);
        private int received;

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf data = (ByteBuf) message;
            received += data.readableBytes();
            data.release();
            int frames = received / requestSize;
            received -= frames * requestSize;
            if (frames > 0) {
                ByteBuf replies = context.alloc().ioBuffer(frames * replySize);
                for (int i = 0; i < frames; i++) {
                    replies.writeBytes(reply, 0, replySize);
                }
                context.write(replies, context.voidPromise());
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }

        @Override
        public void handlerRemoved(ChannelHandlerContext context) {
            reply.release();
        }
    }
}
