package io.hmfs.client.transport.rdma;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** One registered region, cut into pieces; each of them has one long part of a stream at a time. */
final class Window {
    static final int PIECE_BYTES = 64 << 10;

    final Verbs.Memory memory;
    private final Piece[] pieces;

    Window(Verbs.Memory memory) {
        this.memory = memory;
        ByteBuffer bytes = memory.bytes().duplicate().order(ByteOrder.LITTLE_ENDIAN);
        pieces = new Piece[bytes.capacity() / PIECE_BYTES];
        Arrays.setAll(pieces, number -> new Piece(memory, bytes, startOf(number)));
    }

    /** Where a piece begins. */
    static int startOf(int number) {
        return number * PIECE_BYTES;
    }

    Piece piece(int number) {
        return pieces[number];
    }

    /** Whether what has come into one of the pieces is with others. */
    boolean isLent() {
        for (Piece each : pieces) {
            if (each.isLent()) {
                return true;
            }
        }
        return false;
    }

    /** A part of a window. */
    static final class Piece {
        final Verbs.Memory memory;
        final ByteBuffer bytes; // of the region
        final int start;
        private final ByteBuf arrival; // never freed

        Piece(Verbs.Memory memory, ByteBuffer bytes, int start) {
            this.memory = memory;
            this.bytes = bytes;
            this.start = start;
            arrival = Unpooled.wrappedBuffer(bytes.slice(start, PIECE_BYTES));
        }

        /** What has come into it, to be lent to others by {@code retain}. */
        ByteBuf arrival() {
            return arrival;
        }

        /** Whether what has come is with others. */
        boolean isLent() {
            return arrival.refCnt() > 1;
        }
    }
}
