package io.hmfs.hadoop.store;

import java.io.IOException;
import java.net.URI;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;

/**
 * A pool of Ceph's RADOS, one object for each block, {@code <inode in hex>-<block>}. Objects are written at offsets
 * and grow, so nothing is written twice, and what was written is on the disks of all replicas.
 */
public final class RadosDataStore implements DataStore {
    private static final int THREADS_MAX = 16;
    private static final String OBJECT_MAX = "osd_max_object_size";

    private final RadosPool pool;
    private final long blockSize;
    private final ExecutorService threads = DaemonThreads.atMost(THREADS_MAX, "hmfs-rados");

    private RadosDataStore(RadosPool pool, long blockSize) {
        this.pool = pool;
        this.blockSize = blockSize;
    }

    /** Whether this is such a store's address. */
    public static boolean isAddress(URI uri) {
        return RadosAddress.SCHEME.equals(uri.getScheme());
    }

    /**
     * Connects.
     *
     * @param blockSize bytes of one block, as the server says
     * @throws IOException what is missing or wrong, in one sentence
     */
    public static RadosDataStore open(URI address, long blockSize, RadosSettings settings) throws IOException {
        RadosPool pool = pool(address, settings);
        long largest = pool.option(OBJECT_MAX);
        if (largest > 0 && blockSize > largest) {
            pool.close();
            throw new IOException("blocks of " + blockSize + " bytes are larger than the cluster's " + OBJECT_MAX + ", "
                    + largest + "; start the server with a smaller --block-size");
        }
        return new RadosDataStore(pool, blockSize);
    }

    static RadosPool pool(URI address, RadosSettings settings) throws IOException {
        RadosAddress parsed;
        try {
            parsed = RadosAddress.of(address);
        } catch (IllegalArgumentException e) {
            throw new IOException(e.getMessage(), e);
        }
        try {
            return RadosPool.open(parsed, settings);
        } catch (NoClassDefFoundError e) {
            throw new IOException(
                    "JNA is not on the class path: put the jar net.java.dev.jna:jna there (Debian's package libjna-java has it)",
                    e);
        }
    }

    static String nameOf(long inode, long block) {
        return Long.toHexString(inode) + "-" + block;
    }

    private <T> CompletableFuture<T> call(Callable<T> task) {
        try {
            return CompletableFuture.supplyAsync(
                    () -> {
                        try {
                            return task.call();
                        } catch (Exception e) {
                            throw new CompletionException(e);
                        }
                    },
                    threads);
        } catch (RejectedExecutionException e) {
            return CompletableFuture.failedFuture(new IOException("Filesystem closed", e));
        }
    }

    @Override
    public boolean dropsBlocksItself() {
        return false;
    }

    @Override
    public DataReader reader(long inode, GrantSource grants) {
        return new Reader(inode);
    }

    @Override
    public DataWriter writer(long inode, long position, boolean isDense, GrantSource grants) {
        return new Writer(inode, position);
    }

    @Override
    public void delete(long inode, long firstBlock, long endBlock) throws IOException {
        boolean deleted = true;
        for (long block = firstBlock; block < endBlock || deleted; block++) {
            deleted = pool.remove(nameOf(inode, block));
        }
    }

    @Override
    public void close() {
        threads.shutdown();
        pool.close();
    }

    private final class Reader implements DataReader {
        private final long inode;

        Reader(long inode) {
            this.inode = inode;
        }

        @Override
        public CompletableFuture<Integer> read(long block, long offset, byte[] target, int targetOffset, int length) {
            return call(() -> pool.read(nameOf(inode, block), offset, target, targetOffset, length));
        }

        @Override
        public void close() {
            // nothing is held open
        }
    }

    private final class Writer implements DataWriter {
        private final long inode;
        private long position;

        Writer(long inode, long position) {
            this.inode = inode;
            this.position = position;
        }

        @Override
        @SuppressWarnings("NullAway") // a Void has no other value
        public CompletableFuture<Void> write(byte[] source, int sourceOffset, int length) {
            String object = nameOf(inode, position / blockSize);
            long offset = position % blockSize;
            position += length;
            return call(() -> {
                pool.write(object, offset, source, sourceOffset, length);
                return null;
            });
        }

        @Override
        public void publish(boolean durable) {
            // what was written is where it should be
        }

        @Override
        public void abort() {
            // bytes beyond the committed size are never read, and the next writer overwrites them
        }
    }
}
