package io.hmfs.server.transport;

import io.netty.buffer.ByteBuf;

/**
 * What a transport reports of one connection, on the connection's thread. No method
 * is called from within {@link Connections#accept}.
 */
public interface ChannelListener {
    /** Bytes have arrived, in order; takes the buffer's ownership. */
    void received(ByteBuf bytes);

    /** {@link TransportChannel#isWritable} has changed. */
    void writable();

    /**
     * Some time has passed: a quarter of {@link ConnectionLimits#idleNanos} or less since the last call, or since the
     * beginning.
     */
    void checkIdle();

    /** The connection has failed. The listener closes it. */
    void failed(Throwable cause);

    /** The connection has ended. The last call. */
    void closed();
}
