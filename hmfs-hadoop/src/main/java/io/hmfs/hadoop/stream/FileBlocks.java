package io.hmfs.hadoop.stream;

import io.hmfs.client.BlockChecksums;
import io.hmfs.client.FileInfo;
import io.hmfs.client.HmfsException;
import io.hmfs.hadoop.link.HadoopErrors;
import io.hmfs.hadoop.link.ServerLink;
import io.hmfs.hadoop.store.DataReader;
import io.hmfs.hadoop.store.StoredChecksums;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.util.functional.FutureIO;
import org.jspecify.annotations.Nullable;

/** The bytes of one open file, cut at blocks and chunks on the way to the data store. Thread-safe. */
final class FileBlocks implements Closeable {
    /** A part within one block: its places in the file and in the buffer, its bytes, and the answer to come. */
    private record Piece(long start, int targetOffset, int length, CompletableFuture<Integer> read) {}

    private final ServerLink link;
    private final String path;
    private final long inode;
    private final DataReader reader;
    private final long blockSize;
    private final int chunkSize;

    FileBlocks(ServerLink link, String path, long inode, DataReader reader, StreamSettings settings) {
        this.link = link;
        this.path = path;
        this.inode = inode;
        this.reader = reader;
        this.blockSize = settings.blockSize();
        this.chunkSize = settings.chunkSize();
    }

    String path() {
        return path;
    }

    /**
     * Asks for bytes of the file, all of them below its size; {@code target} is filled when the fetch was waited for.
     */
    Fetch fetch(long start, byte[] target, int offset, int length) {
        List<Piece> pieces = new ArrayList<>(2);
        int done = 0;
        while (done < length) {
            long at = start + done;
            long inBlock = at % blockSize;
            int count = (int) Math.min(Math.min(length - done, chunkSize), blockSize - inBlock);
            pieces.add(new Piece(at, offset + done, count, read(at, target, offset + done, count)));
            done += count;
        }
        return new Fetch(start, target, length, pieces);
    }

    private CompletableFuture<Integer> read(long at, byte[] target, int offset, int count) {
        return reader.read(at / blockSize, at % blockSize, target, offset, count);
    }

    /** What to throw for a piece that was not read. */
    private IOException failed(IOException failure) {
        return failure instanceof HmfsException refused ? HadoopErrors.translate(path, refused) : failure;
    }

    /**
     * The store has fewer bytes than the size promises. That is a hole, which reads as zeros, unless the file is
     * gone: blocks of a deleted file must not be taken for zeros. Or the file is dense: then they were lost, or it was
     * cut and written again since it was read, and is to be read once more.
     */
    private boolean isDense(long end) throws IOException {
        FileInfo now = link.ask(path, client -> client.stat(path));
        if (now.id() != inode) {
            throw new FileNotFoundException(path + ": the file was replaced by another while it was read");
        }
        if (now.size() < end) {
            throw new FileNotFoundException(
                    path + ": the file was truncated to " + now.size() + " bytes while it was read");
        }
        return now.dense();
    }

    private ChecksumException lost(long position) {
        return new ChecksumException(
                path + ": bytes of the file that were written are lost, from byte " + position + " on", position);
    }

    /** The checksums that the store keeps of the file; null: none. */
    @Nullable
    StoredChecksums storedChecksums() {
        return reader.checksums();
    }

    /** The CRC32C of each 512 bytes from the file's start to {@code length}, which is at most its size; the last is of what is left. */
    void checksums(StoredChecksums stored, long length, Crcs crcs) throws IOException {
        long at = 0;
        boolean hasHoles = false;
        CompletableFuture<BlockChecksums> next = askChecksums(stored, 0, length);
        while (at < length) {
            long count = checksumsAt(at, length, stored.max());
            CompletableFuture<BlockChecksums> asked = next;
            if (at + count < length) {
                next = askChecksums(stored, at + count, length); // under way while this one is used
            }
            BlockChecksums part = await(asked);
            if (!part.isWhole() && !hasHoles) {
                hasHoles = !isDense(length);
                part = hasHoles ? part : wholeAgain(stored, at, length);
            }
            int[] all = part.crcs();
            for (int i = 0; i < all.length; i++) {
                crcs.add(all[i], (int) Math.min(BlockChecksums.CHUNK, count - (long) i * BlockChecksums.CHUNK));
            }
            at += count;
        }
        if (hasHoles && isDense(length)) {
            throw new FileNotFoundException(path + ": the file was written anew while its checksum was made");
        }
    }

    private BlockChecksums wholeAgain(StoredChecksums stored, long at, long length) throws IOException {
        BlockChecksums part = await(askChecksums(stored, at, length));
        if (!part.isWhole()) {
            throw lost(at);
        }
        return part;
    }

    /** Bytes of the file from one place on whose checksums are asked for at once: they are in one block. */
    private long checksumsAt(long at, long length, long max) {
        return Math.min(Math.min(length - at, max), blockSize - at % blockSize);
    }

    private CompletableFuture<BlockChecksums> askChecksums(StoredChecksums stored, long at, long length) {
        return length == 0
                ? CompletableFuture.completedFuture(new BlockChecksums(new int[0], true))
                : stored.read(at / blockSize, at % blockSize, checksumsAt(at, length, stored.max()));
    }

    private <T> T await(CompletableFuture<T> asked) throws IOException {
        try {
            return FutureIO.awaitFuture(asked);
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /** Takes CRCs one after the other. */
    interface Crcs {
        /** The CRC of the next {@code length} bytes. */
        void add(int crc, int length);
    }

    @Override
    public void close() throws IOException {
        reader.close();
    }

    /** A range of the file under way; waiting for it fills the buffer. Waited for by one thread. */
    final class Fetch {
        private final long start;
        private final byte[] target;
        private final int length;
        private final List<Piece> pieces;
        private boolean done;

        private Fetch(long start, byte[] target, int length, List<Piece> pieces) {
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
            boolean hasHoles = false;
            for (Piece piece : pieces) {
                int count = Math.max(0, FileBlocks.this.await(piece.read));
                if (count < piece.length) {
                    hasHoles = hasHoles || !isDense(end());
                    if (!hasHoles) {
                        readAgain(piece);
                        count = piece.length;
                    }
                    Arrays.fill(target, piece.targetOffset + count, piece.targetOffset + piece.length, (byte) 0);
                }
            }
            done = true;
        }

        private void readAgain(Piece piece) throws IOException {
            int count = Math.max(0, FileBlocks.this.await(read(piece.start, target, piece.targetOffset, piece.length)));
            if (count < piece.length) {
                throw lost(piece.start + count);
            }
        }
    }
}
