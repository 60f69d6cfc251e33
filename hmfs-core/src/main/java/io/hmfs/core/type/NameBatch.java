package io.hmfs.core.type;

import org.jspecify.annotations.Nullable;

/**
 * Names in any directories, with which one call does the same: filled by the caller, answered one by one in place, and used again after
 * {@link #clear}, so that nothing is allocated (I7). What it is given is copied. Not thread-safe.
 */
public abstract sealed class NameBatch permits AppendBatch, CreateBatch, DeleteBatch, StatBatch {
    /** The most that one batch holds: those that create hold their key locks together. */
    public static final int CAPACITY_MAX = 256;

    private final Name[] names;
    private final Attributes[] attributes;
    private final @Nullable Status[] answers;
    private final long[] directories;
    private final long[] rings;
    private final long[] sequences;
    private int size;

    NameBatch(int capacity) {
        if (capacity < 1 || capacity > CAPACITY_MAX) {
            throw new IllegalArgumentException("a batch holds 1 to " + CAPACITY_MAX + " names, not " + capacity);
        }
        names = new Name[capacity];
        attributes = new Attributes[capacity];
        answers = new Status[capacity];
        directories = new long[capacity];
        rings = new long[capacity];
        sequences = new long[capacity];
        for (int i = 0; i < capacity; i++) {
            names[i] = new Name();
            attributes[i] = new Attributes();
        }
    }

    final int addName(long directory, byte[] bytes, int offset, int length) {
        int number = size;
        if (number == names.length) {
            throw new IllegalStateException("the batch is full");
        }
        names[number].set(bytes, offset, length);
        answers[number] = null;
        directories[number] = directory;
        rings[number] = 0;
        size = number + 1;
        return number;
    }

    /** Empties the batch; its objects stay for the next fill. */
    public final void clear() {
        size = 0;
    }

    public final int size() {
        return size;
    }

    public final int capacity() {
        return names.length;
    }

    /** What became of a name. */
    public final Status status(int number) {
        Status answer = answers[check(number)];
        if (answer == null) {
            throw new IllegalStateException("the batch has not been executed");
        }
        return answer;
    }

    /** Attributes of what stands under a name, if its status says that something does; else anything. */
    public final Attributes attributes(int number) {
        return attributes[check(number)];
    }

    public final long directory(int number) {
        return directories[check(number)];
    }

    /** What is asked for a name is a numbered change, as with {@code NumberedChanges.enter}. */
    public final void number(int number, long ring, long sequence) {
        rings[check(number)] = ring;
        sequences[number] = sequence;
    }

    /** The ring where the change is recorded; 0: nowhere. */
    public final long ring(int number) {
        return rings[check(number)];
    }

    public final long sequence(int number) {
        return sequences[check(number)];
    }

    /** The name asked for; belongs to the batch. */
    public final Name name(int number) {
        return names[check(number)];
    }

    /** Whether a name has its answer. For the engine, as what follows. */
    public final boolean isAnswered(int number) {
        return answers[check(number)] != null;
    }

    public final void answer(int number, Status status) {
        answers[check(number)] = status;
    }

    /** Takes back every answer that is this one; null: all. */
    public final void askAgain(@Nullable Status status) {
        for (int i = 0; i < size; i++) {
            if (status == null || answers[i] == status) {
                answers[i] = null;
            }
        }
    }

    /** Whether a name was answered so. */
    public final boolean has(Status status) {
        for (int i = 0; i < size; i++) {
            if (answers[i] == status) {
                return true;
            }
        }
        return false;
    }

    final int check(int number) {
        if (number < 0 || number >= size) {
            throw new IllegalArgumentException("name " + number + " of a batch of " + size);
        }
        return number;
    }
}
