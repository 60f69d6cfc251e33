package io.hmfs.server.request;

import io.hmfs.server.transport.ReplyChannel;
import io.hmfs.server.transport.ReplyTarget;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** A reply that comes when its frame is long gone. */
public final class LateReply implements ReplyTarget {
    private final ReplyChannel channel;
    private ByteBuf buffer = Unpooled.EMPTY_BUFFER;

    public LateReply(ReplyChannel channel) {
        this.channel = channel;
    }

    @Override
    public ByteBuf room(int bytes) {
        buffer = channel.lateRoom(buffer, bytes);
        return buffer;
    }

    public ByteBuf buffer() {
        return buffer;
    }
}
