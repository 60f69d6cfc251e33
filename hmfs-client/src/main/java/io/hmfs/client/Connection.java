package io.hmfs.client;

import io.hmfs.wire.FrameAssembler;
import io.hmfs.wire.HelloEncoder;
import io.hmfs.wire.MalformedFrameException;
import io.hmfs.wire.WelcomeDecoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One connection: calls go out in batches, replies find their call by correlation id. Any thread submits; everything else happens
 * on the connection's event loop. A connection that ended stays ended: the client makes another one.
 */
@SuppressWarnings("FutureReturnValueIgnored") // writes report their failures to exceptionCaught (void promise)
final class Connection extends ChannelInboundHandlerAdapter {
    private static final int BATCH_BYTES = 64 << 10; // written at once when more has gathered
    private static final int OUT_INITIAL = 4 << 10;
    private static final int FRAME_MAX = 64 << 20; // longest reply: no list page or chunk of a sane server comes near
    private static final long HELLO_ID = 0;

    private final String address;
    private final ClientOptions options;
    private final UUID expectedCluster;
    private final long clientId;
    private final EventLoop loop;
    private final Replies replies;
    private final Requests requests = new Requests();
    private final WireBuffer outWindow = new WireBuffer();
    private final WireBuffer inWindow = new WireBuffer();

    private final Queue<Call<?>> submitted = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean drainScheduled = new AtomicBoolean();
    private final CompletableFuture<ServerInfo> welcome = new CompletableFuture<>();
    private volatile @Nullable IOException ended;

    // From here on: of the event loop only.
    private final ArrayDeque<Call<?>> waiting = new ArrayDeque<>();
    private final InFlight inFlight;
    private @Nullable ChannelHandlerContext context;
    private @Nullable FrameAssembler assembler;
    private @Nullable ByteBuf out;
    private boolean ready;
    private boolean reading; // between the first read of a batch and its end: replies may start calls, flushed together
    private boolean cutting; // the assembler is in use further up the stack
    private long lastReadNanos;
    private long serverFrameMax = Wire.METADATA_FRAME_MAX;

    Connection(
            String address,
            ClientOptions options,
            UUID expectedCluster,
            long clientId,
            EventLoop loop,
            RemovedListener removed) {
        this.address = address;
        this.options = options;
        this.expectedCluster = expectedCluster;
        this.clientId = clientId;
        this.loop = loop;
        replies = new Replies(removed);
        inFlight = new InFlight(options.inFlightMax());
    }

    /** Completes when the handshake is through, or fails with the reason why not. */
    CompletableFuture<ServerInfo> welcome() {
        return welcome;
    }

    boolean isEnded() {
        return ended != null;
    }

    boolean inEventLoop() {
        return loop.inEventLoop();
    }

    /** Sends a call as soon as there is room; its future tells the outcome. */
    void submit(Call<?> call) {
        call.deadlineNanos = System.nanoTime() + options.requestTimeout().toNanos();
        if (loop.inEventLoop()) {
            start(call);
            if (!reading) {
                flush();
            }
            return;
        }
        submitted.add(call);
        if (!drainScheduled.get() && drainScheduled.compareAndSet(false, true)) {
            try {
                loop.execute(this::drain);
            } catch (RuntimeException closed) { // the client was closed: its event loop takes no more
                end(new IOException("the client is closed", closed));
                failSubmitted();
            }
        }
    }

    private void drain() {
        drainScheduled.set(false);
        for (Call<?> call = submitted.poll(); call != null; call = submitted.poll()) {
            start(call);
        }
        flush();
    }

    private void start(Call<?> call) {
        IOException why = ended;
        if (why != null) {
            call.completeExceptionally(lost(call, why));
        } else if (!ready || inFlight.isFull()) {
            waiting.add(call);
        } else {
            write(call);
        }
    }

    private void startWaiting() {
        while (!waiting.isEmpty() && !inFlight.isFull()) {
            write(waiting.remove());
        }
    }

    private void write(Call<?> call) {
        int bound = call.bound();
        if (bound > serverFrameMax + Wire.METADATA_FRAME_MAX) { // the bound is generous; the exact check comes below
            call.fail(ResultCode.TOO_LARGE, "");
            return;
        }
        inFlight.add(call);
        ByteBuf buffer = room(Wire.LENGTH_SIZE + bound);
        int begin = buffer.writerIndex();
        int length = call.encode(requests, outWindow.wrap(buffer, begin + Wire.LENGTH_SIZE, bound));
        outWindow.release();
        if (length > serverFrameMax) {
            inFlight.remove(call.correlationId);
            call.fail(ResultCode.TOO_LARGE, "");
            return;
        }
        buffer.setIntLE(begin, length);
        buffer.writerIndex(begin + Wire.LENGTH_SIZE + length);
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

    private void flush() {
        ByteBuf buffer = out;
        if (buffer != null && !isEnded()) {
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
        byte[] user = options.user().getBytes(StandardCharsets.UTF_8);
        int bound = 128 + user.length;
        ByteBuf buffer = active.alloc().ioBuffer(Wire.LENGTH_SIZE + bound);
        HelloEncoder hello = requests.hello
                .wrapAndApplyHeader(outWindow.wrap(buffer, Wire.LENGTH_SIZE, bound), 0, requests.header)
                .correlationId(HELLO_ID)
                .magic(Wire.MAGIC)
                .protocolVersion(Wire.PROTOCOL_VERSION);
        hello.clusterId().high(expectedCluster.getMostSignificantBits()).low(expectedCluster.getLeastSignificantBits());
        int length = hello.clientId(clientId)
                .authMethod(Wire.AUTH_SIMPLE)
                .putUser(user, 0, user.length)
                .putToken(user, 0, 0)
                .limit();
        outWindow.release();
        buffer.setIntLE(0, length).writerIndex(Wire.LENGTH_SIZE + length);
        active.writeAndFlush(buffer, active.voidPromise());
        long timeout = options.connectTimeout().toNanos();
        loop.schedule(this::checkWelcome, timeout, TimeUnit.NANOSECONDS);
        long tick = Math.min(Math.max(options.requestTimeout().toNanos() / 4, 1_000_000), 1_000_000_000);
        var ticks = loop.scheduleAtFixedRate(this::expire, tick, tick, TimeUnit.NANOSECONDS);
        active.channel().closeFuture().addListener(closed -> ticks.cancel(false));
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
        if (frames == null || isEnded()) {
            ((ByteBuf) message).release();
            return;
        }
        reading = true;
        cutting = true;
        lastReadNanos = System.nanoTime();
        try {
            frames.add((ByteBuf) message);
            while (!isEnded() && frames.next()) {
                receive(inWindow.wrap(frames.buffer(), frames.offset(), frames.length()));
            }
            frames.trim();
        } catch (MalformedFrameException | IOException bad) {
            end(new IOException(address + " sent what this client cannot read: " + bad.getMessage(), bad));
        } finally {
            cutting = false;
            inWindow.release();
            if (isEnded()) {
                frames.close();
            }
        }
    }

    private void receive(WireBuffer in) throws IOException {
        long id = replies.open(in);
        if (!ready) {
            receiveWelcome(in);
            return;
        }
        Call<?> call = inFlight.remove(id);
        if (call != null) {
            complete(call, in);
            startWaiting();
        } else if (replies.isFailure() && id == HELLO_ID) { // not about a request: the server gives the connection up
            ResultCode code = replies.failureCode(in);
            throw new HmfsException(code, replies.failureMessage());
        }
    }

    private <T> void complete(Call<T> call, WireBuffer in) throws IOException {
        if (replies.isFailure()) {
            ResultCode code = replies.failureCode(in);
            call.fail(code, replies.failureMessage());
            return;
        }
        T value;
        try {
            value = call.decode(replies, in);
        } catch (IOException | RuntimeException bad) {
            call.completeExceptionally(lost(call, bad));
            throw bad;
        }
        call.complete(value);
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
        serverFrameMax = told.frameMax();
        ready = true;
        welcome.complete(Replies.serverInfo(told));
        startWaiting();
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

    private void expire() {
        long now = System.nanoTime();
        while (!waiting.isEmpty() && now - waiting.element().deadlineNanos > 0) {
            timeout(waiting.remove());
        }
        long timeoutNanos = options.requestTimeout().toNanos();
        boolean silent = false;
        for (Call<?> call = inFlight.removeExpired(now); call != null; call = inFlight.removeExpired(now)) {
            silent |= lastReadNanos - (call.deadlineNanos - timeoutNanos) < 0; // nothing came since the call was made
            timeout(call);
        }
        if (silent) { // a dead peer shows no other way until TCP gives up
            end(new IOException(address + " has gone silent"));
        } else {
            startWaiting();
            flush();
        }
    }

    private void timeout(Call<?> call) {
        call.fail(ResultCode.TIMEOUT, "no answer from " + address + " within " + options.requestTimeout());
    }

    /** Ends the connection: every call that has no reply yet fails. Any thread; the first reason counts. */
    void end(IOException reason) {
        if (!loop.inEventLoop() && !loop.isShuttingDown()) {
            loop.execute(() -> end(reason));
            return;
        }
        if (ended != null) {
            return;
        }
        ended = reason;
        welcome.completeExceptionally(reason);
        ByteBuf unsent = out;
        if (unsent != null) {
            out = null;
            unsent.release();
        }
        for (Call<?> call = inFlight.removeAny(); call != null; call = inFlight.removeAny()) {
            call.completeExceptionally(lost(call, reason));
        }
        while (!waiting.isEmpty()) {
            Call<?> call = waiting.remove();
            call.completeExceptionally(lost(call, reason));
        }
        failSubmitted();
        ChannelHandlerContext live = context;
        if (live != null) {
            live.close();
        }
    }

    private void failSubmitted() {
        IOException reason = ended;
        for (Call<?> call = submitted.poll(); call != null; call = submitted.poll()) {
            call.completeExceptionally(lost(call, reason == null ? new IOException("the client is closed") : reason));
        }
    }

    private static IOException lost(Call<?> call, Exception reason) {
        String text = call.describe() + ": " + reason.getMessage();
        return reason instanceof HmfsException known
                ? new HmfsException(known.code(), text)
                : new IOException(text, reason);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext removedContext) {
        FrameAssembler frames = assembler;
        if (frames != null && !cutting) {
            frames.close();
        }
    }
}
