package io.hmfs.hadoop.store;

import io.hmfs.client.FileVersion;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.BlockLocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where the data of files is, as far as the data store tells. Thread-safe. */
public final class Locations {
    private static final Logger LOG = LoggerFactory.getLogger(Locations.class);
    private static final int BLOCKS_MAX = 1 << 14; // 1 TiB of blocks as large as they are by default

    private final DataStore store;
    private final long blockSize;

    public Locations(DataStore store, long blockSize) {
        this.store = store;
        this.blockSize = blockSize;
    }

    /** Whether the store tells nothing, so that each file seems to be one block of this machine. */
    public boolean isVirtual() {
        return store.hidesLocations();
    }

    /**
     * The places of {@code length} bytes from {@code start} on; null if the store does not know all, or would be
     * asked too often.
     */
    public BlockLocation @Nullable [] of(FileVersion file, long start, long length) {
        long end = length < file.size() - start ? start + length : file.size();
        if ((end - start) / blockSize > BLOCKS_MAX) {
            return null; // a size says nothing of how much there is
        }
        try {
            List<BlockLocation> found = new ArrayList<>();
            for (long block = start / blockSize; block * blockSize < end; block++) {
                long first = block * blockSize;
                long told = 0;
                long size = Math.min(blockSize, file.size() - first);
                for (BlockLocation part : store.locations(file.inode(), block, size)) {
                    told += part.getLength();
                    part.setOffset(first + part.getOffset());
                    if (part.getOffset() < end && part.getOffset() + part.getLength() > start) {
                        found.add(part);
                    }
                }
                if (told < size) {
                    return null; // a hole, or a file that has gone: splits want every byte
                }
            }
            return found.toArray(new BlockLocation[0]);
        } catch (IOException e) {
            LOG.debug("The data store does not tell where inode {} is", Long.toHexString(file.inode()), e);
            return null;
        }
    }
}
