package io.hmfs.server.exec;

import io.hmfs.client.ResultCode;
import io.hmfs.core.Namespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.core.type.XattrMode;
import io.hmfs.wire.GetXattrsDecoder;
import io.hmfs.wire.ListXattrsDecoder;
import io.hmfs.wire.RemoveXattrDecoder;
import io.hmfs.wire.SetXattrDecoder;
import io.hmfs.wire.Wire;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Requests about extended attributes, with the rules of HDFS: what namespace a name is of says who may use it, and for {@code user.}
 * the object says so too. No hot path: names and values become objects.
 */
final class XattrRequests {
    private static final int VALUE_MAX = 1 << 16;
    private static final int STICKY = 01000;
    private static final byte[] NO_VALUE = {};

    private final Worker worker;
    private final Namespace namespace;
    private final ChangeRequests changes;
    private final GetXattrsDecoder get = new GetXattrsDecoder();
    private final ListXattrsDecoder list = new ListXattrsDecoder();
    private final SetXattrDecoder set = new SetXattrDecoder();
    private final RemoveXattrDecoder remove = new RemoveXattrDecoder();
    private final Attributes object = Attributes.withAcl();

    XattrRequests(Worker worker, ChangeRequests changes) {
        this.worker = worker;
        this.changes = changes;
        namespace = worker.namespace;
    }

    void set() {
        worker.checkBlock(SetXattrDecoder.BLOCK_LENGTH);
        set.wrap(worker.in, Wire.HEADER_SIZE, worker.header.blockLength(), worker.header.version());
        int length = set.pathLength();
        int at = set.limit() + SetXattrDecoder.pathHeaderLength();
        set.skipPath();
        String attribute = set.attribute();
        int valueLength = set.valueLength();
        worker.in.check(set.limit() + SetXattrDecoder.valueHeaderLength(), valueLength);
        boolean create = set.flags().create();
        boolean replace = set.flags().replace();
        if (!mayUse(attribute)) {
            return;
        }
        if (!create && !replace) {
            worker.reply.failure(
                    ResultCode.INVALID_ARGUMENT, "a setting that may neither create nor replace the attribute");
            return;
        }
        if (valueLength > VALUE_MAX) {
            worker.reply.status(Status.VALUE_TOO_LARGE);
            return;
        }
        byte[] value = new byte[valueLength];
        set.getValue(value, 0, valueLength);
        XattrMode mode = !create ? XattrMode.REPLACE : replace ? XattrMode.CREATE_OR_REPLACE : XattrMode.CREATE;
        Name name = Name.of(attribute);
        change(
                attribute,
                set.baseId(),
                at,
                length,
                path -> namespace.setXattr(path.parentId, path.name, name, value, mode));
    }

    void remove() {
        worker.checkBlock(RemoveXattrDecoder.BLOCK_LENGTH);
        remove.wrap(worker.in, Wire.HEADER_SIZE, worker.header.blockLength(), worker.header.version());
        int length = remove.pathLength();
        int at = remove.limit() + RemoveXattrDecoder.pathHeaderLength();
        remove.skipPath();
        String attribute = remove.attribute();
        if (mayUse(attribute)) {
            Name name = Name.of(attribute);
            change(
                    attribute,
                    remove.baseId(),
                    at,
                    length,
                    path -> namespace.removeXattr(path.parentId, path.name, name));
        }
    }

    private interface Action {
        Status on(PathResolver path);
    }

    private interface Check {
        Status of(PathResolver path);
    }

    private void change(String attribute, long base, int at, int length, Action action) {
        boolean ofUser = attribute.startsWith("user.");
        Status outcome =
                guarded(base, at, length, path -> ofUser ? mayChange(path) : Status.OK, path -> numbered(path, action));
        if (outcome == Status.NO_ATTRIBUTE) {
            missing(attribute);
        } else {
            worker.reply.status(worker.path.seen(outcome));
        }
    }

    private Status numbered(PathResolver path, Action action) {
        worker.once.enter();
        Status outcome = action.on(path);
        worker.once.leave();
        return outcome;
    }

    /** Resolves, looks at the object and acts on it, with the key locked in between if the user is one who is checked. */
    private Status guarded(long base, int at, int length, Check check, Action action) {
        PathResolver path = worker.path;
        Status outcome = changes.resolve(path, base, at, length);
        if (outcome != Status.OK) {
            return outcome;
        }
        int stripe = changes.lock(path);
        try {
            outcome = changes.look(path, object);
            outcome = outcome == Status.OK ? check.of(path) : outcome;
            return outcome == Status.OK ? action.on(path) : outcome;
        } finally {
            changes.unlock(stripe);
        }
    }

    /** Who may write the object; of a directory with a sticky bit, its owner. */
    private Status mayChange(PathResolver path) {
        boolean sticky = object.isDirectory() && (object.mode & STICKY) != 0;
        return sticky ? path.isOwner(object) : path.may(object, Access.WRITE);
    }

    void get() {
        worker.checkBlock(GetXattrsDecoder.BLOCK_LENGTH);
        get.wrap(worker.in, Wire.HEADER_SIZE, worker.header.blockLength(), worker.header.version());
        int length = get.pathLength();
        int at = get.limit() + GetXattrsDecoder.pathHeaderLength();
        get.skipPath();
        String text = get.attributes();
        String[] names = text.isEmpty() ? new String[0] : text.split("\0", -1);
        for (String name : names) {
            if (!mayUse(name)) {
                return;
            }
        }
        Map<String, byte[]> found = new LinkedHashMap<>();
        Status outcome = guarded(
                get.baseId(),
                at,
                length,
                path -> path.may(object, Access.READ),
                path -> namespace.readXattrs(path.parentId, path.name, (name, value) -> add(found, name, value)));
        if (outcome == Status.OK) {
            answer(names, found);
        } else {
            worker.reply.status(worker.path.seen(outcome));
        }
    }

    private void answer(String[] names, Map<String, byte[]> found) {
        if (names.length == 0) {
            worker.reply.xattrs(found);
            return;
        }
        Map<String, byte[]> asked = new LinkedHashMap<>();
        for (String name : names) {
            byte[] value = found.get(name);
            if (value == null) {
                missing(name);
                return;
            }
            asked.put(name, value);
        }
        worker.reply.xattrs(asked);
    }

    private void missing(String attribute) {
        worker.reply.failure(ResultCode.NO_ATTRIBUTE, "no extended attribute " + attribute);
    }

    /** What there is may be known to whoever may pass the directories above. */
    void list() {
        worker.checkBlock(ListXattrsDecoder.BLOCK_LENGTH);
        list.wrap(worker.in, Wire.HEADER_SIZE, worker.header.blockLength(), worker.header.version());
        int length = list.pathLength();
        int at = list.limit() + ListXattrsDecoder.pathHeaderLength();
        PathResolver path = worker.path;
        Map<String, byte[]> found = new LinkedHashMap<>();
        Status outcome = changes.resolve(path, list.baseId(), at, length);
        outcome = outcome == Status.OK ? changes.look(path, object) : outcome;
        if (outcome == Status.OK) {
            outcome = namespace.readXattrs(path.parentId, path.name, (name, value) -> add(found, name, NO_VALUE));
        }
        if (outcome == Status.OK) {
            worker.reply.xattrs(found);
        } else {
            worker.reply.status(path.seen(outcome));
        }
    }

    /** What the user may not use is not there. */
    private void add(Map<String, byte[]> found, Name name, byte[] value) {
        String text = name.toString();
        if (text.startsWith("user.") || (text.startsWith("trusted.") && !worker.access.isLimited())) {
            found.put(text, value);
        }
    }

    /** Whether the user may use attributes of such a name at all; if not, the reply says why. */
    private boolean mayUse(String attribute) {
        int dot = attribute.indexOf('.');
        String prefix = attribute.substring(0, Math.max(dot, 0));
        String denied = "User doesn't have permission for xattr: " + attribute;
        switch (prefix) {
            case "user" -> {}
            case "trusted" -> {
                if (worker.access.isLimited()) {
                    worker.reply.failure(ResultCode.ACCESS_DENIED, denied + " (trusted. is the superuser's)");
                    return false;
                }
            }
            case "security", "system" -> {
                worker.reply.failure(ResultCode.ACCESS_DENIED, denied + " (nobody may use " + prefix + ".)");
                return false;
            }
            case "raw" -> {
                worker.reply.failure(
                        ResultCode.ACCESS_DENIED,
                        denied + " (raw. is below /.reserved/raw only, which this filesystem does not have)");
                return false;
            }
            default -> {
                worker.reply.failure(
                        ResultCode.INVALID_ARGUMENT,
                        "an extended attribute's name begins with user. or trusted., not so: " + attribute);
                return false;
            }
        }
        if (attribute.length() == dot + 1) {
            worker.reply.failure(ResultCode.INVALID_NAME, "an extended attribute's name is empty behind " + attribute);
            return false;
        }
        return true;
    }
}
