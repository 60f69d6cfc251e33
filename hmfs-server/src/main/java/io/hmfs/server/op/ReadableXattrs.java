package io.hmfs.server.op;

import io.hmfs.core.type.Status;
import io.hmfs.server.access.Access;
import io.hmfs.server.path.PathResolver;
import io.hmfs.server.request.Request;
import java.util.Map;

/** The extended attributes of an object, for users that may read the object. */
final class ReadableXattrs {
    private final ChangeTarget target = new ChangeTarget();

    /** Resolves a path and adds the attributes that the user may know to {@code found}. */
    Status read(Request request, long base, int at, int length, Map<String, byte[]> found) {
        Status outcome = ChangeTarget.resolve(request, base, at, length);
        return outcome == Status.OK ? read(request, found) : outcome;
    }

    private Status read(Request request, Map<String, byte[]> found) {
        PathResolver path = request.path();
        target.lockToCheck(request);
        try {
            Status outcome = target.look(request);
            if (outcome == Status.OK) {
                outcome = path.may(target.object(), Access.READ);
            }
            return outcome == Status.OK
                    ? request.namespace()
                            .readXattrs(
                                    path.parentId,
                                    path.name,
                                    (name, value) -> XattrNames.addIfVisible(request, found, name, value))
                    : outcome;
        } finally {
            target.unlock(request);
        }
    }
}
