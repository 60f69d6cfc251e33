package io.hmfs.client;

/**
 * Is told of files whose data is not needed any more, when the data store is not the server's own: a delete, an
 * overwriting create or a replacing rename of this client removed them. Called on the client's loop: it must not
 * block.
 */
@FunctionalInterface
public interface RemovedListener {
    /** The objects of this inode can go; {@code size} is what was committed, data behind it may exist. */
    void removed(long inode, long size);
}
