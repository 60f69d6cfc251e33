package io.hmfs.core.layout;

/** Bytes in the pool that no code of this version writes. Caught by the server only, which closes the pool. */
public final class CorruptPoolException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Tells what stands where.
     *
     * @param at offset within the pool
     * @param expected what belongs there, in words
     * @param found the word that stands there
     */
    public CorruptPoolException(long at, String expected, long found) {
        super("corrupt pool at 0x" + Long.toHexString(at) + ": expected " + expected + ", found 0x"
                + Long.toHexString(found));
    }
}
