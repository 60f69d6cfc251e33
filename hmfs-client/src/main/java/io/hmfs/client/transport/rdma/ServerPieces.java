package io.hmfs.client.transport.rdma;

import io.hmfs.client.transport.rdma.Window.Piece;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The server's side of long parts. What the client has said of its memory is believed: the device of the client refuses a
 * key or a range that is not registered there, and that ends this connection and no other.
 */
final class ServerPieces implements LongParts {
    /** Reads at a time: what one client can have of the memory that all share. */
    private static final int READS_MOST = 4;

    private final PieceMemory memory;
    private final PieceMemory.Place place;
    private long writeAddress; // of the client's windows
    private long readAddress;
    private int writeKey;
    private int readKey;
    private int reads; // pieces that something is read into, or that have it

    ServerPieces(PieceMemory memory) {
        this.memory = memory;
        place = memory.newPlace();
    }

    @Override
    public boolean usesPeersMemory() {
        return true;
    }

    @Override
    public boolean announce(Verbs.QueuePair pair, ByteBuffer into, int at) {
        return false;
    }

    @Override
    public boolean use(Verbs.QueuePair pair, ByteBuffer from, int at) {
        writeAddress = from.getLong(at);
        readAddress = from.getLong(at + 8);
        writeKey = from.getInt(at + 16);
        readKey = from.getInt(at + 20);
        return memory.prepare(pair);
    }

    @Override
    public @Nullable Piece toFill(int number) {
        return memory.take();
    }

    @Override
    public void bring(Verbs.QueuePair pair, int slot, Piece piece, int number, int length) {
        memory.countWritten(length);
        pair.write(slot, piece.memory, piece.start, length, writeAddress + Window.startOf(number), writeKey, false);
    }

    @Override
    public @Nullable Piece toTake(int number) {
        if (reads == READS_MOST) {
            return null;
        }
        Piece piece = place.takeOrWait();
        if (piece != null) {
            reads++;
        }
        return piece;
    }

    @Override
    public boolean fetch(Verbs.QueuePair pair, int slot, Piece piece, int number, int length) {
        memory.countRead(length);
        pair.read(slot, piece.memory, piece.start, length, readAddress + Window.startOf(number), readKey, true);
        return true;
    }

    @Override
    public void sent(Piece piece) {
        memory.give(piece);
    }

    @Override
    public void letGo(Piece piece) {
        reads--;
        memory.give(piece);
    }

    @Override
    public void pause() {
        place.leave();
    }

    @Override
    public void close() {
        place.leave();
    }
}
