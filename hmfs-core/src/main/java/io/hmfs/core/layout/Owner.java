package io.hmfs.core.layout;

/** The owner word of an entry: uid, the low half of the gid, permission bits, and the mark of a unit not yet written back. */
public final class Owner {
    /** Largest gid that fits; larger ones need the journal of a later format. */
    public static final int GID_MAX = 0xffff;

    public static final int MODE_MAX = 07777;

    /** Set while the unit may not be durable yet: whoever reads it writes it back first (I2). */
    public static final long DIRTY = 1L << 63;

    private Owner() {}

    public static long of(int uid, int gid, int mode) {
        return Integer.toUnsignedLong(uid) | (long) gid << 32 | (long) mode << 48;
    }

    public static int uid(long owner) {
        return (int) owner;
    }

    public static int gid(long owner) {
        return (int) (owner >>> 32) & GID_MAX;
    }

    public static int mode(long owner) {
        return (int) (owner >>> 48) & MODE_MAX;
    }
}
