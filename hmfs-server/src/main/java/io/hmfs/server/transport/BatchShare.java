package io.hmfs.server.transport;

/**
 * What one connection may have executed in one event-loop batch, so that a connection that brings much does not delay
 * the others.
 */
final class BatchShare {
    private static final int REQUESTS = 128; // as many as one batch of creates holds

    /** Bytes of requests. */
    static final int BYTES = 64 << 10;

    private long batch = -1;
    private int requests;
    private int bytes;

    /** Whether the connection has used up its share of the batch with this number. */
    boolean isUsed(long number) {
        if (batch != number) {
            batch = number;
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
