package io.hmfs.client;

/**
 * What a writer says of the bytes that a size is to cover.
 *
 * @param from it has written all bytes from there on up to the size; {@link #UNKNOWN}: that is not said, and the file may have holes
 */
public record Written(long from) {
    /** In place of where bytes were written from. */
    public static final long UNKNOWN = -1;

    /** Nothing is said. */
    public static final Written NOTHING = new Written(UNKNOWN);
}
