package io.hmfs.core.type;

import org.jspecify.annotations.Nullable;

/**
 * Creates of files and directories that are asked for in one call, in any directories: filled by the caller, answered one by one in
 * place, and used again after {@link #clear}, so that nothing is allocated (I7). What it is given is copied. Not thread-safe.
 */
public final class CreateBatch {
    /** The most that one batch holds: its key locks are held together. */
    public static final int CAPACITY_MAX = 256;

    private final Name[] names;
    private final Attributes[] attributes;
    private final @Nullable Status[] answers;
    private final long[] directories;
    private final boolean[] makesDirectory;
    private final int[] modes;
    private final int[] uids;
    private final int[] gids;
    private int size;

    /** Room for this many creates, 1–{@link #CAPACITY_MAX}. */
    public CreateBatch(int capacity) {
        if (capacity < 1 || capacity > CAPACITY_MAX) {
            throw new IllegalArgumentException("a batch holds 1 to " + CAPACITY_MAX + " creates, not " + capacity);
        }
        names = new Name[capacity];
        attributes = new Attributes[capacity];
        answers = new Status[capacity];
        directories = new long[capacity];
        makesDirectory = new boolean[capacity];
        modes = new int[capacity];
        uids = new int[capacity];
        gids = new int[capacity];
        for (int i = 0; i < capacity; i++) {
            names[i] = new Name();
            attributes[i] = new Attributes();
        }
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
        int number = size;
        if (number == names.length) {
            throw new IllegalStateException("the batch is full");
        }
        names[number].set(name.buffer(), 0, name.length());
        answers[number] = null;
        directories[number] = directory;
        makesDirectory[number] = isDirectory;
        modes[number] = mode;
        uids[number] = uid;
        gids[number] = gid;
        size = number + 1;
        return number;
    }

    /** Empties the batch; its objects stay for the next fill. */
    public void clear() {
        size = 0;
    }

    public int size() {
        return size;
    }

    public int capacity() {
        return names.length;
    }

    /** What became of a create. */
    public Status status(int number) {
        Status answer = answers[check(number)];
        if (answer == null) {
            throw new IllegalStateException("the batch has not been executed");
        }
        return answer;
    }

    /** Attributes of what a create made, or of what has the name if its status is EXISTS; else as they were before. */
    public Attributes attributes(int number) {
        return attributes[check(number)];
    }

    public long directory(int number) {
        return directories[check(number)];
    }

    /** The name asked for; belongs to the batch. */
    public Name name(int number) {
        return names[check(number)];
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

    /** Whether a create has its answer. For the engine, as what follows. */
    public boolean isAnswered(int number) {
        return answers[check(number)] != null;
    }

    public void answer(int number, Status status) {
        answers[check(number)] = status;
    }

    /** Takes back every answer that is this one; null: all. */
    public void askAgain(@Nullable Status status) {
        for (int i = 0; i < size; i++) {
            if (status == null || answers[i] == status) {
                answers[i] = null;
            }
        }
    }

    /** Whether a create was answered so. */
    public boolean has(Status status) {
        for (int i = 0; i < size; i++) {
            if (answers[i] == status) {
                return true;
            }
        }
        return false;
    }

    private int check(int number) {
        if (number < 0 || number >= size) {
            throw new IllegalArgumentException("create " + number + " of a batch of " + size);
        }
        return number;
    }
}
