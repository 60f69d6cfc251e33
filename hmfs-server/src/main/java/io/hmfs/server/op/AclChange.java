package io.hmfs.server.op;

import io.hmfs.client.ResultCode;
import io.hmfs.core.type.Acl;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.access.AclItem;
import io.hmfs.server.access.AclRules;
import io.hmfs.server.access.InvalidAclException;
import io.hmfs.server.lease.GrantEpochs;
import io.hmfs.server.lease.Leases;
import io.hmfs.server.path.PathResolver;
import io.hmfs.server.request.Request;
import io.hmfs.server.share.UserShares;
import io.hmfs.server.share.UserShares.Resource;
import java.util.Arrays;
import java.util.List;

/**
 * A change of an access control list, with the rules of HDFS: the owner of an object and superusers make it. What the list becomes is
 * worked out without a lock, from what it is; the engine changes it if it is still that, else all is done again. So no name gets an id
 * in the pool before it is known that the user may change this list, and to one that can be. No hot path: entries are objects.
 */
final class AclChange {
    private static final int ATTEMPTS_MAX = 64;

    private final ChangeTarget target = new ChangeTarget();
    private final Attributes wanted = Attributes.withAcl();
    private final Name name = new Name();
    private String refusal = "";

    /**
     * Makes the change and replies.
     *
     * @param entries the request's entries, separated by NUL
     * @param gives whether each entry must have permissions
     */
    void execute(
            Request request, long base, int at, int length, String entries, boolean gives, AclRules.Change change) {
        PathResolver path = request.path();
        refusal = "";
        List<AclItem> asked = AclItem.parse(entries);
        if (asked == null || !asked.stream().allMatch(each -> isValid(each, gives))) {
            request.reply()
                    .failure(
                            ResultCode.INVALID_ARGUMENT,
                            "an ACL entry is [default:](user|group|mask|other):[NAME]:rwx, not so: "
                                    + entries.replace('\0', ','));
            return;
        }
        Status outcome = ChangeTarget.resolve(request, base, at, length);
        try {
            if (outcome == Status.OK) {
                outcome = Status.STALE;
                for (int attempt = 0; attempt < ATTEMPTS_MAX && outcome == Status.STALE; attempt++) {
                    outcome = changeOnce(request, asked, change);
                }
            }
            if (outcome == Status.NO_SPACE && !refusal.isEmpty()) {
                request.reply().failure(ResultCode.TOO_LARGE, refusal);
            } else {
                request.reply().status(path.seen(outcome));
            }
        } catch (InvalidAclException e) {
            request.reply().failure(ResultCode.INVALID_ACL, e.getMessage() + " Path: " + path.whole());
        }
    }

    private boolean isValid(AclItem item, boolean gives) {
        name.set(item.name());
        return (item.name().isEmpty() || name.check() == Status.OK) && (!gives || item.permission() != AclItem.UNSAID);
    }

    /** STALE: another request has changed the list meanwhile. */
    private Status changeOnce(Request request, List<AclItem> asked, AclRules.Change change) throws InvalidAclException {
        Status outcome = target.lookAsOwner(request);
        if (outcome != Status.OK) {
            return outcome;
        }
        Attributes object = target.object();
        List<AclItem> whole = change.of(AclRules.whole(object, request.namespace()::principalName), asked);
        if (!object.isDirectory() && whole.stream().anyMatch(AclItem::isDefault)) {
            throw new InvalidAclException("Invalid ACL: only directories may have a default ACL.");
        }
        wanted.mode = object.mode;
        AclRules.store(whole, named -> id(request, named), wanted);
        if (!Acl.isValid(wanted.acl)) {
            return Status.NO_SPACE; // a name that gets no id
        }
        return object.isDirectory() ? changeAcl(request) : changeFile(request, object.id);
    }

    /** A new name is charged to the user, for the pool keeps it for ever: or one user's lists could leave no room for the names of others. -1: no room. */
    private int id(Request request, String named) {
        int known = request.namespace().knownPrincipalId(named);
        if (known >= 0) {
            return known;
        }
        UserShares.Account account = request.partition().shares().join(request.userMark());
        try {
            if (account.tryTake(Resource.PRINCIPALS, 1)) {
                return request.namespace().principalId(named);
            }
            refusal = account.refusal(Resource.PRINCIPALS);
            return -1;
        } finally {
            account.leave();
        }
    }

    private Status changeFile(Request request, long inode) {
        Leases leases = request.partition().leases();
        long stamp = leases.alone(inode, request.mayWait());
        try {
            return GrantEnd.by(request, inode, GrantEpochs.Cause.MODE, () -> changeAcl(request));
        } finally {
            leases.endAlone(inode, stamp);
        }
    }

    private Status changeAcl(Request request) {
        PathResolver path = request.path();
        return request.partition().versions().changeAcl(path.parentId, path.name, this::swap, request.change());
    }

    private Status swap(Attributes present) {
        Attributes object = target.object();
        boolean same = present.id == object.id
                && present.mode == object.mode
                && present.uid == object.uid
                && Arrays.equals(present.acl, object.acl);
        if (!same) {
            return Status.STALE;
        }
        present.mode = wanted.mode;
        present.acl = wanted.acl;
        return Status.OK;
    }
}
