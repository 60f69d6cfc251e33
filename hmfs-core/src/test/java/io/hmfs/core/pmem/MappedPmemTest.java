package io.hmfs.core.pmem;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: every access of the mapped pool does what Pmem promises, or throws before it touches foreign memory.
 * Method: small anonymous segments; the native calls are the real ones.
 */
final class MappedPmemTest {
    private static final long SIZE = 4096;

    private final MappedPmem pmem = MappedPmem.inMemory(SIZE);

    @Test
    void aFreshPoolIsZero() {
        for (long at = 0; at < SIZE; at += 8) {
            assertEquals(0, pmem.get(at));
        }
    }

    @Test
    void storesAreReadBackByEveryLoad() {
        pmem.set(8, 0x0102030405060708L);
        pmem.setRelease(16, -1);
        assertEquals(0x0102030405060708L, pmem.getAcquire(8));
        assertEquals(-1, pmem.get(16));
    }

    @Test
    void wordsAreLittleEndian() {
        byte[] bytes = new byte[8];
        pmem.set(64, 0x0102030405060708L);
        pmem.copyOut(64, bytes, 0, 8);
        assertArrayEquals(new byte[] {8, 7, 6, 5, 4, 3, 2, 1}, bytes);
    }

    @Test
    void cas8SwapsOnlyTheExpectedValue() {
        assertFalse(pmem.cas8(8, 1, 2));
        assertTrue(pmem.cas8(8, 0, 2));
        assertEquals(2, pmem.get(8));
    }

    @Test
    void cas16SwapsBothHalvesOrNone() {
        pmem.set(32, 1);
        pmem.set(40, 2);
        assertFalse(pmem.cas16(32, 1, 0, 7, 8));
        assertFalse(pmem.cas16(32, 0, 2, 7, 8));
        assertEquals(1, pmem.get(32));
        assertEquals(2, pmem.get(40));
        assertTrue(pmem.cas16(32, 1, 2, 7, 8));
        assertEquals(7, pmem.get(32));
        assertEquals(8, pmem.get(40));
        assertTrue(pmem.cas16(SIZE - 16, 0, 0, 1, 1));
    }

    @Test
    void cas16LosesNoUpdateOfSeveralThreads() throws Exception {
        int threads = 4;
        long rounds = 500_000; // long enough that the threads overlap
        try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
            List<Callable<Void>> counters = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                counters.add(() -> {
                    for (long round = 0; round < rounds; round++) {
                        addOneAndTwo(128);
                    }
                    return null;
                });
            }
            for (Future<Void> done : executor.invokeAll(counters)) {
                done.get();
            }
        }
        assertEquals(threads * rounds, pmem.get(128));
        assertEquals(2L * threads * rounds, pmem.get(136));
    }

    private void addOneAndTwo(long at) {
        long low;
        long high;
        do {
            low = pmem.getAcquire(at);
            high = pmem.getAcquire(at + 8);
        } while (!pmem.cas16(at, low, high, low + 1, high + 2));
    }

    @Test
    void copiesKeepTheirNeighbours() {
        pmem.copyIn(new byte[] {9, 1, 2, 3, 9}, 1, 100, 3);
        byte[] bytes = new byte[5];
        pmem.copyOut(99, bytes, 0, 5);
        assertArrayEquals(new byte[] {0, 1, 2, 3, 0}, bytes);
    }

    @Test
    void zeroClearsShortAndLongRangesAndNothingElse() {
        for (long count : new long[] {0, 8, 512, 520, 2048}) {
            for (long at = 0; at < SIZE; at += 8) {
                pmem.set(at, -1);
            }
            pmem.zero(64, count);
            for (long at = 0; at < SIZE; at += 8) {
                assertEquals(at >= 64 && at < 64 + count ? 0 : -1, pmem.get(at));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Persistence.class)
    void writeBackOfAnyRangeLeavesTheContent(Persistence persistence) {
        long size = 1 << 20;
        MappedPmem large = MappedPmem.inMemory(size, persistence);
        for (long at = 0; at < size; at += 8) {
            large.set(at, at + 1);
        }
        large.persist(0, size);
        large.persist(100, 1);
        large.writeBack(size, 0);
        large.fence();
        for (long at = 0; at < size; at += 8) {
            assertEquals(at + 1, large.get(at));
        }
        assertEquals(persistence, large.persistence());
    }

    @Test
    void positionsOutsideOfThePoolAreRefused() {
        for (long at : new long[] {-16, -8, SIZE, SIZE + 8, Long.MIN_VALUE, Long.MAX_VALUE - 15, 1L << 47}) {
            assertThrows(IndexOutOfBoundsException.class, () -> pmem.get(at & -8));
            assertThrows(IndexOutOfBoundsException.class, () -> pmem.getAcquire(at & -8));
            assertThrows(IndexOutOfBoundsException.class, () -> pmem.set(at & -8, 1));
            assertThrows(IndexOutOfBoundsException.class, () -> pmem.setRelease(at & -8, 1));
            assertThrows(IndexOutOfBoundsException.class, () -> pmem.cas8(at & -8, 0, 1));
            assertThrows(IndexOutOfBoundsException.class, () -> pmem.cas16(at & -16, 0, 0, 1, 1), "at " + at);
            assertThrows(IndexOutOfBoundsException.class, () -> pmem.writeBack(at, 8));
            assertThrows(IndexOutOfBoundsException.class, () -> pmem.zero(at & -8, 8));
            assertThrows(IndexOutOfBoundsException.class, () -> pmem.copyIn(new byte[8], 0, at, 8));
            assertThrows(IndexOutOfBoundsException.class, () -> pmem.copyOut(at, new byte[8], 0, 8));
        }
        assertThrows(IndexOutOfBoundsException.class, () -> pmem.writeBack(SIZE - 8, 9));
        assertThrows(IndexOutOfBoundsException.class, () -> pmem.writeBack(8, -1));
        assertThrows(IndexOutOfBoundsException.class, () -> pmem.copyIn(new byte[4], 0, 0, 8));
    }

    @Test
    void misalignedPositionsAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> pmem.get(4));
        assertThrows(IllegalArgumentException.class, () -> pmem.set(1, 0));
        assertThrows(IllegalArgumentException.class, () -> pmem.cas16(8, 0, 0, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> pmem.zero(4, 8));
        assertThrows(IllegalArgumentException.class, () -> pmem.zero(8, 4));
    }

    @Test
    void aClosedPoolIsRefused() {
        pmem.close();
        List<Executable> uses = List.of(
                () -> pmem.get(0),
                () -> pmem.getAcquire(0),
                () -> pmem.set(0, 1),
                () -> pmem.setRelease(0, 1),
                () -> pmem.cas8(0, 0, 1),
                () -> pmem.getAndAdd(0, 1),
                () -> pmem.cas16(0, 0, 0, 1, 1),
                () -> pmem.copyIn(new byte[8], 0, 0, 8),
                () -> pmem.copyOut(0, new byte[8], 0, 8),
                () -> pmem.zero(0, 8),
                () -> pmem.writeBack(0, 8));
        for (Executable use : uses) {
            assertThrows(IllegalStateException.class, use);
        }
    }

    @Test
    void aPoolThatIsLookedAtTakesNoStore() {
        MappedPmem looked = new MappedPmem(Arena.ofAuto().allocate(SIZE, 4096).asReadOnly(), Persistence.PROCESS);
        assertEquals(0, looked.get(0));
        assertEquals(0, looked.getAcquire(SIZE - 8));
        looked.copyOut(0, new byte[8], 0, 8);
        List<Executable> stores = List.of(
                () -> looked.set(0, 1),
                () -> looked.setRelease(0, 1),
                () -> looked.cas8(0, 0, 1),
                () -> looked.getAndAdd(0, 1),
                () -> looked.cas16(0, 0, 0, 1, 1),
                () -> looked.copyIn(new byte[8], 0, 0, 8),
                () -> looked.zero(0, 8));
        for (Executable store : stores) {
            assertThrows(UnsupportedOperationException.class, store);
        }
    }

    @Test
    void aPoolReachesAsFarAsItIsTold() {
        pmem.resize(SIZE - 64);
        pmem.set(SIZE - 72, 1);
        assertThrows(IndexOutOfBoundsException.class, () -> pmem.get(SIZE - 64));
        assertThrows(IndexOutOfBoundsException.class, () -> pmem.set(SIZE - 64, 1));
        assertThrows(IndexOutOfBoundsException.class, () -> pmem.copyOut(SIZE - 72, new byte[16], 0, 16));
        pmem.resize(SIZE);
        assertEquals(0, pmem.get(SIZE - 64));
        assertThrows(IndexOutOfBoundsException.class, () -> pmem.resize(SIZE + 8));
    }

    @Test
    void theWriteBackInstructionIsOneThatTheProcessorHas() {
        assertTrue(List.of("CLWB", "CLFLUSHOPT", "CLFLUSH").contains(MappedPmem.writeBackInstruction()));
    }
}
