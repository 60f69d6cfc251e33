package io.hmfs.server.exec;

import io.hmfs.client.ResultCode;
import io.hmfs.core.Namespace;
import io.hmfs.core.type.Acl;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.access.AclItem;
import io.hmfs.server.access.AclRules;
import io.hmfs.server.access.InvalidAclException;
import io.hmfs.wire.AccessDecoder;
import io.hmfs.wire.GetAclDecoder;
import io.hmfs.wire.ModifyAclDecoder;
import io.hmfs.wire.RemoveAclDecoder;
import io.hmfs.wire.RemoveAclEntriesDecoder;
import io.hmfs.wire.RemoveDefaultAclDecoder;
import io.hmfs.wire.SetAclDecoder;
import io.hmfs.wire.Wire;
import java.util.Arrays;
import java.util.List;

/**
 * Requests about access control lists, with the rules of HDFS: whoever may pass the directories above may see one, the owner and the
 * superuser change it. No hot path: entries become objects.
 *
 * <p>What a list becomes is thought out without a lock, from what it is; the engine then changes it if it is still that, else all is
 * done again. So no name gets a number in the pool before it is seen that the user may change this list, and to one that can be.
 */
final class AclRequests {
    private static final int ATTEMPTS_MAX = 64;
    private static final int ALL = 7;

    private final Worker worker;
    private final Namespace namespace;
    private final ChangeRequests changes;
    private final GetAclDecoder get = new GetAclDecoder();
    private final AccessDecoder access = new AccessDecoder();
    private final ModifyAclDecoder modify = new ModifyAclDecoder();
    private final RemoveAclEntriesDecoder removeEntries = new RemoveAclEntriesDecoder();
    private final RemoveDefaultAclDecoder removeDefault = new RemoveDefaultAclDecoder();
    private final RemoveAclDecoder remove = new RemoveAclDecoder();
    private final SetAclDecoder set = new SetAclDecoder();
    private final Attributes object = Attributes.withAcl();
    private final Attributes wanted = Attributes.withAcl();
    private final Name name = new Name();

    AclRequests(Worker worker, ChangeRequests changes) {
        this.worker = worker;
        this.changes = changes;
        namespace = worker.namespace;
    }

    /** Executes the current request if it is one of these. */
    boolean takes(int templateId) {
        switch (templateId) {
            case GetAclDecoder.TEMPLATE_ID -> get();
            case AccessDecoder.TEMPLATE_ID -> access();
            case ModifyAclDecoder.TEMPLATE_ID -> modify();
            case RemoveAclEntriesDecoder.TEMPLATE_ID -> removeEntries();
            case RemoveDefaultAclDecoder.TEMPLATE_ID -> removeDefault();
            case RemoveAclDecoder.TEMPLATE_ID -> remove();
            case SetAclDecoder.TEMPLATE_ID -> set();
            default -> {
                return false;
            }
        }
        return true;
    }

    private void get() {
        worker.checkBlock(GetAclDecoder.BLOCK_LENGTH);
        get.wrap(worker.in, Wire.HEADER_SIZE, worker.header.blockLength(), worker.header.version());
        int length = get.pathLength();
        PathResolver path = worker.path;
        Status outcome = changes.resolve(path, get.baseId(), get.limit() + GetAclDecoder.pathHeaderLength(), length);
        outcome = outcome == Status.OK ? changes.look(path, object) : outcome;
        if (outcome == Status.OK) {
            StringBuilder entries = new StringBuilder();
            for (long entry : object.acl) {
                entries.append(entries.isEmpty() ? "" : "\0").append(AclRules.item(entry, namespace::principalName));
            }
            worker.reply.acl(object, entries.toString());
        } else {
            worker.reply.status(path.seen(outcome));
        }
    }

    private void access() {
        worker.checkBlock(AccessDecoder.BLOCK_LENGTH);
        access.wrap(worker.in, Wire.HEADER_SIZE, worker.header.blockLength(), worker.header.version());
        int asked = access.wanted();
        int length = access.pathLength();
        PathResolver path = worker.path;
        Status outcome =
                changes.resolve(path, access.baseId(), access.limit() + AccessDecoder.pathHeaderLength(), length);
        outcome = outcome == Status.OK ? changes.look(path, object) : outcome;
        if (outcome == Status.OK) {
            outcome = asked > ALL ? Status.INVALID_ARGUMENT : path.may(object, asked);
        }
        worker.reply.status(path.seen(outcome));
    }

    private void modify() {
        worker.checkBlock(ModifyAclDecoder.BLOCK_LENGTH);
        modify.wrap(worker.in, Wire.HEADER_SIZE, worker.header.blockLength(), worker.header.version());
        int length = modify.pathLength();
        int at = modify.limit() + ModifyAclDecoder.pathHeaderLength();
        modify.skipPath();
        change(modify.baseId(), at, length, modify.entries(), true, AclRules::modify);
    }

    private void removeEntries() {
        worker.checkBlock(RemoveAclEntriesDecoder.BLOCK_LENGTH);
        removeEntries.wrap(worker.in, Wire.HEADER_SIZE, worker.header.blockLength(), worker.header.version());
        int length = removeEntries.pathLength();
        int at = removeEntries.limit() + RemoveAclEntriesDecoder.pathHeaderLength();
        removeEntries.skipPath();
        change(removeEntries.baseId(), at, length, removeEntries.entries(), false, AclRules::remove);
    }

    private void removeDefault() {
        worker.checkBlock(RemoveDefaultAclDecoder.BLOCK_LENGTH);
        removeDefault.wrap(worker.in, Wire.HEADER_SIZE, worker.header.blockLength(), worker.header.version());
        int length = removeDefault.pathLength();
        int at = removeDefault.limit() + RemoveDefaultAclDecoder.pathHeaderLength();
        removeDefault.skipPath();
        change(removeDefault.baseId(), at, length, "", false, (existing, _) -> AclRules.removeDefault(existing));
    }

    private void remove() {
        worker.checkBlock(RemoveAclDecoder.BLOCK_LENGTH);
        remove.wrap(worker.in, Wire.HEADER_SIZE, worker.header.blockLength(), worker.header.version());
        int length = remove.pathLength();
        int at = remove.limit() + RemoveAclDecoder.pathHeaderLength();
        remove.skipPath();
        change(remove.baseId(), at, length, "", false, (existing, _) -> AclRules.removeAll(existing));
    }

    private void set() {
        worker.checkBlock(SetAclDecoder.BLOCK_LENGTH);
        set.wrap(worker.in, Wire.HEADER_SIZE, worker.header.blockLength(), worker.header.version());
        int length = set.pathLength();
        int at = set.limit() + SetAclDecoder.pathHeaderLength();
        set.skipPath();
        String entries = set.entries();
        boolean none = entries.isEmpty(); // as in HDFS
        change(
                set.baseId(),
                at,
                length,
                entries,
                true,
                none ? (existing, _) -> AclRules.removeAll(existing) : AclRules::replace);
    }

    private void change(long base, int at, int length, String text, boolean gives, AclRules.Change change) {
        PathResolver path = worker.path;
        List<AclItem> asked = AclItem.parse(text);
        if (asked == null || !asked.stream().allMatch(each -> isValid(each, gives))) {
            worker.reply.failure(
                    ResultCode.INVALID_ARGUMENT,
                    "an ACL entry is [default:](user|group|mask|other):[NAME]:rwx, not so: " + text.replace('\0', ','));
            return;
        }
        Status outcome = changes.resolve(path, base, at, length);
        try {
            if (outcome == Status.OK) {
                outcome = Status.STALE;
                for (int attempt = 0; attempt < ATTEMPTS_MAX && outcome == Status.STALE; attempt++) {
                    outcome = changeOnce(path, asked, change);
                }
            }
            worker.reply.status(path.seen(outcome));
        } catch (InvalidAclException e) {
            worker.reply.failure(ResultCode.INVALID_ACL, e.getMessage() + " Path: " + path.whole());
        }
    }

    private boolean isValid(AclItem item, boolean gives) {
        name.set(item.name());
        return (item.name().isEmpty() || name.check() == Status.OK) && (!gives || item.permission() != AclItem.UNSAID);
    }

    /** STALE: the list was changed meanwhile. */
    private Status changeOnce(PathResolver path, List<AclItem> asked, AclRules.Change change)
            throws InvalidAclException {
        Status outcome = changes.look(path, object);
        outcome = outcome == Status.OK ? path.isOwner(object) : outcome;
        if (outcome != Status.OK) {
            return outcome;
        }
        List<AclItem> whole = change.of(AclRules.whole(object, namespace::principalName), asked);
        if (!object.isDirectory() && whole.stream().anyMatch(AclItem::isDefault)) {
            throw new InvalidAclException("Invalid ACL: only directories may have a default ACL.");
        }
        wanted.mode = object.mode;
        AclRules.store(whole, namespace::principalId, wanted);
        if (!Acl.isValid(wanted.acl)) {
            return Status.NO_SPACE; // a name that gets no number
        }
        worker.once.enter();
        outcome = worker.service.changes.changeAcl(path.parentId, path.name, this::swap);
        worker.once.leave();
        return outcome;
    }

    private Status swap(Attributes present) {
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
