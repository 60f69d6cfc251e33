package io.hmfs.core.sim;

import java.util.Arrays;

/** What is durable of one line, and the stores to it that are not durable yet, in their order. */
final class LineLog {
    /** Of a store: word index of the low half (negative: 16 bytes wide), low, high, number. */
    private static final int WORDS = 4;

    private final int first;
    private final long[] durable;
    private long[] items;
    private int count;

    /** Of the line that begins at word {@code first}; what stands there is durable. */
    LineLog(long[] memory, int first) {
        this(first, Arrays.copyOfRange(memory, first, first + CrashImages.LINE_WORDS), new long[4 * WORDS], 0);
    }

    private LineLog(int first, long[] durable, long[] items, int count) {
        this.first = first;
        this.durable = durable;
        this.items = items;
        this.count = count;
    }

    LineLog copy() {
        return new LineLog(first, durable.clone(), items.clone(), count);
    }

    /** {@code number} is larger than that of any store before. */
    void add(int word, long value, long number) {
        append(word, value, 0, number);
    }

    void addPair(int word, long low, long high, long number) {
        append(~word, low, high, number);
    }

    private void append(int code, long low, long high, long number) {
        if ((count + 1) * WORDS > items.length) {
            items = Arrays.copyOf(items, 2 * items.length);
        }
        items[count * WORDS] = code;
        items[count * WORDS + 1] = low;
        items[count * WORDS + 2] = high;
        items[count * WORDS + 3] = number;
        count++;
    }

    int count() {
        return count;
    }

    long durable(int word) {
        return durable[word - first];
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

    /** Copies the line into an image, as it is when it has kept the first {@code prefix} stores. */
    void copyTo(long[] image, int prefix) {
        System.arraycopy(durable, 0, image, first, durable.length);
        for (int i = 0; i < prefix; i++) {
            copyStore(i, image, 0);
        }
    }

    /** Copies one store into a part of an image that begins at word {@code begin}. */
    void copyStore(int index, long[] part, int begin) {
        int code = (int) items[index * WORDS];
        if (code >= 0) {
            part[code - begin] = items[index * WORDS + 1];
        } else {
            part[~code - begin] = items[index * WORDS + 1];
            part[~code + 1 - begin] = items[index * WORDS + 2];
        }
    }

    /** Makes the stores durable whose numbers are at most this one; another fence may have done so already. True if none is left. */
    boolean applyUpTo(long number) {
        int prefix = 0;
        while (prefix < count && items[prefix * WORDS + 3] <= number) {
            copyStore(prefix++, durable, first);
        }
        System.arraycopy(items, prefix * WORDS, items, 0, (count - prefix) * WORDS);
        count -= prefix;
        return count == 0;
    }
}
