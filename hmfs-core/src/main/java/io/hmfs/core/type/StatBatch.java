package io.hmfs.core.type;

import org.jspecify.annotations.Nullable;

/**
 * Names that are asked for in one call, in any directories: filled by the caller, answered one by one in place, and used again after
 * {@link #clear}, so that nothing is allocated (I7). Names are copied. Not thread-safe.
 */
public final class StatBatch {
    /** The most that one batch holds. */
    public static final int CAPACITY_MAX = 256;

    private final Name[] names;
    private final Attributes[] attributes;
    private final @Nullable Status[] answers;
    private final long[] directories;
    private int size;

    /** Room for this many names, 1–{@link #CAPACITY_MAX}. */
    public StatBatch(int capacity) {
        if (capacity < 1 || capacity > CAPACITY_MAX) {
            throw new IllegalArgumentException("a batch holds 1 to " + CAPACITY_MAX + " names, not " + capacity);
        }
        names = new Name[capacity];
        attributes = new Attributes[capacity];
        answers = new Status[capacity];
        directories = new long[capacity];
        for (int i = 0; i < capacity; i++) {
            names[i] = new Name();
            attributes[i] = new Attributes();
        }
    }

    /** Asks for a name, as {@code Namespace.stat}; its number in the batch. */
    public int add(long directory, Name name) {
        return add(directory, name.buffer(), 0, name.length());
    }

    /** The same for a name of {@code length} bytes of UTF-8. */
    public int add(long directory, byte[] bytes, int offset, int length) {
        int number = size;
        if (number == names.length) {
            throw new IllegalStateException("the batch is full");
        }
        names[number].set(bytes, offset, length);
        answers[number] = null;
        directories[number] = directory;
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

    /** What became of a name. */
    public Status status(int number) {
        Status answer = answers[check(number)];
        if (answer == null) {
            throw new IllegalStateException("the batch has not been executed");
        }
        return answer;
    }

    /** Attributes of a name whose status is OK; else anything. */
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

    /** Answers a name. For the engine. */
    public void answer(int number, Status status) {
        answers[check(number)] = status;
    }

    private int check(int number) {
        if (number < 0 || number >= size) {
            throw new IllegalArgumentException("name " + number + " of a batch of " + size);
        }
        return number;
    }
}
