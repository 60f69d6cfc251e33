package io.hmfs.server.access;

import java.io.IOException;
import java.util.List;

/** Tells the groups of users. May block; called from several threads. */
@FunctionalInterface
public interface GroupSource {
    /**
     * The names of all groups of a user; none for a user that is not known.
     *
     * @throws IOException the source could not be asked; nothing is known about the user now
     */
    List<String> groupsOf(String user) throws IOException;
}
