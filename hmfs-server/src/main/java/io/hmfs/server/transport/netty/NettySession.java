package io.hmfs.server.transport.netty;

import io.hmfs.client.ResultCode;
import io.hmfs.server.exec.ProtocolError;
import io.hmfs.server.exec.Service;
import io.hmfs.server.exec.Session;
import io.hmfs.server.exec.Worker;
import io.hmfs.server.metrics.WorkerMeter;
import io.hmfs.wire.FrameAssembler;
import io.hmfs.wire.MalformedFrameException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DuplexChannel;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One TCP connection. Frames are executed in the {@link Turn} in which they arrive, up to a share of it; replies gather in one buffer and
 * leave at the end of the turn. When the peer does not take its replies, or too much waits for the disk, the socket is not read.
 */
@SuppressWarnings("FutureReturnValueIgnored") // writes report their failures to exceptionCaught (void promise)
final class NettySession extends Session {
    private static final System.Logger LOG = System.getLogger(NettySession.class.getName());

    private static final int HELLO_FRAME_MAX = 1024;
    private static final long LINGER_MILLIS = 1_000; // for the peer to read why it was refused

    private final Handler handler = new Handler();
    private final Service service;
    private final NettyTransport.Limits limits;
    private final Turn turn;
    private final Worker worker;
    private final Channel channel;
    private final FrameAssembler frames;
    private final Patience patience;
    private final HeldReplies held;
    private final GatheredReplies gathered;

    private final TurnShare share = new TurnShare();

    private boolean executing;
    private boolean paused; // until somebody calls resume
    private boolean waiting; // for the end of the next turn
    private boolean sends; // at the end of this turn
    private boolean retryScheduled;
    private boolean draining;
    private boolean closing;
    private boolean closeAfterHeld;

    NettySession(Service service, NettyTransport.Limits limits, Turn turn, Channel channel) {
        this.service = service;
        this.limits = limits;
        this.turn = turn;
        this.worker = turn.worker();
        this.channel = channel;
        frames = new FrameAssembler(channel.alloc(), HELLO_FRAME_MAX);
        patience = new Patience(channel.eventLoop().ticker(), limits.idleNanos());
        held = new HeldReplies(service, worker.meter(), channel, this::heldAreSent);
        gathered = new GatheredReplies(channel, held);
    }

    /** What stands in the channel's pipeline. */
    ChannelInboundHandlerAdapter handler() {
        return handler;
    }

    // ---- what request execution asks for
    @Override
    protected void greeted() {
        frames.frameMax(limits.frameMax());
    }

    @Override
    public ByteBuf room(int bytes) {
        sends();
        return gathered.room(bytes);
    }

    @Override
    protected void send(ByteBuf reply) {
        if (reply.isReadable() && !closing) {
            gathered.handOver();
            held.write(reply);
            sends();
        } else {
            reply.release();
        }
        if (draining) {
            closeIfDrained();
        } else {
            resume();
        }
    }

    @Override
    protected void onThread(Runnable task) {
        channel.eventLoop().execute(task);
    }

    @Override
    public ByteBufAllocator allocator() {
        return channel.alloc();
    }

    @Override
    public @Nullable SocketAddress remote() {
        return channel.remoteAddress();
    }

    @Override
    public void closeWhenSent() {
        if (closing) {
            return;
        }
        ByteBuf last = gathered.take();
        closing = true;
        patience.mustTake();
        channel.config().setAutoRead(true); // and dropped: what nobody reads would reset the connection
        if (!held.isEmpty() || (last != null && last.isReadable() && service.holdsReplies())) {
            closeAfterHeld = true;
            held.write(last == null ? channel.alloc().buffer(0) : last);
        } else {
            closeAfter(last);
        }
    }

    private void closeAfter(@Nullable ByteBuf last) {
        channel.writeAndFlush(last == null ? channel.alloc().buffer(0) : last).addListener(written -> {
            if (channel instanceof DuplexChannel duplex && written.isSuccess()) {
                duplex.shutdownOutput();
                channel.eventLoop().schedule(() -> channel.close(), LINGER_MILLIS, TimeUnit.MILLISECONDS);
            } else {
                channel.close();
            }
        });
    }

    // ---- the transport's side

    /** Takes no more requests; closes when those in flight are answered. */
    void drain() {
        draining = true;
        channel.config().setAutoRead(false);
        closeIfDrained();
    }

    /** Runs a task when the connection has ended. */
    void onClose(Runnable task) {
        channel.closeFuture().addListener(closed -> task.run());
    }

    private void closeIfDrained() {
        if (inFlight() == 0 && !executing) {
            gathered.handOver();
            if (held.isEmpty() && !closing) { // else it comes again when they are sent
                if (!service.hasFailed()) { // else nobody knows what was executed
                    ProtocolError.dismiss(this);
                }
                closeWhenSent(); // lets the peer read that
            }
        }
    }

    private void process() {
        executing = true;
        try {
            takeFrames();
            frames.trim();
            if (frames.unfinished()) {
                patience.frameBegun();
            }
        } catch (MalformedFrameException e) {
            worker.endTurn(); // what it sent before is answered before
            refuse(
                    e.oversized() ? ResultCode.TOO_LARGE : ResultCode.BAD_REQUEST,
                    "unreadable stream: " + e.getMessage());
        } finally {
            executing = false;
            if (!channel.isActive()) {
                frames.close();
            }
        }
        if (draining) {
            closeIfDrained();
        }
    }

    /** Executes what has arrived, or leaves it to the worker to be executed with others, as far as may be now. */
    private void takeFrames() {
        worker.beginRead();
        while (!closing && !draining) {
            if (!mayProceed()) {
                pause();
                return;
            }
            if (share.isUsed(turn.number())) {
                waitForTurn();
                return;
            }
            if (!frames.next()) {
                return;
            }
            patience.frameEnded();
            share.use(frames.length());
            worker.execute(this, frames.buffer(), frames.offset(), frames.length());
        }
    }

    private boolean mayProceed() {
        return !isGreeting()
                && channel.isWritable()
                && inFlight() < limits.inFlightMax()
                && owed() < NettyTransport.OWED_MAX
                && service.mayProceed(this)
                && held.bytes() < limits.frameMax();
    }

    private void pause() {
        if (!paused) {
            paused = true;
            channel.config().setAutoRead(false);
        }
        boolean served = service.mayProceed(this);
        if (served && mayProceed()) {
            resume(); // other threads have made room since the service was asked
        } else if (!served && !retryScheduled) { // nobody of this connection tells when that changes
            retryScheduled = true;
            service.whenMayProceed(this, () -> {
                retryScheduled = false;
                resume();
            });
        }
    }

    private void resume() {
        if (paused && !closing && !draining) {
            paused = false;
            waitForTurn();
        }
    }

    private void waitForTurn() {
        if (!waiting) {
            waiting = true;
            turn.goesOn(this);
        }
    }

    /** Goes on with what has arrived before; called by its turn. */
    void goOn() {
        waiting = false;
        try {
            process();
            if (!paused && !waiting && !draining && !closing) {
                channel.config().setAutoRead(true);
            }
        } catch (RuntimeException | Error e) {
            channel.pipeline().fireExceptionCaught(e);
        }
    }

    private void sends() {
        if (!sends) {
            sends = true;
            turn.sends(this);
        }
    }

    /** What was held is written: the connection goes on with what waited for that. */
    private void heldAreSent() {
        sends();
        if (held.isEmpty() && closeAfterHeld) {
            closeAfter(null);
        } else if (draining) {
            closeIfDrained();
        } else {
            resume();
        }
    }

    /** Sends what there is; called by its turn. */
    void flush() {
        try {
            if (!closing) {
                gathered.handOver();
            } else {
                gathered.release(); // of requests that had joined when the connection ended
            }
            channel.flush();
        } catch (RuntimeException | Error e) {
            channel.pipeline().fireExceptionCaught(e);
        } finally {
            sends = false;
        }
    }

    private void refuse(ResultCode code, String message) {
        LOG.log(Level.WARNING, "closing {0}: {1}", peer(), message);
        worker.meter().add(WorkerMeter.Tally.FRAMES_REFUSED, 1);
        if (!closing) {
            ProtocolError.write(this, code, message);
            closeWhenSent();
        }
    }

    /** Looks for a peer that stopped in the middle: of the handshake, of a frame, or of taking its replies. */
    private void checkIdle() {
        if (closing || !channel.isWritable()) {
            if (patience.isOverForReplies()) {
                LOG.log(Level.WARNING, "closing {0}: it does not take its replies", peer());
                channel.close();
            }
        } else if (!isGreeted() && !isGreeting() && patience.isOverForHandshake()) {
            refuse(ResultCode.TIMEOUT, "no handshake in time");
        } else if (!paused && patience.isOverForFrame()) {
            refuse(ResultCode.TIMEOUT, "a frame was begun and not finished in time");
        }
    }

    /** Bytes of replies that were sent and that the peer has not taken. From any thread. */
    long waitingBytes() {
        var waiting = channel.unsafe().outboundBuffer();
        return waiting == null ? 0 : waiting.totalPendingWriteBytes();
    }

    private final class Handler extends ChannelInboundHandlerAdapter {
        @Override
        public void channelActive(ChannelHandlerContext context) {
            service.connected();
            worker.meter().add(WorkerMeter.Tally.CONNECTIONS_ACCEPTED, 1);
            long period = Math.max(1, limits.idleNanos() / 4);
            var checks = channel.eventLoop()
                    .scheduleAtFixedRate(NettySession.this::checkIdle, period, period, TimeUnit.NANOSECONDS);
            channel.closeFuture().addListener(closed -> checks.cancel(false));
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf data = (ByteBuf) message;
            worker.meter().add(WorkerMeter.Tally.RECEIVED_BYTES, data.readableBytes());
            if (closing || draining) {
                data.release();
                return;
            }
            frames.add(data);
            if (!paused && !waiting) {
                process();
            }
            if (waiting && frames.held() > TurnShare.BYTES) {
                channel.config().setAutoRead(false); // until it has gone on
            }
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            if (channel.isWritable()) {
                if (!closing) {
                    patience.hasTaken();
                }
                resume();
            } else {
                patience.mustTake();
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            service.disconnected();
            leave();
            closing = true;
            if (patience.isFrameBegun() && frames.unfinished()) {
                LOG.log(Level.INFO, "{0} left in the middle of a frame", peer());
            }
            if (!executing) {
                frames.close();
            }
            gathered.release();
            held.release();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            if (cause instanceof IOException) {
                LOG.log(Level.DEBUG, "connection of " + peer() + " failed", cause);
            } else {
                LOG.log(Level.ERROR, "closing " + peer() + " after an error in the transport", cause);
            }
            channel.close();
        }
    }
}
