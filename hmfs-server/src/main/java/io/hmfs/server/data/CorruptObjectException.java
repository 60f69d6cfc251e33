package io.hmfs.server.data;

import java.io.IOException;

/** What the disk gives for a part of an object is not what was written there. */
public class CorruptObjectException extends IOException {
    private static final long serialVersionUID = 1L;

    private final long position;

    CorruptObjectException(long position, String what) {
        super(what);
        this.position = position;
    }

    /** Where in the block the damaged chunk begins. */
    public long position() {
        return position;
    }
}
