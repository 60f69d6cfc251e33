package io.hmfs.client.transport.netty;

import io.hmfs.client.transport.Transport;
import io.hmfs.wire.FrameAssembler;
import io.hmfs.wire.MalformedFrameException;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One TCP connection: frames out in batches behind length words, frames in as the stream is cut. */
@SuppressWarnings("FutureReturnValueIgnored") // writes report their failures to exceptionCaught (void promise)
final class TcpLink extends ChannelInboundHandlerAdapter implements Transport.Link {
    private static final int BATCH_BYTES = 64 << 10; // written at once when more has gathered
    private static final int OUT_INITIAL = 4 << 10;
    private static final int FRAME_MAX = 64 << 20; // longest reply: no list page or chunk of a sane server comes near

    private final String address;
    private final Transport.Receiver receiver;
    private final WireBuffer outWindow = new WireBuffer();
    private final WireBuffer inWindow = new WireBuffer();

    private @Nullable ChannelHandlerContext context;
    private @Nullable FrameAssembler assembler;
    private @Nullable ByteBuf out;
    private boolean closed;
    private boolean reading; // between the first read of a batch and its end: replies may start calls, flushed together
    private boolean cutting; // the assembler is in use further up the stack
    private long lastReadNanos;

    TcpLink(String address, Transport.Receiver receiver) {
        this.address = address;
        this.receiver = receiver;
    }

    void connect(EventLoop loop, String host, int port, long timeoutNanos) {
        long timeoutMillis = Math.max(1, TimeUnit.NANOSECONDS.toMillis(timeoutNanos));
        new Bootstrap()
                .group(loop)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.SO_KEEPALIVE, true)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) Math.min(Integer.MAX_VALUE, timeoutMillis))
                .handler(this)
                .connect(host, port)
                .addListener(done -> {
                    Throwable cause = done.cause();
                    if (cause != null) {
                        lost(new IOException(
                                "cannot connect to " + address + ": " + cause.getMessage() + "; is the server running?",
                                cause));
                    }
                });
    }

    @Override
    public WireBuffer begin(int bound) {
        int bytes = Wire.LENGTH_SIZE + bound;
        ByteBuf buffer = out;
        if (buffer != null && buffer.readableBytes() + bytes > BATCH_BYTES && buffer.isReadable()) {
            handOver(buffer);
            buffer = null;
        }
        if (buffer == null) {
            buffer = live().alloc().ioBuffer(Math.max(bytes, OUT_INITIAL));
            out = buffer;
        }
        buffer.ensureWritable(bytes);
        return outWindow.wrap(buffer, buffer.writerIndex() + Wire.LENGTH_SIZE, bound);
    }

    @Override
    public void end(int length) {
        ByteBuf buffer = outWindow.buffer();
        int begin = buffer.writerIndex();
        buffer.setIntLE(begin, length).writerIndex(begin + Wire.LENGTH_SIZE + length);
        outWindow.release();
    }

    @Override
    public void drop() {
        outWindow.release();
    }

    private void handOver(ByteBuf buffer) {
        out = null;
        ChannelHandlerContext live = live();
        live.write(buffer, live.voidPromise());
    }

    @Override
    public void flush() {
        ByteBuf buffer = out;
        if (buffer != null && !closed && !reading) {
            handOver(buffer);
            live().flush();
        }
    }

    private ChannelHandlerContext live() {
        ChannelHandlerContext live = context;
        if (live == null) {
            throw new IllegalStateException("not connected");
        }
        return live;
    }

    @Override
    public boolean hasReadSince(long nanos) {
        return lastReadNanos - nanos >= 0;
    }

    @Override
    public void channelActive(ChannelHandlerContext active) {
        context = active;
        assembler = new FrameAssembler(active.alloc(), FRAME_MAX);
        lastReadNanos = System.nanoTime();
        if (closed) { // while it was being made
            active.close();
            return;
        }
        receiver.connected();
    }

    @Override
    public void channelRead(ChannelHandlerContext active, Object message) {
        FrameAssembler frames = assembler;
        if (frames == null || closed) {
            ((ByteBuf) message).release();
            return;
        }
        reading = true;
        cutting = true;
        lastReadNanos = System.nanoTime();
        try {
            frames.add((ByteBuf) message);
            while (!closed && frames.next()) {
                receiver.received(inWindow.wrap(frames.buffer(), frames.offset(), frames.length()));
            }
            frames.trim();
        } catch (MalformedFrameException | IOException bad) {
            lost(new IOException(address + " sent what this client cannot read: " + bad.getMessage(), bad));
        } finally {
            cutting = false;
            inWindow.release();
            if (closed) {
                frames.close();
            }
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext active) {
        reading = false;
        flush();
    }

    @Override
    public void channelInactive(ChannelHandlerContext active) {
        lost(new IOException("the connection to " + address + " was closed by the server"));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext active, Throwable cause) {
        lost(new IOException("the connection to " + address + " failed: " + cause.getMessage(), cause));
    }

    private void lost(IOException reason) {
        if (!closed) {
            close();
            receiver.ended(reason);
        }
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        ByteBuf unsent = out;
        if (unsent != null) {
            out = null;
            unsent.release();
        }
        ChannelHandlerContext live = context;
        if (live != null) {
            live.close();
        }
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext removedContext) {
        FrameAssembler frames = assembler;
        if (frames != null && !cutting) {
            frames.close();
        }
    }
}
