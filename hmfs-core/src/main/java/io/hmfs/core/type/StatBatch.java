package io.hmfs.core.type;

/** Names that are asked for in one call. The attributes are those of a name whose status is OK. */
public final class StatBatch extends NameBatch {
    /** Room for this many names, 1–{@link #CAPACITY_MAX}. */
    public StatBatch(int capacity) {
        super(capacity);
    }

    /** Asks for a name, as {@code Namespace.stat}; its number in the batch. */
    public int add(long directory, Name name) {
        return addName(directory, name.buffer(), 0, name.length());
    }

    /** The same for a name of {@code length} bytes of UTF-8. */
    public int add(long directory, byte[] bytes, int offset, int length) {
        return addName(directory, bytes, offset, length);
    }
}
