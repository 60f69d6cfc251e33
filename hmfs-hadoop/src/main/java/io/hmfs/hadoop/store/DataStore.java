package io.hmfs.hadoop.store;

import java.io.Closeable;
import java.io.IOException;
import org.apache.hadoop.fs.BlockLocation;

/**
 * Keeps the bytes of files as objects (inode, block), block n holding the bytes from n × block size on. An inode is
 * never used again, so an object belongs to one file for ever. A missing object, or one that ends early, is a hole.
 * Thread-safe.
 */
public interface DataStore extends Closeable {
    /** Whether the server itself drops the objects of files that are deleted, replaced or cut. */
    boolean dropsBlocksItself();

    /** Reads a file's objects; the reader is thread-safe. */
    DataReader reader(long inode, GrantSource grants);

    /**
     * Writes on from {@code position} (bytes from the file's start); what lies before it stays. {@code isDense}: every byte before it was
     * written. For one thread.
     */
    DataWriter writer(long inode, long position, boolean isDense, GrantSource grants);

    /**
     * Removes the objects from {@code firstBlock} to {@code endBlock} (exclusive), missing ones are no error, and
     * those that follow without a gap: data behind the committed size.
     */
    void delete(long inode, long firstBlock, long endBlock) throws IOException;

    /** Whether {@link #locations} tells nothing. */
    default boolean hidesLocations() {
        return true;
    }

    /**
     * The machines that have the first {@code length} bytes of an object, offsets counted from its start; none if the
     * store does not tell or has no such object.
     */
    default BlockLocation[] locations(long inode, long block, long length) throws IOException {
        return new BlockLocation[0];
    }

    /** Lets go of what the store holds; open readers and writers fail afterwards. */
    @Override
    void close() throws IOException;
}
