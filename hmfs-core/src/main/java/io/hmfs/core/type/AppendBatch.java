package io.hmfs.core.type;

/** Appends that are asked for in one call. They have no attributes. */
public final class AppendBatch extends NameBatch {
    /** Stands where other batches have attributes. */
    private static final Attributes NONE = new Attributes();

    private final long[] ids;
    private final long[] lengths;

    /** Room for this many appends, 1–{@link #CAPACITY_MAX}. */
    public AppendBatch(int capacity) {
        super(capacity);
        ids = new long[capacity];
        lengths = new long[capacity];
    }

    private AppendBatch() {
        ids = new long[1];
        lengths = new long[1];
    }

    /** For the engine: a batch of one that {@link #borrowOne borrows}. */
    public static AppendBatch ofOne() {
        return new AppendBatch();
    }

    /** For the engine: the one append of this batch, with the caller's objects. */
    public void borrowOne(long directory, Name name, long id, long length, Change change) {
        borrow(directory, name, change, NONE);
        ids[0] = id;
        lengths[0] = length;
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
