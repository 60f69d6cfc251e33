package io.hmfs.core;

/** Where a listing goes on: two opaque numbers that survive restarts. A forged or outdated one costs time, never correctness. */
public final class ListCursor {
    /** Birth of the last entry shown; entries born before it come next. 0: from the start; -1: the listing has ended. */
    public long birth;

    /** Offset of the last entry shown: a hint that saves the walk from the head. */
    public long at;

    public boolean atEnd() {
        return birth == -1;
    }
}
