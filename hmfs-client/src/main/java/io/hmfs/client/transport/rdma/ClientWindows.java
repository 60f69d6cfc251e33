package io.hmfs.client.transport.rdma;

import io.hmfs.client.transport.rdma.Window.Piece;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The client's side of long parts: a window that the server writes, and one that it reads. */
final class ClientWindows implements LongParts {
    private static final System.Logger LOG = System.getLogger(ClientWindows.class.getName());

    private final WindowMemory memory;
    private @Nullable Window written; // by the server
    private @Nullable Window read; // by the server

    ClientWindows(WindowMemory memory) {
        this.memory = memory;
    }

    @Override
    public boolean usesPeersMemory() {
        return false;
    }

    @Override
    public boolean announce(Verbs.QueuePair pair, ByteBuffer into, int at) {
        Window first = memory.take(Verbs.Remote.WRITE);
        written = first;
        Window second = memory.take(Verbs.Remote.READ);
        read = second;
        if (first != null && second != null) {
            try {
                into.putLong(at, first.memory.address())
                        .putLong(at + 8, second.memory.address())
                        .putInt(at + 16, pair.remoteKey(first.memory))
                        .putInt(at + 20, pair.remoteKey(second.memory));
                return true;
            } catch (IOException e) {
                LOG.log(System.Logger.Level.DEBUG, "no windows for long replies and requests: {0}", e.getMessage());
            }
        }
        close();
        return false;
    }

    @Override
    public boolean use(Verbs.QueuePair pair, ByteBuffer from, int at) {
        return false;
    }

    @Override
    public @Nullable Piece toFill(int number) {
        Window window = read;
        return window == null ? null : window.piece(number);
    }

    @Override
    public void bring(Verbs.QueuePair pair, int slot, Piece piece, int number, int length) {
        // the server reads it
    }

    @Override
    public @Nullable Piece toTake(int number) {
        Window window = written;
        return window == null ? null : window.piece(number);
    }

    @Override
    public boolean fetch(Verbs.QueuePair pair, int slot, Piece piece, int number, int length) {
        return false; // it was written before the message came
    }

    @Override
    public void sent(Piece piece) {
        // it stays in its window
    }

    @Override
    public void letGo(Piece piece) {
        // it stays in its window
    }

    @Override
    public void pause() {
        // there is a piece for all that the server writes
    }

    @Override
    public void close() {
        Window first = written;
        Window second = read;
        written = null;
        read = null;
        if (first != null) {
            memory.give(first);
        }
        if (second != null) {
            memory.give(second);
        }
    }
}
