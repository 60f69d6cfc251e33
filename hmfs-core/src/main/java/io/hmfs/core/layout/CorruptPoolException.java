package io.hmfs.core.layout;

/** Bytes read from the pool that no correct engine writes. Only a server's outermost layer catches it, and closes the pool. */
public final class CorruptPoolException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public CorruptPoolException(long at, String expected, String found) {
        super("the pool is damaged at offset " + at + ": expected " + expected + ", found " + found);
    }
}
