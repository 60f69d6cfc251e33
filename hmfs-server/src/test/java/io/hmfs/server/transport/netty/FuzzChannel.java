package io.hmfs.server.transport.netty;

import io.hmfs.server.transport.Connections;
import io.hmfs.server.transport.EventLoopBatch;
import io.hmfs.server.transport.netty.FuzzReplies.Reply;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The server's own pipeline without a network: a peer of it that keeps what it reads, and may stop reading for a while. */
final class FuzzChannel extends EmbeddedChannel {
    private final MockTicker ticker;
    private final EventLoopBatch batch;
    private final Connections connections;
    private final BooleanSupplier byHand;
    private final FuzzReplies received = new FuzzReplies();
    private boolean stalled;
    private boolean running;
    private boolean broken;
    private @Nullable NettyChannel end;
    private @Nullable ChannelConfig config;

    private FuzzChannel(
            EmbeddedChannel.Builder builder,
            MockTicker ticker,
            Connections connections,
            EventLoopBatch batch,
            BooleanSupplier byHand) {
        super(builder);
        this.ticker = ticker;
        this.connections = connections;
        this.batch = batch;
        this.byHand = byHand;
    }

    /** A new connection, on the loop with these batches, which end by themselves unless it is done by hand. */
    static FuzzChannel open(
            Connections connections, EventLoopBatch batch, BooleanSupplier byHand, ByteBufAllocator allocator) {
        MockTicker ticker = Ticker.newMockTicker();
        FuzzChannel made = new FuzzChannel(
                EmbeddedChannel.builder().ticker(ticker).register(false).handlers(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.config().setAllocator(allocator).setWriteBufferWaterMark(NettyTransport.WATER_MARK);
                        channel.pipeline().addLast(((FuzzChannel) channel).new Stall());
                        NettyChannel end = new NettyChannel(connections, batch, channel);
                        ((FuzzChannel) channel).end = end;
                        channel.pipeline().addLast(end);
                    }
                }),
                ticker,
                connections,
                batch,
                byHand);
        try {
            made.register();
        } catch (Exception e) {
            throw new IllegalStateException("no connection", e);
        }
        return made;
    }

    /** Nearest to the network: what is written waits while the peer does not read. */
    private final class Stall extends ChannelOutboundHandlerAdapter {
        @Override
        public void flush(ChannelHandlerContext context) {
            if (!stalled) {
                context.flush();
            }
        }
    }

    /** Does something once, in the moment in which the server has decided to read no more for now. */
    void whenPaused(Runnable task) {
        ChannelConfig watched = new DefaultChannelConfig(this) {
            @Override
            protected void autoReadCleared() {
                task.run();
            }
        };
        watched.setAllocator(super.config().getAllocator());
        config = watched;
    }

    @Override
    public ChannelConfig config() {
        ChannelConfig watched = config;
        return watched == null ? super.config() : watched;
    }

    /** From now on it throws when it is to send. */
    void breaks() {
        broken = true;
    }

    @Override
    public Channel flush() {
        if (broken) {
            throw new IllegalStateException("as of a socket that fails");
        }
        return super.flush();
    }

    /** As an event loop does after its I/O. Never within a task: each would bring the next one about, and a thread's stack has an end. */
    @Override
    public void runPendingTasks() {
        if (!running) {
            running = true;
            try {
                do {
                    if (!byHand.getAsBoolean()) {
                        batch.end();
                    }
                    super.runPendingTasks();
                } while (batch.isAwaited() && !byHand.getAsBoolean());
            } finally {
                running = false;
            }
        }
    }

    @Override
    protected void handleOutboundMessage(Object message) {
        ByteBuf data = (ByteBuf) message;
        byte[] bytes = new byte[data.readableBytes()];
        data.readBytes(bytes);
        received.add(bytes);
        ReferenceCountUtil.release(message);
    }

    /** The peer stops to read. */
    void stall() {
        stalled = true;
    }

    /** The peer reads all that there is, and goes on. */
    void take() {
        stalled = false;
        flush();
        runPendingTasks();
    }

    /** What the server says that the peer has not read. */
    long waitingBytes() {
        return end == null ? -1 : end.waitingBytes();
    }

    /** One read of the server's: what these bytes bring about happens in here. */
    void send(byte... bytes) {
        writeInbound(alloc().buffer(bytes.length).writeBytes(bytes));
    }

    /** The server stops. */
    void drain() {
        try {
            connections.drain(0);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        runPendingTasks();
    }

    /** The peer closes the connection. */
    void leave() {
        var _ = close();
        runPendingTasks();
    }

    /** Lets time pass. */
    void pass(long nanos) {
        ticker.advance(nanos, TimeUnit.NANOSECONDS);
        runScheduledPendingTasks();
    }

    /** The replies that the peer has read so far. */
    List<Reply> replies() {
        return received.all();
    }

    /** The same, which are forgotten then. */
    List<Reply> takeReplies() {
        return received.take();
    }

    /** What the peer has read so far, and forgets. */
    byte[] takeBytes() {
        return received.takeBytes();
    }
}
