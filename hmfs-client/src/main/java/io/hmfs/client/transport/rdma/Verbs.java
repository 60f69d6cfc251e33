package io.hmfs.client.transport.rdma;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Reliable connections of RDMA, as one thread uses them: the connection manager's events and the completions of all its
 * connections come by {@link #poll}. All methods but {@link #await} and {@link #wakeUp} are called by one thread at a time,
 * each of which sees what the one before did. In the steady state nothing is allocated.
 */
public interface Verbs {
    /**
     * Begins to make a connection and returns at once; how it goes is told by {@link #poll}, never from here.
     *
     * @param privateData at most 56 bytes that the peer's {@link Acceptor} sees
     * @param nanos time for each of the steps: address, route, connection
     */
    QueuePair connect(InetSocketAddress to, ByteBuffer privateData, long nanos, Events events);

    /**
     * Takes requests for connections from now on.
     *
     * @throws IOException the address cannot be used; the message names it and says why
     */
    void listen(InetSocketAddress at, int backlog, Acceptor acceptor) throws IOException;

    /**
     * Has other verbs of the same kind take requests for connections, too: in turn with these, each by its own acceptor and
     * its own {@link #poll}, for the connection is its own. Before {@link #listen}. These are closed before the others.
     */
    void share(Verbs other, Acceptor itsAcceptor);

    /** The address it listens on, with the real port. {@code IllegalStateException} before {@link #listen}. */
    InetSocketAddress address();

    /** Takes no more requests. Connections go on. */
    void stopListening();

    /**
     * Makes memory usable by all connections; it is registered with a device when a connection of that device first uses
     * it. It stays so until {@link #deregister} or {@link #close}, and must stay mapped until then. Memory that is
     * registered twice has two keys, each with its own rights.
     *
     * @param direct a direct buffer, at most 2 GiB; also one that shows a part of a mapping, from its first byte to its
     *     capacity
     * @param remote what peers that know its key may do
     */
    Memory register(ByteBuffer direct, Remote remote);

    /**
     * Takes memory back: when it returns no peer reads or writes it by this registration's key any more, and the connection
     * of a peer that tries ends. Nothing that uses it may be posted and not done. Idempotent.
     */
    void deregister(Memory memory);

    /**
     * Handles events and completions that are there, without waiting: calls {@link Events} and {@link Acceptor}. Returns
     * whether there were any.
     *
     * @throws IOException verbs do not work any more, for no connection
     */
    boolean poll() throws IOException;

    /**
     * Waits until there may be something to {@link #poll}, or {@link #wakeUp} was called since the last wait, or the time is
     * over; asks for completion events first, so that what comes between is not missed. One thread at a time; others may
     * call all methods meanwhile.
     */
    void await(long nanos);

    /** Has {@link #await} return: the one that is under way, or else the next one. Any thread. */
    void wakeUp();

    /** Closes all connections, without events, and gives memory and devices back. Idempotent. */
    void close();

    /** What a peer may do with memory whose key it has. */
    enum Remote {
        NOTHING,
        WRITE,
        READ
    }

    /** A registered buffer. */
    interface Memory {
        /** The buffer as it was given. */
        ByteBuffer bytes();

        /** The address of its first byte, which a peer needs to reach it. */
        long address();
    }

    /** Takes or refuses requests for connections. */
    @FunctionalInterface
    interface Acceptor {
        /**
         * A peer asks for a connection. Receives may be posted from here; {@link QueuePair#accept} may be called from here.
         *
         * @param privateData what the peer sent, perhaps with zeros behind it; valid during the call
         * @return who is told of the connection's events; null: it is refused
         */
        @Nullable
        Events requested(QueuePair pair, ByteBuffer privateData);
    }

    /** What happens on one connection. */
    interface Events {
        /** On the side that connects: receives can be posted now, before the peer can send; {@link #connected} follows. */
        void prepared();

        /** The connection is there: messages can be sent. Before any is received. */
        void connected();

        /** A message has come into the buffer that was posted with this number. */
        void received(int slot, int length);

        /** A signalled send is done, and so are all before it: their memory is free. */
        void sent(int slot);

        /** The connection has ended or was never made; the reason is a part of a sentence. Once, and last. */
        void ended(String reason);
    }

    /** One connection: a queue pair of type RC. */
    interface QueuePair {
        /** Most sends, and most receives, that may be posted and not done. */
        int DEPTH = 64;

        /**
         * Accepts the connection that was requested.
         *
         * @throws IOException it cannot be; then it has ended, without an event
         */
        void accept() throws IOException;

        /** Posts a buffer for one message. What fails ends the connection, which the next poll tells. */
        void receive(int slot, Memory memory, int offset, int length);

        /** Queues a message, which goes out with {@link #flush}. Signalled: {@link Events#sent} will tell. */
        void send(int slot, Memory memory, int offset, int length, boolean signalled);

        /**
         * Queues a write into the peer's memory, as {@link #send} does; it arrives before messages that are sent after it. A
         * key or a range that the peer has not registered for writes ends the connection, and nothing is written.
         */
        void write(
                int slot, Memory memory, int offset, int length, long remoteAddress, int remoteKey, boolean signalled);

        /**
         * Queues a read of the peer's memory. It has arrived when {@link Events#sent} tells. A key or a range that the peer has
         * not registered for reads ends the connection.
         */
        void read(
                int slot, Memory memory, int offset, int length, long remoteAddress, int remoteKey, boolean signalled);

        /** Posts what was queued, as one chain. What fails ends the connection, which the next poll tells. */
        void flush();

        /**
         * Registers memory with the connection's device, if no connection has used it yet. What is posted with memory that was
         * never prepared does the same, and ends the connection if the device does not take it.
         *
         * @throws IOException the device does not take it, for example because too much is locked already
         */
        void prepare(Memory memory) throws IOException;

        /**
         * The key with which the peer of this connection reaches the memory, which is prepared for it.
         *
         * @throws IOException as {@link #prepare}
         */
        int remoteKey(Memory memory) throws IOException;

        /** The peer; null if it is not known. */
        @Nullable
        InetSocketAddress remote();

        /** Ends the connection, without an event. Idempotent. Memory of what was posted is free when it returns. */
        void close();
    }
}
