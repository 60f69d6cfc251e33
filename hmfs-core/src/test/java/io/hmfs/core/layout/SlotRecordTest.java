package io.hmfs.core.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.sim.SimPmem;
import io.hmfs.core.type.Name;
import org.junit.jupiter.api.Test;

/**
 * Goal: a thread that finds a record by its first word finds it whole, and what is freed is freed once. Method: simulated memory that is
 * looked at before each store.
 */
final class SlotRecordTest {
    private static final long AT = 1024;
    private static final long ENTRY = 64;

    private final SimPmem pmem = new SimPmem(32768);

    private void isFreeUntilItIsFilled(Runnable fill) {
        pmem.beforeEachEvent(() -> assertEquals(SlotState.FREE, EntryRecord.state(pmem, AT)));
        fill.run();
        pmem.beforeEachEvent(null);
        assertEquals(SlotState.NORMAL, EntryRecord.state(pmem, AT));
    }

    @Test
    void aContent() {
        isFreeUntilItIsFilled(() -> DirContentRecord.init(pmem, AT, 5, ENTRY, 10));
        assertFalse(DirContentRecord.free(pmem, AT, 6, 20), "another directory's");
        assertTrue(DirContentRecord.free(pmem, AT, 5, 20));
        assertFalse(DirContentRecord.free(pmem, AT, 5, 20), "freed twice");
    }

    @Test
    void aSlotOfAChain() {
        isFreeUntilItIsFilled(() -> ChainRecord.init(pmem, AT, 7, 0, AT, ENTRY, 0));
        assertFalse(ChainRecord.free(pmem, AT, 8, 20), "another chain's");
        assertTrue(ChainRecord.free(pmem, AT, 7, 20));
        assertFalse(ChainRecord.free(pmem, AT, 7, 20), "freed twice");
    }

    @Test
    void anInode() {
        EntryRecord.init(pmem, ENTRY, EntryRecord.KIND_FILE, 5, EntryRecord.NO_CHECK, 1, Name.of("x"), 10, 0644, 0);
        isFreeUntilItIsFilled(() -> InodeRecord.init(pmem, AT, ENTRY, EntryRecord.NO_CHECK, 11));
        assertTrue(InodeRecord.free(pmem, AT, 20));
        assertFalse(InodeRecord.free(pmem, AT, 20), "freed twice");
        InodeRecord.init(pmem, AT, ENTRY, EntryRecord.NO_CHECK, 30);
        boolean[] first = {false, true};
        pmem.beforeEachEvent(() -> {
            if (first[1]) {
                first[1] = false;
                first[0] = InodeRecord.free(pmem, AT, 40);
            }
        });
        assertFalse(InodeRecord.free(pmem, AT, 41), "freed twice at once");
        assertTrue(first[0]);
    }

    @Test
    void aSegmentAndTheIndexHaveTheirMagicLast() {
        pmem.beforeEachEvent(() -> assertTrue(SegmentRecord.isFree(pmem, AT)));
        SegmentRecord.init(pmem, AT, 3, 2);
        pmem.beforeEachEvent(null);
        assertEquals(SegmentRecord.MAGIC, SegmentRecord.magic(pmem, AT));
        pmem.beforeEachEvent(() -> assertEquals(0, IndexHeader.magic(pmem, ENTRY)));
        IndexHeader.init(pmem, ENTRY, 2, AT, 3);
        pmem.beforeEachEvent(null);
        assertEquals(IndexHeader.MAGIC, IndexHeader.magic(pmem, ENTRY));
    }

    @Test
    void aSplitSaysThatItCopiesLast() {
        pmem.beforeEachEvent(() -> assertEquals(SplitRecord.IDLE, SplitRecord.state(pmem, AT)));
        SplitRecord.begin(pmem, AT, 1, 2, 3);
        pmem.beforeEachEvent(null);
        assertEquals(SplitRecord.COPYING, SplitRecord.state(pmem, AT));
    }
}
