package io.hmfs.server.request;

import io.hmfs.server.access.Authenticator;

/**
 * What a peer has said of itself in Hello, and how far the proof of it is. On the connection's thread.
 *
 * @see Session#login
 */
public final class Login {
    private final String user;
    private final String realUser;
    private final long clientId;
    private final long oldest;
    private final long next;
    private final Authenticator method;
    private final Authenticator.Exchange exchange;
    private int tokens;

    /**
     * Nothing is proved yet.
     *
     * @param realUser the proxy that acts for the user; empty if the user acts alone
     * @param oldest the oldest change that the client waits for
     * @param next the number of its next change
     */
    public Login(
            String user,
            String realUser,
            long clientId,
            long oldest,
            long next,
            Authenticator method,
            Authenticator.Exchange exchange) {
        this.user = user;
        this.realUser = realUser;
        this.clientId = clientId;
        this.oldest = oldest;
        this.next = next;
        this.method = method;
        this.exchange = exchange;
    }

    public String user() {
        return user;
    }

    public String realUser() {
        return realUser;
    }

    public long clientId() {
        return clientId;
    }

    public long oldest() {
        return oldest;
    }

    public long next() {
        return next;
    }

    public Authenticator method() {
        return method;
    }

    public Authenticator.Exchange exchange() {
        return exchange;
    }

    /** Another token has come. Returns how many that are. */
    public int countToken() {
        return ++tokens;
    }
}
