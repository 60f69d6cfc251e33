package io.hmfs.server.exec;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/** A reply that comes when its frame is long gone. */
final class LateReply implements ReplyTarget {
    private static final int INITIAL = 1024;

    private final ByteBuf buffer;

    LateReply(ByteBufAllocator allocator) {
        buffer = allocator.ioBuffer(INITIAL);
    }

    @Override
    public ByteBuf room(int bytes) {
        return buffer.ensureWritable(bytes);
    }

    ByteBuf buffer() {
        return buffer;
    }
}
