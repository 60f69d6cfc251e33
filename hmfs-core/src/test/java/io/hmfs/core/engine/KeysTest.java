package io.hmfs.core.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.pmem.MappedPmem;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.type.Name;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Goal: the hash of a key is the same wherever it is computed, and all of its bits serve: the index cuts it into segment, bucket
 * and tag. Method: objects against names; avalanche by flipping each input bit; spread of the keys that people really use.
 */
final class KeysTest {
    private static final int SAMPLES = 2000;

    private final Pmem pmem = MappedPmem.inMemory(8192);
    private final Keys keys = new Keys(pmem, 0x1234_5678_9abc_def0L);

    @Test
    void anObjectHashesAsItsKey() {
        Random random = new Random(1);
        for (int length = 1; length <= 255; length++) {
            byte[] bytes = new byte[length];
            random.nextBytes(bytes);
            Name name = new Name();
            name.set(bytes, 0, length);
            long parent = random.nextLong();
            EntryRecord.init(pmem, 1024, EntryRecord.KIND_FILE, 3, EntryRecord.NO_CHECK, parent, name, 1, 0, 0);
            assertEquals(keys.ofEntry(parent, name), keys.ofObject(1024), "length " + length);
        }
        DirContentRecord.init(pmem, 64, 0x77, 1024, 5);
        assertEquals(keys.ofContent(0x77), keys.ofObject(64));
    }

    @Test
    void lengthCountsAndSoDoesTheSeed() {
        assertNotEquals(keys.ofEntry(1, Name.of("a")), keys.ofEntry(1, Name.of("a\0")));
        assertNotEquals(keys.ofEntry(1, Name.of("12345678")), keys.ofEntry(1, Name.of("12345678\0")));
        assertNotEquals(keys.ofEntry(1, Name.of("a")), new Keys(pmem, 1).ofEntry(1, Name.of("a")));
        assertNotEquals(keys.ofContent(1), new Keys(pmem, 1).ofContent(1));
    }

    /** What a key of one to three words becomes when one of its bits is flipped. */
    @Test
    void everyInputBitReachesEveryOutputBit() {
        Random random = new Random(2);
        for (int length : new int[] {1, 8, 20}) {
            byte[] bytes = new byte[length];
            for (int bit = 0; bit < 64 + 8 * length; bit++) {
                int[] flips = new int[64];
                for (int i = 0; i < SAMPLES; i++) {
                    random.nextBytes(bytes);
                    long parent = random.nextLong();
                    long before = hash(parent, bytes);
                    if (bit < 64) {
                        parent ^= 1L << bit;
                    } else {
                        bytes[(bit - 64) / 8] ^= (byte) (1 << bit % 8);
                    }
                    long changed = before ^ hash(parent, bytes);
                    for (; changed != 0; changed &= changed - 1) {
                        flips[Long.numberOfTrailingZeros(changed)]++;
                    }
                }
                for (int out = 0; out < 64; out++) {
                    double share = (double) flips[out] / SAMPLES;
                    assertTrue(
                            share > 0.4 && share < 0.6,
                            "bit " + bit + " of " + length + " flips " + out + ": " + share);
                }
            }
        }
    }

    private long hash(long parent, byte[] bytes) {
        Name name = new Name();
        name.set(bytes, 0, bytes.length);
        return keys.ofEntry(parent, name);
    }

    @Test
    void namesThatCountUpSpreadEvenly() {
        int count = 1 << 18;
        Set<Long> hashes = new HashSet<>();
        int[] low = new int[1 << 10];
        int[] buckets = new int[1 << 8];
        int[] tags = new int[1 << 8];
        Name name = new Name();
        for (int i = 0; i < count; i++) {
            byte[] bytes = ("part-" + i).getBytes(StandardCharsets.UTF_8);
            name.set(bytes, 0, bytes.length);
            spread(keys.ofEntry(7, name), hashes, low, buckets, tags);
        }
        for (long id = 1L << 20; id < (1L << 20) + count; id++) {
            spread(keys.ofContent(id), hashes, low, buckets, tags);
        }
        assertEquals(2 * count, hashes.size(), "no two of half a million keys have one hash");
        assertEven(low, 2 * count);
        assertEven(buckets, 2 * count);
        assertEven(tags, 2 * count);
    }

    private static void spread(long hash, Set<Long> hashes, int[] low, int[] buckets, int[] tags) {
        hashes.add(hash);
        low[(int) hash & (low.length - 1)]++;
        buckets[(int) (hash >>> 32) & (buckets.length - 1)]++;
        tags[(int) (hash >>> 56)]++;
    }

    /** Within six standard deviations of a fair share. */
    private static void assertEven(int[] hits, int count) {
        double fair = (double) count / hits.length;
        for (int hit : hits) {
            assertTrue(Math.abs(hit - fair) < 6 * Math.sqrt(fair), hit + " of " + fair);
        }
    }
}
