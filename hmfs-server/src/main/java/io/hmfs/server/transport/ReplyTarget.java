package io.hmfs.server.transport;

import io.netty.buffer.ByteBuf;

/** Where a request's reply goes. */
public interface ReplyTarget {
    /**
     * A buffer with at least this many writable bytes. The caller writes the reply's frame at the writer index, then
     * moves the writer index behind the frame. Bytes behind the writer index are not sent, so a reply that was
     * abandoned half way leaves nothing.
     */
    ByteBuf room(int bytes);

    /** Whether memory for replies is scarce, so that one whose length the server chooses is to be short. */
    default boolean isScarce() {
        return false;
    }
}
