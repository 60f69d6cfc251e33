package io.hmfs.core.type;

/** Appends that are asked for in one call. They have no attributes. */
public final class AppendBatch extends NameBatch {
    private final long[] ids;
    private final long[] lengths;

    /** Room for this many appends, 1–{@link #CAPACITY_MAX}. */
    public AppendBatch(int capacity) {
        super(capacity);
        ids = new long[capacity];
        lengths = new long[capacity];
    }

    /** Asks that a file with this id grow to a length, as {@code Namespace.append}; its number in the batch. */
    public int add(long directory, Name name, long id, long length) {
        int number = addName(directory, name.buffer(), 0, name.length());
        ids[number] = id;
        lengths[number] = length;
        return number;
    }

    public long id(int number) {
        return ids[check(number)];
    }

    /** The length that was asked for. */
    public long length(int number) {
        return lengths[check(number)];
    }
}
