package io.hmfs.server.request;

import io.hmfs.server.transport.ReplyTarget;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/** A reply that comes when its frame is long gone. */
public final class LateReply implements ReplyTarget {
    private static final int INITIAL = 1024;

    private final ByteBuf buffer;

    public LateReply(ByteBufAllocator allocator) {
        buffer = allocator.ioBuffer(INITIAL);
    }

    @Override
    public ByteBuf room(int bytes) {
        return buffer.ensureWritable(bytes);
    }

    public ByteBuf buffer() {
        return buffer;
    }
}
