package io.hmfs.server.transport;

import io.hmfs.server.metrics.WorkerMeter;
import io.netty.buffer.ByteBuf;

/**
 * Executes the frames of all connections of one event loop; one instance for each loop, used on the loop's thread only.
 * A {@link PeerState} that is passed in was made by {@link #accept} of the same receiver.
 *
 * <p>An event-loop batch is: for each connection that is ready, {@link #beginRead} and then {@link #frame} for each of
 * its frames; after all connections {@link #endBatch}.
 */
public interface FrameReceiver {
    /** A connection has begun. Its replies go to {@code channel}. */
    PeerState accept(ReplyChannel channel);

    /** The connection has ended. Called once. */
    void closed(PeerState peer);

    /** Frames of one connection follow that have just arrived: their latency is measured from now. */
    void beginRead();

    /**
     * Takes one frame, without its length word, from this part of a buffer, which is valid during the call only. The
     * frame is executed now, or at {@link #endBatch} together with others, or on another thread. Does not throw: an
     * unexpected error ends the server.
     */
    void frame(PeerState peer, ByteBuf frames, int offset, int length);

    /** Executes the frames of this batch that have not been executed yet. Call it also when receiving has failed. */
    void endBatch();

    /** Whether another frame of this peer may be received now; false asks for {@link #whenMayProceed}. */
    boolean mayProceed(PeerState peer);

    /**
     * Runs a task on the connection's thread when {@link #mayProceed} may have become true; never if the connection has
     * ended.
     */
    void whenMayProceed(PeerState peer, Runnable task);

    /** Whether replies must wait for {@link #whenSafe}: the pool is kept durable by a log. Does not change. */
    boolean holdsReplies();

    /**
     * Runs a task once everything that this thread has executed so far is durable: at once, or later on another thread,
     * which the task must not block. If it never becomes durable the server ends, and the task does not run.
     */
    void whenSafe(Runnable task);

    /**
     * Whether an unexpected error has ended the execution of requests: which frames were executed is unknown. From any
     * thread.
     */
    boolean hasFailed();

    /** Counters of this thread. */
    WorkerMeter meter();
}
