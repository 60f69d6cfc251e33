package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.Status;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: what a crash leaves of creates is settled with steps in proportion to the list it stands on, whichever thread meets it, in whatever
 * order. Method: simulated memory, whose loads of list pointers are counted.
 */
final class CutOffStepsTest extends CutOffCreates {
    private static final int FILES = 400;

    private long siblingsLoaded;

    private void countSiblings() {
        List<Long> entries = new ArrayList<>();
        long table = file.header() + PoolHeader.REGION_TABLE_OFFSET;
        for (int i = 0; pmem().get(table + 8L * i) != 0; i++) {
            long word = pmem().get(table + 8L * i);
            if (RegionKind.of(table, word) == RegionKind.ENTRY_SLOTS) {
                entries.add(word & ~RegionKind.MASK);
            }
        }
        long first = file.regionAt(0);
        boolean[] isEntries = new boolean[file.regionsMax()];
        entries.forEach(start -> isEntries[(int) ((start - first) / REGION)] = true);
        pmem().beforeEachLoadOf(at -> {
            long in = (at - first) % REGION % EntryRecord.SIZE;
            if (at >= first && in == EntryRecord.SIBLING_OFFSET && isEntries[(int) ((at - first) / REGION)]) {
                siblingsLoaded++;
            }
        });
    }

    enum Order {
        NEWEST_FIRST,
        OLDEST_FIRST,
        MIXED
    }

    /** What was created next in the same directory stands too far away to help. */
    @ParameterizedTest
    @EnumSource(Order.class)
    void aDirectoryOfCutOffCreatesTakesStepsInProportionToItsList(Order order) {
        long[] directories = new long[DIRECTORIES];
        for (int d = 0; d < DIRECTORIES; d++) {
            directories[d] = mkdir("directory" + d);
        }
        for (int i = 0; i < FILES; i++) {
            for (long directory : directories) {
                create(directory, name(i));
            }
        }
        cutOff(children(directories[0]));
        kill();
        List<Integer> asked = new ArrayList<>();
        for (int i = 0; i < FILES; i++) {
            asked.add(order == Order.NEWEST_FIRST ? FILES - 1 - i : i);
        }
        if (order == Order.MIXED) {
            Collections.shuffle(asked, new Random(7));
        }
        countSiblings();
        for (int i : asked) {
            assertEquals(Status.OK, namespace.stat(directories[0], name(i), out));
        }
        assertTrue(siblingsLoaded < 10 * FILES, siblingsLoaded + " steps for " + FILES + " children");
        assertEquals(FILES, namespace.poolStatus().recoveredObjects());
        pmem().beforeEachLoadOf(null);
        assertEquals(List.of(), namespace.problems());
    }

    @Test
    void aListingOfCutOffCreatesTakesStepsInProportionToo() {
        long directory = mkdir("directory");
        for (int i = 0; i < FILES; i++) {
            create(directory, name(i));
        }
        cutOff(children(directory));
        kill();
        countSiblings();
        int[] listed = new int[1];
        assertEquals(Status.OK, namespace.list(directory, new ListCursor(), (_, _) -> ++listed[0] > 0));
        assertEquals(FILES, listed[0]);
        assertTrue(siblingsLoaded < 30 * FILES, siblingsLoaded + " steps for " + FILES + " children");
    }

    @Test
    void oneThatStandsDeepInAListIsFoundByItsNeighbours() {
        long directory = mkdir("directory");
        for (int i = 0; i < FILES; i++) {
            create(directory, name(i));
        }
        cutOff(children(directory).subList(FILES / 2, FILES / 2 + 1));
        kill();
        countSiblings();
        assertEquals(Status.OK, namespace.stat(directory, name(FILES - 1 - FILES / 2), out));
        assertTrue(siblingsLoaded < 100, siblingsLoaded + " steps");
    }

    /** A sweep took every second child off the list, and the process died before it freed their slots. */
    @Test
    void slotsThatASweepHasLostAreFoundInStepsInProportionToo() {
        long directory = mkdir("directory");
        for (int i = 0; i < FILES; i++) {
            create(directory, name(i));
        }
        List<Long> all = children(directory);
        for (int i = 1; i < FILES; i += 2) {
            long at = all.get(i);
            fate(at, SlotState.DELETED);
            pmem().set(all.get(i - 1) + EntryRecord.SIBLING_OFFSET, EntryRecord.sibling(pmem(), at));
        }
        kill();
        countSiblings();
        namespace.scanInBackground();
        assertTrue(siblingsLoaded < 10 * FILES, siblingsLoaded + " steps for " + FILES + " children");
        pmem().beforeEachLoadOf(null);
        assertEquals(FILES / 2, children(directory).size());
        assertEquals(List.of(), namespace.problems());
    }

    /**
     * Files of two directories were renamed, in turns, and the process died: what they were before stays on the lists for listings. The scan
     * remembers one of the two at a time as swept.
     */
    @Test
    void whatRenamesLeftBehindTakesAScanStepsInProportionToo() {
        int remembered = 1 << 10;
        long[] directories = new long[remembered + 1];
        for (int d = 0; d < directories.length; d++) {
            directories[d] = mkdir("directory" + d);
        }
        long first = directories[0];
        long second = directories[remembered];
        assertEquals(first % remembered, second % remembered, "are not remembered in one place");
        create(first, name(0));
        create(second, name(0));
        for (int i = 0; i < FILES; i++) {
            assertEquals(Status.OK, namespace.rename(first, name(i), first, name(i + 1), true, out));
            assertEquals(Status.OK, namespace.rename(second, name(i), second, name(i + 1), true, out));
        }
        kill();
        countSiblings();
        namespace.scanInBackground();
        assertTrue(
                siblingsLoaded < 10L * (2 * FILES + directories.length),
                siblingsLoaded + " steps for " + FILES + " renames");
        pmem().beforeEachLoadOf(null);
        assertEquals(FILES + 1, children(first).size());
        assertEquals(FILES + 1, children(second).size());
        assertEquals(List.of(), namespace.problems());
    }
}
