package io.hmfs.server.exec;

import io.hmfs.server.access.Caller;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/** A connection as request execution sees it; transports implement it. On the connection's thread, where nothing else is said. */
public abstract class Session implements ReplyTarget {
    private boolean greeted;
    private boolean greeting;
    private boolean left;
    private @Nullable Caller caller;
    private String realUser = "";
    private ClientKey client = ClientKey.NOBODY;
    private @Nullable Outcomes outcomes;
    private @Nullable JoinedRequests joined;
    private DiskQueue.@Nullable Share share;
    private @Nullable Runnable whenRoom;
    private int inFlight;
    private long owed;
    private volatile byte[] auditPrefix = {}; // also set on threads that wait for the disk

    /** Whether the handshake is through. */
    public final boolean isGreeted() {
        return greeted;
    }

    /** Whether the handshake waits for what is looked up about the user: no frame is executed meanwhile. */
    public final boolean isGreeting() {
        return greeting;
    }

    final void beginGreeting() {
        greeting = true;
    }

    final void greet(Caller sessionCaller, String sessionRealUser, long sessionClientId) {
        caller = sessionCaller;
        realUser = sessionRealUser;
        greeting = false;
        if (!left) {
            sessionCaller.joined();
        }
        client = new ClientKey(sessionClientId, sessionCaller.mark());
        greeted = true;
        greeted();
    }

    /** The client numbers its changes: what became of them is here. */
    final void number(Outcomes ofClient) {
        if (left) {
            ofClient.leave();
        } else {
            outcomes = ofClient;
        }
    }

    /** What became of the client's changes; null if it does not number them. Set before the first of them, for all threads. */
    final @Nullable Outcomes outcomes() {
        return outcomes;
    }

    /** Whose requests these are, where they wait for the disk. */
    final void share(DiskQueue.Share ofClient) {
        if (left) {
            ofClient.leave();
        } else {
            share = ofClient;
        }
    }

    /** The same; null before the handshake. */
    final DiskQueue.@Nullable Share share() {
        return share;
    }

    /** What waits for room at the disk, and goes when the connection ends. */
    final void awaitsRoom(Runnable task) {
        whenRoom = task;
    }

    /** The user, from the handshake. */
    final @Nullable Caller caller() {
        return caller;
    }

    /** The user's name, from the handshake. */
    final String user() {
        Caller known = caller;
        return known == null ? "" : known.name();
    }

    /** Who acts for the user, from the handshake; empty: he himself. */
    final String realUser() {
        return realUser;
    }

    /** The connection has ended. To be called once, by the transport. */
    public final void leave() {
        left = true;
        Caller known = caller;
        if (known != null) {
            known.left();
        }
        Outcomes ofClient = outcomes;
        if (ofClient != null) {
            ofClient.leave();
        }
        DiskQueue.Share ofQueue = share;
        Runnable waits = whenRoom;
        if (ofQueue != null && waits != null) {
            ofQueue.forget(waits);
        }
        if (ofQueue != null) {
            ofQueue.leave();
        }
    }

    /** The client's own random number, from the handshake. */
    final long clientId() {
        return client.id();
    }

    /** Who the client is, from the handshake. */
    final ClientKey client() {
        return client;
    }

    /** What the audit lines of this connection have in common; empty until there is one. */
    final byte[] auditPrefix() {
        return auditPrefix;
    }

    final void auditPrefix(byte[] prefix) {
        auditPrefix = prefix;
    }

    /** Where requests of this connection wait to be executed; null: nowhere. */
    final @Nullable JoinedRequests joined() {
        return joined;
    }

    final void joined(@Nullable JoinedRequests requests) {
        joined = requests;
    }

    /** Requests whose replies are still to come from other threads. */
    public final int inFlight() {
        return inFlight;
    }

    /** Bytes that these replies may have; only those that can be long are counted. */
    public final long owed() {
        return owed;
    }

    /** A reply of at most about so many bytes is to come. */
    final void begin(int replyBytes) {
        inFlight++;
        owed += replyBytes;
    }

    /** It is here. */
    final void end(ByteBuf reply, int replyBytes) {
        inFlight--;
        owed -= replyBytes;
        send(reply);
    }

    /** Called when the handshake is through: frames may be as long as configured from now on. */
    protected abstract void greeted();

    /** Sends whole frames and takes their ownership. */
    protected abstract void send(ByteBuf frames);

    /** Sends what is there, then closes; no more frames are taken. */
    public abstract void closeWhenSent();

    /** Runs a task on the connection's thread. From any thread. */
    protected abstract void onThread(Runnable task);

    public abstract ByteBufAllocator allocator();

    /** The peer's address; null: it has none. */
    public abstract @Nullable SocketAddress remote();

    /** The same, for the log. */
    public final String peer() {
        return String.valueOf(remote());
    }
}
