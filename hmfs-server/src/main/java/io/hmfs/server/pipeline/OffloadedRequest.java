package io.hmfs.server.pipeline;

import io.hmfs.server.request.Session;
import io.hmfs.server.share.FairQueue;
import io.hmfs.server.transport.ReplyTarget;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/** A request that waits for the disk: its frame is kept, executed on a thread that may block, and the reply sent from there. */
final class OffloadedRequest implements ReplyTarget, FairQueue.Work {
    private static final int OWN_BYTES =
            4 << 10; // what the smallest one may cost: its objects, the rest of the buffer it came in

    private final FairQueue disk;
    private final Consumer<OffloadedRequest> execution;
    private final Session session;
    private final FairQueue.Share share;
    private final ByteBuf frame;
    private final int bytes;
    private final int replyBytes;
    private final long sequence;
    private final long arrivedNanos = System.nanoTime();
    private ByteBuf reply = Unpooled.EMPTY_BUFFER;

    /** {@code execution}: on a disk thread, writes the reply into this one. */
    OffloadedRequest(
            FairQueue disk,
            Consumer<OffloadedRequest> execution,
            Session session,
            ByteBuf frame,
            int replyBytes,
            long sequence) {
        this.disk = disk;
        this.execution = execution;
        this.session = session;
        this.frame = frame;
        this.replyBytes = replyBytes;
        this.sequence = sequence;
        share = Objects.requireNonNull(session.share(), "only a welcomed client has requests");
        bytes = frame.readableBytes() + replyBytes + OWN_BYTES;
    }

    @Override
    public long bytes() {
        return bytes;
    }

    /** Queues it. */
    void start() {
        disk.execute(share, this);
    }

    Session session() {
        return session;
    }

    ByteBuf frame() {
        return frame;
    }

    /** When it was read. */
    long arrivedNanos() {
        return arrivedNanos;
    }

    /** The sequence of the change that it claims. */
    long sequence() {
        return sequence;
    }

    @Override
    public ByteBuf room(int bytes) {
        reply = session.channel().lateRoom(reply, bytes);
        return reply;
    }

    @Override
    public boolean isScarce() {
        return session.channel().isScarce();
    }

    @Override
    public void run() {
        try {
            execution.accept(this);
        } finally {
            frame.release();
            try {
                answer();
            } finally {
                disk.done(share, this); // wakes others: the answer does not wait for that
            }
        }
    }

    private void answer() {
        // What asked for much and got little must not keep the room for much until the peer takes it.
        reply = ReplyTarget.fitted(session.channel().allocator(), reply);
        try {
            session.channel().onThread(() -> session.channel().end(reply, replyBytes));
        } catch (RejectedExecutionException e) {
            reply.release(); // the server stops and did not wait any longer: the connection's thread has ended
        }
    }
}
