package io.hmfs.core.check;

/** Hears how far a check has come. */
@FunctionalInterface
public interface Progress {
    /** For callers that need no progress. */
    Progress NONE = (_, _, _) -> {};

    /** Called often; {@code done} of {@code total} of what this pass counts. */
    void at(String pass, long done, long total);
}
