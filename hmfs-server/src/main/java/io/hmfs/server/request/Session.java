package io.hmfs.server.request;

import io.hmfs.server.access.Caller;
import io.hmfs.server.access.ClientKey;
import io.hmfs.server.protocol.RequestKind;
import io.hmfs.server.retry.RetryCache;
import io.hmfs.server.share.FairQueue;
import io.hmfs.server.transport.PeerState;
import io.hmfs.server.transport.ReplyChannel;
import org.jspecify.annotations.Nullable;

/** What request execution keeps about the peer of one connection. On the connection's thread, except where a method says otherwise. */
public class Session implements PeerState {
    private final ReplyChannel channel;
    private boolean greeted;
    private boolean greeting;
    private boolean left;
    private @Nullable Login login;
    private @Nullable Caller caller;
    private String realUser = "";
    private ClientKey client = ClientKey.NOBODY;
    private @Nullable RetryCache retries;
    private @Nullable RequestKind batch;
    private FairQueue.@Nullable Share share;
    private @Nullable Runnable whenRoom;
    private @Nullable ListingPlaces places;
    private int compressFrom = Integer.MAX_VALUE;
    private volatile byte[] auditPrefix = {}; // also set on threads that wait for the disk

    /** {@code channel}: where replies to this peer go. */
    public Session(ReplyChannel channel) {
        this.channel = channel;
    }

    /** Where replies to this peer go. */
    public final ReplyChannel channel() {
        return channel;
    }

    @Override
    public final boolean isGreeted() {
        return greeted;
    }

    @Override
    public final boolean isGreeting() {
        return greeting;
    }

    public final void beginGreeting() {
        greeting = true;
    }

    /** The step or the look-up that the greeting waited for has ended. */
    public final void endGreeting() {
        greeting = false;
        if (left) {
            endLogin();
        }
    }

    /** What the peer says of itself; null before it has said it, and after it was believed or not. */
    public final @Nullable Login login() {
        return login;
    }

    public final void login(Login begun) {
        login = begun;
    }

    /** The proof has ended, with or without success. */
    public final void endLogin() {
        Login ended = login;
        login = null;
        if (ended != null) {
            ended.exchange().close();
        }
    }

    public final void greet(Caller sessionCaller, String sessionRealUser, long sessionClientId) {
        caller = sessionCaller;
        realUser = sessionRealUser;
        if (!left) {
            sessionCaller.connected();
        }
        client = new ClientKey(sessionClientId, sessionCaller.mark());
        greeted = true;
    }

    /** Replies of at least so many bytes may be compressed. Set before the first request, for all threads. */
    public final void compressFrom(int bytes) {
        compressFrom = bytes;
    }

    /** Bytes of the shortest reply that may be compressed. */
    public final int compressFrom() {
        return compressFrom;
    }

    /** Where its listings go on; made for the first that has more than one page. */
    public final ListingPlaces places() {
        ListingPlaces known = places;
        if (known == null) {
            known = new ListingPlaces();
            places = known;
        }
        return known;
    }

    /** The client numbers its changes: what became of them is here. */
    public final void number(RetryCache ofClient) {
        if (left) {
            ofClient.leave();
        } else {
            retries = ofClient;
        }
    }

    /** What became of the client's changes; null if it does not number them. Set before the first of them, for all threads. */
    public final @Nullable RetryCache retries() {
        return retries;
    }

    /** Whose requests these are, where they wait for the disk. */
    public final void share(FairQueue.Share ofClient) {
        if (left) {
            ofClient.leave();
        } else {
            share = ofClient;
        }
    }

    /** The client's share of the queue for the disk; null before the handshake. */
    public final FairQueue.@Nullable Share share() {
        return share;
    }

    /** What waits for room at the disk, and goes when the connection ends. */
    public final void awaitsRoom(Runnable task) {
        whenRoom = task;
    }

    /** The user, from the handshake. */
    public final @Nullable Caller caller() {
        return caller;
    }

    /** The user's name, from the handshake. */
    public final String user() {
        Caller known = caller;
        return known == null ? "" : known.name();
    }

    /** The name of the proxy user that acts for the user, from the handshake; empty if the user acts alone. */
    public final String realUser() {
        return realUser;
    }

    /** The connection has ended. Called once. */
    public final void leave() {
        left = true;
        if (!greeting) { // a step that is under way must not lose its exchange: endGreeting ends the login then
            endLogin();
        }
        Caller known = caller;
        if (known != null) {
            known.disconnected();
        }
        RetryCache ofClient = retries;
        if (ofClient != null) {
            ofClient.leave();
        }
        FairQueue.Share ofQueue = share;
        Runnable waits = whenRoom;
        if (ofQueue != null && waits != null) {
            ofQueue.forget(waits);
        }
        if (ofQueue != null) {
            ofQueue.leave();
        }
    }

    /** The client's own random number, from the handshake. */
    public final long clientId() {
        return client.id();
    }

    /** The client, from the handshake. */
    public final ClientKey client() {
        return client;
    }

    /** What the audit lines of this connection have in common; empty until there is one. */
    public final byte[] auditPrefix() {
        return auditPrefix;
    }

    public final void auditPrefix(byte[] prefix) {
        auditPrefix = prefix;
    }

    /** The kind of the batch that holds requests of this connection which are not executed yet; null if there are none. */
    public final @Nullable RequestKind batch() {
        return batch;
    }

    public final void batch(@Nullable RequestKind kind) {
        batch = kind;
    }

    /** The peer's address, for messages. */
    public final String peer() {
        return channel.peer();
    }

    /** The peer's address without its port. */
    public final String host() {
        String peer = peer();
        int port = peer.lastIndexOf(':');
        return peer.substring(peer.startsWith("/") ? 1 : 0, port < 0 ? peer.length() : port);
    }
}
