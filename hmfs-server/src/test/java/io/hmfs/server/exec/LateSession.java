package io.hmfs.server.exec;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** A connection whose replies from other threads are taken too. */
final class LateSession extends BareSession {
    private static final int ROOM = 1 << 16;

    LateSession() {
        super(Unpooled.buffer(ROOM));
    }

    @Override
    public ByteBuf room(int bytes) {
        return replies.ensureWritable(bytes);
    }

    @Override
    protected void send(ByteBuf frames) {
        replies.writeBytes(frames);
        frames.release();
    }

    @Override
    protected void onThread(Runnable task) {
        task.run();
    }
}
