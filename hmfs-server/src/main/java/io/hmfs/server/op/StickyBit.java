package io.hmfs.server.op;

import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Status;
import io.hmfs.server.path.PathResolver;
import io.hmfs.server.request.Request;

/**
 * What the sticky bit of a directory says about taking a name away from it. That depends on the object, so the lock of the name is held
 * from the check to the change: what was seen is what goes.
 */
final class StickyBit {
    private final Attributes object = Attributes.withAcl();

    /** Whether the user may take the name away. */
    Status check(Request request, PathResolver path) {
        if (!path.isParentSticky()) {
            return Status.OK;
        }
        Status outcome = request.namespace().stat(path.parentId, path.name, object);
        return outcome == Status.OK ? path.mayTakeAway(object) : outcome;
    }

    /** Whether the user may take the name of a file away. */
    Status checkFile(Request request) {
        Status outcome = check(request, request.path());
        return outcome == Status.ACCESS_DENIED && object.isDirectory() ? Status.IS_DIRECTORY : outcome;
    }
}
