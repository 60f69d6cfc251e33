package io.hmfs.core.pmem;

import java.io.IOException;

/** A pool cannot be made or opened; the message names the pool, what is wrong and what to do. */
public final class PoolException extends IOException {
    private static final long serialVersionUID = 1L;

    /** What is wrong, for callers that decide by it. */
    public enum Reason {
        NOT_FOUND,
        ALREADY_EXISTS,
        NOT_A_POOL,
        WRONG_VERSION,
        BAD_CHECKSUM,
        TRUNCATED,
        LOCKED,
        NO_SPACE,
        NOT_DAX,
        BAD_BLOCKS,
        MISSING_LIBRARY,
        REPAIR_CUT_SHORT,
        NOT_CHECKED,
        IO
    }

    private final Reason reason;

    public PoolException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    public PoolException(Reason reason, String message, Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
