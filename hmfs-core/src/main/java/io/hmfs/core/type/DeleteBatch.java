package io.hmfs.core.type;

/** Deletes of files that are asked for in one call. The attributes are those of what was removed, of a name whose status is OK. */
public final class DeleteBatch extends NameBatch {
    /** Room for this many deletes, 1–{@link #CAPACITY_MAX}. */
    public DeleteBatch(int capacity) {
        super(capacity);
    }

    private DeleteBatch() {}

    /** For the engine: a batch of one that {@link #borrowOne borrows}. */
    public static DeleteBatch ofOne() {
        return new DeleteBatch();
    }

    /** For the engine: the one delete of this batch, with the caller's objects. */
    public void borrowOne(long directory, Name name, Change change, Attributes removed) {
        borrow(directory, name, change, removed);
    }

    /** Asks for a delete, as {@code Namespace.delete}; its number in the batch. */
    public int add(long directory, Name name) {
        return addName(directory, name.buffer(), 0, name.length());
    }
}
