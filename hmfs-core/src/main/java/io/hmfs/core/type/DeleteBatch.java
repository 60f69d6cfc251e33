package io.hmfs.core.type;

/** Deletes of files that are asked for in one call. The attributes are those of what was removed, of a name whose status is OK. */
public final class DeleteBatch extends NameBatch {
    /** Room for this many deletes, 1–{@link #CAPACITY_MAX}. */
    public DeleteBatch(int capacity) {
        super(capacity);
    }

    /** Asks for a delete, as {@code Namespace.delete}; its number in the batch. */
    public int add(long directory, Name name) {
        return addName(directory, name.buffer(), 0, name.length());
    }
}
