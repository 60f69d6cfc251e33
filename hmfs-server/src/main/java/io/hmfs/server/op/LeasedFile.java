package io.hmfs.server.op;

import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Status;
import io.hmfs.server.path.PathResolver;
import io.hmfs.server.request.Request;

/** The file whose lease a request is about. */
final class LeasedFile {
    private final Attributes file = Attributes.withAcl();

    /** What {@link #find} has seen. */
    Attributes attributes() {
        return file;
    }

    /** Sees the file that a path names. */
    Status find(Request request, long base, int at, int length) {
        PathResolver path = request.path();
        Status outcome = path.resolve(base, request.in(), at, length);
        if (outcome == Status.OK && !path.isBase) {
            outcome = path.seen(request.namespace().stat(path.parentId, path.name, file));
        }
        if (outcome != Status.OK) {
            return outcome;
        }
        if (path.isBase || file.isDirectory()) {
            return Status.IS_DIRECTORY;
        }
        return file.isSymlink() ? path.unresolved() : Status.OK;
    }
}
