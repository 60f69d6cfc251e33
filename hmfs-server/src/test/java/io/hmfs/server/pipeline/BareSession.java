package io.hmfs.server.pipeline;

import io.hmfs.server.request.Session;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** A session whose connection has no network; its replies are kept. */
public class BareSession extends Session {
    private static final int ROOM = 1 << 16;

    final ByteBuf replies;
    private final BareChannel channel;

    /** Its replies are ready at once. */
    public BareSession() {
        this(new BareChannel(Unpooled.buffer(ROOM)));
    }

    BareSession(BareChannel channel) {
        super(channel);
        this.channel = channel;
        replies = channel.replies;
    }

    final void scarce(boolean now) {
        channel.scarce(now);
    }

    /** Replies that were announced and have not come. */
    final int inFlight() {
        return channel.inFlight();
    }
}
