package io.hmfs.server.exec;

import io.netty.buffer.ByteBuf;

/** Where a request's reply goes. */
public interface ReplyTarget {
    /**
     * A buffer with at least this much room at its writer index. The reply's frame is written there, then the writer index moved
     * behind it; what is not complete stays behind the writer index and is nothing.
     */
    ByteBuf room(int bytes);
}
