package io.hmfs.client;

/**
 * What a writer says of the bytes that a size is to cover.
 *
 * @param from it has written all bytes from there on up to the size; {@link #UNKNOWN}: that is not said, and the file may have holes
 * @param verifier of the answers to the writes of those that no commit has covered ({@link WriteVerifier}); {@link WriteVerifier#NONE}: that is not said
 */
public record Written(long from, long verifier) {
    /** In place of where bytes were written from. */
    public static final long UNKNOWN = -1;

    /** Nothing is said. */
    public static final Written NOTHING = new Written(UNKNOWN, WriteVerifier.NONE);
}
