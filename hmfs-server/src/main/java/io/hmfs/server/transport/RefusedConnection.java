package io.hmfs.server.transport;

import io.hmfs.client.ResultCode;
import io.netty.buffer.ByteBuf;

/** A connection beyond {@link ConnectionLimits#connectionsMax}: it is told so and closed; what it sends is dropped. */
final class RefusedConnection implements ChannelListener {
    private static final int FRAME_BYTES = 256;

    private final TransportChannel channel;
    private final Runnable onClosed;

    /**
     * Says why, and closes.
     *
     * @param linger whether it stays open until the peer has read why; otherwise a reset may destroy the message
     * @param onClosed run when the connection has ended
     */
    RefusedConnection(TransportChannel channel, int connectionsMax, boolean linger, Runnable onClosed) {
        this.channel = channel;
        this.onClosed = onClosed;
        ByteBuf frame = channel.allocator().ioBuffer(FRAME_BYTES);
        ProtocolError.write(
                frame::ensureWritable,
                ResultCode.TOO_MANY_CONNECTIONS,
                "the server has " + connectionsMax
                        + " connections, its connections-max; close some, or start it with more");
        channel.closeAfter(frame, linger);
    }

    @Override
    public void received(ByteBuf bytes) {
        bytes.release();
    }

    @Override
    public void writable() {}

    @Override
    public void checkIdle() {}

    @Override
    public void failed(Throwable cause) {
        channel.close();
    }

    @Override
    public void closed() {
        onClosed.run();
    }
}
