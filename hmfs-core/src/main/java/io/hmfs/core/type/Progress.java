package io.hmfs.core.type;

/** Hears how far a long piece of work has come. Called often, by several threads but never by two at once. */
@FunctionalInterface
public interface Progress {
    /** For callers that need no progress. */
    Progress NONE = (_, _, _) -> {};

    /** {@code done} of {@code total} of what this pass counts; {@code total} is 0 where it is not known. */
    void at(String pass, long done, long total);
}
