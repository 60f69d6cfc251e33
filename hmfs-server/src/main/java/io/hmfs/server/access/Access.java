package io.hmfs.server.access;

import io.hmfs.core.Namespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Status;
import org.jspecify.annotations.Nullable;

/**
 * What the user of the current request may do with an object that it has met: the rules of HDFS, one by one. Each answers OK or
 * ACCESS_DENIED, and then keeps the sentence that says why. Allocates nothing but that.
 */
public final class Access {
    public static final int READ = 4;
    public static final int WRITE = 2;
    public static final int EXECUTE = 1;

    private static final int STICKY = 01000;
    private static final int PATH_MAX = 300; // characters of a path in a message
    private static final String[] ACTIONS = {
        "NONE", "EXECUTE", "WRITE", "WRITE_EXECUTE", "READ", "READ_EXECUTE", "READ_WRITE", "ALL"
    };

    /** Tells the path of what was refused; asked only then. */
    @FunctionalInterface
    public interface Where {
        String path();
    }

    private final Namespace namespace;
    private @Nullable Caller caller;
    private boolean limited = true;
    private String reason = "";

    public Access(Namespace namespace) {
        this.namespace = namespace;
    }

    /** The next request is this user's. */
    public void actFor(@Nullable Caller newCaller) {
        caller = newCaller;
        limited = newCaller == null || !newCaller.isUnlimited();
    }

    /**
     * Whether anything has to be checked for this user; the same all through a request, for a user that is not limited has nothing looked
     * up that a check would look at.
     */
    public boolean isLimited() {
        return limited;
    }

    /** Where a path leads over a symbolic link: what the reply says. */
    public Status leads(String where) {
        reason = where;
        return Status.UNRESOLVED_LINK;
    }

    /** Why the last check was answered ACCESS_DENIED; where a symbolic link leads. */
    public String reason() {
        return reason;
    }

    private Caller caller() {
        Caller known = caller;
        if (known == null) {
            throw new IllegalStateException("a request without a user");
        }
        return known;
    }

    /** Whether mode and ACL of such an object allow all of {@code wanted}; keeps no sentence. */
    public boolean may(int mode, int uid, int gid, long[] acl, int wanted) {
        return !limited || caller().may(mode, uid, gid, acl, wanted);
    }

    /** Whether mode and ACL allow all of {@code wanted}. */
    public Status check(Attributes object, int wanted, Where where) {
        if (object.hasAcl && object.acl.length == 0) {
            throw new IllegalStateException("an object is judged without its ACL");
        }
        if (may(object.mode, object.uid, object.gid, object.acl, wanted)) {
            return Status.OK;
        }
        return denied("Permission denied: user=" + caller().name() + ", access=" + ACTIONS[wanted] + ", inode="
                + shown(object, where.path()));
    }

    /** Whether the name of {@code child} may be taken away from its directory, as far as a sticky bit is concerned. */
    public Status checkSticky(Attributes directory, Attributes child, Where where) {
        if ((directory.mode & STICKY) == 0 || !isLimited()) {
            return Status.OK;
        }
        if (caller().is(directory.uid) || caller().is(child.uid)) {
            return Status.OK;
        }
        String path = where.path();
        String parent = path.substring(0, Math.max(path.lastIndexOf('/'), 1));
        return denied("Permission denied by sticky bit: user=" + caller().name() + ", path=" + shown(child, path)
                + ", parent=" + shown(directory, parent));
    }

    public static boolean isSticky(Attributes directory) {
        return (directory.mode & STICKY) != 0;
    }

    /** Whether this user owns the object, if anything has to be checked for it; keeps no sentence. */
    public boolean owns(Attributes object) {
        return limited && caller().is(object.uid);
    }

    /** Whether this user owns the object. */
    public Status checkOwner(Attributes object, Where where) {
        if (!isLimited() || caller().is(object.uid)) {
            return Status.OK;
        }
        return denied(
                "Permission denied. user=" + caller().name() + " is not the owner of inode=" + shortened(where.path()));
    }

    /**
     * Whether a user that owns an object may give it to these, either of which may be empty: none. As in HDFS, the group must be one of the
     * user's own even if the object has it already. By name, for a user that may not give must not make the pool remember names either.
     */
    public Status checkGift(String owner, String group) {
        if (!isLimited()) {
            return Status.OK;
        }
        String user = caller().name();
        if (!owner.isEmpty() && !owner.equals(user)) {
            return denied("User " + user + " is not a super user (non-super user cannot change owner).");
        }
        if (!group.isEmpty() && !caller().isIn(namespace.knownPrincipalId(group))) {
            return denied("User " + user + " does not belong to " + group);
        }
        return Status.OK;
    }

    /** For what is refused with a sentence of its own. */
    public Status refused(Status status, String why) {
        reason = why;
        return status;
    }

    /** ACCESS_DENIED, for what only superusers may do. */
    public Status deniedToOthersThanSuperusers() {
        return denied("Access denied for user " + user() + ". Superuser privilege is required");
    }

    /** For what no mode bit decides. */
    public Status denied(String why) {
        reason = why;
        return Status.ACCESS_DENIED;
    }

    /** Sees to it that the user has a number; {@link Caller#NOBODY}: there is no room for it. */
    public int number() {
        return caller().number();
    }

    public String user() {
        return caller().name();
    }

    /** As HDFS writes it: {@code "/dir":root:supergroup:drwxr-xr-x}. */
    private String shown(Attributes object, String path) {
        return '"' + shortened(path) + "\":" + namespace.principalName(object.uid) + ':'
                + namespace.principalName(object.gid) + ':'
                + (object.isDirectory() ? 'd' : '-') + symbols(object.mode);
    }

    private static String symbols(int mode) {
        StringBuilder text = new StringBuilder(9);
        for (int bit = 8; bit >= 0; bit--) {
            text.append((mode >>> bit & 1) == 0 ? '-' : "xwr".charAt(bit % 3));
        }
        if ((mode & STICKY) != 0) {
            text.setCharAt(8, text.charAt(8) == 'x' ? 't' : 'T');
        }
        return text.toString();
    }

    private static String shortened(String path) {
        return path.length() <= PATH_MAX ? path : "…" + path.substring(path.length() - PATH_MAX);
    }
}
