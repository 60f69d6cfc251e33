package io.hmfs.server.transport;

/**
 * Bounds on connections and on what each may do; what users may do is for {@link io.hmfs.server.share.UserShares}.
 *
 * @param connectionsMax connections at once, over all transports; further ones are refused with a reason
 * @param frameMax bytes of the longest frame, without its length word
 * @param tokenMax bytes of the longest token of authentication: a peer that is not known yet sends no longer frame than such a token needs
 * @param inFlightMax requests of one connection that wait for other threads at once; further ones are not received
 * @param idleNanos idle timeout: for the handshake, for the rest of a frame that has begun, and for the peer to take
 *     its replies
 */
public record ConnectionLimits(int connectionsMax, int frameMax, int tokenMax, int inFlightMax, long idleNanos) {
    /** Nanoseconds between two looks for peers that have exceeded the idle timeout. */
    public long idleCheckNanos() {
        return Math.max(1, idleNanos / 4);
    }

    /** Bytes of the longest frame of a handshake. */
    int handshakeFrameMax() {
        return HELLO_FRAME_MAX + tokenMax;
    }

    private static final int HELLO_FRAME_MAX = 1024;

    /** Bytes of replies that requests of one connection at the disk may be about to make; further requests wait. */
    public static final long OWED_MAX = 8 << 20;

    /** Bytes of untaken replies above which a transport says that a connection is not writable. */
    public static final int WRITABLE_MAX = 1 << 20;

    /** Bytes of untaken replies below which the connection is writable again. */
    public static final int WRITABLE_AGAIN = 256 << 10;
}
