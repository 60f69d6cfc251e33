package io.hmfs.hadoop.store;

import io.hmfs.client.BlockChecksums;
import java.util.concurrent.CompletableFuture;

/** The checksums that a store keeps of the blocks of one file. Thread-safe. */
public interface StoredChecksums {
    /** Bytes whose checksums may be asked for at once. */
    long max();

    /**
     * The CRC32C of each 512 bytes of a part of one block. Bytes that the object does not have count as zeros.
     *
     * @param offset from the block's start, a multiple of 512
     * @param length at most {@link #max}
     */
    CompletableFuture<BlockChecksums> read(long block, long offset, long length);
}
