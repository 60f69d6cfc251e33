package io.hmfs.server.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/** Where a request's reply goes. */
public interface ReplyTarget {
    /** Bytes that a reply's buffer may be too long. */
    int SLACK_MAX = 256;

    /**
     * A buffer with at least this many writable bytes. The caller writes the reply's frame at the writer index, then
     * moves the writer index behind the frame. Bytes behind the writer index are not sent, so a reply that was
     * abandoned half way leaves nothing.
     */
    ByteBuf room(int bytes);

    /** The same reply in a buffer that is not much longer than it: what waits for the peer must not keep room for more. Takes and gives ownership. */
    static ByteBuf fitted(ByteBufAllocator allocator, ByteBuf reply) {
        int length = reply.readableBytes();
        if (reply.capacity() <= SLACK_MAX + length) {
            return reply;
        }
        try {
            ByteBuf fitted = allocator.ioBuffer(length).writeBytes(reply);
            reply.release();
            return fitted;
        } catch (OutOfMemoryError e) {
            return reply; // which is there
        }
    }

    /** Whether memory for replies is scarce, so that one whose length the server chooses is to be short. */
    default boolean isScarce() {
        return false;
    }
}
