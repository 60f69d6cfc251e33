package io.hmfs.server.path;

import io.hmfs.core.Namespace;
import io.hmfs.core.type.Acl;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.access.Access;
import io.hmfs.server.access.Caller;
import io.hmfs.server.access.Inheritance;
import io.hmfs.server.metrics.WorkerMeter;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.LongPredicate;

/**
 * Walks (base directory, remaining path) component by component to the directory that holds the last one, and sees on the way
 * that the user may pass each directory; from the root it begins at the deepest directory that this thread knows to be as it was
 * when it was walked to ({@link PrefixCache}). Reused for every request of a thread: allocates nothing (I7).
 *
 * <p>An id is no secret and proves nothing: a path that begins at another directory than the root is walked from the root too,
 * along the base's own path, unless nothing is checked for this user.
 */
public final class PathResolver {
    private static final int MKDIR_ATTEMPTS_MAX = 8;
    private static final int BASE_ATTEMPTS_MAX = 8;

    /** What the owner of a directory made on the way needs, to make what comes below it. */
    private static final int WAY_MODE = 0300;

    private static final int PERMISSIONS = 0777; // a sticky bit is not inherited
    private static final int INHERITED = -1;

    private static final Name ROOT_NAME = new Name();

    private final Namespace namespace;
    private final NameVersions versions;
    private final LongPredicate orphans;
    private final PrefixCache known;
    private final WorkerMeter meter;
    private final Access access;
    private final DirectoryMaker parents;
    private final boolean mayWait;
    private final SymbolicLinks links;
    private final Access.Where parentPath = this::parentPath;
    private final Access.Where fullPath = this::whole;
    private final byte[] path = new byte[Wire.PATH_MAX + PrefixCache.SLACK];
    private final PathValidation validation = new PathValidation();
    private final Attributes parent = Attributes.withAcl();
    private boolean parentSeen;
    private boolean make;
    private boolean isMade; // the directory that holds the last component, by this request
    private int makeMode;
    private int makeUnmasked;
    private long base;
    private String basePath = "";
    private int nameAt;
    private int length;

    /** The last component; empty if the path names the base itself. */
    public final Name name = new Name();

    /** The directory that holds {@link #name}; for the root {@link Namespace#ROOT_PARENT_ID}. */
    public long parentId;

    /** Whether the path names the base directory itself. */
    public boolean isBase;

    /**
     * Makes a resolver for one thread.
     *
     * @param orphans tells of a directory's id whether it was removed with a directory above it
     * @param known the prefix cache that this thread's resolvers share
     * @param parents makes missing parents, see {@link #makeParents}
     * @param mayWait whether {@link #stands} is asked
     */
    public PathResolver(
            Namespace namespace,
            NameVersions versions,
            LongPredicate orphans,
            PrefixCache known,
            WorkerMeter meter,
            Access access,
            SymbolicLinks links,
            DirectoryMaker parents,
            boolean mayWait) {
        this.namespace = namespace;
        this.versions = versions;
        this.orphans = orphans;
        this.known = known;
        this.meter = meter;
        this.access = access;
        this.links = links;
        this.parents = parents;
        this.mayWait = mayWait;
    }

    /**
     * Makes missing parents in the next {@link #resolve}, owned by the user with their own parent's group. {@code unmasked}: their mode before
     * the umask, for a directory with a default ACL.
     */
    public void makeParents(int mode, int unmasked) {
        make = true;
        makeMode = mode | WAY_MODE;
        makeUnmasked = unmasked;
    }

    /**
     * Makes missing parents in the next {@link #resolve}, as {@link #makeParents} does, with the mode of the last directory that there is,
     * below a default ACL too.
     */
    public void makeParentsAsAbove() {
        make = true;
        makeMode = INHERITED;
    }

    /** Appends the whole path that was resolved last. Returns its length. */
    public int copyTo(ByteBuf out) {
        out.writeBytes(path, 0, length);
        return length;
    }

    /** Whether the path that was resolved last, from the root, is this text. */
    public boolean is(byte[] text) {
        int first = length > 0 && path[0] == '/' ? 1 : 0;
        return base == Namespace.ROOT_ID
                && text.length > 0
                && text[0] == '/'
                && Arrays.equals(text, 1, text.length, path, first, length);
    }

    /**
     * Whether nothing has changed on the path since it was resolved: each name on it leads where it led, and the user may still pass. False also where the
     * resolution did not record enough to tell: the path began at another directory than the root, or has more than {@value PathValidation#NAMES_MAX} names.
     */
    public boolean stands() {
        return !access.isLimited() || (validation.isWhole() && validation.stands(versions));
    }

    /** Where that path begins. */
    public long base() {
        return base;
    }

    /** Resolves all but the last component. OK: {@link #parentId} and {@link #name} are set. */
    public Status resolve(long baseId, WireBuffer in, int index, int bytes) {
        base = baseId;
        basePath = "";
        isMade = false;
        length = bytes > Wire.PATH_MAX ? 0 : bytes;
        try {
            return seen(bytes > Wire.PATH_MAX ? Status.NAME_TOO_LONG : walk(in, index));
        } finally {
            make = false; // also after a malformed frame: the next path, of whatever user, makes nothing
        }
    }

    private Status walk(WireBuffer in, int index) {
        in.getBytes(index, path, 0, length);
        int first = length > 0 && path[0] == '/' ? 1 : 0;
        isBase = first == length;
        nameAt = first;
        validation.begin(base == Namespace.ROOT_ID);
        Status entered = base == Namespace.ROOT_ID ? enterRoot(first) : enterBase();
        if (entered != Status.OK) {
            return entered;
        }
        if (isBase) {
            name.seal(0);
            parentId = base == Namespace.ROOT_ID ? Namespace.ROOT_PARENT_ID : base;
            return Status.OK;
        }
        if (make) {
            Status valid = checkAll(first, length); // else the parents of an impossible name would be left behind
            if (valid != Status.OK) {
                return valid;
            }
        }
        for (int begin = nameAt; ; ) {
            int end = endOfComponent(begin, length);
            nameAt = begin;
            Status status = take(begin, end);
            if (status == Status.OK) {
                status = mayInParent(Access.EXECUTE);
            }
            if (status != Status.OK || end == length) {
                return status;
            }
            status = descend(end);
            if (status != Status.OK) {
                return status;
            }
            known.keep(path, first, end, validation, parent);
            begin = end + 1;
        }
    }

    /** Goes to the deepest directory of the path that is known and that the user gets to, else to the root; the rest begins at {@link #nameAt}. */
    private Status enterRoot(int first) {
        int directories = slashBefore(length, first);
        for (int end = directories; ; end = slashBefore(end, first)) {
            PrefixCache.Place place = known.find(path, first, end);
            if (place != null && place.validation.admits(access)) {
                place.describe(parent);
                parentId = parent.id;
                parentSeen = true;
                nameAt = end == first ? first : end + 1;
                boolean isWhole = end == directories;
                meter.add(isWhole ? WorkerMeter.Tally.PATH_HITS : WorkerMeter.Tally.PATH_MISSES, 1);
                if (!isWhole || mayWait) {
                    validation.copy(place.validation);
                }
                return Status.OK;
            }
            if (end == first) {
                meter.add(WorkerMeter.Tally.PATH_MISSES, 1);
                return seeRoot(first);
            }
        }
    }

    private Status seeRoot(int first) {
        parentId = Namespace.ROOT_ID;
        validation.enter(versions, Namespace.ROOT_PARENT_ID, ROOT_NAME);
        Status status = namespace.stat(Namespace.ROOT_PARENT_ID, ROOT_NAME, parent);
        parentSeen = status == Status.OK;
        if (parentSeen) {
            known.keep(path, first, first, validation, parent);
        }
        return status;
    }

    /** Where the last slash stands in front of {@code end}, or {@code first} if none does. */
    private int slashBefore(int end, int first) {
        int at = end - 1;
        while (at > first && path[at] != '/') {
            at--;
        }
        return Math.max(at, first);
    }

    /** Sees the attributes of the directory that the path begins at. */
    private Status enterBase() {
        parentId = base;
        parentSeen = false;
        return access.isLimited() ? walkToBase() : orphans.test(base) ? Status.NO_SUCH_DIRECTORY : Status.OK;
    }

    /** From the root to the base, by the base's own path: again if that changes meanwhile. */
    private Status walkToBase() {
        StringBuilder text = new StringBuilder();
        for (int attempt = 0; attempt < BASE_ATTEMPTS_MAX; attempt++) {
            text.setLength(0);
            Status status = namespace.path(base, text);
            if (status != Status.OK) {
                return status;
            }
            status = walkTo(text.substring(1));
            if (status == Status.ACCESS_DENIED || (status == Status.OK && parent.id == base)) {
                parentSeen = true;
                return status;
            }
        }
        return Status.NO_SUCH_DIRECTORY;
    }

    private Status walkTo(String way) {
        Status seen = namespace.stat(Namespace.ROOT_PARENT_ID, ROOT_NAME, parent);
        if (seen != Status.OK) {
            return seen;
        }
        long at = Namespace.ROOT_ID;
        basePath = "/" + way;
        for (int begin = 0; begin < way.length(); ) {
            int reached = begin;
            Status status =
                    access.check(parent, Access.EXECUTE, () -> "/" + way.substring(0, Math.max(0, reached - 1)));
            if (status != Status.OK) {
                return status;
            }
            int end = way.indexOf('/', begin);
            end = end < 0 ? way.length() : end;
            name.set(way.substring(begin, end));
            status = namespace.stat(at, name, parent);
            if (status != Status.OK || !parent.isDirectory()) {
                return Status.NOT_FOUND;
            }
            at = parent.id;
            begin = end + 1;
        }
        return Status.OK;
    }

    private Status checkAll(int first, int length) {
        for (int begin = first; begin <= length; ) {
            int end = endOfComponent(begin, length);
            Status status = take(begin, end);
            if (status != Status.OK) {
                return status;
            }
            begin = end + 1;
        }
        return Status.OK;
    }

    private int endOfComponent(int begin, int length) {
        int end = begin;
        while (end < length && path[end] != '/') {
            end++;
        }
        return end;
    }

    private Status take(int begin, int end) {
        name.set(path, begin, end - begin);
        return name.check();
    }

    private Status descend(int end) {
        validation.pass(parent);
        validation.enter(versions, parentId, name);
        Status status = namespace.stat(parentId, name, parent);
        if (status == Status.NOT_FOUND && make) {
            status = namespace.statDirectory(parentId, parent); // not what had the name, and has just gone
            parentSeen = status == Status.OK;
            status = parentSeen ? mayInParent(Access.WRITE) : status;
            status = status == Status.OK ? makeDirectory() : status;
        } else {
            isMade = false;
        }
        if (status != Status.OK) {
            parentSeen = false;
            return status;
        }
        if (!parent.isDirectory()) {
            return parent.isSymlink() ? unresolved(end) : Status.NOT_DIRECTORY;
        }
        parentId = parent.id;
        parentSeen = true;
        return Status.OK;
    }

    /**
     * Called after a {@link #resolve} that found a directory under the path's name: from here on the path names {@code child} in it. The user
     * must be allowed to pass the directory. NO_SUCH_DIRECTORY: it has gone meanwhile; DAMAGED: its record is not believed.
     */
    public Status enter(long directory, Name child) {
        int slash = length > 0 && path[length - 1] == '/' ? length - 1 : length;
        int end = slash + 1 + child.length();
        if (end > Wire.PATH_MAX) {
            return Status.NAME_TOO_LONG;
        }
        Status status = namespace.statDirectory(directory, parent);
        parentSeen = status == Status.OK;
        if (!parentSeen) {
            return status;
        }
        path[slash] = '/';
        System.arraycopy(child.buffer(), 0, path, slash + 1, child.length());
        nameAt = slash + 1;
        length = end;
        isBase = false;
        parentId = directory;
        name.set(child.buffer(), 0, child.length());
        return mayInParent(Access.EXECUTE);
    }

    /**
     * Sees what the path names; of a symbolic link the link itself, its target in {@link SymbolicLinks#target}.
     */
    public Status look(Attributes out) {
        links.clear();
        return isBase && parentId != Namespace.ROOT_PARENT_ID
                ? namespace.statDirectory(parentId, out)
                : links.look(parentId, name, out);
    }

    /** The last component is a symbolic link, and the request is about what it leads to. */
    public Status unresolved() {
        return unresolved(length);
    }

    private Status unresolved(int end) {
        return links.unresolved(parentId, name, new String(path, end, length - end, StandardCharsets.UTF_8));
    }

    private Status makeDirectory() {
        if (makeMode == INHERITED) {
            makeMode = (parent.mode & PERMISSIONS) | WAY_MODE;
            makeUnmasked = makeMode;
        }
        int gid = parentGid(); // now: the attempts below overwrite what is known of the parent
        int uid = access.number();
        if (uid == Caller.NOBODY) {
            return Status.NO_SPACE;
        }
        long[] above = parentAcl();
        boolean inherits = Acl.hasDefault(above);
        int mode = inherits ? Inheritance.mode(above, makeUnmasked) : makeMode;
        long[] acl = inherits ? Inheritance.acl(above, true) : Acl.NONE;
        for (int attempt = 0; attempt < MKDIR_ATTEMPTS_MAX; attempt++) {
            Status status = parents.mkdir(parentId, name, mode, uid, gid, acl, parent);
            isMade = status == Status.OK;
            if (status != Status.EXISTS) {
                return status;
            }
            status = namespace.stat(parentId, name, parent); // another thread was faster
            if (status != Status.NOT_FOUND) {
                return status;
            }
        }
        return Status.NOT_FOUND;
    }

    /** The group of the directory that holds the last component; 0 if it is gone, and the operation will find so too. */
    public int parentGid() {
        return seeParent() == Status.OK ? parent.gid : 0;
    }

    /** The ACL of that directory, from whose default list what is made in it gets its own. */
    public long[] parentAcl() {
        return seeParent() == Status.OK ? parent.acl : Acl.NONE;
    }

    /** Sees that directory: NO_SUCH_DIRECTORY if it is gone; DAMAGED: what it says of owner, group and ACL is not believed. */
    public Status seeParent() {
        Status status = parentSeen ? Status.OK : namespace.statDirectory(parentId, parent);
        parentSeen = status == Status.OK;
        return status;
    }

    /** Attributes of the directory that holds the last component, or of the base if the path names that; filled if limited. */
    public Attributes parent() {
        return parent;
    }

    /**
     * Whether the user may do this in the directory that holds the last component. In one that this request has made, with whatever mode a
     * default ACL gave it, the user may go on: the last directory that was there has been asked, as in HDFS.
     */
    public Status mayInParent(int wanted) {
        return isMade || !access.isLimited() ? Status.OK : access.check(parent, wanted, parentPath);
    }

    /**
     * As {@link #mayInParent}, also after a {@link #resolve} that was NOT_FOUND: then in the deepest directory of the path that is there. HDFS
     * asks that before it tells what is missing.
     */
    public Status mayInAncestor(int wanted) {
        return !access.isLimited() || seeParent() != Status.OK ? Status.OK : mayInParent(wanted);
    }

    /** Whether the user may do this with what the path names. */
    public Status may(Attributes object, int wanted) {
        return access.check(object, wanted, fullPath);
    }

    /** Whether a sticky bit lets the user take away the name of what the path names. */
    public Status mayTakeAway(Attributes object) {
        return access.checkSticky(parent, object, fullPath);
    }

    /** Whether {@link #mayTakeAway} depends on the object at all. */
    public boolean isParentSticky() {
        return access.isLimited() && Access.isSticky(parent);
    }

    public Status isOwner(Attributes object) {
        return access.checkOwner(object, fullPath);
    }

    /** The whole path that was resolved, from the root. */
    public String whole() {
        return text(length);
    }

    private String parentPath() {
        return text(Math.max(nameAt - 1, 0));
    }

    private String text(int end) {
        String given = new String(path, 0, end, StandardCharsets.UTF_8);
        String whole = basePath + (given.isEmpty() || given.startsWith("/") ? given : "/" + given);
        return whole.isEmpty() ? "/" : whole;
    }

    /** What an outcome means to a client that gave a whole path: a parent that went away in between was not found. */
    public Status seen(Status status) {
        return seen(status, base);
    }

    public static Status seen(Status status, long baseId) {
        return status == Status.NO_SUCH_DIRECTORY && baseId == Namespace.ROOT_ID ? Status.NOT_FOUND : status;
    }
}
