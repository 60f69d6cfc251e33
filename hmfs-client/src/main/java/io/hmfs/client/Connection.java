package io.hmfs.client;

import io.hmfs.wire.FrameAssembler;
import io.hmfs.wire.HelloEncoder;
import io.hmfs.wire.MalformedFrameException;
import io.hmfs.wire.WelcomeDecoder;
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
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One connection: the handshake, frames out in batches, frames in. On its event loop. One that ended stays ended: the
 * {@link Dispatcher}, which hears of everything that happens here, makes another.
 */
@SuppressWarnings("FutureReturnValueIgnored") // writes report their failures to exceptionCaught (void promise)
final class Connection extends ChannelInboundHandlerAdapter {
    private static final int BATCH_BYTES = 64 << 10; // written at once when more has gathered
    private static final int OUT_INITIAL = 4 << 10;
    private static final int FRAME_MAX = 64 << 20; // longest reply: no list page or chunk of a sane server comes near
    private static final int OUTCOMES_MAX = 1 << 20;
    private static final long HELLO_ID = 0;

    private final Dispatcher owner;
    private final String address;
    private final ClientOptions options;
    private final EventLoop loop;
    private final Replies replies;
    private final Requests requests;
    private final Hello hello;
    private final WireBuffer outWindow = new WireBuffer();
    private final WireBuffer inWindow = new WireBuffer();

    private @Nullable ChannelHandlerContext context;
    private @Nullable FrameAssembler assembler;
    private @Nullable ByteBuf out;
    private boolean ready;
    private boolean ended;
    private boolean dismissed;
    private boolean reading; // between the first read of a batch and its end: replies may start calls, flushed together
    private boolean cutting; // the assembler is in use further up the stack
    private long lastReadNanos;
    private long serverFrameMax = Wire.METADATA_FRAME_MAX;

    /** What the client says of itself. */
    record Hello(UUID expectedCluster, long clientId, long oldestSequence, long nextSequence) {}

    Connection(
            Dispatcher owner,
            String address,
            ClientOptions options,
            EventLoop loop,
            Replies replies,
            Requests requests,
            Hello hello) {
        this.owner = owner;
        this.address = address;
        this.options = options;
        this.loop = loop;
        this.replies = replies;
        this.requests = requests;
        this.hello = hello;
    }

    /** Begins to make it. */
    void connect(String host, int port) {
        int timeoutMillis = (int)
                Math.min(Integer.MAX_VALUE, Math.max(1, options.connectTimeout().toMillis()));
        new Bootstrap()
                .group(loop)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.SO_KEEPALIVE, true)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, timeoutMillis)
                .handler(this)
                .connect(host, port)
                .addListener(done -> {
                    Throwable cause = done.cause();
                    if (cause != null) {
                        end(new IOException(
                                "cannot connect to " + address + ": " + cause.getMessage() + "; is the server running?",
                                cause));
                    }
                });
    }

    /** Whether the server said that it has executed nothing of this connection that it did not answer. */
    boolean isDismissed() {
        return dismissed;
    }

    /** Whether something has come since then, on the clock of {@code System.nanoTime}. */
    boolean hasReadSince(long nanos) {
        return lastReadNanos - nanos >= 0;
    }

    /** Writes a call, which goes out with {@link #flush} at the latest; false if it is longer than the server takes. */
    boolean write(Call<?> call) {
        int bound = call.bound();
        if (bound > serverFrameMax + Wire.METADATA_FRAME_MAX) { // the bound is generous; the exact check comes below
            return false;
        }
        ByteBuf buffer = room(Wire.LENGTH_SIZE + bound);
        int begin = buffer.writerIndex();
        int length = call.encode(requests, outWindow.wrap(buffer, begin + Wire.LENGTH_SIZE, bound));
        outWindow.release();
        if (length > serverFrameMax) {
            return false;
        }
        buffer.setIntLE(begin, length);
        buffer.writerIndex(begin + Wire.LENGTH_SIZE + length);
        return true;
    }

    private ByteBuf room(int bytes) {
        ByteBuf buffer = out;
        if (buffer != null && buffer.readableBytes() + bytes > BATCH_BYTES && buffer.isReadable()) {
            handOver(buffer);
            buffer = null;
        }
        if (buffer == null) {
            buffer = live().alloc().ioBuffer(Math.max(bytes, OUT_INITIAL));
            out = buffer;
        }
        return buffer.ensureWritable(bytes);
    }

    private void handOver(ByteBuf buffer) {
        out = null;
        ChannelHandlerContext live = live();
        live.write(buffer, live.voidPromise());
    }

    /** Sends what was written; later, if more is about to be. */
    void flush() {
        ByteBuf buffer = out;
        if (buffer != null && !ended && !reading) {
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
    public void channelActive(ChannelHandlerContext active) {
        context = active;
        assembler = new FrameAssembler(active.alloc(), FRAME_MAX);
        lastReadNanos = System.nanoTime();
        if (ended) { // while it was being made
            active.close();
            return;
        }
        byte[] user = options.user().getBytes(StandardCharsets.UTF_8);
        byte[] realUser = options.realUser().getBytes(StandardCharsets.UTF_8);
        int bound = 128 + user.length + realUser.length;
        ByteBuf buffer = active.alloc().ioBuffer(Wire.LENGTH_SIZE + bound);
        HelloEncoder encoder = requests.hello
                .wrapAndApplyHeader(outWindow.wrap(buffer, Wire.LENGTH_SIZE, bound), 0, requests.header)
                .correlationId(HELLO_ID)
                .magic(Wire.MAGIC)
                .protocolVersion(Wire.PROTOCOL_VERSION);
        encoder.clusterId()
                .high(hello.expectedCluster.getMostSignificantBits())
                .low(hello.expectedCluster.getLeastSignificantBits());
        int length = encoder.clientId(hello.clientId)
                .authMethod(Wire.AUTH_SIMPLE)
                .oldestSequence(hello.oldestSequence)
                .nextSequence(hello.nextSequence)
                .putUser(user, 0, user.length)
                .putToken(user, 0, 0)
                .putRealUser(realUser, 0, realUser.length)
                .limit();
        outWindow.release();
        buffer.setIntLE(0, length).writerIndex(Wire.LENGTH_SIZE + length);
        active.writeAndFlush(buffer, active.voidPromise());
        loop.schedule(this::checkWelcome, options.connectTimeout().toNanos(), TimeUnit.NANOSECONDS);
    }

    private void checkWelcome() {
        if (!ready) {
            end(new HmfsException(
                    ResultCode.TIMEOUT, address + " took the connection but did not answer the handshake"));
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext active, Object message) {
        FrameAssembler frames = assembler;
        if (frames == null || ended) {
            ((ByteBuf) message).release();
            return;
        }
        reading = true;
        cutting = true;
        lastReadNanos = System.nanoTime();
        try {
            frames.add((ByteBuf) message);
            while (!ended && frames.next()) {
                receive(inWindow.wrap(frames.buffer(), frames.offset(), frames.length()));
            }
            frames.trim();
        } catch (MalformedFrameException | IOException bad) {
            end(new IOException(address + " sent what this client cannot read: " + bad.getMessage(), bad));
        } finally {
            cutting = false;
            inWindow.release();
            if (ended) {
                frames.close();
            }
        }
    }

    private void receive(WireBuffer in) throws IOException {
        long id = replies.open(in);
        if (!ready) {
            receiveWelcome(in);
        } else if (id != HELLO_ID) {
            owner.replied(id, in);
        } else if (replies.isFailure()) { // not about a request: the server gives the connection up
            ResultCode code = replies.failureCode(in);
            dismissed = code == ResultCode.SHUTTING_DOWN;
            end(new HmfsException(code, address + ": " + replies.failureMessage()));
        }
    }

    private void receiveWelcome(WireBuffer in) throws IOException {
        if (replies.isFailure()) {
            ResultCode code = replies.failureCode(in);
            end(new HmfsException(code, address + ": " + replies.failureMessage()));
            return;
        }
        WelcomeDecoder told = replies.welcome(in);
        if (told.protocolVersion() != Wire.PROTOCOL_VERSION) {
            end(new HmfsException(
                    ResultCode.UNSUPPORTED_VERSION,
                    address + " speaks protocol version " + told.protocolVersion() + ", this client "
                            + Wire.PROTOCOL_VERSION));
            return;
        }
        long outcomes = told.outcomesKept();
        if (outcomes < 1 || outcomes > OUTCOMES_MAX) { // also in a Welcome of an older release, which does not have it
            end(new HmfsException(
                    ResultCode.UNSUPPORTED_VERSION,
                    address
                            + " does not remember outcomes as this client needs it; use a client of the server's release, "
                            + told.serverVersion()));
            return;
        }
        serverFrameMax = told.frameMax();
        ready = true;
        long incarnation = told.incarnation();
        boolean survive = told.outcomesSurvive() == 1; // an older release has another value for what it does not send
        owner.welcomed(Replies.serverInfo(told), incarnation, (int) outcomes, survive);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext active) {
        reading = false;
        flush();
    }

    @Override
    public void channelInactive(ChannelHandlerContext active) {
        end(new IOException("the connection to " + address + " was closed by the server"));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext active, Throwable cause) {
        end(new IOException("the connection to " + address + " failed: " + cause.getMessage(), cause));
    }

    /** Ends the connection; the first reason counts. */
    void end(IOException reason) {
        if (ended) {
            return;
        }
        ended = true;
        ByteBuf unsent = out;
        if (unsent != null) {
            out = null;
            unsent.release();
        }
        ChannelHandlerContext live = context;
        if (live != null) {
            live.close();
        }
        owner.ended(this, reason, ready);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext removedContext) {
        FrameAssembler frames = assembler;
        if (frames != null && !cutting) {
            frames.close();
        }
    }
}
