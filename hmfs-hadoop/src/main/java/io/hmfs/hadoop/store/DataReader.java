package io.hmfs.hadoop.store;

import io.hmfs.client.BlockChecksums;
import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/** Reads the objects of one file. Thread-safe. */
public interface DataReader extends Closeable {
    /**
     * Reads bytes of one block into {@code target}, which belongs to the reader until the answer is there.
     *
     * @param offset from the block's start
     * @return bytes read: fewer than {@code length} only where the object ends, 0 or −1 at or after its end or if it
     * is missing
     */
    CompletableFuture<Integer> read(long block, long offset, byte[] target, int targetOffset, int length);

    /** Bytes whose checksums may be asked for at once; 0: the store keeps none that can be asked for. */
    default long checksumsMax() {
        return 0;
    }

    /**
     * The CRC32C of each 512 bytes of a part of one block, as the store keeps them. Bytes that the object does not have count as zeros.
     *
     * @param offset from the block's start, a multiple of 512
     * @param length at most {@link #checksumsMax}
     */
    default CompletableFuture<BlockChecksums> checksums(long block, long offset, long length) {
        return CompletableFuture.failedFuture(new UnsupportedOperationException("the store keeps no checksums"));
    }

    /** Releases open files. */
    @Override
    void close() throws IOException;
}
