package io.hmfs.core.type;

/** Where a listing goes on: three opaque numbers that survive restarts. A forged or outdated one costs time, never correctness. */
public final class ListCursor {
    /** Birth of the last entry shown; entries born before it come next. 0: from the start; -1: the listing has ended. */
    public long birth;

    /** Offset of the last entry shown: a hint that saves the walk from the head. */
    public long at;

    /** The directory's mtime when the listing began: decides whether a name that was moved meanwhile has been shown. */
    public long start;

    public boolean atEnd() {
        return birth == -1;
    }
}
