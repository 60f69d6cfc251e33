package io.hmfs.server.access;

/**
 * Who a client is: its own random number, and its user's mark. The number is no secret; with the mark nobody is answered what another user
 * was, or acts on what another user has.
 */
public record ClientKey(long id, long mark) {
    /** Before the handshake. */
    public static final ClientKey NOBODY = new ClientKey(0, 0);
}
