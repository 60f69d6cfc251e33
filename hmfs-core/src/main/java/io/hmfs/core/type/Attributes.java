package io.hmfs.core.type;

/**
 * Attributes of one object, filled in by the engine. Mutable so that the hot path can reuse one instance (I7); times are
 * nanoseconds since 1970-01-01T00:00Z, sizes are bytes.
 */
public final class Attributes {
    /** Most bytes of a file. */
    public static final long SIZE_MAX = (1L << 62) - 1;

    public long id;
    public FileType type = FileType.FILE;
    /** Permission bits, 0–07777. */
    public int mode;

    public int uid;
    public int gid;
    /** How many names the object has. In what delete and rename tell of a file whose name they removed: how many are left. */
    public int nlink;
    /** Whether it has, or has had, several names: a change under one that has just gone may still step its ctime on. */
    public boolean indirect;
    /** Bytes of a file's data, or of a symbolic link's target; 0 for a directory. */
    public long size;

    /** Whether every byte of a file below its size was written, as far as is known: one that is missing then was lost. False for an empty file. */
    public boolean dense;

    public long mtimeNanos;
    public long ctimeNanos;
    public long atimeNanos;
    /** When the entry was created or last moved: descending along a directory's list, hence its resume key (I4). */
    public long birthNanos;
    /** Whether there is an access control list beside the mode; if it has entries for this object, the mode's group bits are its mask. */
    public boolean hasAcl;
    /** That list, of the same moment as the mode, in attributes that are {@link #withAcl}; in others always {@link Acl#NONE}. */
    public long[] acl = Acl.NONE;

    private final boolean wantsAcl;

    public Attributes() {
        this(false);
    }

    private Attributes(boolean wantsAcl) {
        this.wantsAcl = wantsAcl;
    }

    /** Attributes into which the access control list is read too, if there is one: that makes an array. */
    public static Attributes withAcl() {
        return new Attributes(true);
    }

    public boolean wantsAcl() {
        return wantsAcl;
    }

    public boolean isDirectory() {
        return type == FileType.DIRECTORY;
    }

    public boolean isSymlink() {
        return type == FileType.SYMLINK;
    }
}
