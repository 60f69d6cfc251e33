package io.hmfs.server.exec;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;

/** A request that waits for the disk: its frame is kept, executed on a thread that may block, and the reply sent from there. */
final class OffloadedRequest implements ReplyTarget, DiskQueue.Work {
    private static final int SLACK_MAX = 256;
    private static final int OWN_BYTES =
            4 << 10; // what the smallest one may cost: its objects, the rest of the buffer it came in

    private final Service service;
    private final Session session;
    private final DiskQueue.Share share;
    private final ByteBuf frame;
    private final int bytes;
    private final int replyBytes;
    private final long sequence;
    private final long arrivedNanos = System.nanoTime();
    private ByteBuf reply = Unpooled.EMPTY_BUFFER;

    OffloadedRequest(Service service, Session session, ByteBuf frame, int replyBytes, long sequence) {
        this.service = service;
        this.session = session;
        this.frame = frame;
        this.replyBytes = replyBytes;
        this.sequence = sequence;
        share = Objects.requireNonNull(session.share(), "only who was welcome has requests");
        bytes = frame.readableBytes() + replyBytes + OWN_BYTES;
    }

    @Override
    public long bytes() {
        return bytes;
    }

    /** Whose it is. */
    DiskQueue.Share share() {
        return share;
    }

    @Override
    public ByteBuf room(int bytes) {
        if (reply.capacity() == 0) {
            reply = session.allocator().ioBuffer(bytes);
        }
        return reply.ensureWritable(bytes);
    }

    @Override
    public void run() {
        try {
            service.diskWorker().executeHere(session, this, frame, arrivedNanos, sequence);
        } finally {
            frame.release();
            try {
                answer();
            } finally {
                service.offDisk(this); // wakes others: the answer does not wait for that
            }
        }
    }

    private void answer() {
        fit();
        try {
            session.onThread(() -> session.end(reply, replyBytes));
        } catch (RejectedExecutionException e) {
            reply.release(); // the server stops and did not wait any longer: the connection's thread has ended
        }
    }

    /** What asked for much and got little must not keep the room for much until the peer takes it. */
    private void fit() {
        int length = reply.readableBytes();
        if (reply.capacity() > SLACK_MAX + length) {
            ByteBuf large = reply;
            reply = session.allocator().ioBuffer(length).writeBytes(large);
            large.release();
        }
    }
}
