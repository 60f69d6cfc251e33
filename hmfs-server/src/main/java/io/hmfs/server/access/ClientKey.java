package io.hmfs.server.access;

/**
 * The identity of a client: its own random number, and its user's mark. The number is no secret; with the mark no user is answered what
 * another was, or acts on what another has.
 */
public record ClientKey(long id, long mark) {
    /** Before the handshake. */
    public static final ClientKey NOBODY = new ClientKey(0, 0);
}
