package io.hmfs.server.transport;

import io.hmfs.server.share.UserShares;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
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

    /**
     * The peer is this user from now on: what the connection holds is the user's. True: the connection ends the account; false: the user has no share left
     * for one more connection, and nothing was done.
     */
    boolean identify(UserShares.Account user);

    /** Memory for a reply could not be had: the connection ends, and the server goes on. From any thread. */
    void outOfMemory(OutOfMemoryError cause);

    /**
     * The buffer of a late reply, empty at first, with at least this many writable bytes; takes and gives ownership. Where memory cannot be had, a buffer in
     * the heap, and the connection ends: the request must come to its end. From any thread.
     */
    default ByteBuf lateRoom(ByteBuf reply, int bytes) {
        try {
            ByteBuf buffer = reply.capacity() == 0 ? allocator().ioBuffer(bytes) : reply;
            return buffer.ensureWritable(bytes);
        } catch (OutOfMemoryError e) {
            outOfMemory(e);
            reply.release();
            return Unpooled.buffer(bytes);
        }
    }

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
