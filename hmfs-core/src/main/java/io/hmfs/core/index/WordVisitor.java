package io.hmfs.core.index;

/** Sees index words one by one. */
@FunctionalInterface
public interface WordVisitor {
    /**
     * Called for a word that is in use.
     *
     * @param segment offset of the segment
     * @param word the slot's word
     * @param fits whether the object's hash leads a look-up to this word
     * @return whether to keep it; false clears the word
     */
    boolean visit(long segment, long word, boolean fits);
}
