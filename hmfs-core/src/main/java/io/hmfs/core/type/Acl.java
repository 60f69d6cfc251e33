package io.hmfs.core.type;

/**
 * An access control list (POSIX 1003.1e draft 17) as HDFS keeps it beside the mode: one word for each entry, in this order: what the access
 * list has beyond owner, mask and others, which are the mode's (its group bits are the mask then), and the default list, whole. A list is
 * a {@code long[]} that is never changed; {@link #NONE}: there is none.
 *
 * <p>entry = permission (rwx) | type &lt;&lt; 3 | default &lt;&lt; 5 | named &lt;&lt; 6 | number of the user or group &lt;&lt; 32.
 */
public final class Acl {
    public static final long[] NONE = {};

    public static final int USER = 0;
    public static final int GROUP = 1;
    public static final int MASK = 2;
    public static final int OTHER = 3;

    /** Most entries that an object has: 32 of each list, of which three of the access list stand in the mode. */
    public static final int ENTRIES_MAX = 61;

    private static final long DEFAULT = 1L << 5;
    private static final long NAMED = 1L << 6;
    private static final long USED = 0x7fff_ffff_0000_007fL;

    private Acl() {}

    /** An entry for the owner, the owning group, the mask or others. */
    public static long entry(boolean isDefault, int type, int permission) {
        return permission | (long) type << 3 | (isDefault ? DEFAULT : 0);
    }

    /** An entry for a user or a group by number. */
    public static long entry(boolean isDefault, int type, int permission, int id) {
        return entry(isDefault, type, permission) | NAMED | (long) id << 32;
    }

    public static int permission(long entry) {
        return (int) entry & 7;
    }

    public static int type(long entry) {
        return (int) entry >>> 3 & 3;
    }

    public static boolean isDefault(long entry) {
        return (entry & DEFAULT) != 0;
    }

    /** Whether it is for a user or a group by number. */
    public static boolean isNamed(long entry) {
        return (entry & NAMED) != 0;
    }

    public static int id(long entry) {
        return (int) (entry >>> 32);
    }

    /** Whether the list has something to say beyond the mode of its own object. */
    public static boolean hasAccess(long[] acl) {
        return acl.length > 0 && !isDefault(acl[0]);
    }

    /** Whether what is made in such a directory gets a list from it. */
    public static boolean hasDefault(long[] acl) {
        return acl.length > 0 && isDefault(acl[acl.length - 1]);
    }

    /** Whether this can be a list: entries of each list in the order of their types, no two alike, none missing. */
    public static boolean isValid(long[] acl) {
        long types = 0; // without a name, by scope
        for (int i = 0; i < acl.length; i++) {
            boolean kept = isDefault(acl[i]) || isNamed(acl[i]) || type(acl[i]) == GROUP;
            boolean mayBeNamed = type(acl[i]) == USER || type(acl[i]) == GROUP;
            if ((acl[i] & ~USED) != 0 || !kept || (isNamed(acl[i]) ? !mayBeNamed : id(acl[i]) != 0)) {
                return false;
            }
            if (i > 0 && (rank(acl[i]) < rank(acl[i - 1]) || isTwin(acl, i))) {
                return false;
            }
            types |= isNamed(acl[i]) ? 0 : 1L << rank(acl[i]);
        }
        boolean access = !hasAccess(acl) || has(types, entry(false, GROUP, 0));
        boolean byDefault = !hasDefault(acl)
                || (has(types, entry(true, USER, 0))
                        && has(types, entry(true, GROUP, 0))
                        && has(types, entry(true, OTHER, 0)));
        return acl.length <= ENTRIES_MAX && access && byDefault;
    }

    private static boolean has(long types, long entry) {
        return (types >>> rank(entry) & 1) != 0;
    }

    /** By list, type, and without a name first. */
    private static int rank(long entry) {
        return (isDefault(entry) ? 8 : 0) | type(entry) << 1 | (isNamed(entry) ? 1 : 0);
    }

    private static boolean isTwin(long[] acl, int at) {
        for (int i = at - 1; i >= 0 && rank(acl[i]) == rank(acl[at]); i--) {
            if (id(acl[i]) == id(acl[at])) {
                return true;
            }
        }
        return false;
    }
}
