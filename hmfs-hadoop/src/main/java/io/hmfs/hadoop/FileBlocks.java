package io.hmfs.hadoop;

import io.hmfs.client.FileInfo;
import io.hmfs.client.HmfsException;
import io.hmfs.hadoop.link.HadoopErrors;
import io.hmfs.hadoop.link.ServerLink;
import io.hmfs.hadoop.store.DataReader;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The bytes of one open file, cut at blocks and chunks on the way to the data store. Thread-safe. */
final class FileBlocks implements Closeable {
    private final ServerLink link;
    private final String path;
    private final long inode;
    private final DataReader reader;
    private final long blockSize;
    private final int chunkSize;

    FileBlocks(ServerLink link, String path, long inode, DataReader reader, long blockSize, int chunkSize) {
        this.link = link;
        this.path = path;
        this.inode = inode;
        this.reader = reader;
        this.blockSize = blockSize;
        this.chunkSize = chunkSize;
    }

    String path() {
        return path;
    }

    /** Asks for bytes of the file, all of them below its size; {@code target} is filled when the fetch was waited for. */
    Fetch fetch(long start, byte[] target, int offset, int length) {
        List<Fetch.Piece> pieces = new ArrayList<>(2);
        int done = 0;
        while (done < length) {
            long at = start + done;
            long inBlock = at % blockSize;
            int count = (int) Math.min(Math.min(length - done, chunkSize), blockSize - inBlock);
            pieces.add(new Fetch.Piece(
                    at, offset + done, count, reader.read(at / blockSize, inBlock, target, offset + done, count)));
            done += count;
        }
        return new Fetch(this, start, target, length, pieces);
    }

    /** What to throw for a piece that was not read. */
    IOException failed(IOException failure) {
        return failure instanceof HmfsException refused ? HadoopErrors.translate(path, refused) : failure;
    }

    /**
     * The store has fewer bytes than the size promises. That is a hole, which reads as zeros, unless the file is gone: blocks
     * of a deleted file must not be taken for zeros.
     */
    void checkStillThere(long end) throws IOException {
        FileInfo now;
        try {
            now = link.repeatable(client -> client.stat(path));
        } catch (HmfsException e) {
            throw HadoopErrors.translateLookup(path, e);
        }
        if (now.id() != inode) {
            throw new FileNotFoundException(path + ": the file was replaced by another while it was read");
        }
        if (now.size() < end) {
            throw new FileNotFoundException(
                    path + ": the file was truncated to " + now.size() + " bytes while it was read");
        }
    }

    @Override
    public void close() throws IOException {
        reader.close();
    }
}
