package io.hmfs.core.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Goal: images are the same to who asks for their fingerprints exactly if they leave the same memory. Method: random stores of few
 * values, so that images meet; each image's memory read word by word.
 */
final class FingerprintTest {
    private static final long SIZE = 512;
    private static final int LIMIT = 500;
    private static final int ROUNDS = 40;
    private static final int STEPS = 30;

    private static List<Long> words(SimPmem pmem) {
        List<Long> words = new ArrayList<>();
        for (long at = 0; at < pmem.size(); at += 8) {
            words.add(pmem.get(at));
        }
        return words;
    }

    /** Its own, when nothing is in flight. */
    private static Fingerprint of(SimPmem settled) {
        List<Fingerprint> all = new ArrayList<>();
        settled.images(2, 0, image -> all.add(image.fingerprint()));
        assertEquals(1, all.size());
        return all.getFirst();
    }

    private static void step(SimPmem pmem, Random random) {
        long at = random.nextInt((int) SIZE / 16) * 16L;
        switch (random.nextInt(8)) {
            case 0 -> pmem.writeBack(at, 16);
            case 1 -> pmem.fence();
            case 2 -> pmem.cas16(at, pmem.get(at), pmem.get(at + 8), random.nextInt(3), random.nextInt(3));
            default -> pmem.set(at + random.nextInt(2) * 8L, random.nextInt(3));
        }
    }

    @Test
    void imagesWithOneFingerprintLeaveOneMemory() {
        Random random = new Random(11);
        Map<List<Long>, Fingerprint> known = new HashMap<>();
        Map<Fingerprint, List<Long>> memories = new HashMap<>();
        int[] images = {0};
        for (int round = 0; round < ROUNDS; round++) {
            SimPmem pmem = new SimPmem(SIZE);
            for (int step = 0; step < STEPS; step++) {
                step(pmem, random);
                pmem.images(LIMIT, step, image -> {
                    images[0]++;
                    SimPmem after = pmem.crashed(image);
                    List<Long> words = words(after);
                    Fingerprint fingerprint = image.fingerprint();
                    assertEquals(of(after), fingerprint, image.toString());
                    assertEquals(fingerprint, known.computeIfAbsent(words, _ -> fingerprint), image.toString());
                    assertEquals(words, memories.computeIfAbsent(fingerprint, _ -> words), image.toString());
                });
            }
        }
        assertTrue(
                memories.size() > 1000 && images[0] > 2 * memories.size(),
                images[0] + " images of " + memories.size() + " memories");
    }
}
