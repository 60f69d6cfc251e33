/**
 * The flow of frames between a transport and request execution, the same for every transport: bytes are cut into frames
 * and executed in event-loop batches, replies gather, wait for the log where there is one, and leave at the end of a
 * batch; back-pressure, the idle timeout, the bound on connections, and the end of a connection.
 *
 * <p>A transport provides {@link io.hmfs.server.transport.ServerTransport} and, for each connection, {@link
 * io.hmfs.server.transport.TransportChannel}. It calls {@link io.hmfs.server.transport.ChannelListener} with what
 * happens on the connection and {@link io.hmfs.server.transport.EventLoopBatch#end} when it has read all connections
 * that were ready. Request execution provides {@link io.hmfs.server.transport.FrameReceiver} and sees a connection as
 * {@link io.hmfs.server.transport.ReplyChannel}. A test transport in memory ({@code MemoryTransport}) needs nothing
 * else.
 *
 * <p>Imports the wire format and metrics, and of Netty its buffers ({@code io.netty.buffer}), never its channels
 * (docs/adr/0145). No transport and no request execution is imported from here.
 */
@NullMarked
package io.hmfs.server.transport;

import org.jspecify.annotations.NullMarked;
