package io.hmfs.wire;

/** A frame that cannot be: a length out of bounds, or a field that points behind the frame's end. */
public final class MalformedFrameException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean oversized;

    public MalformedFrameException(String message, boolean oversized) {
        super(message, null, false, false); // the peer's mistake, not ours: a stack trace would tell nothing
        this.oversized = oversized;
    }

    /** Whether the frame is merely longer than the limit. */
    public boolean oversized() {
        return oversized;
    }
}
