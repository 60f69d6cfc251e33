package io.hmfs.client.transport;

import io.hmfs.wire.WireBuffer;
import java.io.IOException;

/**
 * Carries frames between a client and a server, and owns the thread on which the client's requests and replies are
 * handled. Frames are those of docs/wire.md without their length words. What they say, numbering, deadlines and retries
 * belong to the caller.
 *
 * <p>Any thread may call the methods of a transport. The methods of {@link Link} and {@link Receiver} are called on the
 * transport's thread only.
 */
public interface Transport {
    /**
     * Begins to make a connection and returns at once. The receiver is told on the transport's thread:
     * {@link Receiver#connected}, or {@link Receiver#ended} if there is no connection within the time.
     */
    Link connect(String host, int port, long timeoutNanos, Receiver receiver);

    /** Whether the calling thread is the transport's thread, which must not wait for a reply. */
    boolean inThread();

    /**
     * Has the transport's thread run a task soon.
     *
     * @throws RuntimeException if the transport is closed
     */
    void execute(Runnable task);

    /** Has the transport's thread run a task after a delay. */
    void schedule(Runnable task, long delayNanos);

    /** Has the transport's thread run a task again and again, first after one period. */
    void repeat(Runnable task, long periodNanos);

    /**
     * Ends the thread; waits for that for a short time unless it is the calling thread. Links must have been closed.
     * Idempotent.
     */
    void close();

    /** One connection. It ends once, and stays ended. */
    interface Link {
        /**
         * Room for a frame of at most {@code bound} bytes, valid until {@link #end} or {@link #drop}; one frame at a
         * time.
         */
        WireBuffer begin(int bound);

        /** The frame that was begun has this many bytes. It goes out with {@link #flush} at the latest. */
        void end(int length);

        /** The frame that was begun is not sent. */
        void drop();

        /** Sends what was ended; while a batch of arrived frames is handled, at the end of that batch. */
        void flush();

        /** Whether bytes have come since then, on the clock of {@code System.nanoTime}. */
        boolean hasReadSince(long nanos);

        /** Ends the connection. The receiver is not called any more. Idempotent. */
        void close();
    }

    /** Takes what one connection brings. */
    interface Receiver {
        /** The connection is there: frames can be sent. */
        void connected();

        /**
         * A frame has come; the window is valid during the call.
         *
         * @throws IOException if the frame cannot be read; that ends the connection
         */
        void received(WireBuffer frame) throws IOException;

        /** The connection was lost, or never made. Called once at most, and last. */
        void ended(IOException reason);
    }
}
