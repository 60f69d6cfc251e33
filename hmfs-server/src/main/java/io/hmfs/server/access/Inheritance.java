package io.hmfs.server.access;

import io.hmfs.core.type.Acl;
import java.util.Arrays;

/** What is made in a directory with a default list gets from it: as in HDFS, the umask counts for nothing there (HDFS-6962). */
public final class Inheritance {
    private static final int MINIMAL = 3; // owner, group, others: no more than a mode can say

    private Inheritance() {}

    /** The mode: of what was asked for, without the umask, what the default list grants too. */
    public static int mode(long[] parent, int asked) {
        int from = begin(parent);
        boolean minimal = parent.length - from == MINIMAL;
        int mode = asked & ~0777;
        for (int i = from; i < parent.length; i++) {
            int type = Acl.type(parent[i]);
            boolean ofGroup = type == Acl.MASK || (type == Acl.GROUP && minimal);
            int shift = type == Acl.OTHER ? 0 : ofGroup ? 3 : 6;
            if (!Acl.isNamed(parent[i]) && (ofGroup || type != Acl.GROUP)) {
                mode |= Acl.permission(parent[i]) << shift & asked;
            }
        }
        return mode;
    }

    /** The list: its access entries are the default ones, and a directory has those too. */
    public static long[] acl(long[] parent, boolean directory) {
        int from = begin(parent);
        boolean minimal = parent.length - from == MINIMAL;
        long[] acl = new long[2 * (parent.length - from)];
        int count = 0;
        for (int i = from; i < parent.length && !minimal; i++) {
            int type = Acl.type(parent[i]);
            int permission = Acl.permission(parent[i]);
            if (Acl.isNamed(parent[i])) {
                acl[count++] = Acl.entry(false, type, permission, Acl.id(parent[i]));
            } else if (type == Acl.GROUP) {
                acl[count++] = Acl.entry(false, type, permission);
            }
        }
        for (int i = from; i < parent.length && directory; i++) {
            acl[count++] = parent[i];
        }
        return count == 0 ? Acl.NONE : Arrays.copyOf(acl, count);
    }

    private static int begin(long[] acl) {
        int at = 0;
        while (at < acl.length && !Acl.isDefault(acl[at])) {
            at++;
        }
        return at;
    }
}
