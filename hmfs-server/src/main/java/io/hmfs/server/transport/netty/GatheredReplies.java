package io.hmfs.server.transport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

/** A connection's replies as they are written, one behind the other in one buffer. On the connection's thread. */
final class GatheredReplies {
    private static final int EARLY_BYTES = 64 << 10; // replies leave early when more has gathered
    private static final int INITIAL = 4 << 10;

    private final Channel channel;
    private final HeldReplies to;
    private @Nullable ByteBuf gathered;

    GatheredReplies(Channel channel, HeldReplies to) {
        this.channel = channel;
        this.to = to;
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
            buffer = channel.alloc().ioBuffer(Math.max(bytes, INITIAL));
            gathered = buffer;
        }
        return buffer.ensureWritable(bytes);
    }

    /** Sends what has gathered on its way. */
    void handOver() {
        ByteBuf buffer = take();
        if (buffer != null) {
            if (buffer.isReadable()) {
                to.write(buffer);
            } else {
                buffer.release();
            }
        }
    }

    /** What has gathered, which is the caller's now. */
    @Nullable
    ByteBuf take() {
        ByteBuf buffer = gathered;
        gathered = null;
        return buffer;
    }

    /** Nobody will read it. */
    void release() {
        ByteBuf buffer = take();
        if (buffer != null) {
            buffer.release();
        }
    }
}
