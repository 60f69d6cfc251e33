package io.hmfs.hadoop.store;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;

/** A directory of any Hadoop filesystem, one file for each block ({@link BlockFiles}). */
public final class HadoopDataStore implements DataStore {
    private static final int READERS_MAX = 16;
    private static final BlockLocation[] NOWHERE = {};
    private static final Set<String> WITH_PLACES = Set.of("hdfs", "webhdfs", "swebhdfs", "viewfs");

    private final BlockFiles files;
    private final long blockSize;
    private final ExecutorService readers = DaemonThreads.atMost(READERS_MAX, "hmfs-store-reader");

    /**
     * Opens the store.
     *
     * @param blockSize bytes of one block, as the server announces
     * @throws IOException the filesystem of {@code root} cannot be opened
     */
    public HadoopDataStore(URI root, long blockSize, Configuration conf) throws IOException {
        this.files = new BlockFiles(root, conf);
        this.blockSize = blockSize;
    }

    @Override
    public boolean dropsBlocksItself() {
        return false;
    }

    @Override
    public DataReader reader(long inode, GrantSource grants) {
        return new HadoopDataReader(files, inode, readers);
    }

    @Override
    public DataWriter writer(long inode, long position, boolean isDense, GrantSource grants) {
        return new HadoopDataWriter(files, blockSize, inode, position);
    }

    @Override
    public void delete(long inode, long firstBlock, long endBlock) throws IOException {
        boolean deleted = true;
        for (long block = firstBlock; block < endBlock || deleted; block++) {
            deleted = files.remove(inode, block);
        }
    }

    /** Other filesystems name this machine for every file; some of them ask a server for that. */
    @Override
    public boolean hidesLocations() {
        return !WITH_PLACES.contains(files.files().getUri().getScheme());
    }

    @Override
    public BlockLocation[] locations(long inode, long block, long length) throws IOException {
        if (hidesLocations()) {
            return NOWHERE;
        }
        try {
            return Objects.requireNonNullElse(
                    files.files().getFileBlockLocations(files.nameOf(inode, block), 0, length), NOWHERE);
        } catch (FileNotFoundException e) { // a hole
            return NOWHERE;
        }
    }

    @Override
    public void close() throws IOException {
        readers.shutdown();
        files.close();
    }
}
