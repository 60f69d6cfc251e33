package io.hmfs.core.layout;

/** The owner word of an entry: uid and gid, each 0 to 2^31 − 1. */
public final class Owner {
    /** Largest number of a user or a group. */
    public static final int ID_MAX = Integer.MAX_VALUE;

    private Owner() {}

    public static long of(int uid, int gid) {
        return Integer.toUnsignedLong(uid) | (long) gid << 32;
    }

    public static int uid(long owner) {
        return (int) owner;
    }

    public static int gid(long owner) {
        return (int) (owner >>> 32);
    }
}
