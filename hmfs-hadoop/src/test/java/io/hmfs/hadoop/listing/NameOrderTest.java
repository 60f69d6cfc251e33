package io.hmfs.hadoop.listing;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NameOrderTest {
    private record Entry(String name, int number) {}

    /** Names of few characters, so that many share their beginning or are the same, behind one prefix or none. */
    private static Entry[] entries(Random random) {
        String[] letters = {
            "a", "b", "~", " ", "0", "\u00e9", "\u0400", "\uffee", "\ud83d\ude00", "\ud83d\ude01", "\u0001"
        };
        String prefix = random.nextBoolean() ? "" : letters[random.nextInt(letters.length)].repeat(random.nextInt(12));
        int ofThem = 1 + random.nextInt(letters.length);
        int longest = 1 + random.nextInt(20);
        Entry[] entries = new Entry[random.nextInt(random.nextInt(4) == 0 ? 5000 : 300)];
        for (int i = 0; i < entries.length; i++) {
            StringBuilder name = new StringBuilder(prefix);
            for (int left = random.nextInt(longest); left > 0; left--) {
                name.append(letters[random.nextInt(ofThem)]);
            }
            entries[i] = new Entry(name.toString(), i);
        }
        return entries;
    }

    /** By the bytes themselves: what the order is said to be. */
    private static int compareBytes(String a, String b) {
        return Arrays.compare(a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void itIsTheOrderOfTheBytesAndStable(int seed) {
        Random random = new Random(seed);
        for (int round = 0; round < 100; round++) {
            Entry[] entries = entries(random);
            Entry[] expected = entries.clone();
            Arrays.sort(expected, Comparator.comparing(Entry::name, NameOrderTest::compareBytes));
            NameOrder.sort(entries, Entry::name);
            assertArrayEquals(expected, entries);
        }
    }

    @Test
    void namesThatAreInOrderOrInTheReverseOfIt() {
        for (int step : new int[] {1, -1}) {
            Entry[] entries = new Entry[1000];
            for (int i = 0; i < entries.length; i++) {
                entries[i] = new Entry("n" + (5000 + step * i), i);
            }
            Entry[] expected = entries.clone();
            Arrays.sort(expected, Comparator.comparing(Entry::name));
            NameOrder.sort(entries, Entry::name);
            assertArrayEquals(expected, entries);
        }
    }

    @Test
    void namesThatDifferBehindTheFirstEightCharacters() {
        Entry[] entries = new Entry[1000];
        for (int i = 0; i < entries.length; i++) {
            entries[i] = new Entry(i % 2 + "-2345678-" + (entries.length - i), i);
        }
        NameOrder.sort(entries, Entry::name);
        for (int i = 1; i < entries.length; i++) {
            assertEquals(-1, Integer.signum(compareBytes(entries[i - 1].name(), entries[i].name())));
        }
    }
}
