package io.hmfs.core.type;

/**
 * Attributes of one object, filled in by the engine. Mutable so that the hot path can reuse one instance (I7); times are
 * nanoseconds since 1970-01-01T00:00Z, sizes are bytes.
 */
public final class Attributes {
    public long id;
    public FileType type = FileType.FILE;
    /** Permission bits, 0–07777. */
    public int mode;

    public int uid;
    public int gid;
    /** How many names the object has. In what delete and rename tell of a file whose name they removed: how many are left. */
    public int nlink;
    /** Bytes of a file's data, or of a symbolic link's target; 0 for a directory. */
    public long size;

    public long mtimeNanos;
    public long ctimeNanos;
    public long atimeNanos;
    /** When the entry was created or last moved: descending along a directory's list, hence its resume key (I4). */
    public long birthNanos;

    public boolean isDirectory() {
        return type == FileType.DIRECTORY;
    }

    public boolean isSymlink() {
        return type == FileType.SYMLINK;
    }
}
