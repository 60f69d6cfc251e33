package io.hmfs.core.type;

import java.util.Arrays;

/**
 * Creates of files and directories that are asked for in one call. The attributes are those of what a create made, or of what has
 * the name if its status is EXISTS.
 */
@SuppressWarnings(
        "EnumOrdinal") // types are kept as long as the batch; a table of numbers costs the collector no barrier
public final class CreateBatch extends NameBatch {
    private static final FileType[] TYPES = FileType.values();

    private final int[] types;
    private final int[] modes;
    private final int[] uids;
    private final int[] gids;
    private final long[][] acls;

    /** Room for this many creates, 1–{@link #CAPACITY_MAX}. */
    public CreateBatch(int capacity) {
        super(capacity);
        types = new int[capacity];
        modes = new int[capacity];
        uids = new int[capacity];
        gids = new int[capacity];
        acls = new long[capacity][];
        Arrays.fill(acls, Acl.NONE);
    }

    private CreateBatch() {
        types = new int[1];
        modes = new int[1];
        uids = new int[1];
        gids = new int[1];
        acls = new long[][] {Acl.NONE};
    }

    /** For the engine: a batch of one that {@link #borrowOne borrows}. */
    public static CreateBatch ofOne() {
        return new CreateBatch();
    }

    /** For the engine: the one create of this batch, with the caller's objects. */
    public void borrowOne(
            FileType type,
            long directory,
            Name name,
            int mode,
            int uid,
            int gid,
            long[] acl,
            Change change,
            Attributes out) {
        borrow(directory, name, change, out);
        set(0, type, mode, uid, gid, acl);
    }

    /** Asks for an empty file without an ACL, as {@code Namespace.create}; its number in the batch. */
    public int addFile(long directory, Name name, int mode, int uid, int gid) {
        return addFile(directory, name, mode, uid, gid, Acl.NONE);
    }

    /** Asks for an empty file, as {@code Namespace.create}; its number in the batch. */
    public int addFile(long directory, Name name, int mode, int uid, int gid, long[] acl) {
        return add(FileType.FILE, directory, name, mode, uid, gid, acl);
    }

    /** Asks for an empty directory, as {@code Namespace.mkdir}; its number in the batch. */
    public int addDirectory(long directory, Name name, int mode, int uid, int gid) {
        return add(FileType.DIRECTORY, directory, name, mode, uid, gid, Acl.NONE);
    }

    private int add(FileType type, long directory, Name name, int mode, int uid, int gid, long[] acl) {
        int number = addName(directory, name.buffer(), 0, name.length());
        set(number, type, mode, uid, gid, acl);
        return number;
    }

    private void set(int number, FileType type, int mode, int uid, int gid, long[] acl) {
        types[number] = type.ordinal();
        modes[number] = mode;
        uids[number] = uid;
        gids[number] = gid;
        if (acl.length > 0
                || acls[number].length
                        > 0) { // as a rule there is none, and what is not stored costs no fence of the collector's
            acls[number] = acl;
        }
    }

    public FileType type(int number) {
        return TYPES[types[check(number)]];
    }

    public int mode(int number) {
        return modes[check(number)];
    }

    public int uid(int number) {
        return uids[check(number)];
    }

    public int gid(int number) {
        return gids[check(number)];
    }

    public long[] acl(int number) {
        return acls[check(number)];
    }
}
