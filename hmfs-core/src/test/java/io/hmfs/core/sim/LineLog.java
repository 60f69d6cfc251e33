package io.hmfs.core.sim;

import java.util.Arrays;

/** The stores to one line that are not durable yet, in their order; those before them have been applied to the durable view. */
final class LineLog {
    private static final int WORDS = 3; // word index of the low half (negative: 16 bytes wide), low, high

    private long[] items = new long[4 * WORDS];
    private int count;
    private long applied;

    LineLog copy() {
        LineLog copy = new LineLog();
        copy.items = items.clone();
        copy.count = count;
        copy.applied = applied;
        return copy;
    }

    void add(int word, long value) {
        append(word, value, 0);
    }

    void addPair(int word, long low, long high) {
        append(~word, low, high);
    }

    private void append(int code, long low, long high) {
        if ((count + 1) * WORDS > items.length) {
            items = Arrays.copyOf(items, 2 * items.length);
        }
        items[count * WORDS] = code;
        items[count * WORDS + 1] = low;
        items[count * WORDS + 2] = high;
        count++;
    }

    int count() {
        return count;
    }

    /** Whether a store to this word is in flight. */
    boolean touches(int word) {
        for (int i = 0; i < count; i++) {
            int code = (int) items[i * WORDS];
            if (code == word || (code < 0 && (~code == word || ~code + 1 == word))) {
                return true;
            }
        }
        return false;
    }

    /** A mark behind the last store so far, for {@link #applyUpTo}. */
    long end() {
        return applied + count;
    }

    /** Copies the first {@code prefix} stores into an image. */
    void copyTo(long[] image, int prefix) {
        for (int i = 0; i < prefix; i++) {
            copyStore(i, image, 0);
        }
    }

    /** Copies one store into a part of an image that begins at word {@code first}. */
    void copyStore(int index, long[] part, int first) {
        int code = (int) items[index * WORDS];
        if (code >= 0) {
            part[code - first] = items[index * WORDS + 1];
        } else {
            part[~code - first] = items[index * WORDS + 1];
            part[~code + 1 - first] = items[index * WORDS + 2];
        }
    }

    /** Makes the stores before a mark durable; another fence may have done so already. */
    void applyUpTo(long mark, long[] durable) {
        int prefix = (int) Math.max(0, mark - applied);
        copyTo(durable, prefix);
        System.arraycopy(items, prefix * WORDS, items, 0, (count - prefix) * WORDS);
        count -= prefix;
        applied += prefix;
    }
}
