package io.hmfs.core.layout;

/**
 * The low byte of a slot's status word: where the object is in its life (DESIGN: CREATING does not exist yet, DELETING still
 * exists, MOVING and REPLACED exist until their successor is NORMAL). Constants rather than an enum: they are compared on every
 * load. Codes are pool format: append only.
 */
public final class SlotState {
    /** Taken by no thread; zero, so that a fresh region is free. */
    public static final int FREE = 0;

    public static final int CREATING = 1;
    public static final int NORMAL = 2;
    public static final int DELETING = 3;
    public static final int DELETED = 4;
    public static final int MOVING = 5;
    public static final int REPLACED = 6;

    private SlotState() {}

    /** Whether an operation is, or was when the server died, half way through. */
    public static boolean isTransient(int state) {
        return state == CREATING || state == DELETING || state == MOVING || state == REPLACED;
    }
}
