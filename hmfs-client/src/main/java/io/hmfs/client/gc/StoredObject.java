package io.hmfs.client.gc;

/**
 * Something that a data store has.
 *
 * @param name what the store calls it
 * @param unfinished whether it is a block that is being written, or was when its client died
 * @param bytes its length
 * @param modifiedMillis when it was changed last, in milliseconds since 1970 on the store's clock
 */
public record StoredObject(String name, boolean unfinished, long inode, long block, long bytes, long modifiedMillis) {}
