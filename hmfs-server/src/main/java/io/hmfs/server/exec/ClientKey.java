package io.hmfs.server.exec;

/**
 * Who a client is: its own random number, and its user's mark. The number is no secret; with the mark nobody is answered what another user
 * was, or acts on what another user has.
 */
record ClientKey(long id, long mark) {
    /** Before the handshake. */
    static final ClientKey NOBODY = new ClientKey(0, 0);
}
