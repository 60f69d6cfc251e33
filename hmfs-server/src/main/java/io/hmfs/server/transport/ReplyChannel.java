package io.hmfs.server.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * The way of replies to one peer, as the receiver of its frames sees it. Replies that are ready during an event-loop
 * batch are written by {@link #room} and leave at the end of the batch. A reply that comes later, from another thread,
 * is announced by {@link #begin} and delivered by {@link #end}: connections with many replies outstanding are not read.
 * Methods are for the connection's thread unless they say otherwise.
 */
public interface ReplyChannel extends ReplyTarget {
    /** A reply of at most about {@code replyBytes} bytes comes later; 0 if it is short. */
    void begin(int replyBytes);

    /**
     * Sends a reply that {@link #begin} announced with the same {@code replyBytes}, and takes the buffer's ownership.
     * Empty: no reply.
     */
    void end(ByteBuf reply, int replyBytes);

    /** Sends what has been written, then closes the connection. No more frames are received. */
    void closeWhenSent();

    /**
     * Runs a task on the connection's thread. From any thread.
     *
     * @throws java.util.concurrent.RejectedExecutionException the thread has ended, because the server stops
     */
    void onThread(Runnable task);

    /** Allocates buffers for late replies. From any thread. */
    ByteBufAllocator allocator();

    /** The peer's address; null if it has none. From any thread. */
    @Nullable
    SocketAddress remote();

    /** Where the peer reads the server's readable memory; null: it cannot. */
    default @Nullable ReadableMemory readable() {
        return null;
    }

    /** The peer's address for messages. From any thread. */
    default String peer() {
        return String.valueOf(remote());
    }
}
