package io.hmfs.hadoop.store;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;

/**
 * A directory of any Hadoop filesystem, one file per object: {@code <root>/xx/yy/<inode in hex>-<block>}, xx and yy the inode's
 * lowest bytes. A block is written under a name of its own below {@code <root>/tmp} and renamed when it is whole, so no crash
 * leaves half a block under its name. Where a rename would be a copy (object stores) it is written in place, for there an
 * object appears only when its writer closes it.
 */
public final class HadoopDataStore implements DataStore {
    /** Below the root: where blocks are until they are whole. */
    static final String DRAFTS = "tmp/";

    private static final int READERS_MAX = 16;
    private static final BlockLocation[] NOWHERE = {};
    private static final Set<String> WITH_PLACES = Set.of("hdfs", "webhdfs", "swebhdfs", "viewfs");
    private static final Set<String> OBJECT_STORES =
            Set.of("s3", "s3a", "s3n", "gs", "oss", "obs", "cos", "cosn", "wasb", "wasbs", "swift", "tos");

    private final Replacing files;
    private final Path root;
    private final long blockSize;
    private final boolean inPlace;
    private final ExecutorService readers;

    /**
     * Opens the store.
     *
     * @param blockSize bytes of one block, as the server says
     * @throws IOException the filesystem of {@code root} cannot be opened
     */
    public HadoopDataStore(URI root, long blockSize, Configuration conf) throws IOException {
        this.files = new Replacing(filesystem(root, conf));
        this.root = new Path(root);
        this.blockSize = blockSize;
        this.inPlace = isObjectStore(files);
        this.readers = threads("hmfs-store-reader", READERS_MAX);
    }

    /** At most so many, which end when there is nothing to do. */
    static ExecutorService threads(String name, int max) {
        ThreadPoolExecutor pool =
                new ThreadPoolExecutor(max, max, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, name);
                    thread.setDaemon(true);
                    return thread;
                });
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /**
     * The filesystem that objects are in, for one user, who closes it. It is not in Hadoop's cache: when a JVM ends, Hadoop closes
     * what is there in any order, and an HMFS that it closes later has objects to remove.
     */
    static FileSystem filesystem(URI root, Configuration conf) throws IOException {
        Configuration own = new Configuration(conf);
        own.setBoolean("fs." + root.getScheme() + ".impl.disable.cache", true);
        FileSystem opened = FileSystem.get(root, own);
        // The checksums of the local filesystem's wrapper lie in second files, which no rename moves atomically.
        return opened instanceof LocalFileSystem local ? local.getRawFileSystem() : opened;
    }

    static boolean isObjectStore(FileSystem files) {
        return OBJECT_STORES.contains(files.getUri().getScheme());
    }

    /** Where an object lies. */
    Path nameOf(long inode, long block) {
        return new Path(root, nameIn(inode, block));
    }

    /** The same, below the root. */
    static String nameIn(long inode, long block) {
        String outer = String.format("%02x", inode & 0xff);
        String inner = String.format("%02x", (inode >>> 8) & 0xff);
        return outer + "/" + inner + "/" + Long.toHexString(inode) + "-" + block;
    }

    @Override
    public boolean dropsBlocksItself() {
        return false;
    }

    @Override
    public DataReader reader(long inode, Grants grants) {
        return new HadoopDataReader(this, inode, readers);
    }

    @Override
    public DataWriter writer(long inode, long position, Grants grants) {
        return new HadoopDataWriter(this, inode, position);
    }

    @Override
    public void delete(long inode, long firstBlock, long endBlock) throws IOException {
        boolean deleted = true;
        for (long block = firstBlock; block < endBlock || deleted; block++) {
            deleted = remove(files, nameOf(inode, block));
        }
    }

    /** False: it is not there. */
    static boolean remove(FileSystem files, Path object) throws IOException {
        // the local filesystem does not tell an object that may not be deleted from one that is not there
        return files.getUri().getScheme().equals("file")
                ? Files.deleteIfExists(java.nio.file.Path.of(object.toUri()))
                : files.delete(object, false);
    }

    /** Others name this machine, whatever they have; some of them ask a server for that. */
    @Override
    public boolean hidesLocations() {
        return !WITH_PLACES.contains(files.getUri().getScheme());
    }

    @Override
    public BlockLocation[] locations(long inode, long block, long length) throws IOException {
        if (hidesLocations()) {
            return NOWHERE;
        }
        try {
            return Objects.requireNonNullElse(files.getFileBlockLocations(nameOf(inode, block), 0, length), NOWHERE);
        } catch (FileNotFoundException e) { // a hole
            return NOWHERE;
        }
    }

    @Override
    public void close() throws IOException {
        readers.shutdown();
        files.close();
    }

    long blockSize() {
        return blockSize;
    }

    FSDataInputStream open(Path object) throws IOException {
        return files.open(object);
    }

    /** A new file for a whole block, under the name that {@link #finish} will take it from. */
    Path draftOf(Path object) {
        return inPlace ? object : new Path(root, DRAFTS + object.getName() + "." + UUID.randomUUID());
    }

    FSDataOutputStream create(Path draft) throws IOException {
        return files.create(draft, true);
    }

    /** Gives a whole block its name, in place of what stood there. */
    void finish(Path draft, Path object) throws IOException {
        if (!inPlace) {
            files.mkdirs(object.getParent());
            files.replace(draft, object);
        }
    }

    /** Puts a finished object on the disk: an append of nothing, synced. */
    void sync(Path object) throws IOException {
        try (FSDataOutputStream out = files.append(object)) {
            out.hsync();
        }
    }

    /** Drops a draft that nobody will finish. */
    void drop(Path draft) throws IOException {
        if (!inPlace) {
            files.delete(draft, false);
        }
    }

    boolean inPlace() {
        return inPlace;
    }

    /** Makes the atomic rename over an existing file callable, which {@link FileSystem} keeps protected. */
    private static final class Replacing extends FilterFileSystem {
        Replacing(FileSystem wrapped) {
            super(wrapped);
        }

        void replace(Path source, Path target) throws IOException {
            if (fs.getUri().getScheme().equals("file")) {
                // the plain rename replaces a file here, in one step; the other one would delete first
                if (!fs.rename(source, target)) {
                    throw new FileNotFoundException("cannot rename " + source + " to " + target);
                }
                return;
            }
            rename(source, target, Options.Rename.OVERWRITE);
        }
    }
}
