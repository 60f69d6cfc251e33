package io.hmfs.server.op;

import io.hmfs.core.type.Status;
import io.hmfs.server.lease.GrantEpochs;
import io.hmfs.server.request.Request;
import java.util.function.Supplier;

/** A change that may take from users the right to a file's data, and so ends their grants; no hot path. */
final class GrantEnd {
    private GrantEnd() {}

    /**
     * Makes a change of a file that the request has alone, so that no write which rests on a grant is under way. The grants have ended when
     * this returns.
     *
     * @return NO_SPACE: the pool has no room for the record of it, and nothing was changed; else what the change answers
     */
    static Status by(Request request, long inode, GrantEpochs.Cause cause, Supplier<Status> change) {
        GrantEpochs epochs = request.partition().grantEpochs();
        if (!epochs.prepare(inode, cause)) {
            return Status.NO_SPACE;
        }
        Status outcome = change.get(); // if it throws, the server stops, and the next start knows the new epoch
        epochs.end(inode, cause);
        return outcome;
    }
}
