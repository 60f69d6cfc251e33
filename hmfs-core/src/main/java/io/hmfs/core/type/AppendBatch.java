package io.hmfs.core.type;

/** Appends that are asked for in one call. They have no attributes. */
public final class AppendBatch extends NameBatch {
    /** In place of where the bytes were written from: that is not known. */
    public static final long UNKNOWN = -1;

    private final long[] ids;
    private final long[] lengths;
    private final long[] writtenFrom;

    /** Room for this many appends, 1–{@link #CAPACITY_MAX}. */
    public AppendBatch(int capacity) {
        super(capacity);
        ids = new long[capacity];
        lengths = new long[capacity];
        writtenFrom = new long[capacity];
    }

    /** Asks that a file with this id grow to a length, as {@code Namespace.append}; its number in the batch. */
    public int add(long directory, Name name, long id, long length) {
        return add(directory, name, id, length, UNKNOWN);
    }

    /** The same where all bytes from {@code writtenFrom} on up to the length were written. */
    public int add(long directory, Name name, long id, long length, long writtenFrom) {
        int number = addName(directory, name.buffer(), 0, name.length());
        ids[number] = id;
        lengths[number] = length;
        this.writtenFrom[number] = writtenFrom;
        return number;
    }

    public long id(int number) {
        return ids[check(number)];
    }

    /** From where on all bytes up to the length were written; {@link #UNKNOWN}. */
    public long writtenFrom(int number) {
        return writtenFrom[check(number)];
    }

    /** The length that was asked for. */
    public long length(int number) {
        return lengths[check(number)];
    }
}
