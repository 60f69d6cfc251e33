package io.hmfs.server.transport;

import io.hmfs.client.ResultCode;
import io.hmfs.server.metrics.WorkerMeter;
import io.hmfs.server.share.UserShares;
import io.hmfs.server.share.UserShares.Resource;
import io.hmfs.wire.FrameAssembler;
import io.hmfs.wire.MalformedFrameException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.SocketAddress;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The flow of one connection. Frames are cut from the bytes and passed on in the {@link EventLoopBatch} in which they
 * arrive, up to the connection's share of it; replies gather in one buffer and leave at the end of the batch.
 * Back-pressure: nothing is received while the peer does not take its replies, while too many replies wait for the log
 * or for other threads, while those of all connections of the user leave no memory for one of this, while the user's share has no room for the rest of
 * a frame, or while the receiver says so.
 */
final class ServerConnection implements ChannelListener, ReplyChannel, EventLoopBatch.Member {
    private static final System.Logger LOG = System.getLogger(ServerConnection.class.getName());

    /** Bytes of a connection's replies that need not be counted at once. */
    private static final int UNCOUNTED_MAX = 4 << 10;

    private static final long NEVER = -1; // no batch has this number

    private final ConnectionLimits limits;
    private final EventLoopBatch batch;
    private final FrameReceiver receiver;
    private final TransportChannel channel;
    private final PeerState peer;
    private final FrameAssembler frames;
    private final IdleTimeout idle;
    private final HeldReplies held;
    private final GatheredReplies gathered;
    private final BatchShare share = new BatchShare();
    private final UserShares shares;
    private final Consumer<ServerConnection> onIdentified;
    private final Consumer<ServerConnection> onClosed;
    private final Runnable whenReplyRoom;
    private final Runnable whenRequestRoom;

    private volatile UserShares.Account account;
    private volatile boolean displaced;
    private boolean identified;
    private int inFlight;
    private long owed; // bytes that the replies in flight may have
    private long counted; // bytes of replies in the account
    private long requested; // bytes of requests there
    // Whether replies were scarce in the batch of this number: asked once in a batch, and again when more are counted
    // of this connection.
    private boolean wasScarce;
    private long scarceAsOf = NEVER;
    private boolean borrowed; // beyond the share, for a frame that has come in part
    private boolean executing;
    private boolean paused; // until resume is called
    private boolean continues; // in the next batch
    private boolean sends; // at the end of this batch
    private boolean awaitsReceiver;
    private boolean awaitsFlush;
    private boolean awaitsPeer;
    private boolean awaitsReplyRoom;
    private boolean awaitsRequestRoom;
    private boolean draining;
    private boolean closing;
    private boolean closesAfterHeld;
    private boolean ended;

    /**
     * The time for the handshake begins now.
     *
     * @param onIdentified told once, when the peer has said who it is
     * @param onClosed told once, when the connection has ended
     */
    ServerConnection(
            ConnectionLimits limits,
            UserShares shares,
            TransportChannel channel,
            EventLoopBatch batch,
            Consumer<ServerConnection> onIdentified,
            Consumer<ServerConnection> onClosed) {
        this.limits = limits;
        this.shares = shares;
        account = shares.nobody();
        whenReplyRoom = this::replyRoom; // one object each, which the account can be told to forget
        whenRequestRoom = this::requestRoom;
        this.onIdentified = onIdentified;
        this.onClosed = onClosed;
        this.channel = channel;
        this.batch = batch;
        receiver = batch.receiver();
        frames = new FrameAssembler(channel.allocator(), limits.handshakeFrameMax());
        idle = new IdleTimeout(channel::nanoTime, limits.idleNanos());
        held = new HeldReplies(receiver, channel, this::heldAreSent);
        gathered = new GatheredReplies(channel, held);
        peer = receiver.accept(this);
    }

    // ---- for the receiver of frames

    @Override
    public ByteBuf room(int bytes) {
        sends();
        try {
            return gathered.room(bytes);
        } catch (OutOfMemoryError e) {
            outOfMemory(e);
            return gathered.roomInHeap(bytes); // the request that is being executed must come to its end
        }
    }

    @Override
    public boolean isScarce() {
        return account.isScarce(Resource.REPLY_BYTES);
    }

    @Override
    public boolean identify(UserShares.Account user) {
        if (ended) { // meanwhile
            user.leave();
            return true;
        }
        if (!user.tryTake(Resource.CONNECTIONS, 1)) {
            return false;
        }
        user.add(Resource.REPLY_BYTES, counted);
        user.add(Resource.REQUEST_BYTES, requested);
        giveBack(account);
        account = user;
        identified = true;
        onIdentified.accept(this);
        return true;
    }

    /** What the connection holds is not of this account. */
    private void giveBack(UserShares.Account from) {
        from.forget(Resource.REPLY_BYTES, whenReplyRoom);
        from.forget(Resource.REQUEST_BYTES, whenRequestRoom);
        awaitsReplyRoom = false;
        awaitsRequestRoom = false;
        from.add(Resource.REPLY_BYTES, -counted);
        from.add(Resource.REQUEST_BYTES, -requested);
        if (borrowed) {
            borrowed = false;
            from.endLoan(Resource.REQUEST_BYTES);
        }
    }

    @Override
    public void outOfMemory(OutOfMemoryError cause) {
        execute(() -> failed(cause)); // later: requests that are being executed come to their end
    }

    @Override
    public void begin(int replyBytes) {
        inFlight++;
        owed += replyBytes;
    }

    @Override
    public void end(ByteBuf reply, int replyBytes) {
        inFlight--;
        owed -= replyBytes;
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
    public void closeWhenSent() {
        if (closing) {
            return;
        }
        ByteBuf last = gathered.take();
        closing = true;
        idle.mustTake();
        channel.receive(true); // and dropped: unread bytes would reset a TCP connection
        if (!held.isEmpty() || (last != null && last.isReadable() && receiver.holdsReplies())) {
            closesAfterHeld = true;
            held.write(last == null ? channel.allocator().buffer(0) : last);
        } else {
            closeAfter(last);
        }
    }

    private void closeAfter(@Nullable ByteBuf last) {
        channel.closeAfter(last == null ? channel.allocator().buffer(0) : last, true);
    }

    @Override
    public void onThread(Runnable task) {
        channel.execute(task);
    }

    @Override
    public ByteBufAllocator allocator() {
        return channel.allocator();
    }

    @Override
    public @Nullable SocketAddress remote() {
        return channel.remote();
    }

    @Override
    public @Nullable ReadableMemory readable() {
        return channel.readable();
    }

    // ---- for all connections of the server

    /** Another has its place. From any thread. */
    void setDisplaced() {
        displaced = true;
    }

    boolean isDisplaced() {
        return displaced;
    }

    /** Ends: another has its place. */
    void displace() {
        LOG.log(Level.DEBUG, "closing {0}: it has not said who it is, and others come", peer());
        receiver.meter().add(WorkerMeter.Tally.CONNECTIONS_REFUSED, 1);
        channel.close();
    }

    /** Receives no more frames; closes when those in flight are answered. */
    void drain() {
        draining = true;
        channel.receive(false);
        closeIfDrained();
    }

    /** Whether it goes by RDMA. From any thread. */
    boolean isRdma() {
        return channel.isRdma();
    }

    /** Bytes of replies that were sent and that the peer has not taken. From any thread. */
    long waitingBytes() {
        return channel.waitingBytes();
    }

    private void closeIfDrained() {
        if (inFlight == 0 && !executing) {
            gathered.handOver();
            if (held.isEmpty() && !closing) { // otherwise this is called again when they are sent
                if (!receiver.hasFailed()) { // otherwise it is unknown what was executed
                    ProtocolError.dismiss(this);
                }
                closeWhenSent();
            }
        }
    }

    // ---- for the event-loop batch

    @Override
    public void continueReceived() {
        continues = false;
        try {
            process();
            if (!paused && !continues && !draining && !closing) {
                channel.receive(true);
            }
        } catch (RuntimeException | Error e) {
            failed(e);
        }
    }

    @Override
    public void flush() {
        try {
            if (!closing) {
                gathered.handOver();
            } else {
                gathered.release(); // of requests that were in a batch when the connection ended
            }
            channel.flush();
            count();
            if (channel.waitingBytes() > UNCOUNTED_MAX) {
                awaitPeer(); // or they would be counted until the peer asks again
            }
        } catch (RuntimeException | Error e) {
            failed(e);
        } finally {
            sends = false;
        }
        if (awaitsFlush) {
            awaitsFlush = false;
            resume();
        }
    }

    // ---- for the transport

    @Override
    public void received(ByteBuf bytes) {
        receiver.meter().add(WorkerMeter.Tally.RECEIVED_BYTES, bytes.readableBytes());
        if (closing || draining) {
            bytes.release();
            return;
        }
        frames.add(bytes);
        if (!paused && !continues) {
            process();
        } else if (frames.memory() > requested) {
            holdRequests(frames.memory());
        }
        if (continues && frames.held() > BatchShare.BYTES) {
            channel.receive(false); // until it has continued
        }
    }

    @Override
    public void writable() {
        if (channel.isWritable()) {
            if (!closing) {
                idle.hasTaken();
            }
            count();
            resume();
        } else {
            idle.mustTake();
        }
    }

    /** Looks for a peer that stopped in the middle: of the handshake, of a frame, or of taking its replies. */
    @Override
    public void checkIdle() {
        count();
        if (idle.isOverForReplies()) {
            LOG.log(Level.WARNING, "closing {0}: it does not take its replies", peer());
            channel.close();
        } else if (closing || !channel.isWritable()) {
            return; // its time is running
        } else if (paused || continues) {
            return; // it is the server that does not read on
        } else if (!peer.isGreeted() && !peer.isGreeting() && idle.isOverForHandshake()) {
            refuse(ResultCode.TIMEOUT, "no handshake in time");
        } else if (idle.isOverForFrame()) {
            refuse(ResultCode.TIMEOUT, "a frame was begun and not finished in time");
        }
    }

    @Override
    public void failed(Throwable cause) {
        if (cause instanceof OutOfMemoryError) {
            receiver.meter().add(WorkerMeter.Tally.ALLOCATIONS_FAILED, 1);
            LOG.log(Level.WARNING, "closing {0}: no memory for its buffers: {1}", peer(), cause.getMessage());
        } else if (cause instanceof IOException) {
            LOG.log(Level.DEBUG, "connection of " + peer() + " failed", cause);
        } else {
            LOG.log(Level.ERROR, "closing " + peer() + " after an error in the transport", cause);
        }
        channel.close();
    }

    @Override
    public void closed() {
        ended = true;
        receiver.closed(peer);
        closing = true;
        if (idle.isFrameBegun() && frames.unfinished()) {
            LOG.log(Level.INFO, "{0} left in the middle of a frame", peer());
        }
        if (!executing) {
            frames.close();
        }
        gathered.release();
        held.release();
        giveBack(account);
        counted = 0;
        requested = 0;
        if (identified) {
            account.add(Resource.CONNECTIONS, -1);
            account.leave();
        }
        account = shares.nobody();
        onClosed.accept(this);
    }

    // ---- receiving

    private void process() {
        executing = true;
        try {
            takeFrames();
            frames.trim();
            if (frames.unfinished()) {
                idle.frameBegun();
            }
            countRequests();
        } catch (MalformedFrameException e) {
            receiver.endBatch(); // frames that came before are answered before
            refuse(
                    e.oversized() ? ResultCode.TOO_LARGE : ResultCode.BAD_REQUEST,
                    "unreadable stream: " + e.getMessage());
        } finally {
            executing = false;
            if (!channel.isOpen()) {
                frames.close();
            }
        }
        if (draining) {
            closeIfDrained();
        }
    }

    /** Passes on the frames that have arrived, as far as back-pressure and the share of this batch allow. */
    private void takeFrames() {
        receiver.beginRead();
        while (!closing && !draining) {
            if (!mayProceed()) {
                pause();
                return;
            }
            if (share.isUsed(batch.number())) {
                continueInNextBatch();
                return;
            }
            if (peer.isGreeted()) {
                frames.frameMax(limits.frameMax());
            }
            if (!frames.next()) {
                return;
            }
            idle.frameEnded();
            if (borrowed) { // for this frame
                giveRequests(0);
                borrowed = false;
                account.endLoan(Resource.REQUEST_BYTES);
            }
            share.use(frames.length());
            receiver.frame(peer, frames.buffer(), frames.offset(), frames.length());
        }
    }

    private boolean mayProceed() {
        return hasOwnRoom() && receiver.mayProceed(peer) && hasReplyRoom();
    }

    /** Whether this connection is within its own bounds; an event of it tells when that changes. */
    private boolean hasOwnRoom() {
        return !peer.isGreeting()
                && channel.isWritable()
                && inFlight < limits.inFlightMax()
                && owed < ConnectionLimits.OWED_MAX
                && held.bytes() < limits.frameMax();
    }

    /** Whether there is memory for another reply: while it is scarce, for one at a time. */
    private boolean hasReplyRoom() {
        if (replyBytes() - counted > UNCOUNTED_MAX) {
            count();
        }
        if (scarceAsOf != batch.number()) {
            scarceAsOf = batch.number();
            wasScarce = isScarce();
        }
        if (!wasScarce) {
            return true;
        }
        count();
        return counted == 0 && inFlight == 0 && !account.isFull(Resource.REPLY_BYTES);
    }

    private long replyBytes() {
        return gathered.bytes() + held.bytes() + channel.waitingBytes();
    }

    /** Tells the account. While that is scarce, a peer must take its replies as if they were many. */
    private void count() {
        long bytes = replyBytes();
        boolean hasTaken = bytes < counted;
        if (bytes != counted && !ended) {
            account.add(Resource.REPLY_BYTES, bytes - counted);
            counted = bytes;
            scarceAsOf = NEVER;
        }
        if (channel.isWritable() && !closing) {
            boolean mustTake = isScarce() && channel.waitingBytes() > 0;
            if (hasTaken || !mustTake) {
                idle.hasTaken();
            }
            if (mustTake) {
                idle.mustTake();
            }
        }
    }

    private void pause() {
        if (!paused) {
            paused = true;
            channel.receive(false);
        }
        // Each is asked once: other threads may change the answer at any time, and what was false must be awaited.
        boolean served = receiver.mayProceed(peer);
        scarceAsOf = NEVER;
        boolean hasReplyRoom = hasReplyRoom();
        if (!served && !awaitsReceiver) {
            awaitsReceiver = true;
            receiver.whenMayProceed(peer, () -> {
                awaitsReceiver = false;
                resume();
            });
        }
        if (!hasReplyRoom) {
            awaitReplyRoom();
        }
        if (served && hasReplyRoom && hasOwnRoom()) {
            resume(); // other threads have made room since the connection was stopped
        }
    }

    /** Something will tell when there is memory for another reply; for those in flight that is {@link #end}. */
    private void awaitReplyRoom() {
        if (gathered.bytes() > 0) {
            awaitsFlush = true;
        } else if (channel.waitingBytes() > 0) {
            awaitPeer();
        } else if (held.isEmpty() && inFlight == 0 && !awaitsReplyRoom) {
            awaitsReplyRoom = true;
            account.whenRoom(Resource.REPLY_BYTES, 0, whenReplyRoom);
        }
    }

    private void awaitPeer() {
        if (!awaitsPeer) {
            awaitsPeer = true;
            channel.whenTaken(() -> {
                awaitsPeer = false;
                count();
                resume();
            });
        }
    }

    /** From any thread. */
    private void replyRoom() {
        execute(() -> {
            awaitsReplyRoom = false;
            resume();
        });
    }

    /** From any thread. */
    private void requestRoom() {
        execute(() -> {
            awaitsRequestRoom = false;
            resume();
        });
    }

    /** Later, on the connection's thread. From any thread. */
    private void execute(Runnable task) {
        try {
            channel.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.log(Level.DEBUG, "the server stops", e);
        }
    }

    // ---- requests that wait, or have come in part

    /**
     * Charges what is left of the stream after a batch. A frame that has come in part is charged as a whole, so one that may come can: a connection
     * that gets no room for the rest is not read until it does.
     */
    private void countRequests() {
        if (closing || draining) {
            return;
        }
        long memory = frames.memory();
        long partial = frames.partial();
        long wanted = Math.max(memory, partial);
        if (wanted <= requested) {
            giveRequests(wanted);
            return;
        }
        long more = wanted - requested;
        if (account.isSuperuser()) { // is always read
            account.add(Resource.REQUEST_BYTES, more);
            requested = wanted;
        } else if (account.tryTake(Resource.REQUEST_BYTES, more)) {
            requested = wanted;
        } else if (partial > 0 && account.tryBorrow(Resource.REQUEST_BYTES, more)) {
            borrowed = true;
            requested = wanted;
        } else {
            holdRequests(memory);
            if (partial > 0 && !closing) {
                awaitRequestRoom(wanted - requested);
            }
            return;
        }
        if (awaitsRequestRoom) {
            account.forget(Resource.REQUEST_BYTES, whenRequestRoom);
            awaitsRequestRoom = false;
        }
    }

    private void giveRequests(long left) {
        account.add(Resource.REQUEST_BYTES, left - requested);
        requested = left;
    }

    /** Charges memory that is in use already. The connection ends if that is beyond the user's share, unless it is all that the user has. */
    private void holdRequests(long memory) {
        account.add(Resource.REQUEST_BYTES, memory - requested);
        requested = memory;
        long held = account.held(Resource.REQUEST_BYTES);
        boolean isOver = held > requested && held > account.share(Resource.REQUEST_BYTES);
        if ((isOver || shares.used(Resource.REQUEST_BYTES) > shares.max(Resource.REQUEST_BYTES))
                && !account.isSuperuser()) {
            receiver.endBatch(); // frames that came before are answered before
            refuse(ResultCode.TOO_MANY_CONNECTIONS, account.refusal(Resource.REQUEST_BYTES));
        }
    }

    private void awaitRequestRoom(long bytes) {
        if (!paused) {
            paused = true;
            channel.receive(false);
        }
        if (!awaitsRequestRoom) {
            awaitsRequestRoom = true;
            account.whenRoom(Resource.REQUEST_BYTES, bytes, whenRequestRoom);
        }
    }

    private void resume() {
        if (paused && !closing && !draining) {
            paused = false;
            idle.wasHeldUp();
            continueInNextBatch();
        }
    }

    private void continueInNextBatch() {
        if (!continues) {
            continues = true;
            batch.continueWith(this);
        }
    }

    // ---- sending

    private void sends() {
        if (!sends) {
            sends = true;
            batch.sendOf(this);
        }
    }

    /** Held replies were written: what waited for that continues. */
    private void heldAreSent() {
        sends();
        if (held.isEmpty() && closesAfterHeld) {
            closeAfter(null);
        } else if (draining) {
            closeIfDrained();
        } else {
            resume();
        }
    }

    private void refuse(ResultCode code, String message) {
        LOG.log(Level.WARNING, "closing {0}: {1}", peer(), message);
        receiver.meter().add(WorkerMeter.Tally.FRAMES_REFUSED, 1);
        if (!closing) {
            ProtocolError.write(this, code, message);
            closeWhenSent();
        }
    }
}
