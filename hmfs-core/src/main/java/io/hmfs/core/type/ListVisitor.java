package io.hmfs.core.type;

/** Receives a listing's entries; both arguments are reused for the next entry. */
@FunctionalInterface
public interface ListVisitor {
    /** Takes one entry. False: not taken, stop before it; the cursor then resumes with this entry. */
    boolean visit(Name name, Attributes attributes);

    /**
     * Called once for every {@link #NODES} nodes of the list that the walk passes without showing them: entries that were removed and are not swept yet, or
     * entries before a cursor that names none of them. An exception from here ends the listing; the cursor is then behind the last entry that was taken.
     */
    default void passing() {}

    int NODES = 4096;
}
