package io.hmfs.server.pipeline;

import io.hmfs.server.share.UserShares;
import io.hmfs.server.transport.ReplyChannel;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/** The reply channel of a connection without a network: keeps all replies that are ready at once; others may not come. */
class BareChannel implements ReplyChannel {
    final ByteBuf replies;
    private int inFlight;
    private boolean scarce;

    BareChannel(ByteBuf replies) {
        this.replies = replies;
    }

    /** From here on memory for replies is scarce, or is not. */
    final void scarce(boolean now) {
        scarce = now;
    }

    @Override
    public final boolean isScarce() {
        return scarce;
    }

    /** Replies that were announced and have not come. */
    final int inFlight() {
        return inFlight;
    }

    @Override
    public ByteBuf room(int bytes) {
        return replies.ensureWritable(bytes);
    }

    @Override
    public final void begin(int replyBytes) {
        inFlight++;
    }

    @Override
    public final void end(ByteBuf reply, int replyBytes) {
        inFlight--;
        late(reply);
    }

    /** A reply comes from another thread. */
    void late(ByteBuf reply) {
        throw new AssertionError("nothing here waits for the disk");
    }

    @Override
    public boolean identify(UserShares.Account user) {
        return true;
    }

    @Override
    public void outOfMemory(OutOfMemoryError cause) {
        throw cause;
    }

    @Override
    public void closeWhenSent() {
        throw new AssertionError("nothing here ends the connection");
    }

    @Override
    public void onThread(Runnable task) {
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
