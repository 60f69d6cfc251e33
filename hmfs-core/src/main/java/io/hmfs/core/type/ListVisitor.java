package io.hmfs.core.type;

/** Receives a listing's entries; both arguments are reused for the next entry. */
@FunctionalInterface
public interface ListVisitor {
    /** Takes one entry. False: not taken, stop before it; the cursor then resumes with this entry. */
    boolean visit(Name name, Attributes attributes);
}
