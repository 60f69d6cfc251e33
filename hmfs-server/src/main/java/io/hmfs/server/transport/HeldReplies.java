package io.hmfs.server.transport;

import io.hmfs.server.metrics.WorkerMeter;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;

/**
 * The way of a connection's replies to its channel: written at once or, if the pool is kept durable by a log, held in
 * order until the log has the changes that they tell. On the connection's thread. Does not flush.
 */
final class HeldReplies {
    /** Replies of one event-loop batch. */
    private static final class Batch {
        private final ByteBuf replies;
        private final long sinceNanos = System.nanoTime();
        private boolean safe;

        Batch(ByteBuf replies) {
            this.replies = replies;
        }
    }

    private final FrameReceiver receiver;
    private final TransportChannel channel;
    private final Runnable onSent;
    private final ArrayDeque<Batch> held = new ArrayDeque<>();
    private long bytes;

    /** {@code onSent} is run each time held replies have been written. */
    HeldReplies(FrameReceiver receiver, TransportChannel channel, Runnable onSent) {
        this.receiver = receiver;
        this.channel = channel;
        this.onSent = onSent;
    }

    boolean isEmpty() {
        return held.isEmpty();
    }

    /** Batches whose replies are held. */
    int batches() {
        return held.size();
    }

    /** Bytes that are held. */
    long bytes() {
        return bytes;
    }

    /** Writes replies, now or when they are safe, and takes the buffer's ownership. */
    void write(ByteBuf replies) {
        WorkerMeter meter = receiver.meter();
        meter.add(WorkerMeter.Tally.SENT_BYTES, replies.readableBytes());
        if (!receiver.holdsReplies()) {
            channel.write(replies);
            return;
        }
        Batch batch = new Batch(replies);
        held.add(batch);
        bytes += replies.readableBytes();
        meter.add(WorkerMeter.Tally.HELD_BYTES, replies.readableBytes());
        receiver.whenSafe(() -> {
            if (channel.inThread()) {
                safe(batch);
            } else {
                channel.execute(() -> safe(batch));
            }
        });
    }

    private void safe(Batch batch) {
        batch.safe = true;
        boolean sent = false;
        for (Batch first = held.peek(); first != null && first.safe; first = held.peek()) {
            held.remove();
            int length = first.replies.readableBytes();
            bytes -= length;
            WorkerMeter meter = receiver.meter();
            meter.add(WorkerMeter.Tally.HELD_BYTES, -length);
            meter.add(WorkerMeter.Tally.HOLDS, 1);
            meter.add(WorkerMeter.Tally.HOLD_NANOS, System.nanoTime() - first.sinceNanos);
            channel.write(first.replies);
            sent = true;
        }
        if (sent) {
            onSent.run();
        }
    }

    /** Drops what is held: the connection has ended. */
    void release() {
        held.forEach(batch -> batch.replies.release());
        held.clear();
        receiver.meter().add(WorkerMeter.Tally.HELD_BYTES, -bytes);
        bytes = 0;
    }
}
