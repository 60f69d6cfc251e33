package io.hmfs.core.type;

/**
 * Identity of one change that a client may ask for again: its ring in the pool and its number there. Mutable, so that a request can reuse one (I7). Not thread-safe.
 */
public final class Change {
    /** A change that is recorded nowhere. */
    public static final Change NONE = new Change();

    private long ring;
    private long sequence;

    /** The change with this number, 0–2⁶¹-1, in this ring; 0: recorded nowhere. */
    public void set(long newRing, long newSequence) {
        if (this == NONE) {
            throw new IllegalStateException("the change that is recorded nowhere cannot be another");
        }
        ring = newRing;
        sequence = newSequence;
    }

    /** Records the change nowhere. */
    public void clear() {
        set(0, 0);
    }

    /** Whether the change is recorded. */
    public boolean isRecorded() {
        return ring != 0;
    }

    public long ring() {
        return ring;
    }

    public long sequence() {
        return sequence;
    }
}
