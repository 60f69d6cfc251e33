package io.hmfs.server.transport;

import java.util.function.LongSupplier;

/**
 * How long a peer has left unfinished what it began: its handshake, a frame, or taking its replies. On the connection's
 * thread.
 */
final class IdleTimeout {
    private static final long NOT_WAITING = Long.MIN_VALUE;

    private final LongSupplier clock;
    private final long limitNanos;
    private final long openedNanos;
    private long frameNanos = NOT_WAITING;
    private long untakenNanos = NOT_WAITING;

    /** The time for the handshake begins now. {@code clock}: nanoseconds. */
    IdleTimeout(LongSupplier clock, long limitNanos) {
        this.clock = clock;
        this.limitNanos = limitNanos;
        openedNanos = clock.getAsLong();
    }

    /** A frame has begun, unless one had begun before. */
    void frameBegun() {
        if (frameNanos == NOT_WAITING) {
            frameNanos = clock.getAsLong();
        }
    }

    /** The server has not read: the time for the rest of a frame that has begun starts anew. */
    void wasHeldUp() {
        if (frameNanos != NOT_WAITING) {
            frameNanos = clock.getAsLong();
        }
    }

    /** The frame that had begun is whole. */
    void frameEnded() {
        frameNanos = NOT_WAITING;
    }

    boolean isFrameBegun() {
        return frameNanos != NOT_WAITING;
    }

    /** The peer must take replies from now on, unless it had to before. */
    void mustTake() {
        if (untakenNanos == NOT_WAITING) {
            untakenNanos = clock.getAsLong();
        }
    }

    /** The peer has taken enough. */
    void hasTaken() {
        untakenNanos = NOT_WAITING;
    }

    boolean isOverForHandshake() {
        return isOver(openedNanos);
    }

    boolean isOverForFrame() {
        return isOver(frameNanos);
    }

    boolean isOverForReplies() {
        return isOver(untakenNanos);
    }

    private boolean isOver(long sinceNanos) {
        return sinceNanos != NOT_WAITING && clock.getAsLong() - sinceNanos > limitNanos;
    }
}
