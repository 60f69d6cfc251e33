package io.hmfs.core.type;

/** What became of a numbered change that was executed; filled in by the engine, and reused. */
public final class ChangeOutcome {
    /** Which operation it was. */
    public enum Kind {
        CREATE,
        MKDIR,
        SYMLINK,
        RENAME,
        DELETE,
        RMDIR,
        APPEND,
        TRUNCATE,
        CHMOD,
        CHOWN,
        CHANGE_ACL,
        SET_TIMES,
        SET_XATTR,
        REMOVE_XATTR
    }

    public Kind kind = Kind.CREATE;

    /** The object that was made, moved, removed or changed. */
    public long id;

    /** The directory where it was made, moved to, removed from or changed. */
    public long parentId;

    /** All times of what was made. */
    public long timeNanos;

    /** Owner and group of what was made. */
    public int uid;

    public int gid;

    /** The file that went with it, whose last name this was; 0: none. */
    public long removedId;

    public long removedSize;
}
