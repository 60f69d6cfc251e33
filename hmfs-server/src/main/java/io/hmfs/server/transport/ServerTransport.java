package io.hmfs.server.transport;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.function.Supplier;

/**
 * A way to reach the server. It is made with the server's {@link Connections}, hands each new connection to {@link
 * Connections#accept} on the thread that will serve the connection, and ends the {@link EventLoopBatch} of that thread
 * whenever it has read all connections that were ready.
 */
public interface ServerTransport extends AutoCloseable {
    /** Makes a transport. */
    @FunctionalInterface
    interface Factory {
        /**
         * Makes the transport's threads; it accepts nothing before {@link ServerTransport#listen}.
         *
         * @param receivers makes a receiver of frames for each event loop
         * @param connections of the server
         * @throws IOException the transport cannot be used on this machine; the message says why
         */
        ServerTransport open(Supplier<? extends FrameReceiver> receivers, Connections connections) throws IOException;

        /** Whether RDMA will reach the server, too, at the same address. */
        default boolean offersRdma() {
            return false;
        }
    }

    /**
     * Starts to accept connections.
     *
     * @throws IOException the address cannot be used; the message names it and says what to do
     */
    void listen(InetSocketAddress address) throws IOException;

    /** The address it listens on, with the real port. {@code IllegalStateException} before {@link #listen}. */
    InetSocketAddress address();

    /** The name of this transport in metrics and messages, such as {@code epoll}. */
    String label();

    /** Accepts no more connections. Those that are open go on. */
    void stopListening();

    /** Closes everything and ends the threads. */
    @Override
    void close();
}
