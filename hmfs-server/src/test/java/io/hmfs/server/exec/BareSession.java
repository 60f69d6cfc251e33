package io.hmfs.server.exec;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/** A connection without a network, whose replies are ready at once. */
abstract class BareSession extends Session {
    final ByteBuf replies;

    BareSession(ByteBuf replies) {
        this.replies = replies;
    }

    @Override
    protected void greeted() {}

    @Override
    protected void send(ByteBuf frames) {
        throw new AssertionError("nothing here waits for the disk");
    }

    @Override
    public void closeWhenSent() {
        throw new AssertionError("nothing here ends the connection");
    }

    @Override
    protected void onThread(Runnable task) {
        throw new AssertionError("nothing here waits for the disk");
    }

    @Override
    public ByteBufAllocator allocator() {
        return PooledByteBufAllocator.DEFAULT;
    }

    @Override
    public @Nullable SocketAddress remote() {
        return null;
    }
}
