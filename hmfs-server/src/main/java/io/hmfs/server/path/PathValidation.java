package io.hmfs.server.path;

import io.hmfs.core.type.Acl;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.server.access.Access;
import io.hmfs.server.lock.VersionStripes;
import java.util.Arrays;

/**
 * What the resolution of a path to a directory rests on: the versions of the names that were looked up, from the root's to the
 * directory's own, and the <em>restricted</em> directories before the last, those that not every user may pass. Reused: allocates nothing.
 */
public final class PathValidation {
    /** Names, that of the root among them. */
    public static final int NAMES_MAX = 33;

    /** Restricted directories with different owners or permissions; in most trees there is none. */
    public static final int RESTRICTED_MAX = 4;

    private static final int ALL_PASS = 0111;

    private final char[] stripes = new char[NAMES_MAX];
    private int names;
    private long versions; // their sum: each only grows, so it is the same only if each is
    private final int[] modes = new int[RESTRICTED_MAX];
    private final int[] uids = new int[RESTRICTED_MAX];
    private final int[] gids = new int[RESTRICTED_MAX];
    private final long[][] acls = new long[RESTRICTED_MAX][];
    private int restricted;
    private boolean whole;

    /** A resolution begins, at the root or elsewhere; of one elsewhere nothing is kept. */
    void begin(boolean atRoot) {
        names = 0;
        versions = 0;
        restricted = 0;
        whole = atRoot;
    }

    /** A name is about to be looked up. Its version before it is: afterwards the version could be that of a later change. */
    void enter(NameVersions changes, long parent, Name name) {
        int stripe = NameVersions.stripe(parent, name);
        long version = changes.version(stripe);
        if (names == NAMES_MAX || VersionStripes.isUnderWay(version)) {
            whole = false;
        } else {
            stripes[names++] = (char) stripe;
            versions += version;
        }
    }

    /** The resolution goes on behind this directory. */
    void pass(Attributes directory) {
        boolean listed = Acl.hasAccess(directory.acl);
        if ((directory.mode & ALL_PASS) == ALL_PASS && !listed) {
            return;
        }
        long[] acl = listed ? directory.acl : Acl.NONE;
        for (int i = 0; i < restricted; i++) {
            boolean same = modes[i] == directory.mode && uids[i] == directory.uid && gids[i] == directory.gid;
            if (same && Arrays.equals(acls[i], acl)) {
                return;
            }
        }
        if (restricted == RESTRICTED_MAX) {
            whole = false;
            return;
        }
        modes[restricted] = directory.mode;
        uids[restricted] = directory.uid;
        gids[restricted] = directory.gid;
        acls[restricted++] = acl;
    }

    /** Whether all is there that the resolution rests on, so that it can be kept. */
    boolean isWhole() {
        return whole;
    }

    /** Whether all is in this instant as it was seen. */
    boolean stands(NameVersions changes) {
        long sum = 0;
        for (int i = 0; i < names; i++) {
            sum += changes.version(stripes[i]);
        }
        return sum == versions;
    }

    /** Whether the user of the current request may pass all directories before the last. */
    boolean admits(Access access) {
        for (int i = 0; i < restricted; i++) {
            if (!access.may(modes[i], uids[i], gids[i], acls[i], Access.EXECUTE)) {
                return false;
            }
        }
        return true;
    }

    void copy(PathValidation other) {
        names = other.names;
        versions = other.versions;
        restricted = other.restricted;
        whole = other.whole;
        System.arraycopy(other.stripes, 0, stripes, 0, names);
        System.arraycopy(other.modes, 0, modes, 0, restricted);
        System.arraycopy(other.uids, 0, uids, 0, restricted);
        System.arraycopy(other.gids, 0, gids, 0, restricted);
        System.arraycopy(other.acls, 0, acls, 0, restricted);
    }
}
