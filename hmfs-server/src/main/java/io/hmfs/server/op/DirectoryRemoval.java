package io.hmfs.server.op;

import io.hmfs.core.type.Status;
import io.hmfs.server.path.PathResolver;
import io.hmfs.server.request.Request;

/** Removes an empty directory, for Rmdir and for Delete. */
final class DirectoryRemoval {
    private final StickyBit stickyBit = new StickyBit();

    /** Removes what the request's path says, which the user may take out of its parent unless the sticky bit forbids it. */
    Status run(Request request) {
        if (!request.path().isParentSticky()) {
            return remove(request);
        }
        request.lockKey();
        try {
            Status outcome = stickyBit.check(request, request.path());
            return outcome == Status.OK ? remove(request) : outcome;
        } finally {
            request.unlockKey();
        }
    }

    private static Status remove(Request request) {
        PathResolver path = request.path();
        return request.accounting().rmdir(path.parentId, path.name, request.change());
    }
}
