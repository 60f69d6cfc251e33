package io.hmfs.server.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/**
 * The replies of one connection in one event-loop batch, written one behind the other into one buffer. On the
 * connection's thread.
 */
final class GatheredReplies {
    private static final int EARLY_BYTES = 64 << 10; // more than this leaves before the end of the batch
    private static final int HELD_UNFITTED_MAX = 16; // a log is written before so many batches have come
    private static final int INITIAL = 4 << 10;

    private final TransportChannel channel;
    private final HeldReplies to;
    private @Nullable ByteBuf gathered;

    GatheredReplies(TransportChannel channel, HeldReplies to) {
        this.channel = channel;
        this.to = to;
    }

    /** Bytes that have gathered. */
    int bytes() {
        ByteBuf buffer = gathered;
        return buffer == null ? 0 : buffer.readableBytes();
    }

    /** Room for another reply at the buffer's writer index. */
    ByteBuf room(int bytes) {
        ByteBuf buffer = gathered;
        if (buffer != null && buffer.isReadable() && buffer.readableBytes() + bytes > EARLY_BYTES) {
            handOver();
            channel.flush();
            buffer = null;
        }
        if (buffer == null) {
            buffer = channel.allocator().ioBuffer(Math.max(bytes, INITIAL));
            gathered = buffer;
        }
        return buffer.ensureWritable(bytes);
    }

    /** The same in the heap, in place of all that has gathered. */
    ByteBuf roomInHeap(int bytes) {
        release();
        ByteBuf buffer = Unpooled.buffer(bytes);
        gathered = buffer;
        return buffer;
    }

    /** Hands what has gathered to {@link HeldReplies}. */
    void handOver() {
        ByteBuf buffer = take();
        if (buffer != null) {
            if (buffer.isReadable()) {
                boolean waits = channel.waitingBytes() > 0 || to.batches() >= HELD_UNFITTED_MAX;
                to.write(waits ? ReplyTarget.fitted(channel.allocator(), buffer) : buffer);
            } else {
                buffer.release();
            }
        }
    }

    /** What has gathered, with its ownership. */
    @Nullable
    ByteBuf take() {
        ByteBuf buffer = gathered;
        gathered = null;
        return buffer;
    }

    /** Drops what has gathered. */
    void release() {
        ByteBuf buffer = take();
        if (buffer != null) {
            buffer.release();
        }
    }
}
