package io.hmfs.core.type;

/** Every expected outcome of a namespace operation. Codes are wire format: append only, never renumber. */
public enum Status {
    OK(0),
    /** No such name in the directory. */
    NOT_FOUND(1),
    /** The name is taken. */
    EXISTS(2),
    /** The directory has children that a stat would show. */
    NOT_EMPTY(3),
    /** A directory was needed, a file was met; also: a component in the middle of a path is a file. */
    NOT_DIRECTORY(4),
    /** A file was needed, a directory was met. */
    IS_DIRECTORY(5),
    /** The directory id names no live directory. */
    NO_SUCH_DIRECTORY(6),
    /** The pool has no free slot left; nothing was changed. */
    NO_SPACE(7),
    /** Empty, ".", "..", or with a slash or NUL in it. */
    INVALID_NAME(8),
    /** Over 255 bytes of UTF-8. */
    NAME_TOO_LONG(9),
    /** A directory cannot move below itself; also: more symbolic links on a path than are followed. */
    LOOP(10),
    /** The name is there but is another object than the one the caller means (its id differs). */
    STALE(11),
    /** A value out of its range (a negative size, a mode over 07777). */
    INVALID_ARGUMENT(12),
    /** The root directory cannot be removed or renamed. */
    IS_ROOT(13),
    /** The file has 65,535 names already. */
    TOO_MANY_LINKS(14),
    /** The object has no such extended attribute, or no ACL. */
    NO_ATTRIBUTE(15),
    /** A value over 64 KiB, or more extended attributes and ACL than 256 KiB on one object. */
    VALUE_TOO_LARGE(16),
    /** The user may not do that. The engine knows no users: the server gives this answer. */
    ACCESS_DENIED(17),
    /** A symbolic link stands where the path leads on. The engine knows no paths: the server, which resolves them, gives this answer. */
    UNRESOLVED_LINK(18),
    /**
     * A directory above has as many names below it as it may have. The engine knows no quotas: the server, which keeps them, gives this
     * answer.
     */
    NAME_QUOTA_EXCEEDED(19),
    /** The same for the bytes of files. */
    SPACE_QUOTA_EXCEEDED(20),
    /**
     * The record of this name is damaged in the pool, so that it is not known what is there: nothing of it was believed, nothing was changed.
     * A check of the pool says more.
     */
    DAMAGED(21);

    private final int code;

    Status(int code) {
        this.code = code;
    }

    public int code() {
        return code;
    }
}
