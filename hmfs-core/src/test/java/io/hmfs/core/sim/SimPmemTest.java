package io.hmfs.core.sim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.pmem.MappedPmem;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.Pmem;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Goal: a power loss in the simulator leaves every image that the hardware may leave, and no other.
 * Method: few stores on few lines, and the whole set of images compared with the one worked out by hand.
 */
final class SimPmemTest {
    private static final long SIZE = 1024;
    private static final int LIMIT = 100_000;

    private final SimPmem pmem = new SimPmem(SIZE);

    /** Every image that a power loss now could leave, as the values at these places. */
    private Set<String> outcomes(long... places) {
        Set<String> outcomes = new TreeSet<>();
        assertTrue(pmem.images(LIMIT, 0, image -> {
            SimPmem after = pmem.crashed(image);
            StringBuilder values = new StringBuilder();
            for (long at : places) {
                values.append(after.get(at)).append(' ');
            }
            outcomes.add(values.toString().trim());
        }));
        return outcomes;
    }

    private static void inAnotherThread(Runnable action) throws Exception {
        Thread thread = new Thread(action);
        thread.start();
        thread.join();
    }

    @Test
    void aStoreThatIsNotFencedMayBeLostOrKept() {
        pmem.set(0, 1);
        assertEquals(Set.of("0", "1"), outcomes(0));
        pmem.writeBack(0, 8);
        assertEquals(Set.of("0", "1"), outcomes(0), "a write-back alone promises nothing");
        assertFalse(pmem.isDurable(0, 8));
        pmem.fence();
        assertEquals(Set.of("1"), outcomes(0));
        assertTrue(pmem.isDurable(0, 8));
    }

    @Test
    void aFenceWithoutWriteBackPromisesNothing() {
        pmem.set(0, 1);
        pmem.fence();
        assertEquals(Set.of("0", "1"), outcomes(0));
    }

    @Test
    void storesToOneLineReachItInOrder() {
        pmem.set(0, 1);
        pmem.set(8, 2);
        pmem.set(0, 3);
        assertEquals(Set.of("0 0", "1 0", "1 2", "3 2"), outcomes(0, 8));
    }

    @Test
    void storesToTwoLinesReachThemInAnyOrder() {
        pmem.set(0, 1);
        pmem.set(64, 2);
        assertEquals(Set.of("0 0", "1 0", "0 2", "1 2"), outcomes(0, 64));
        assertEquals(4, pmem.allImages().count());
    }

    @Test
    void aFenceCoversOnlyWhatWasWrittenBackBefore() {
        pmem.set(0, 1);
        pmem.writeBack(0, 8);
        pmem.set(8, 2);
        pmem.fence();
        assertEquals(Set.of("1 0", "1 2"), outcomes(0, 8));
    }

    @Test
    void aFenceOfAnotherThreadMakesNothingDurable() throws Exception {
        pmem.set(0, 1);
        pmem.writeBack(0, 8);
        inAnotherThread(pmem::fence);
        assertEquals(Set.of("0", "1"), outcomes(0));
        pmem.fence();
        assertEquals(Set.of("1"), outcomes(0));
    }

    @Test
    void whoeverWritesBackAndFencesMakesTheStoresOfOthersDurable() throws Exception {
        pmem.set(0, 1);
        pmem.set(64, 2);
        inAnotherThread(() -> pmem.persist(0, 8));
        assertEquals(Set.of("1 0", "1 2"), outcomes(0, 64));
        pmem.set(8, 3);
        inAnotherThread(() -> pmem.persist(0, 8));
        pmem.writeBack(0, 8);
        pmem.set(8, 4);
        pmem.fence();
        assertEquals(Set.of("1 3", "1 4"), outcomes(0, 8));
    }

    @Test
    void aSixteenByteSwapIsKeptAsAWholeOrNotAtAll() {
        assertFalse(pmem.cas16(16, 1, 0, 5, 6));
        assertTrue(pmem.cas16(16, 0, 0, 5, 6));
        assertTrue(pmem.cas16(16, 5, 6, 7, 6));
        assertEquals(Set.of("0 0", "5 6", "7 6"), outcomes(16, 24));
        assertEquals(3, pmem.cas16s());
        pmem.persist(16, 16);
        assertEquals(Set.of("7 6"), outcomes(16, 24));
    }

    @Test
    void anEightByteSwapIsAStoreIfItSucceeds() {
        assertFalse(pmem.cas8(8, 1, 2));
        assertEquals(1, pmem.allImages().count());
        assertTrue(pmem.cas8(8, 0, 2));
        assertEquals(Set.of("0", "2"), outcomes(8));
    }

    @Test
    void aCopyIsStoredWordByWord() {
        byte[] bytes = new byte[12];
        Arrays.fill(bytes, (byte) 1);
        pmem.copyIn(bytes, 0, 4, 12);
        long half = 0x0101010100000000L;
        long whole = 0x0101010101010101L;
        assertEquals(Set.of("0 0", half + " 0", half + " " + whole), outcomes(0, 8));
    }

    @Test
    void zeroMayBeLostToo() {
        pmem.set(0, 1);
        pmem.set(8, 2);
        pmem.persist(0, 16);
        pmem.zero(0, 64);
        assertEquals(Set.of("1 2", "0 2", "0 0"), outcomes(0, 8));
    }

    @Test
    void aStoreOfTheSameValueAddsNoImage() {
        pmem.set(0, 1);
        pmem.set(0, 1);
        assertEquals(2, pmem.allImages().count());
        assertEquals(2, pmem.stores());
    }

    @Test
    void aValueThatReturnedIsNotDurable() {
        pmem.set(0, 1);
        pmem.set(0, 0);
        assertEquals(Set.of("0", "1"), outcomes(0));
        assertFalse(pmem.isDurable(0, 8), "the value between may be what is left");
    }

    @Test
    void whatACrashLeftIsDurableAndIndependent() {
        pmem.set(0, 1);
        List<SimPmem> after = new ArrayList<>();
        pmem.images(LIMIT, 0, image -> after.add(pmem.crashed(image)));
        pmem.set(0, 9);
        for (SimPmem crashed : after) {
            assertTrue(crashed.isDurable(0, SIZE));
            assertEquals(1, crashed.allImages().count());
            assertTrue(crashed.get(0) < 2);
            crashed.set(0, 5);
            assertEquals(2, crashed.allImages().count());
        }
        assertEquals(9, pmem.killed().get(0));
        assertTrue(pmem.killed().isDurable(0, SIZE));
    }

    @Test
    void imagesAreAllDifferentAndAsManyAsCounted() {
        for (int line = 0; line < 4; line++) {
            for (int store = 0; store <= line; store++) {
                pmem.set(line * 64L + store * 8L, 1);
            }
        }
        Set<CrashImage> images = new HashSet<>();
        assertTrue(pmem.images(LIMIT, 0, image -> assertTrue(images.add(image))));
        assertEquals(2 * 3 * 4 * 5, images.size());
        assertEquals(images.size(), pmem.allImages().count());
    }

    @Test
    void tooManyImagesAreSampledTheSameWayForTheSameSeed() {
        for (int line = 0; line < 16; line++) {
            for (int store = 0; store < 8; store++) {
                pmem.set(line * 64L + store * 8L, 1);
            }
        }
        List<CrashImage> first = new ArrayList<>();
        List<CrashImage> second = new ArrayList<>();
        List<CrashImage> other = new ArrayList<>();
        assertFalse(pmem.images(200, 1, first::add));
        assertFalse(pmem.images(200, 1, second::add));
        assertFalse(pmem.images(200, 2, other::add));
        assertEquals(first, second);
        assertFalse(first.equals(other));
        assertEquals(200, new HashSet<>(first).size());
        assertEquals(0, pmem.crashed(first.get(0)).get(0), "nothing kept comes first");
        assertArrayEquals(words(pmem), words(pmem.crashed(first.get(1))), "then everything");
    }

    @Test
    void theHookSeesEachEventBeforeItHappensAndMayStopIt() {
        AtomicInteger events = new AtomicInteger();
        pmem.beforeEachEvent(events::incrementAndGet);
        pmem.set(0, 1);
        pmem.setRelease(8, 1);
        pmem.cas8(16, 0, 1);
        pmem.cas16(32, 0, 0, 1, 1);
        pmem.copyIn(new byte[16], 0, 64, 16);
        pmem.zero(128, 16);
        pmem.writeBack(0, 64);
        pmem.fence();
        pmem.get(0);
        assertEquals(10, events.get());
        pmem.beforeEachEvent(() -> {
            throw new IllegalStateException("power");
        });
        assertThrows(IllegalStateException.class, () -> pmem.set(0, 2));
        assertEquals(1, pmem.get(0));
        pmem.beforeEachEvent(null);
        pmem.set(0, 2);
        assertEquals(2, pmem.get(0));
    }

    @Test
    void writeBacksAreCountedByLineAndFencesByCall() {
        pmem.writeBack(60, 8);
        pmem.writeBack(64, 64);
        pmem.writeBack(0, 0);
        pmem.persist(0, 256);
        assertEquals(2 + 1 + 4, pmem.writeBacks());
        assertEquals(1, pmem.fences());
    }

    @Test
    void theDeathOfAProcessLosesNoStore() {
        SimPmem process = new SimPmem(SIZE, Persistence.PROCESS);
        process.set(0, 1);
        process.cas16(64, 0, 0, 2, 3);
        assertEquals(1, process.allImages().count());
        process.images(LIMIT, 0, image -> {
            assertEquals(1, process.crashed(image).get(0));
            assertEquals(3, process.crashed(image).get(72));
        });
    }

    @Test
    void itBehavesAsTheMappedPoolDoes() {
        MappedPmem mapped = MappedPmem.inMemory(SIZE);
        Random random = new Random(7);
        for (int i = 0; i < 20_000; i++) {
            long at = random.nextInt(-64, (int) SIZE + 64);
            long word = random.nextInt(4) == 0 ? at : at & -8;
            long value = random.nextInt(3);
            byte[] bytes = new byte[random.nextInt(40)];
            random.nextBytes(bytes);
            int operation = random.nextInt(9);
            assertEquals(
                    result(mapped, operation, at, word, value, bytes), result(pmem, operation, at, word, value, bytes));
        }
        assertArrayEquals(words(mapped), words(pmem));
    }

    private static String result(Pmem subject, int operation, long at, long word, long value, byte[] bytes) {
        byte[] out = new byte[bytes.length];
        try {
            return switch (operation) {
                case 0 -> "" + subject.get(word) + subject.getAcquire(word);
                case 1 -> done(() -> subject.set(word, value));
                case 2 -> done(() -> subject.setRelease(word, value));
                case 3 -> "" + subject.cas8(word, value, value + 1);
                case 4 -> "" + subject.cas16(word & -16, value, 0, value + 1, 0);
                case 5 -> done(() -> subject.copyIn(bytes, 0, at, bytes.length));
                case 6 -> {
                    subject.copyOut(at, out, 0, out.length);
                    yield Arrays.toString(out);
                }
                case 7 -> done(() -> subject.zero(word, bytes.length & -8));
                default -> done(() -> subject.persist(at, bytes.length));
            };
        } catch (IndexOutOfBoundsException _) {
            return "out of bounds";
        } catch (IllegalArgumentException _) {
            return "misaligned";
        }
    }

    private static String done(Runnable action) {
        action.run();
        return "done";
    }

    private static long[] words(Pmem subject) {
        long[] words = new long[(int) subject.size() / 8];
        for (int i = 0; i < words.length; i++) {
            words[i] = subject.get(i * 8L);
        }
        return words;
    }

    @Test
    void swapsOfSeveralThreadsLoseNoUpdate() throws Exception {
        int threads = 3;
        int rounds = 3000;
        try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
            List<Future<?>> counters = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                counters.add(executor.submit(() -> {
                    for (int round = 0; round < rounds; round++) {
                        addOneAndTwo();
                        pmem.persist(0, 16);
                    }
                }));
            }
            for (Future<?> counter : counters) {
                counter.get();
            }
        }
        assertEquals((long) threads * rounds, pmem.get(0));
        assertEquals(Set.of(threads * rounds + " " + 2 * threads * rounds), outcomes(0, 8));
    }

    @Test
    void aThreadThatSeesOneHalfOfASwapSeesTheOther() throws Exception {
        Thread writer = Thread.ofPlatform().start(() -> {
            for (int i = 0; i < 300_000; i++) {
                pmem.cas16(0, i, i, i + 1L, i + 1L);
            }
        });
        while (writer.isAlive()) {
            long low = pmem.getAcquire(0);
            long high = pmem.getAcquire(8);
            assertTrue(high >= low, low + " was seen, and then " + high);
            high = pmem.getAcquire(8);
            low = pmem.getAcquire(0);
            assertTrue(low >= high, high + " was seen, and then " + low);
        }
        writer.join();
    }

    private void addOneAndTwo() {
        long low;
        long high;
        do {
            low = pmem.get(0);
            high = pmem.get(8);
        } while (!pmem.cas16(0, low, high, low + 1, high + 2));
    }

    @Test
    void aPoolFileHasItsRegionsWhereTheyWereAfterACrash() {
        SimPoolFile file = new SimPoolFile(4096, 3);
        assertEquals(3, file.regionsMax());
        assertEquals(Pmem.NULL, file.regionAt(3));
        long last = file.regionAt(2);
        assertEquals(file.fileSize(), last + file.regionSize());
        assertTrue(file.regionAt(0) >= file.header() + 4096 + 3 * 8);
        file.pmem().set(last, 1);
        Set<Long> outcomes = new TreeSet<>();
        file.pmem().images(LIMIT, 0, image -> {
            SimPoolFile after = file.crashed(image);
            assertEquals(last, after.regionAt(2));
            outcomes.add(after.pmem().get(last));
        });
        assertEquals(Set.of(0L, 1L), outcomes);
        assertEquals(1, file.killed().pmem().get(last));
    }
}
