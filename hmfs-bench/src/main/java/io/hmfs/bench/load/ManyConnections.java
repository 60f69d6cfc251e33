package io.hmfs.bench.load;

import io.hmfs.client.ClientOptions;
import io.hmfs.wire.HelloEncoder;
import io.hmfs.wire.MessageHeaderEncoder;
import io.hmfs.wire.StatEncoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Many connections to one server, some of which keep requests in flight: frames that were encoded before, answers that are only counted,
 * few event loops, so that what is measured is the server's end of them.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails ends the connection, which is noticed
public final class ManyConnections implements AutoCloseable {
    private static final int WAVE = 500; // connections in the making: fewer than a listener's backlog
    private static final int FRAME_MAX = 1024;
    private static final int WAIT_SECONDS = 60;

    private final Traffic traffic;
    private final MultiThreadIoEventLoopGroup loops;
    private final List<Connection> connections = new ArrayList<>();
    private final LongAdder answers = new LongAdder();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private volatile boolean isOver;
    private volatile CountDownLatch ended = new CountDownLatch(0);
    private volatile boolean closing;

    /** What goes over a connection. */
    public static final class Traffic {
        private final byte[] hello; // sent first, and answered with a frame of any length; empty: nothing is
        private final List<byte[]> requests; // frames of which any may be sent
        private final int reply; // bytes of the answer to any of them

        private Traffic(byte[] hello, List<byte[]> requests, int reply) {
            this.hello = hello;
            this.requests = requests;
            this.reply = reply;
        }

        /** Look-ups of these paths, which are equally long. */
        public static Traffic stats(List<String> paths, FrameSizes sizes) {
            List<byte[]> requests = paths.stream().map(ManyConnections::stat).toList();
            if (requests.getFirst().length != sizes.request()) {
                throw new IllegalArgumentException(
                        "a stat has " + requests.getFirst().length + " bytes, not " + sizes.request());
            }
            return new Traffic(ManyConnections.hello(), requests, sizes.reply());
        }

        /** Frames for an echo. */
        public static Traffic echo(FrameSizes sizes) {
            return new Traffic(new byte[0], List.of(new byte[sizes.request()]), sizes.reply());
        }
    }

    /** Makes them, and has greeted the server on each. */
    public ManyConnections(int port, int count, int eventLoops, Traffic traffic)
            throws IOException, InterruptedException {
        this.traffic = traffic;
        boolean epoll = Epoll.isAvailable();
        loops = new MultiThreadIoEventLoopGroup(
                eventLoops, epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
        Bootstrap bootstrap = new Bootstrap()
                .group(loops)
                .channel(epoll ? EpollSocketChannel.class : NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(new Connection(channel));
                    }
                });
        for (int made = 0; made < count; made += WAVE) {
            connectSome(bootstrap, port, Math.min(WAVE, count - made));
        }
    }

    private void connectSome(Bootstrap bootstrap, int port, int count) throws IOException, InterruptedException {
        ended = new CountDownLatch(traffic.hello.length == 0 ? 0 : count);
        List<ChannelFuture> making = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            making.add(bootstrap.connect("127.0.0.1", port));
        }
        for (ChannelFuture future : making) {
            if (!future.await().isSuccess()) {
                fail(future.cause());
            }
            connections.add(future.channel().pipeline().get(Connection.class));
        }
        await();
    }

    private void fail(Throwable cause) {
        if (!closing && failure.compareAndSet(null, cause)) {
            for (CountDownLatch latch = ended; latch.getCount() > 0; ) {
                latch.countDown();
            }
        }
    }

    private void await() throws IOException, InterruptedException {
        boolean inTime = ended.await(WAIT_SECONDS, TimeUnit.SECONDS);
        Throwable cause = failure.get();
        if (!inTime || cause != null) {
            close();
            throw new IOException("connections failed: " + (cause == null ? "no answer" : cause), cause);
        }
    }

    /** Answers per second with so many requests in flight on all of the first so many connections together. */
    public double perSecond(int active, int inFlight, long nanos) throws IOException, InterruptedException {
        answers.reset();
        isOver = false;
        ended = new CountDownLatch(active);
        long start = System.nanoTime();
        for (int i = 0; i < active; i++) {
            int share = inFlight / active + (i < inFlight % active ? 1 : 0);
            Connection connection = connections.get(i);
            connection.channel.eventLoop().execute(() -> connection.begin(share));
        }
        TimeUnit.NANOSECONDS.sleep(nanos);
        isOver = true;
        await();
        return answers.sum() * 1e9 / (System.nanoTime() - start);
    }

    /** One of them. On its event loop. */
    private final class Connection extends ChannelInboundHandlerAdapter {
        private final Channel channel;
        private final SplittableRandom random = new SplittableRandom(hashCode());
        private boolean greeted = traffic.hello.length == 0;
        private int received;
        private int inFlight;

        Connection(Channel channel) {
            this.channel = channel;
        }

        void begin(int requests) {
            inFlight = requests;
            if (requests == 0) {
                ended.countDown();
            } else {
                send(requests);
                channel.flush();
            }
        }

        private void send(int count) {
            List<byte[]> requests = traffic.requests;
            ByteBuf out = channel.alloc().ioBuffer(count * requests.getFirst().length);
            for (int i = 0; i < count; i++) {
                out.writeBytes(requests.get(random.nextInt(requests.size())));
            }
            channel.write(out, channel.voidPromise());
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            if (!greeted) {
                context.writeAndFlush(Unpooled.wrappedBuffer(traffic.hello), context.voidPromise());
            }
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf data = (ByteBuf) message;
            if (!greeted) {
                greeted = true; // a Welcome is far shorter than what one read brings
                data.release();
                ended.countDown();
                return;
            }
            received += data.readableBytes();
            data.release();
            int replies = received / traffic.reply;
            received -= replies * traffic.reply;
            answers.add(replies);
            if (!isOver) {
                if (replies > 0) {
                    send(replies);
                }
            } else {
                inFlight -= replies;
                if (inFlight == 0 && replies > 0) {
                    ended.countDown();
                }
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            fail(new IOException("the server has closed a connection"));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            fail(cause);
        }
    }

    private static byte[] hello() {
        WireBuffer window = new WireBuffer().wrap(Unpooled.buffer(FRAME_MAX), 0, FRAME_MAX);
        HelloEncoder hello = new HelloEncoder()
                .wrapAndApplyHeader(window, Wire.LENGTH_SIZE, new MessageHeaderEncoder())
                .correlationId(0)
                .magic(Wire.MAGIC)
                .protocolVersion(Wire.PROTOCOL_VERSION);
        hello.clusterId().high(0).low(0);
        return framed(
                window,
                hello.clientId(1)
                        .authMethod(Wire.AUTH_SIMPLE)
                        .oldestSequence(0)
                        .nextSequence(0)
                        .user(ClientOptions.defaults().user())
                        .putToken(new byte[0], 0, 0)
                        .realUser("")
                        .limit());
    }

    private static byte[] stat(String path) {
        WireBuffer window = new WireBuffer().wrap(Unpooled.buffer(FRAME_MAX), 0, FRAME_MAX);
        return framed(
                window,
                new StatEncoder()
                        .wrapAndApplyHeader(window, Wire.LENGTH_SIZE, new MessageHeaderEncoder())
                        .correlationId(1)
                        .baseId(Wire.ROOT_ID)
                        .path(path)
                        .limit());
    }

    private static byte[] framed(WireBuffer window, int limit) {
        window.buffer().setIntLE(0, limit - Wire.LENGTH_SIZE);
        byte[] bytes = new byte[limit];
        window.buffer().getBytes(0, bytes);
        return bytes;
    }

    @Override
    public void close() {
        closing = true;
        loops.shutdownGracefully(0, WAIT_SECONDS, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
