package io.hmfs.core.type;

/**
 * Creates of files and directories that are asked for in one call. The attributes are those of what a create made, or of what has
 * the name if its status is EXISTS.
 */
public final class CreateBatch extends NameBatch {
    private final boolean[] makesDirectory;
    private final int[] modes;
    private final int[] uids;
    private final int[] gids;

    /** Room for this many creates, 1–{@link #CAPACITY_MAX}. */
    public CreateBatch(int capacity) {
        super(capacity);
        makesDirectory = new boolean[capacity];
        modes = new int[capacity];
        uids = new int[capacity];
        gids = new int[capacity];
    }

    /** Asks for an empty file, as {@code Namespace.create}; its number in the batch. */
    public int addFile(long directory, Name name, int mode, int uid, int gid) {
        return add(false, directory, name, mode, uid, gid);
    }

    /** Asks for an empty directory, as {@code Namespace.mkdir}; its number in the batch. */
    public int addDirectory(long directory, Name name, int mode, int uid, int gid) {
        return add(true, directory, name, mode, uid, gid);
    }

    private int add(boolean isDirectory, long directory, Name name, int mode, int uid, int gid) {
        int number = addName(directory, name.buffer(), 0, name.length());
        makesDirectory[number] = isDirectory;
        modes[number] = mode;
        uids[number] = uid;
        gids[number] = gid;
        return number;
    }

    public boolean makesDirectory(int number) {
        return makesDirectory[check(number)];
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
}
