package io.hmfs.hadoop.listing;

import io.hmfs.hadoop.attributes.HmfsFileStatus;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;

/**
 * The order of HDFS's listings: that of the names' bytes in UTF-8 as signed numbers. So what is not ASCII comes first, and then by
 * code points, where {@link String} compares halves of them.
 */
final class NameOrder {
    private static final char ASCII_END = 0x80;
    private static final int FEW = 128; // so many are sorted by comparing them
    private static final int RUN = 32; // entries in order one after the other, on average, that are better merged
    private static final int DIGITS = Long.BYTES;

    static final Comparator<String> BY_BYTES = (a, b) -> {
        int length = Math.min(a.length(), b.length());
        for (int i = 0; i < length; i++) {
            char x = a.charAt(i);
            char y = b.charAt(i);
            if (x != y) {
                boolean isAscii = x < ASCII_END;
                if (isAscii != (y < ASCII_END)) {
                    return isAscii ? 1 : -1;
                }
                boolean isHigher = Character.isSurrogate(x);
                return isHigher == Character.isSurrogate(y) ? x - y : isHigher ? 1 : -1;
            }
        }
        return a.length() - b.length();
    };

    private NameOrder() {}

    /**
     * Sorts by name; what has the same name stays in its order. Many are sorted without comparing them: by the first eight
     * characters in which not all names are the same, as digits of a number, the last one first (LSD radix sort). Only where these
     * are the same, too, names are compared.
     */
    static <T> void sort(T[] entries, Function<? super T, String> name) {
        Comparator<T> order = Comparator.comparing(name, BY_BYTES);
        int count = entries.length;
        if (count <= FEW) {
            Arrays.sort(entries, order);
            return;
        }
        String[] names = new String[count];
        for (int i = 0; i < count; i++) {
            names[i] = name.apply(entries[i]);
        }
        int same = samePrefix(names);
        long[] keys = new long[count];
        for (int i = 0; i < count; i++) {
            keys[i] = key(names[i], same);
        }
        if (hasLongRuns(keys)) {
            Arrays.sort(entries, order); // which merges what is in order, or in the reverse of it, already
            return;
        }
        sortByKeys(entries, keys);
        for (int from = 0; from < count; ) {
            int to = from + 1;
            while (to < count && keys[to] == keys[from]) {
                to++;
            }
            if (to - from > 1) {
                Arrays.sort(entries, from, to, order);
            }
            from = to;
        }
    }

    /** These, sorted by name. */
    static List<HmfsFileStatus> sorted(List<HmfsFileStatus> entries) {
        HmfsFileStatus[] all = entries.toArray(new HmfsFileStatus[0]);
        sort(all, HmfsFileStatus::name);
        return Arrays.asList(all);
    }

    private static boolean hasLongRuns(long[] keys) {
        int turns = 0;
        for (int i = 2; i < keys.length; i++) {
            if ((keys[i] < keys[i - 1]) != (keys[i - 1] < keys[i - 2])) {
                turns++;
            }
        }
        return turns < keys.length / RUN;
    }

    private static int samePrefix(String[] names) {
        String first = names[0];
        int same = first.length();
        for (String name : names) {
            same = Math.min(same, name.length());
            int i = 0;
            while (i < same && name.charAt(i) == first.charAt(i)) {
                i++;
            }
            same = i;
        }
        return same;
    }

    /**
     * Characters from there on as bytes of a number, the first one highest: 0 behind the end of the name, 1 for what is not ASCII, and
     * then nothing more, so that names which go on differently are compared.
     */
    private static long key(String name, int from) {
        long key = 0;
        int end = Math.min(name.length(), from + DIGITS);
        for (int i = from, shift = Long.SIZE - Byte.SIZE; i < end; i++, shift -= Byte.SIZE) {
            char c = name.charAt(i);
            if (c >= ASCII_END) {
                return key | (1L << shift);
            }
            key |= (long) (c + 2) << shift;
        }
        return key;
    }

    private static <T> void sortByKeys(T[] entries, long[] keys) {
        int count = entries.length;
        int[][] counts = new int[DIGITS][256];
        for (long key : keys) {
            for (int digit = 0; digit < DIGITS; digit++) {
                counts[digit][digit(key, digit)]++;
            }
        }
        T[] fromEntries = entries;
        long[] fromKeys = keys;
        T[] toEntries = entries.clone();
        boolean elsewhere = false; // what is sorted so far is in the other arrays
        long[] toKeys = new long[count];
        for (int digit = 0; digit < DIGITS; digit++) {
            int[] at = counts[digit];
            if (at[digit(keys[0], digit)] == count) {
                continue; // all have the same
            }
            int sum = 0;
            for (int value = 0; value < at.length; value++) {
                int with = at[value];
                at[value] = sum;
                sum += with;
            }
            for (int i = 0; i < count; i++) {
                int to = at[digit(fromKeys[i], digit)]++;
                toKeys[to] = fromKeys[i];
                toEntries[to] = fromEntries[i];
            }
            T[] entriesBefore = fromEntries;
            fromEntries = toEntries;
            toEntries = entriesBefore;
            long[] keysBefore = fromKeys;
            fromKeys = toKeys;
            toKeys = keysBefore;
            elsewhere = !elsewhere;
        }
        if (elsewhere) {
            System.arraycopy(fromEntries, 0, entries, 0, count);
            System.arraycopy(fromKeys, 0, keys, 0, count);
        }
    }

    private static int digit(long key, int digit) {
        return (int) (key >>> (digit * Byte.SIZE)) & 0xFF;
    }
}
