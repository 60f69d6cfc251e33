package io.hmfs.client;

/**
 * What the answers to writes of a file say of the machine that has the bytes in its memory. A commit shows it, and is refused if that machine was
 * lost: bytes that were answered and had not come to its disk are gone. Thread-safe.
 */
public final class WriteVerifier {
    /** Nothing was written, or nothing is known of the machine. */
    public static final long NONE = 0;

    /** Some bytes are in one machine's memory, and some in another's: no server has all of them. */
    private static final long SEVERAL = -1;

    private long value = NONE; // guarded by this

    /** The answer to a write. */
    synchronized void answered(long verifier) {
        value = value == NONE || value == verifier ? verifier : SEVERAL;
    }

    /** Of the writes that were answered since the last call; none may be under way. */
    public synchronized long take() {
        long taken = value;
        value = NONE;
        return taken;
    }
}
