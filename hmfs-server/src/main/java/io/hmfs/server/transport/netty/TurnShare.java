package io.hmfs.server.transport.netty;

/** What one connection may have executed in one turn, so that one that brings much does not keep the others waiting. */
final class TurnShare {
    private static final int REQUESTS = 128; // as many as join in one batch of creates

    /** Bytes of requests. */
    static final int BYTES = 64 << 10;

    private long turn = -1;
    private int requests;
    private int bytes;

    /** Whether this turn has had enough of the connection. */
    boolean isUsed(long number) {
        if (turn != number) {
            turn = number;
            requests = 0;
            bytes = 0;
        }
        return requests >= REQUESTS || bytes >= BYTES;
    }

    /** A request of so many bytes is taken. */
    void use(int length) {
        requests++;
        bytes += length;
    }
}
