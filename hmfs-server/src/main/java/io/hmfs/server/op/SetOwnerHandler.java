package io.hmfs.server.op;

import io.hmfs.core.Namespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.lease.GrantEpochs;
import io.hmfs.server.path.PathResolver;
import io.hmfs.server.request.Request;
import io.hmfs.wire.SetOwnerDecoder;
import io.hmfs.wire.Wire;

/** SetOwner: gives an object to another user or group, which ends grants; an empty name keeps what is there. Strings: it is no hot path. */
public final class SetOwnerHandler implements Handler {
    /** No room for another principal; not to be taken for {@link Namespace#KEEP}. */
    private static final int FULL = -2;

    private final SetOwnerDecoder setOwner = new SetOwnerDecoder();
    private final ChangeTarget target = new ChangeTarget();
    private final Name name = new Name();

    @Override
    public void execute(Request request) {
        request.checkBlock(SetOwnerDecoder.BLOCK_LENGTH);
        setOwner.wrap(request.in(), Wire.HEADER_SIZE, request.blockLength(), request.version());
        int length = setOwner.pathLength();
        int at = setOwner.limit() + SetOwnerDecoder.pathHeaderLength();
        setOwner.skipPath();
        String owner = setOwner.owner();
        String group = setOwner.group();
        Status outcome = ChangeTarget.resolve(request, setOwner.baseId(), at, length);
        if (outcome == Status.OK) {
            outcome = isValid(owner) && isValid(group) ? change(request, owner, group) : Status.INVALID_ARGUMENT;
        }
        request.reply().status(request.path().seen(outcome));
    }

    private boolean isValid(String principal) {
        name.set(principal);
        return principal.isEmpty() || name.check() == Status.OK;
    }

    private Status change(Request request, String owner, String group) {
        try {
            target.lockAlone(request);
            // The look is for superusers too: the pool must not remember names that are given to what does not exist.
            Status outcome = target.lookAsOwner(request);
            return outcome == Status.OK ? chown(request, owner, group) : outcome;
        } finally {
            target.unlock(request);
        }
    }

    private Status chown(Request request, String owner, String group) {
        Status allowed = request.access().checkGift(owner, group);
        if (allowed != Status.OK) {
            return allowed;
        }
        int uid = principal(request.namespace(), owner);
        int gid = principal(request.namespace(), group);
        if (uid == FULL || gid == FULL) {
            return Status.NO_SPACE;
        }
        Attributes object = target.object();
        boolean isGiven = uid != Namespace.KEEP && uid != object.uid;
        boolean isMoved = gid != Namespace.KEEP && gid != object.gid;
        if (object.isDirectory() || !(isGiven || isMoved)) {
            return chown(request, uid, gid);
        }
        GrantEpochs.Cause cause = isGiven ? GrantEpochs.Cause.OWNER : GrantEpochs.Cause.MODE;
        return GrantEnd.by(request, object.id, cause, () -> chown(request, uid, gid));
    }

    private static Status chown(Request request, int uid, int gid) {
        PathResolver path = request.path();
        return request.partition().versions().chown(path.parentId, path.name, uid, gid, request.change());
    }

    private static int principal(Namespace namespace, String text) {
        if (text.isEmpty()) {
            return Namespace.KEEP;
        }
        int id = namespace.principalId(text);
        return id < 0 ? FULL : id;
    }
}
