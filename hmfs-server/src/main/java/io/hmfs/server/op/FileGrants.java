package io.hmfs.server.op;

import io.hmfs.client.ResultCode;
import io.hmfs.core.type.Attributes;
import io.hmfs.server.access.Grants;
import io.hmfs.server.request.Request;

/** Grants of files' data: the reply that opens a file gives its user one, and a request for the data shows it. */
final class FileGrants {
    private final Grants grants;

    FileGrants(Grants grants) {
        this.grants = grants;
    }

    /**
     * Replies with a file that was opened, and a grant of its data.
     *
     * @param removed what was removed when the file was made; its id is 0 if nothing was
     * @param granted {@link Grants#READ}, {@link Grants#WRITE}, both, with {@link Grants#OWNER}, or 0
     * @param epoch that of the file, not younger than the look at it on which the grant rests
     */
    void replyOpened(Request request, long parentId, Attributes file, Attributes removed, int granted, long epoch) {
        long grant = grants.grant(granted);
        request.reply().opened(parentId, file, removed, grant, grants.seal(file.id, request.userMark(), grant, epoch));
    }

    /** The epoch in which a file is for grants of this kind. */
    static long epoch(Request request, long inode, long granted) {
        return request.partition()
                .grantEpochs()
                .of(inode, Grants.has(granted, Grants.OWNER), Grants.has(granted, Grants.WRITE));
    }

    /** Whether the user may do this with a file's data; to write, it still may as long as the file is shared. */
    boolean isGranted(Request request, long inode, long grant, long seal, int wanted) {
        return !request.access().isLimited()
                || grants.allows(inode, request.userMark(), grant, seal, epoch(request, inode, grant), wanted);
    }

    /** As {@link #isGranted}; if not, the reply says so. */
    boolean mayUse(Request request, long inode, long grant, long seal, int wanted) {
        if (isGranted(request, inode, grant, seal, wanted)) {
            return true;
        }
        replyDenied(request, inode, wanted);
        return false;
    }

    void replyDenied(Request request, long inode, int wanted) {
        request.reply()
                .failure(
                        ResultCode.ACCESS_DENIED,
                        "Permission denied: user=" + request.access().user() + ", access="
                                + (wanted == Grants.READ ? "READ" : "WRITE") + ", inode=" + Long.toHexString(inode)
                                + ": no grant of it, or an old one; open the file");
    }
}
