package io.hmfs.server.transport.netty;

/**
 * What one connection may have executed in one turn, so that one that brings much does not keep the others waiting. One that nobody was
 * beside in the turn before may have more: to send its replies in parts would cost it a system call for each.
 */
final class TurnShare {
    private static final int REQUESTS = 128; // as many as join in one batch of creates

    /** Bytes of requests. */
    static final int BYTES = 64 << 10;

    /** How much more a connection may have that is alone. */
    private static final int ALONE = 8;

    private final Turn turn;
    private long number = -1;
    private int requests;
    private int bytes;

    /** Of one connection. */
    TurnShare(Turn turn) {
        this.turn = turn;
    }

    /** Whether this turn has had enough of the connection. */
    boolean isUsed() {
        if (number != turn.number()) {
            number = turn.number();
            requests = 0;
            bytes = 0;
        }
        int times = turn.isShared() ? 1 : ALONE;
        return requests >= times * REQUESTS || bytes >= times * BYTES;
    }

    /** A request of so many bytes is taken. */
    void use(int length) {
        if (requests++ == 0) {
            turn.takes();
        }
        bytes += length;
    }
}
