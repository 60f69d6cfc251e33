package io.hmfs.server.op;

import io.hmfs.core.Namespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Status;
import io.hmfs.server.path.PathResolver;
import io.hmfs.server.request.Request;

/** What a request's path leads to, which may be a directory that is given by its id alone. */
final class PathTarget {
    private final Attributes object = Attributes.withAcl();

    /** What {@link #look} has seen. */
    Attributes object() {
        return object;
    }

    /** Resolves a path and sees the object. */
    Status resolve(Request request, long base, int at, int length) {
        Status outcome = request.path().resolve(base, request.in(), at, length);
        return outcome == Status.OK ? look(request) : outcome;
    }

    /** Sees the object: not a symbolic link, but what it leads to. */
    Status look(Request request) {
        Status outcome = lookAtLink(request);
        return outcome == Status.OK && object.isSymlink() ? request.path().unresolved() : outcome;
    }

    /** Sees the object, which may be a symbolic link. */
    Status lookAtLink(Request request) {
        PathResolver path = request.path();
        boolean isBase = path.isBase && path.parentId != Namespace.ROOT_PARENT_ID;
        return isBase
                ? request.namespace().statDirectory(path.parentId, object)
                : request.namespace().stat(path.parentId, path.name, object);
    }
}
