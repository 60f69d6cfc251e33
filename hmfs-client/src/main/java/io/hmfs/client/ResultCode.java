package io.hmfs.client;

/**
 * Every outcome that a server can report. Codes are wire format: append only, never renumber. 0 to 99 are the engine's
 * statuses, one to one; from 100 on they belong to the wire.
 */
public enum ResultCode {
    OK(0, "done"),
    NOT_FOUND(1, "no such file or directory"),
    EXISTS(2, "already exists"),
    NOT_EMPTY(3, "directory is not empty"),
    NOT_DIRECTORY(4, "not a directory, or a parent is a file"),
    IS_DIRECTORY(5, "is a directory"),
    NO_SUCH_DIRECTORY(6, "the directory is gone"),
    NO_SPACE(7, "the pool is full"),
    INVALID_NAME(8, "a name is empty, \".\", \"..\", or has a NUL in it"),
    NAME_TOO_LONG(9, "a name is over 255 bytes of UTF-8, or a path over 8192"),
    LOOP(10, "a directory cannot move below itself, or too many symbolic links"),
    STALE(11, "the name is there but is another file by now"),
    INVALID_ARGUMENT(12, "a value is out of its range"),
    IS_ROOT(13, "the root directory cannot be removed or renamed"),
    TOO_MANY_LINKS(14, "the file has 65,535 names already"),
    NO_ATTRIBUTE(15, "no such extended attribute"),
    VALUE_TOO_LARGE(16, "a value is over 64 KiB, or all of one object over 256 KiB"),
    ACCESS_DENIED(17, "permission denied"),
    /**
     * A symbolic link stands on the path, or at its end: {@link HmfsException#reason} is the path to go on with
     * instead. Stat, delete, rename and symlink take the last name as it is.
     */
    UNRESOLVED_LINK(18, "a symbolic link on the path leads elsewhere"),
    /** {@link HmfsException#reason} is the sentence that HDFS would say; so for the next one. */
    NAME_QUOTA_EXCEEDED(19, "a directory above has as many names below it as its quota lets it have"),
    SPACE_QUOTA_EXCEEDED(20, "a directory above has as many bytes below it as its quota lets it have"),
    /** What stands under the name is not believed: its record is not the one that was written. Other names are served. */
    DAMAGED(
            21,
            "its record, or one below it, is damaged in the server's pool, so that it is not known what is there; nothing was changed. Stop the server, and run hmfs fsck"),
    /** The server could not make sense of the request; the connection is closed when the stream is unusable. */
    BAD_REQUEST(100, "the server could not read the request"),
    /** Client and server speak different versions of the protocol. */
    UNSUPPORTED_VERSION(101, "the server speaks another version of the protocol"),
    /** A frame or a transfer is over the limit that the server announced. */
    TOO_LARGE(102, "larger than the server's limit"),
    /** No answer within the client's time limit: whether a mutation was executed is unknown. */
    TIMEOUT(103, "no answer in time"),
    /** The server stops cleanly: what it has not answered on this connection, it has not executed because of it. */
    SHUTTING_DOWN(104, "the server is shutting down"),
    /** The server met an error of its own; its log has the reason. */
    INTERNAL(105, "internal error of the server"),
    /** The builtin data store could not read or write. */
    IO_ERROR(106, "the data store failed"),
    /** The server holds another cluster than the one that the client expects. */
    WRONG_CLUSTER(107, "the server holds another cluster"),
    /**
     * The server ended, or forgot, before the client had its answer: a change may have been executed, and is not
     * executed again.
     */
    OUTCOME_UNKNOWN(108, "whether it was executed is unknown"),
    /** The server takes no further connection for now. */
    TOO_MANY_CONNECTIONS(109, "the server has as many connections as it takes"),
    /** An administrator has the server take no changes for now. */
    SAFE_MODE(110, "the server is in safe mode, in which nothing changes; `hmfs safemode leave` ends it"),
    /** What would be no ACL: {@link HmfsException#reason} says why, as HDFS does. */
    INVALID_ACL(111, "this would be no access control list"),
    /** Another writer has the file: {@link HmfsException#reason} names it, as HDFS does. */
    LEASED(115, "another client is writing the file"),
    /** The lease that the client writes under was taken from it, has run out, or went with its file. */
    LEASE_LOST(
            116,
            "the lease on the file was taken by another client, has run out or went with the file; nothing more is written under it"),
    /** Bytes in the builtin data store are not those that were written: {@link HmfsException#damagedAt} says where. */
    CORRUPT(117, "the file's data is damaged on the server's disk, and damaged bytes are not served"),
    /** A size is to cover bytes that were written before the server's machine was lost, and were not on its disk. */
    DATA_LOST(
            118,
            "bytes that were written and not committed were lost with the server's machine; write the file again from its committed size on");

    private static final ResultCode[] ALL = values();

    private final int code;
    private final String text;

    ResultCode(int code, String text) {
        this.code = code;
        this.text = text;
    }

    /** The number on the wire. */
    public int code() {
        return code;
    }

    /** What it means, for people. */
    public String text() {
        return text;
    }

    /** The outcome with this number; {@link #INTERNAL} for one that this client does not know. */
    public static ResultCode of(int code) {
        for (ResultCode result : ALL) {
            if (result.code == code) {
                return result;
            }
        }
        return INTERNAL;
    }
}
