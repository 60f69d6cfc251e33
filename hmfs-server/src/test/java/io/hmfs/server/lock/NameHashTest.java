package io.hmfs.server.lock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.type.Name;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Goal: a client cannot choose names that share a stripe. Method: names that shared one under a hash without a key, and pairs that are as like
 * each other as can be, under many keys of a fixed seed.
 */
class NameHashTest {
    private static final long PARENT = 0xd00d_0000_1234L;
    private static final int NAMES = 64;
    private static final int ROUNDS = 200_000;
    private static final int STRIPES = 1024;

    /** The hash that stripes once had, which clients know. */
    private static long withoutAKey(long parent, Name name) {
        long hash = parent * 0x9E3779B97F4A7C15L;
        for (int i = 0; i < name.words(); i++) {
            hash = (hash ^ name.word(i)) * 0xC2B2AE3D27D4EB4FL;
        }
        return hash;
    }

    @Test
    void namesThatWereChosenForAStripeAreSpread() {
        Set<Integer> stripes = new HashSet<>();
        int chosen = 0;
        for (int i = 0; chosen < NAMES; i++) {
            Name name = Name.of("file-" + i);
            if (((int) (withoutAKey(PARENT, name) >>> 32) & STRIPES - 1) == 0) {
                chosen++;
                stripes.add(KeyLocks.stripe(PARENT, name));
            }
        }
        // As by chance: of 64 names 62 stripes on average; fewer than 32 once in more than 10^40 runs.
        assertTrue(stripes.size() >= NAMES / 2, stripes.size() + " stripes for " + NAMES + " names");
    }

    @Test
    void pairsOfKeysShareAStripeAsOftenAsByChance() {
        String text = "0123456789abcdef0123456789abcdef";
        Name plain = Name.of(text);
        byte[] bent = text.getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        bent[7] ^= (byte) 0x80; // the highest bit of two words: in a chain of XOR and multiply they cancel each other
        bent[15] ^= (byte) 0x80;
        Name highest = new Name();
        highest.set(bent, 0, bent.length);
        Name last = Name.of(text.substring(0, 31) + "g");
        Name longer = Name.of(text + "0");
        Random random = new Random(4711);
        int[] shared = new int[4];
        for (int round = 0; round < ROUNDS; round++) {
            long[] keys = random.longs(NameHash.keys()).toArray();
            int stripe = stripe(keys, PARENT, plain);
            shared[0] += stripe(keys, PARENT, highest) == stripe ? 1 : 0;
            shared[1] += stripe(keys, PARENT, last) == stripe ? 1 : 0;
            shared[2] += stripe(keys, PARENT, longer) == stripe ? 1 : 0;
            shared[3] += stripe(keys, PARENT ^ 1L << 63, plain) == stripe ? 1 : 0;
        }
        double expected = (double) ROUNDS / STRIPES;
        for (int count : shared) {
            assertEquals(expected, count, expected / 2, "by chance");
        }
    }

    private static int stripe(long[] keys, long parent, Name name) {
        return (int) (NameHash.of(keys, parent, name) >>> 32) & STRIPES - 1;
    }

    @Test
    void theHashIsOfParentAndNameAndTheLongestNameHasOne() {
        Name name = Name.of("n".repeat(Name.LENGTH_MAX));
        assertEquals(NameHash.of(1, name), NameHash.of(1, Name.of("n".repeat(Name.LENGTH_MAX))));
        assertNotEquals(NameHash.of(1, name), NameHash.of(2, name));
        assertNotEquals(NameHash.of(1, name), NameHash.of(1, Name.of("n".repeat(Name.LENGTH_MAX - 1))));
        assertEquals(NameHash.of(1, new Name()), NameHash.of(1, new Name()));
    }
}
