package io.hmfs.server.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * One connection as a transport provides it: bytes in both directions, in order. All connections of one event loop are
 * served by one thread, on which every method is called unless it says otherwise. The transport reports events to the
 * connection's {@link ChannelListener} on the same thread.
 */
public interface TransportChannel {
    /** Allocates buffers to be written. From any thread. */
    ByteBufAllocator allocator();

    /** The peer's address; null if it has none. From any thread. */
    @Nullable
    SocketAddress remote();

    /** Whether the peer is reached by RDMA. From any thread. */
    default boolean isRdma() {
        return false;
    }

    /** Where the peer reads the server's {@linkplain Connections#readable readable memory}; null: it cannot. */
    default @Nullable ReadableMemory readable() {
        return null;
    }

    /** Whether the connection has neither ended nor been closed. */
    boolean isOpen();

    /** Whether the caller runs on the connection's thread. From any thread. */
    boolean inThread();

    /**
     * Runs a task on the connection's thread, later. From any thread.
     *
     * @throws java.util.concurrent.RejectedExecutionException the thread has ended
     */
    void execute(Runnable task);

    /** The clock of timeouts, in nanoseconds from an arbitrary origin; a test may control it. */
    long nanoTime();

    /**
     * Whether bytes are received from the peer. Off: the transport reads no more (TCP) or grants the peer no more
     * credit (RDMA); bytes that have arrived before may still be reported.
     */
    void receive(boolean on);

    /**
     * Queues bytes for the peer and takes the buffer's ownership. They may leave at once, and leave at the latest at
     * {@link #flush}. A failure closes the connection.
     */
    void write(ByteBuf bytes);

    /** Sends what has been written. */
    void flush();

    /**
     * False: so many bytes wait for the peer that no more requests may be executed; {@link ChannelListener#writable}
     * tells each change.
     */
    boolean isWritable();

    /** Runs a task on the connection's thread when the peer has taken all that was written before; never if the connection ends before that. */
    void whenTaken(Runnable task);

    /** Bytes that were written and that the peer has not taken. From any thread. */
    long waitingBytes();

    /**
     * Sends these bytes, whose ownership it takes, after all that was written before, and closes the connection when
     * they have been sent.
     *
     * @param linger whether the peer has a second to read them: until then what it sends is read and dropped, for
     *     unread bytes would reset a TCP connection and destroy the reply on its way. Otherwise the connection is
     *     closed at once
     */
    void closeAfter(ByteBuf last, boolean linger);

    /** Closes the connection at once. */
    void close();
}
