package io.hmfs.trials.differ;

import java.io.IOException;
import java.util.SortedMap;

/** One of the two filesystems that are compared. */
interface Subject {
    /** Goes to a new, empty directory, which all later operations take for the root; the former one goes. */
    void fresh() throws IOException;

    /** Executes it. */
    CallOutcome run(Operation operation) throws IOException;

    /** All below the root of the session, as the superuser sees it: by path, and then by the name of what is told of it. */
    SortedMap<String, SortedMap<String, String>> tree() throws IOException;
}
