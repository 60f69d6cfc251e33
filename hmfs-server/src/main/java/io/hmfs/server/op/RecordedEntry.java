package io.hmfs.server.op;

import io.hmfs.core.type.Acl;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.ChangeOutcome;
import io.hmfs.core.type.FileType;
import io.hmfs.core.type.Status;
import io.hmfs.server.access.Access;
import io.hmfs.server.path.PathResolver;
import io.hmfs.server.request.Request;

/**
 * An object that a request made before the server's start, described as in the first reply: by the pool's record of the change and by the
 * request, which has come again.
 */
final class RecordedEntry {
    private final Attributes made = new Attributes();
    private final Attributes present = Attributes.withAcl();
    private boolean isPresent;

    /** The object as it was made. */
    Attributes made() {
        return made;
    }

    /** Describes the object; its mode is {@code mode} unless {@link #inherit} finds that a default ACL has changed it. */
    void describe(ChangeOutcome outcome, FileType type, int mode, long size) {
        made.hasAcl = false;
        made.id = outcome.id;
        made.type = type;
        made.mode = mode;
        made.uid = outcome.uid;
        made.gid = outcome.gid;
        made.size = size;
        made.mtimeNanos = outcome.timeNanos;
        made.atimeNanos = outcome.timeNanos;
        made.ctimeNanos = outcome.timeNanos;
    }

    /** Looks at the object, if the request's path still names it: neither request nor record tell what a default ACL has made of the mode. */
    void inherit(Request request, ChangeOutcome outcome, long base, int at, int length) {
        PathResolver path = request.path();
        isPresent = path.resolve(base, request.in(), at, length) == Status.OK
                && request.namespace().stat(path.parentId, path.name, present) == Status.OK
                && present.id == outcome.id;
        made.hasAcl = isPresent && present.hasAcl;
        boolean inherited = made.hasAcl || (isPresent && Acl.hasDefault(path.parentAcl()));
        made.mode = inherited ? present.mode : made.mode; // else as asked for: a later request may have changed it
        if (isPresent && outcome.kind == ChangeOutcome.Kind.RENAME) {
            made.mtimeNanos = present.mtimeNanos; // the file was made before it was put in place
            made.atimeNanos = present.atimeNanos;
        }
    }

    /** After {@link #inherit}: whether the user owns the file that the path names. */
    boolean isOwn(Request request) {
        return isPresent && request.access().owns(present);
    }

    /** After {@link #inherit}: whether the path still names the file, and the user may write it as it is now. */
    boolean mayStillWrite(PathResolver path) {
        return isPresent
                && !present.isDirectory()
                && !present.isSymlink()
                && path.may(present, Access.WRITE) == Status.OK;
    }
}
