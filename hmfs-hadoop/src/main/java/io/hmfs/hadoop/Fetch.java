package io.hmfs.hadoop;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.util.functional.FutureIO;

/** A range of a file under way; waiting for it fills the buffer. Waited for by one thread. */
final class Fetch {
    /** A part within one block: position in the file, place in the buffer, and the answer to come. */
    record Piece(long at, int targetOffset, int length, CompletableFuture<Integer> read) {}

    private final FileBlocks blocks;
    private final long start;
    private final byte[] target;
    private final int length;
    private final List<Piece> pieces;
    private boolean done;

    Fetch(FileBlocks blocks, long start, byte[] target, int length, List<Piece> pieces) {
        this.blocks = blocks;
        this.start = start;
        this.target = target;
        this.length = length;
        this.pieces = pieces;
    }

    long start() {
        return start;
    }

    int length() {
        return length;
    }

    long end() {
        return start + length;
    }

    boolean holds(long position) {
        return position >= start && position < end();
    }

    byte[] bytes() {
        return target;
    }

    /** Done when no answer is missing any more, good or bad; {@link #await} does not wait for the store then. */
    CompletableFuture<Void> arrived() {
        return CompletableFuture.allOf(pieces.stream().map(Piece::read).toArray(CompletableFuture<?>[]::new));
    }

    /** Waits until every byte is in the buffer; holes are zeros. */
    void await() throws IOException {
        if (done) {
            return;
        }
        boolean checked = false;
        for (Piece piece : pieces) {
            int count = Math.max(0, awaitPiece(piece));
            if (count < piece.length) {
                if (!checked) {
                    blocks.checkStillThere(end());
                    checked = true;
                }
                Arrays.fill(target, piece.targetOffset + count, piece.targetOffset + piece.length, (byte) 0);
            }
        }
        done = true;
    }

    private int awaitPiece(Piece piece) throws IOException {
        try {
            return FutureIO.awaitFuture(piece.read);
        } catch (IOException e) {
            throw blocks.failed(e);
        }
    }
}
