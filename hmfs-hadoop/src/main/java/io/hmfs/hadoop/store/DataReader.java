package io.hmfs.hadoop.store;

import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

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

    /** The checksums that the store keeps of the file's blocks; null: it keeps none that can be asked for. */
    default @Nullable StoredChecksums checksums() {
        return null;
    }

    /** Releases open files. */
    @Override
    void close() throws IOException;
}
