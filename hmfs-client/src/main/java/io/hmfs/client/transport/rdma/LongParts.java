package io.hmfs.client.transport.rdma;

import io.hmfs.client.transport.rdma.Window.Piece;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What one side of one stream does with long parts, of which a message tells no more than that they are there. Their bytes
 * lie in memory of the client, both ways: the server writes replies there and reads requests from there, so that no client
 * ever has a key to memory of the server.
 */
interface LongParts {
    /** Pieces of each of a client's two windows; a set of them is a number with so many bits. */
    int PIECES = 16;

    int ALL_PIECES = (1 << PIECES) - 1;
    int WINDOW_BYTES = PIECES * Window.PIECE_BYTES;

    /** Bytes of the stream that wait, from which on they go as a long part: in one message, and in one piece. */
    int FROM_BYTES = 8 << 10;

    /** Bytes of an announcement in a message. */
    int ANNOUNCEMENT_BYTES = 24;

    /** Whether the memory is the peer's, which announces it; else it is this side's. */
    boolean usesPeersMemory();

    /** Writes where this side's memory is into a message. False: it has none. Called once. */
    boolean announce(Verbs.QueuePair pair, ByteBuffer into, int at);

    /** The peer has announced its memory. False: this side cannot use it. Called once. */
    boolean use(Verbs.QueuePair pair, ByteBuffer from, int at);

    /** Memory to be filled for the peer; null: there is none now, and the bytes go in messages. */
    @Nullable
    Piece toFill(int number);

    /** Queues what brings a piece that was filled to the peer, before the message that tells of it. */
    void bring(Verbs.QueuePair pair, int slot, Piece piece, int number, int length);

    /** Memory for what the peer has filled; null: there is none now, so ask again. */
    @Nullable
    Piece toTake(int number);

    /** Queues what brings its bytes, which is done when the pair says so of the slot. False: they are there already. */
    boolean fetch(Verbs.QueuePair pair, int slot, Piece piece, int number, int length);

    /** The peer has what was brought from a piece, or the queue pair is closed. */
    void sent(Piece piece);

    /** A piece that {@link #toTake} gave is not needed any more; after the queue pair is closed others may still have what came. */
    void letGo(Piece piece);

    /** This side asks for no piece until it says otherwise by asking. */
    void pause();

    /** The queue pair is closed, and all pieces are back. */
    void close();
}
