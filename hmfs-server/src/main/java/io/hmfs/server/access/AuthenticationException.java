package io.hmfs.server.access;

/** A client has not proved who it is. The message is for the client. */
public final class AuthenticationException extends Exception {
    private static final long serialVersionUID = 1;

    public AuthenticationException(String message) {
        super(message);
    }

    /** {@code cause}: for the server's log only. */
    public AuthenticationException(String message, Throwable cause) {
        super(message, cause);
    }
}
