package io.hmfs.core.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Goal: the tree hands out each result that some image leads to, and no other. Method: beside a run on each image, on random
 * stores, for programs that choose by what they read what to read next, and write over some of it.
 */
final class CrashTreeTest {
    private static final int WORDS = 48;
    private static final int ROUNDS = 300;
    private static final int NO_LIMIT = Integer.MAX_VALUE;

    private static SimPoolFile file() {
        return new SimPoolFile(4096, 1);
    }

    private static void storeSome(SimPmem pmem, Random random) {
        for (int i = 0; i < 5; i++) {
            long at = random.nextInt(WORDS) * 8L;
            switch (random.nextInt(4)) {
                case 0 -> pmem.cas16(at & -16, pmem.get(at & -16), pmem.get((at & -16) + 8), random.nextInt(3), 1);
                case 1 -> pmem.persist(at, 8);
                default -> pmem.set(at, random.nextInt(3));
            }
        }
    }

    /** By chance, but by the same chance for the same seed and the same values read. */
    private static long program(SimPoolFile file, int seed) {
        SimPmem pmem = file.pmem();
        long seen = 0;
        Random random = new Random(seed);
        for (int step = 0; step < 8; step++) {
            long at = random.nextInt(WORDS) * 8L;
            switch (random.nextInt(10)) {
                case 0 -> pmem.set(at, random.nextInt(3));
                case 1 -> seen = 31 * seen + (pmem.cas8(at, 1, 2) ? 1 : 0);
                case 2 -> pmem.copyIn(new byte[] {1, 2, 3}, 0, at + 2, 3);
                case 3 -> pmem = file.killed().pmem();
                case 4 -> seen = 31 * seen + (pmem.cas16(at & -16, 0, 1, 1, 0) ? 1 : 0);
                case 5 -> {
                    byte[] bytes = new byte[12];
                    pmem.copyOut(at, bytes, 0, bytes.length);
                    seen = 31 * seen + bytes[0] + bytes[8];
                }
                case 6 -> {
                    SimPmem looked = pmem;
                    looked.aside(() -> looked.get(0));
                }
                case 7 -> pmem = file.pmem(); // goes on after the copy
                default -> seen = 31 * seen + (pmem.getAcquire(at) & 0xFFFF);
            }
            random = new Random(random.nextInt() + seen);
        }
        return seen;
    }

    @Test
    void whatEveryImageLeadsToIsHandedOut() {
        int runs = 0;
        int images = 0;
        for (int round = 0; round < ROUNDS; round++) {
            int seed = round;
            Random random = new Random(seed);
            SimPoolFile file = file();
            CrashTree<Long> tree = new CrashTree<>(crashed -> program(crashed, seed), random);
            for (int moment = 0; moment < 6; moment++) {
                storeSome(file.pmem(), random);
                Set<Long> expected = new HashSet<>();
                file.pmem().images(NO_LIMIT, 1, image -> expected.add(program(file.crashed(image), seed)));
                images += (int) file.pmem().allImages().count();
                Set<Long> found = new HashSet<>();
                assertTrue(tree.explore(file, NO_LIMIT, (result, image) -> {
                    found.add(result);
                    assertEquals(result, program(file.crashed(image), seed), () -> "the wrong image: " + image);
                }));
                assertEquals(expected, found, "round " + round + ", moment " + moment);
            }
            runs += tree.runs();
        }
        System.out.println(images + " images, " + runs + " runs");
        assertTrue(runs * 3 < images, runs + " runs for " + images + " images");
    }

    @Test
    void aLineThatIsNotReadTakesNoRun() {
        SimPoolFile file = file();
        CrashTree<Long> tree = new CrashTree<>(crashed -> crashed.pmem().get(0), new Random(1));
        for (int line = 0; line < 30; line++) { // 2 to the 30th images
            file.pmem().set(line * 64L, 5);
        }
        Set<Long> found = new HashSet<>();
        assertTrue(tree.explore(file, NO_LIMIT, (result, _) -> found.add(result)));
        assertEquals(Set.of(0L, 5L), found);
        assertEquals(2, tree.runs());
    }

    @Test
    void aLimitIsToldOf() {
        SimPoolFile file = file();
        CrashTree<Long> tree = new CrashTree<>(
                crashed -> crashed.pmem().get(0) + crashed.pmem().get(64), new Random(1));
        file.pmem().set(0, 1);
        file.pmem().set(64, 2);
        Set<Long> found = new HashSet<>();
        assertFalse(tree.explore(file, 0, (result, _) -> found.add(result)));
        assertTrue(found.containsAll(Set.of(0L, 3L)), "nothing kept, everything kept: " + found);
        assertTrue(found.size() < 4);
        while (!tree.explore(file, 1, (result, _) -> found.add(result))) {
            assertTrue(tree.runs() < 4, "a run that was not needed");
        }
        assertEquals(Set.of(0L, 1L, 2L, 3L), found);
    }

    @Test
    void aProgramThatDoesNotRepeatIsNoticed() {
        SimPoolFile file = file();
        int[] runs = {0};
        CrashTree<Long> reads = new CrashTree<>(
                crashed -> crashed.pmem().get(64L * runs[0]++) + crashed.pmem().get(512), new Random(1));
        file.pmem().set(512, 1);
        assertThrows(AssertionError.class, () -> reads.explore(file, NO_LIMIT, (_, _) -> {}));
        CrashTree<Integer> comesTo = new CrashTree<>(_ -> runs[0]++, new Random(1));
        assertThrows(AssertionError.class, () -> {
            for (int i = 0; i < 1000; i++) {
                comesTo.explore(file, NO_LIMIT, (_, _) -> {});
            }
        });
    }
}
