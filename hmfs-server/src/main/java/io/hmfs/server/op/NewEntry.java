package io.hmfs.server.op;

import io.hmfs.core.type.Acl;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Status;
import io.hmfs.server.access.Access;
import io.hmfs.server.access.Caller;
import io.hmfs.server.access.Inheritance;
import io.hmfs.server.path.PathResolver;
import io.hmfs.server.request.Request;
import io.hmfs.wire.CreateDecoder;

/**
 * The object that a request makes under the name that its path ends with: it belongs to the request's user and to the group of its
 * directory, and has its mode and ACL from the request or from the default ACL of its directory.
 */
final class NewEntry {
    static final int MODE_MAX = 07777;

    /** The mode before the umask of the directories that are made on the way to a file or a symbolic link, if a mode is asked for. */
    private static final int PARENTS_UNMASKED = 0777;

    private static final int INHERITED = CreateDecoder.parentModeNullValue();

    private int gid;
    private int mode;
    private long[] acl = Acl.NONE;

    int gid() {
        return gid;
    }

    int mode() {
        return mode;
    }

    long[] acl() {
        return acl;
    }

    /**
     * Determines group, mode and ACL.
     *
     * @param asked the mode unless the directory has a default ACL
     * @param unmasked the mode before the umask, for a directory that has one
     */
    void describe(PathResolver path, int asked, int unmasked, boolean isDirectory) {
        gid = path.parentGid();
        long[] above = path.parentAcl();
        boolean inherits = Acl.hasDefault(above);
        mode = inherits ? Inheritance.mode(above, unmasked) : asked;
        acl = inherits ? Inheritance.acl(above, isDirectory) : Acl.NONE;
    }

    /** Whether a Create or a Symlink may ask for missing parents of this mode. */
    static boolean isParentMode(int mode) {
        return mode <= MODE_MAX || mode == INHERITED;
    }

    /** The path's next {@code resolve} makes missing parents of this mode. */
    static void makeParents(PathResolver path, int mode) {
        if (mode == INHERITED) {
            path.makeParentsAsAbove();
        } else {
            path.makeParents(mode, PARENTS_UNMASKED);
        }
    }

    /** Whether the path ends with a name, in a directory in which the user may make something. */
    static Status check(PathResolver path) {
        if (path.isBase) {
            return Status.EXISTS;
        }
        Status seen = path.seeParent(); // which describes what is made
        return seen == Status.DAMAGED ? seen : path.mayInParent(Access.WRITE);
    }

    /**
     * The outcome of a create or mkdir whose path could not be resolved. As in HDFS, a user that may make nothing in the deepest directory that
     * is there is told that, and not what is missing.
     */
    static Status unresolved(PathResolver path, Status outcome) {
        Status allowed = outcome == Status.NOT_FOUND ? path.mayInAncestor(Access.WRITE) : Status.OK;
        return allowed == Status.OK ? outcome : allowed;
    }

    /**
     * Gives the user an id in the pool, unless the name is taken: the pool keeps a user's name for ever, and clients can come with any number
     * of names.
     */
    static Status number(Request request) {
        if (request.uid() == Caller.NOBODY) {
            Status there = stat(request);
            if (there != Status.NOT_FOUND) {
                return there == Status.OK ? Status.EXISTS : there;
            }
        }
        return request.number();
    }

    private static Status stat(Request request) {
        return request.namespace().stat(request.path().parentId, request.path().name, request.attributes());
    }

    /** Whether something has the name, as far as the user may know; it is in the request's attributes. */
    private static boolean isTaken(Request request) {
        PathResolver path = request.path();
        return !path.isBase
                && path.name.check() == Status.OK
                && path.mayInParent(Access.EXECUTE) == Status.OK
                && stat(request) == Status.OK;
    }

    /**
     * The outcome of a mkdir or symlink whose path was resolved: as in HDFS, it is told that the name is taken before it is asked whether the
     * user may make something there.
     */
    static Status takenFirst(Request request, Status outcome) {
        return outcome == Status.ACCESS_DENIED && isTaken(request) ? Status.EXISTS : outcome;
    }

    /**
     * The outcome of a create or mkdir whose path was resolved, as the client sees it: a symbolic link that has the name is followed, also in
     * a directory in which the user may make nothing.
     */
    static Status followed(Request request, Status outcome) {
        Attributes found = request.attributes();
        if (outcome == Status.ACCESS_DENIED) {
            String reason = request.access().reason();
            boolean link = isTaken(request) && found.isSymlink();
            return link ? request.path().unresolved() : request.access().denied(reason);
        }
        boolean link = outcome == Status.EXISTS && !request.path().isBase && found.isSymlink();
        return link ? request.path().unresolved() : outcome;
    }
}
