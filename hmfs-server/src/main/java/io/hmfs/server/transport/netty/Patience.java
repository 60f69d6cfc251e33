package io.hmfs.server.transport.netty;

import io.netty.util.concurrent.Ticker;

/** How long a peer has left undone what it began: its handshake, a frame, the taking of its replies. On the connection's thread. */
final class Patience {
    private static final long NOT_WAITING = Long.MIN_VALUE;

    private final Ticker ticker;
    private final long limitNanos;
    private final long openedNanos;
    private long frameNanos = NOT_WAITING;
    private long untakenNanos = NOT_WAITING;

    /** Begins with the connection. */
    Patience(Ticker ticker, long limitNanos) {
        this.ticker = ticker;
        this.limitNanos = limitNanos;
        openedNanos = ticker.nanoTime();
    }

    /** A frame has begun, unless one had before. */
    void frameBegun() {
        if (frameNanos == NOT_WAITING) {
            frameNanos = ticker.nanoTime();
        }
    }

    /** The frame that had begun is whole. */
    void frameEnded() {
        frameNanos = NOT_WAITING;
    }

    boolean isFrameBegun() {
        return frameNanos != NOT_WAITING;
    }

    /** The peer must take what was sent, unless it had to before. */
    void mustTake() {
        if (untakenNanos == NOT_WAITING) {
            untakenNanos = ticker.nanoTime();
        }
    }

    /** It has taken enough. */
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
        return sinceNanos != NOT_WAITING && ticker.nanoTime() - sinceNanos > limitNanos;
    }
}
