package io.hmfs.server.transport;

/** What the receiver of frames keeps about a connection's peer; the transport asks it only about the handshake. */
public interface PeerState {
    /** Whether the handshake has succeeded: frames of full length are accepted from now on. */
    boolean isGreeted();

    /** Whether the handshake is waiting for another thread: no frame may be received until it ends. */
    boolean isGreeting();
}
