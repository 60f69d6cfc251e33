package io.hmfs.client.transport.rdma;

import io.hmfs.client.transport.rdma.Window.Piece;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The memory through which long parts of all connections of one thread of a server pass: written to clients from it, and read
 * from clients into it. No client has a key to it. A read waits for a piece, first come, first served; a write does not, for
 * its bytes can go in messages. Of that thread.
 */
public final class PieceMemory {
    /** Bytes of the one region. */
    static final int BYTES = 64 * Window.PIECE_BYTES;

    private static final System.Logger LOG = System.getLogger(PieceMemory.class.getName());

    private final Verbs verbs;
    private final ArrayDeque<Piece> free = new ArrayDeque<>();
    private final List<Piece> lent = new ArrayList<>(); // of connections that have ended, but others have what came
    private final ArrayDeque<Place> waiting = new ArrayDeque<>();
    private @Nullable Window window;
    private boolean warned;
    private long writtenBytes;
    private long readBytes;

    /** Nothing is registered before a connection needs it. */
    public PieceMemory(Verbs verbs) {
        this.verbs = verbs;
    }

    /** Bytes of long parts that went into clients' memory. */
    public long writtenBytes() {
        return writtenBytes;
    }

    /** Bytes of long parts that came out of clients' memory. */
    public long readBytes() {
        return readBytes;
    }

    /** Whether a stream waits for a piece and there is one: it is to be settled again. */
    public boolean hasForWaiting() {
        return !waiting.isEmpty() && hasFree();
    }

    void countWritten(int bytes) {
        writtenBytes += bytes;
    }

    void countRead(int bytes) {
        readBytes += bytes;
    }

    /** Makes it usable by a connection; false: it cannot be registered with the connection's device. */
    boolean prepare(Verbs.QueuePair pair) {
        Window known = window;
        if (known == null) {
            known = new Window(verbs.register(ByteBuffer.allocateDirect(BYTES), Verbs.Remote.NOTHING));
            window = known;
            for (int number = 0; number < BYTES / Window.PIECE_BYTES; number++) {
                free.add(known.piece(number));
            }
        }
        try {
            pair.prepare(known.memory);
            return true;
        } catch (IOException e) {
            LOG.log(
                    warned ? System.Logger.Level.DEBUG : System.Logger.Level.WARNING, // once: connections come and go
                    "long replies and requests go in messages, for memory of {0} KiB cannot be registered: {1}",
                    BYTES >> 10,
                    e.getMessage());
            warned = true;
            return false;
        }
    }

    private boolean hasFree() {
        for (int i = lent.size() - 1; i >= 0; i--) {
            if (!lent.get(i).isLent()) {
                free.push(lent.remove(i));
            }
        }
        return !free.isEmpty();
    }

    /** A piece for which no read waits, or null. */
    @Nullable
    Piece take() {
        return waiting.isEmpty() && hasFree() ? free.pop() : null;
    }

    /** Where a connection stands that waits for a piece. */
    final class Place {
        /** A piece, or null: then one is owed to this connection, which is to ask again. */
        @Nullable
        Piece takeOrWait() {
            boolean isFirst = waiting.isEmpty() || equals(waiting.peek());
            if (isFirst && hasFree()) {
                waiting.poll();
                return free.pop();
            }
            if (!waiting.contains(this)) {
                waiting.add(this);
            }
            return null;
        }

        /** The connection waits no more. */
        void leave() {
            waiting.remove(this);
        }
    }

    Place newPlace() {
        return new Place();
    }

    void give(Piece piece) {
        if (piece.isLent()) {
            lent.add(piece);
        } else {
            free.push(piece);
        }
    }
}
