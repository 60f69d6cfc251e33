package io.hmfs.client.transport;

import io.hmfs.wire.StatRecord;
import io.hmfs.wire.WireBuffer;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Carries frames between a client and a server. Frames are those of docs/wire.md without their length words. What they
 * say, numbering, deadlines and retries belong to the caller.
 *
 * <p>A transport has no thread. The caller polls it, and waits for it, on whatever thread it has at hand. All methods
 * but {@link #await} and {@link #wakeUp}, and those of {@link Link} and {@link Receiver}, are called by one thread at a
 * time, each of which sees what the one before did.
 */
public interface Transport {
    /** Bytes of the longest frame that a link takes: no list page or chunk of a sane server comes near. */
    int FRAME_MAX = 64 << 20;

    /**
     * Begins to make a connection and returns at once; the receiver is told by {@link #poll}, never from here:
     * {@link Receiver#connected}, or {@link Receiver#ended} if there can be no connection.
     */
    Link connect(String host, int port, Receiver receiver);

    /**
     * Handles what has arrived and sends what could not be sent before, without waiting: calls receivers. Returns whether
     * there was anything.
     */
    boolean poll();

    /**
     * Waits until there may be something to {@link #poll}, or {@link #wakeUp} was called since the last wait, or the
     * thread is interrupted, or the time is over. One thread at a time; others may call all methods meanwhile.
     */
    void await(long nanos);

    /** Has {@link #await} return: the one that is under way, or else the next one. Any thread. */
    void wakeUp();

    /**
     * The peer of the latest connection has said that RDMA reaches it too. Returns whether another connection to it would go
     * by RDMA while this one does not; then the caller makes that one.
     */
    default boolean offersRdma() {
        return false;
    }

    /** Whether the connection that was made last goes by RDMA. Any thread. */
    default boolean isRdma() {
        return false;
    }

    /** Ends the transport. Links must have been closed. Idempotent. */
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

        /**
         * Sends what was ended, without waiting; while a batch of arrived frames is handled, at the end of that batch.
         * Calls no receiver.
         */
        void flush();

        /**
         * Begins to read {@link StatRecord#BYTES} of the peer's memory, which {@link #flush} sends at the latest; {@link Receiver#read} has
         * them, with this number. False: it cannot, or too many reads are under way. What the peer refuses ends the connection.
         */
        default boolean read(long address, int key, long number) {
            return false;
        }

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

        /**
         * What {@link Link#read} asked for has come, to be found there during the call.
         *
         * @throws IOException if it is nothing that a server makes; that ends the connection
         */
        default void read(long number, ByteBuffer bytes, int at) throws IOException {}

        /** The connection was lost, or never made. Called once at most, and last. */
        void ended(IOException reason);
    }
}
