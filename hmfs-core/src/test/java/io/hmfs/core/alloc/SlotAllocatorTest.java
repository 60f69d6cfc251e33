package io.hmfs.core.alloc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Name;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/**
 * Goal: no slot is handed out twice and none is lost. Method: a small pool, filled, freed, retired under pins and opened again.
 */
final class SlotAllocatorTest {
    private static final long REGION = 16 << 10;
    private static final long START = 1000;
    private static final int PER_REGION = (int) (REGION / EntryRecord.SIZE);

    private SimPoolFile file = new SimPoolFile(REGION, 2, Persistence.PROCESS);
    private final Epochs epochs = new Epochs();
    private SlotAllocator slots = open();

    private SlotAllocator open() {
        return new SlotAllocator(file.pmem(), new Regions(file), epochs, RegionKind.ENTRY_SLOTS, START, Summary.none());
    }

    private long use() {
        long at = slots.allocate();
        if (at != Pmem.NULL) {
            EntryRecord.init(file.pmem(), at, EntryRecord.KIND_FILE, 1, EntryRecord.NO_CHECK, 1, Name.of("x"), 5, 0, 0);
        }
        return at;
    }

    private void free(long at) {
        file.pmem().setRelease(at + EntryRecord.STATUS_OFFSET, SlotState.FREE);
    }

    private List<Long> useAll() {
        List<Long> all = new ArrayList<>();
        for (long at = use(); at != Pmem.NULL; at = use()) {
            all.add(at);
        }
        return all;
    }

    @Test
    void allSlotsAreHandedOutOnceAndAgainWhenReleased() {
        List<Long> all = useAll();
        assertEquals(2 * PER_REGION, all.size());
        Set<Long> distinct = new HashSet<>(all);
        assertEquals(all.size(), distinct.size());
        assertEquals(0, slots.countFree());
        all.forEach(at -> {
            free(at);
            slots.release(at);
        });
        assertEquals(all.size(), slots.countFree());
        assertEquals(distinct, new HashSet<>(useAll()));
    }

    @Test
    void aRetiredSlotWaitsForThreadsThatMayReadIt() {
        List<Long> all = useAll();
        int pin = epochs.pin();
        for (long at : all) {
            free(at);
            slots.retire(at);
        }
        assertEquals(all.size(), slots.countFree());
        assertEquals(Pmem.NULL, slots.allocate(), "a reader is pinned");
        epochs.unpin(pin);
        slots.reclaim();
        assertEquals(new HashSet<>(all), new HashSet<>(useAll()));
    }

    @Test
    void retiringOverManyEpochsLosesNothing() {
        List<Long> all = useAll();
        for (int i = 0; i < all.size(); i++) {
            free(all.get(i));
            slots.retire(all.get(i));
            if (i % 7 == 0) {
                epochs.tryAdvance();
            }
            assertEquals(i + 1, slots.countFree());
        }
        slots.reclaim();
        assertEquals(new HashSet<>(all), new HashSet<>(useAll()));
    }

    @Test
    void whatWasNeverUsedIsFreshAfterARestart() {
        Set<Long> used = new HashSet<>();
        for (int i = 0; i < PER_REGION / 2; i++) {
            used.add(use());
        }
        long inHand = slots.allocate(); // lost with the process before it was filled
        file = file.killed();
        slots = open();
        long region = new Regions(file).at(0);
        assertEquals(inHand, slots.scanEnd(region), "the scan ends where the fresh slots begin");
        List<Long> rest = useAll();
        assertEquals(2 * PER_REGION - used.size(), rest.size());
        rest.forEach(at -> assertTrue(used.add(at), "handed out twice"));
        file = file.killed();
        slots = open();
        assertEquals(Pmem.NULL, slots.allocate());
        assertNotEquals(region, slots.scanEnd(region));
    }

    /** Runs on a thread of its own, hence of another stripe than the last ones. */
    private static void elsewhere(Runnable work) throws InterruptedException {
        AtomicReference<Throwable> failed = new AtomicReference<>();
        Thread thread = new Thread(work);
        thread.setUncaughtExceptionHandler((_, thrown) -> failed.set(thrown));
        thread.start();
        thread.join();
        if (failed.get() != null) {
            throw new AssertionError(failed.get());
        }
    }

    @Test
    void aFullPoolTakesWhatLiesWithOtherStripes() throws InterruptedException {
        List<Long> all = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            elsewhere(() -> all.add(use())); // leaves the rest of its run behind
        }
        all.addAll(useAll());
        assertEquals(2 * PER_REGION, all.size());
        assertEquals(all.size(), new HashSet<>(all).size());
        assertEquals(0, slots.countFree());
        elsewhere(() -> {
            free(all.get(0));
            slots.release(all.get(0));
            free(all.get(1));
            slots.retire(all.get(1));
        });
        assertEquals(2, slots.countFree());
        assertEquals(Set.of(all.get(0), all.get(1)), new HashSet<>(useAll()));
    }

    @Test
    void whatOneThreadRetiresServesAnotherBeforeANewRegionDoes() throws InterruptedException {
        file = new SimPoolFile(REGION, 20, Persistence.PROCESS);
        slots = open();
        List<Long> used = new ArrayList<>();
        for (int i = 0; i < 6 * PER_REGION; i++) {
            used.add(use());
        }
        int regions = new Regions(file).count();
        elsewhere(() -> used.forEach(at -> {
            free(at);
            slots.retire(at);
        }));
        Set<Long> again = new HashSet<>();
        for (int i = 0; i < 6 * PER_REGION - 2 * SlotDepot.BATCH; i++) {
            assertTrue(again.add(use()), "handed out twice");
        }
        assertEquals(regions, new Regions(file).count());
        again.removeAll(used);
        assertTrue(again.size() < PER_REGION, "only what was in hand is new: " + again.size());
    }

    @Test
    void runsOfManyStripesAreFoundAfterACrash() throws InterruptedException {
        Set<Long> used = new HashSet<>();
        for (int i = 0; i < 12; i++) {
            int count = i % 3 + 1;
            elsewhere(() -> {
                for (int n = 0; n < count; n++) {
                    used.add(use());
                }
            });
        }
        for (int crash = 0; crash < 3; crash++) {
            file = file.killed();
            slots = open();
            Regions regions = new Regions(file);
            for (int i = 0; i < regions.count(); i++) { // as the background scan does
                long end = slots.scanEnd(regions.at(i));
                for (long at = regions.at(i); at + EntryRecord.SIZE <= end; at += EntryRecord.SIZE) {
                    if (EntryRecord.state(file.pmem(), at) == SlotState.FREE) {
                        slots.release(at);
                    }
                }
            }
            assertEquals((long) regions.count() * PER_REGION - used.size(), slots.countFree(), "crash " + crash);
            elsewhere(() -> used.add(use()));
        }
        useAll().forEach(at -> assertTrue(used.add(at), "handed out twice"));
        assertEquals(2 * PER_REGION, used.size());
    }

    @Test
    void threadsThatTakeAndGiveBackNeverHoldOneSlotTwice() throws InterruptedException {
        file = new SimPoolFile(REGION, 8, Persistence.PROCESS);
        slots = open();
        int threads = 6;
        int rounds = 4000;
        ConcurrentHashMap<Long, Boolean> held = new ConcurrentHashMap<>();
        List<Thread> started = new ArrayList<>();
        AtomicReference<Throwable> failed = new AtomicReference<>();
        for (int t = 0; t < threads; t++) {
            long seed = 77L + t;
            Thread thread = new Thread(() -> takeAndGiveBack(rounds, new SplittableRandom(seed), held));
            thread.setUncaughtExceptionHandler((_, thrown) -> failed.set(thrown));
            thread.start();
            started.add(thread);
        }
        for (Thread thread : started) {
            thread.join();
        }
        if (failed.get() != null) {
            throw new AssertionError(failed.get());
        }
        slots.reclaim();
        List<Long> all = useAll();
        assertEquals(8 * PER_REGION, all.size());
        assertEquals(all.size(), new HashSet<>(all).size());
    }

    private void takeAndGiveBack(int rounds, SplittableRandom random, ConcurrentHashMap<Long, Boolean> held) {
        List<Long> mine = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            int pin = epochs.pin();
            if (random.nextInt(1 + mine.size()) < 60) {
                long at = use();
                if (at != Pmem.NULL) {
                    assertNull(held.put(at, true), "handed out twice");
                    mine.add(at);
                }
            } else {
                long at = mine.remove(random.nextInt(mine.size()));
                held.remove(at);
                free(at);
                if (random.nextBoolean()) {
                    slots.retire(at);
                } else {
                    slots.release(at);
                }
            }
            epochs.unpin(pin);
        }
        mine.forEach(at -> {
            held.remove(at);
            free(at);
            slots.retire(at);
        });
    }

    @Test
    void aRetiredSlotIsLeftAloneUntilItsReadersAreGone() {
        file = new SimPoolFile(REGION, 6, Persistence.PROCESS);
        slots = open();
        List<Long> all = useAll();
        Set<Long> lines = new HashSet<>();
        int pin = epochs.pin();
        for (long at : all) {
            file.pmem().set(at + EntryRecord.ATIME_OFFSET, 4711);
            free(at);
            slots.retire(at);
            lines.add(at);
        }
        slots.reclaim();
        assertEquals(Pmem.NULL, slots.allocate());
        lines.forEach(at -> assertEquals(4711, file.pmem().get(at + EntryRecord.ATIME_OFFSET), "touched"));
        epochs.unpin(pin);
        assertTrue(slots.reclaim());
        assertEquals(lines, new HashSet<>(useAll()));
    }

    @Test
    void aSlotThatIsNotFreeIsRefused() {
        long at = use();
        assertThrows(AssertionError.class, () -> slots.release(at));
    }
}
