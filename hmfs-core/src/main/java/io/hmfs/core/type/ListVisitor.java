package io.hmfs.core.type;

/** Receives a listing's entries; both arguments are reused for the next entry. */
@FunctionalInterface
public interface ListVisitor {
    /** Takes one entry. False: not taken, stop before it; the cursor then resumes with this entry. */
    boolean visit(Name name, Attributes attributes);

    /**
     * Told before each {@link #NODES} nodes of the list that the walk passes and does not show: what was removed and is not swept yet, or what comes before a
     * cursor that names no entry. What it throws ends the listing; the cursor is behind the last entry taken.
     */
    default void passing() {}

    int NODES = 4096;
}
