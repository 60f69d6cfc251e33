package io.hmfs.core.type;

import org.jspecify.annotations.Nullable;

/**
 * Names in any directories, each with the arguments of one operation: filled by the caller, answered one by one in place, and used again
 * after {@link #clear}, so that nothing is allocated (I7). What it is given is copied. Not thread-safe. The engine executes a single
 * create or delete as a batch of one that borrows the objects of its caller.
 */
@SuppressWarnings(
        "EnumOrdinal") // an answer lives as long as the batch; a table of numbers costs the collector no barrier
public abstract sealed class NameBatch permits AppendBatch, CreateBatch, DeleteBatch, StatBatch {
    /** The most that one batch holds: those that create hold their key locks together. */
    public static final int CAPACITY_MAX = 256;

    private static final int NO_ANSWER = -1;
    private static final Status[] STATUSES = Status.values();

    private final Name[] names;
    private final Attributes[] attributes;
    private final Change[] changes;

    /** Codes of the answers; {@link #NO_ANSWER}. No references: to store one in an old object costs a fence of the collector's. */
    private final int[] answers;

    private final long[] directories;
    private int size;

    /** A batch with objects of its own, into which what it is given is copied. */
    NameBatch(int capacity) {
        if (capacity < 1 || capacity > CAPACITY_MAX) {
            throw new IllegalArgumentException("a batch holds 1 to " + CAPACITY_MAX + " names, not " + capacity);
        }
        names = new Name[capacity];
        attributes = new Attributes[capacity];
        changes = new Change[capacity];
        answers = new int[capacity];
        directories = new long[capacity];
        for (int i = 0; i < capacity; i++) {
            names[i] = new Name();
            attributes[i] = new Attributes();
            changes[i] = new Change();
        }
    }

    /** A batch of one, which borrows the objects of its caller. */
    NameBatch() {
        names = new Name[1];
        attributes = new Attributes[1];
        changes = new Change[1];
        answers = new int[1];
        directories = new long[1];
    }

    final void borrow(long directory, Name name, Change change, Attributes out) {
        // A caller reuses its objects as a rule, and what is not stored costs no fence of the collector's.
        if (names[0] != name) {
            names[0] = name;
        }
        if (attributes[0] != out) {
            attributes[0] = out;
        }
        if (changes[0] != change) {
            changes[0] = change;
        }
        answers[0] = NO_ANSWER;
        directories[0] = directory;
        size = 1;
    }

    final int addName(long directory, byte[] bytes, int offset, int length) {
        int number = size;
        if (number == names.length) {
            throw new IllegalStateException("the batch is full");
        }
        names[number].set(bytes, offset, length);
        changes[number].clear();
        answers[number] = NO_ANSWER;
        directories[number] = directory;
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
        int answer = answers[check(number)];
        if (answer == NO_ANSWER) {
            throw new IllegalStateException("the batch has not been executed");
        }
        return STATUSES[answer];
    }

    /** Attributes of what stands under a name, if its status says that something does; else anything. */
    public final Attributes attributes(int number) {
        return attributes[check(number)];
    }

    public final long directory(int number) {
        return directories[check(number)];
    }

    /** The identity of the change that is asked for a name: none, until it is set. Belongs to the batch. */
    public final Change change(int number) {
        return changes[check(number)];
    }

    /** The name asked for; belongs to the batch. */
    public final Name name(int number) {
        return names[check(number)];
    }

    /** Whether a name has its answer. For the engine, as what follows. */
    public final boolean isAnswered(int number) {
        return answers[check(number)] != NO_ANSWER;
    }

    public final void answer(int number, Status status) {
        answers[check(number)] = status.ordinal();
    }

    /** Whether every name has its answer. */
    public final boolean isAnswered() {
        for (int i = 0; i < size; i++) {
            if (answers[i] == NO_ANSWER) {
                return false;
            }
        }
        return true;
    }

    /** Takes back every answer that is this one; null: all. */
    public final void askAgain(@Nullable Status status) {
        for (int i = 0; i < size; i++) {
            if (status == null || answers[i] == status.ordinal()) {
                answers[i] = NO_ANSWER;
            }
        }
    }

    /** Whether a name was answered so. */
    public final boolean has(Status status) {
        for (int i = 0; i < size; i++) {
            if (answers[i] == status.ordinal()) {
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
