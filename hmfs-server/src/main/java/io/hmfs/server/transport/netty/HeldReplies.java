package io.hmfs.server.transport.netty;

import io.hmfs.server.exec.Service;
import io.hmfs.server.metrics.WorkerMeter;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.ArrayDeque;

/**
 * A connection's replies on their way out: written at once, or, where a log has to have what they tell first, when it has, in order. On
 * the connection's thread. Nothing here flushes.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a write that fails closes the channel, which is where that is seen
final class HeldReplies {
    /** Replies of one batch. */
    private static final class Batch {
        private final ByteBuf replies;
        private final long sinceNanos = System.nanoTime();
        private boolean safe;

        Batch(ByteBuf replies) {
            this.replies = replies;
        }
    }

    private final Service service;
    private final WorkerMeter meter;
    private final Channel channel;
    private final Runnable onSent;
    private final ArrayDeque<Batch> held = new ArrayDeque<>();
    private long bytes;

    /** {@code onSent} is run when held replies have been written. */
    HeldReplies(Service service, WorkerMeter meter, Channel channel, Runnable onSent) {
        this.service = service;
        this.meter = meter;
        this.channel = channel;
        this.onSent = onSent;
    }

    boolean isEmpty() {
        return held.isEmpty();
    }

    long bytes() {
        return bytes;
    }

    void write(ByteBuf replies) {
        meter.add(WorkerMeter.Tally.SENT_BYTES, replies.readableBytes());
        if (!service.holdsReplies()) {
            channel.write(replies, channel.voidPromise());
            return;
        }
        Batch batch = new Batch(replies);
        held.add(batch);
        bytes += replies.readableBytes();
        meter.add(WorkerMeter.Tally.HELD_BYTES, replies.readableBytes());
        service.whenSafe(() -> {
            if (channel.eventLoop().inEventLoop()) {
                safe(batch);
            } else {
                channel.eventLoop().execute(() -> safe(batch));
            }
        });
    }

    private void safe(Batch batch) {
        batch.safe = true;
        boolean sent = false;
        for (Batch first = held.peek(); first != null && first.safe; first = held.peek()) {
            held.remove();
            bytes -= first.replies.readableBytes();
            meter.add(WorkerMeter.Tally.HELD_BYTES, -first.replies.readableBytes());
            meter.add(WorkerMeter.Tally.HOLDS, 1);
            meter.add(WorkerMeter.Tally.HOLD_NANOS, System.nanoTime() - first.sinceNanos);
            channel.write(first.replies, channel.voidPromise());
            sent = true;
        }
        if (sent) {
            onSent.run();
        }
    }

    /** The connection is gone: nobody will read them. */
    void release() {
        held.forEach(batch -> batch.replies.release());
        held.clear();
        meter.add(WorkerMeter.Tally.HELD_BYTES, -bytes);
        bytes = 0;
    }
}
