package io.hmfs.server.pipeline;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** A session whose replies from other threads are kept too. */
final class LateSession extends BareSession {
    private static final int ROOM = 1 << 16;

    LateSession() {
        super(new LateChannel());
    }

    private static final class LateChannel extends BareChannel {
        LateChannel() {
            super(Unpooled.buffer(ROOM));
        }

        @Override
        void late(ByteBuf reply) {
            replies.writeBytes(reply);
            reply.release();
        }

        @Override
        public void onThread(Runnable task) {
            task.run();
        }
    }
}
