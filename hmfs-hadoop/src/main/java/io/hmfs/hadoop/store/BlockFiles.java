package io.hmfs.hadoop.store;

import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.util.Set;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;

/**
 * Blocks as files of a Hadoop filesystem: {@code <root>/xx/yy/<inode in hex>-<block>}, xx and yy the inode's lowest
 * bytes. A block is written to a staging file below {@code <root>/tmp} and renamed when it is whole, so no crash
 * leaves half a block under its name. Where a rename would be a copy (object stores) it is written in place: there an
 * object appears only when its writer closes it. Thread-safe.
 */
final class BlockFiles implements Closeable {
    /** Below the root: the directory of the staging files. */
    static final String STAGING = "tmp/";

    private static final Set<String> OBJECT_STORES =
            Set.of("s3", "s3a", "s3n", "gs", "oss", "obs", "cos", "cosn", "wasb", "wasbs", "swift", "tos");

    private final Replacing files;
    private final Path root;
    private final boolean inPlace;

    /** Opens the filesystem of {@code root}. @throws IOException it cannot be opened */
    BlockFiles(URI root, Configuration conf) throws IOException {
        this.files = new Replacing(filesystem(root, conf));
        this.root = new Path(root);
        this.inPlace = isObjectStore(files);
    }

    /**
     * Opens a filesystem for one user; the caller closes it. It is not in Hadoop's cache: at the end of a JVM, Hadoop closes
     * what is there in any order, and an HMFS that it closes later still has objects to remove.
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

    /** Removes a file. @return false if it is not there */
    static boolean remove(FileSystem files, Path object) throws IOException {
        // Hadoop's local filesystem does not tell a file that may not be deleted from one that is not there.
        return files.getUri().getScheme().equals("file")
                ? Files.deleteIfExists(java.nio.file.Path.of(object.toUri()))
                : files.delete(object, false);
    }

    /** The name of a block below the root. */
    static String nameIn(long inode, long block) {
        String outer = String.format("%02x", inode & 0xff);
        String inner = String.format("%02x", (inode >>> 8) & 0xff);
        return outer + "/" + inner + "/" + Long.toHexString(inode) + "-" + block;
    }

    FileSystem files() {
        return files;
    }

    Path nameOf(long inode, long block) {
        return new Path(root, nameIn(inode, block));
    }

    /** Removes a block. @return false if it is not there */
    boolean remove(long inode, long block) throws IOException {
        return remove(files, nameOf(inode, block));
    }

    FSDataInputStream open(Path object) throws IOException {
        return files.open(object);
    }

    /** A name for a new file with a whole block, which {@link #finish} renames. */
    Path stagingOf(Path object) {
        return inPlace ? object : new Path(root, STAGING + object.getName() + "." + UUID.randomUUID());
    }

    FSDataOutputStream create(Path staging) throws IOException {
        return files.create(staging, true);
    }

    /** Gives a whole block its name, in place of what stood there. */
    void finish(Path staging, Path object) throws IOException {
        if (!inPlace) {
            files.mkdirs(object.getParent());
            files.replace(staging, object);
        }
    }

    /** Puts a finished block on the disk: an append of nothing, synced. */
    void sync(Path object) throws IOException {
        try (FSDataOutputStream out = files.append(object)) {
            out.hsync();
        }
    }

    /** Removes a staging file that will not be finished. */
    void drop(Path staging) throws IOException {
        if (!inPlace) {
            files.delete(staging, false);
        }
    }

    boolean inPlace() {
        return inPlace;
    }

    @Override
    public void close() throws IOException {
        files.close();
    }

    /** Makes the atomic rename over an existing file callable, which {@link FileSystem} keeps protected. */
    private static final class Replacing extends FilterFileSystem {
        Replacing(FileSystem wrapped) {
            super(wrapped);
        }

        void replace(Path source, Path target) throws IOException {
            if (fs.getUri().getScheme().equals("file")) {
                // The plain rename replaces a file here, in one step; the other one would delete first.
                if (!fs.rename(source, target)) {
                    throw new FileNotFoundException("cannot rename " + source + " to " + target);
                }
                return;
            }
            rename(source, target, Options.Rename.OVERWRITE);
        }
    }
}
