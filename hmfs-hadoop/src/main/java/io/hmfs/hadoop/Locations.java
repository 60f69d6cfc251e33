package io.hmfs.hadoop;

import io.hmfs.client.FileVersion;
import io.hmfs.hadoop.store.DataStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.BlockLocation;

/** Where the data of files is, as far as the data store tells. Thread-safe. */
final class Locations {
    private final DataStore store;
    private final long blockSize;

    Locations(DataStore store, long blockSize) {
        this.store = store;
        this.blockSize = blockSize;
    }

    /** Whether each file seems to be one block of this machine. */
    boolean isVirtual() {
        return store.hidesLocations();
    }

    /** Of the bytes from {@code start} on; what the store does not tell is left out. */
    BlockLocation[] of(FileVersion file, long start, long length) throws IOException {
        List<BlockLocation> found = new ArrayList<>();
        long end = length < file.size() - start ? start + length : file.size();
        for (long block = start / blockSize; block * blockSize < end; block++) {
            long first = block * blockSize;
            for (BlockLocation part : store.locations(file.inode(), block, Math.min(blockSize, file.size() - first))) {
                part.setOffset(first + part.getOffset());
                boolean isAsked = part.getOffset() < end && part.getOffset() + part.getLength() > start;
                if (isAsked) {
                    found.add(part);
                }
            }
        }
        return found.toArray(new BlockLocation[0]);
    }
}
