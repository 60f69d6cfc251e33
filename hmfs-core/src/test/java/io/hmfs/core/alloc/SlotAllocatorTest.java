package io.hmfs.core.alloc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
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
import org.junit.jupiter.api.Test;

/**
 * Goal: no slot is handed out twice and none is lost. Method: a small pool, filled, freed, retired under pins and opened again.
 */
final class SlotAllocatorTest {
    private static final long REGION = 16 << 10;
    private static final int PER_REGION = (int) (REGION / EntryRecord.SIZE);

    private SimPoolFile file = new SimPoolFile(REGION, 2, Persistence.PROCESS);
    private final Epochs epochs = new Epochs();
    private SlotAllocator slots = open();

    private SlotAllocator open() {
        return new SlotAllocator(file.pmem(), new Regions(file), epochs, RegionKind.ENTRY_SLOTS);
    }

    private long use() {
        long at = slots.allocate();
        if (at != Pmem.NULL) {
            EntryRecord.init(file.pmem(), at, EntryRecord.KIND_FILE, 1, 1, Name.of("x"), 5, 0, 0);
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
    void aRetiredSlotWaitsForThoseWhoMayReadIt() {
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

    @Test
    void aSlotThatIsNotFreeIsRefused() {
        long at = use();
        assertThrows(AssertionError.class, () -> slots.release(at));
    }
}
