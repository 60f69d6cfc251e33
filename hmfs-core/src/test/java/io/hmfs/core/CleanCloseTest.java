package io.hmfs.core;

import static io.hmfs.core.ClosedPools.REGION;
import static io.hmfs.core.ClosedPools.REGIONS;
import static io.hmfs.core.ClosedPools.ROOT;
import static io.hmfs.core.ClosedPools.check;
import static io.hmfs.core.ClosedPools.closed;
import static io.hmfs.core.ClosedPools.directory;
import static io.hmfs.core.ClosedPools.fill;
import static io.hmfs.core.ClosedPools.found;
import static io.hmfs.core.ClosedPools.full;
import static io.hmfs.core.ClosedPools.holdsSlots;
import static io.hmfs.core.ClosedPools.longName;
import static io.hmfs.core.ClosedPools.name;
import static io.hmfs.core.ClosedPools.open;
import static io.hmfs.core.ClosedPools.roomy;
import static io.hmfs.core.ClosedPools.unclean;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.alloc.Summary;
import io.hmfs.core.alloc.Summary.Found;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.sim.SimPmem;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/**
 * Goal: after a clean close the next start has all the free slots without a look at any, none of them twice, and believes nothing that
 * may be wrong. Method: a small pool without threads of its own; what a start has loaded, and what it can make until the pool is full.
 */
final class CleanCloseTest {
    private final Attributes out = new Attributes();

    @Test
    void aStartLooksAtNoSlotAndHasThemAll() {
        SimPoolFile file = full();
        PoolNamespace after = open(unclean(file));
        assertEquals(Found.NOT_CLOSED.text(), after.poolStatus().freeSlots());
        assertTrue(after.poolStatus().recovering());
        after.scanInBackground();

        List<Long> loaded = new ArrayList<>();
        file.pmem().beforeEachLoadOf(loaded::add);
        PoolNamespace namespace = open(file);
        namespace.scanInBackground();
        file.pmem().beforeEachLoadOf(null);
        assertFalse(loaded.isEmpty());
        loaded.removeIf(at -> !holdsSlots(file.pmem(), at));
        assertEquals(List.of(), loaded, "slots that the start has looked at");
        assertEquals(Found.VALID.text(), namespace.poolStatus().freeSlots());
        assertFalse(namespace.poolStatus().recovering());
        assertEquals(List.of(), namespace.problems());

        for (int i = 0; i < 30; i += 2) {
            for (PoolNamespace each : List.of(after, namespace)) {
                assertEquals(Status.OK, each.mkdir(ROOT, directory(i), 0755, 0, 0, out));
                assertEquals(Status.OK, each.create(ROOT, longName(i), 0644, 0, 0, out));
            }
        }
        int room = fill(after, 10_000);
        assertTrue(room > 80, "room: " + room);
        assertEquals(room, fill(namespace, 10_000));
        assertEquals(List.of(), namespace.problems());
        assertEquals(Snapshot.of(after).keySet(), Snapshot.of(namespace).keySet());
    }

    /** What a start has not taken stays where it is; what it frees comes on top. */
    @Test
    void closesThatFollowEachOtherLoseNothing() {
        SimPoolFile file = full();
        int room = fill(open(file.killed()), 10_000);
        int taken = 0;
        for (int start = 0; start < 12; start++) {
            PoolNamespace namespace = open(file);
            assertEquals(Found.VALID.text(), namespace.poolStatus().freeSlots());
            for (int i = 0; i < start; i++) {
                assertEquals(Status.OK, ClosedPools.create(namespace, 10_000 + taken++));
            }
            if (start == 7) {
                while (taken > 10) {
                    assertEquals(Status.OK, namespace.delete(ROOT, name(10_000 + --taken), out));
                }
                namespace.sweep(ROOT);
            }
            file = closed(file, namespace);
        }
        assertEquals(room - taken, fill(open(file), 20_000));
    }

    @Test
    void slotsThatWereInHandAndNeverFilledComeOnce() {
        SimPoolFile file = roomy();
        PoolNamespace namespace = open(file);
        assertEquals(Status.EXISTS, ClosedPools.create(namespace, 99)); // takes a slot and gives it back
        assertEquals(Status.EXISTS, namespace.mkdir(ROOT, name(99), 0755, 0, 0, out));
        SimPoolFile again = closed(file, namespace);
        PoolNamespace scanned = open(unclean(file));
        scanned.scanInBackground();
        int room = fill(scanned, 10_000);
        PoolNamespace next = open(again);
        assertEquals(room, fill(next, 10_000));
        assertEquals(List.of(), next.problems());
    }

    /** Its own scan may still have found something. */
    @Test
    void aCloseBeforeTheScanHasEndedTellsNothing() {
        SimPoolFile file = unclean(full());
        open(file).close();
        assertEquals(Found.NONE, found(file));
        assertTrue(check(file).wasClosed());
        PoolNamespace namespace = open(file);
        assertEquals(Found.NONE.text(), namespace.poolStatus().freeSlots());
        assertTrue(namespace.poolStatus().recovering());
        namespace.scanInBackground();
        assertEquals(List.of(), namespace.problems());
    }

    /** The disk of its log, say. A process that has closed a pool can open it again. */
    @Test
    void aCloseThatFailsEndsAndTheNextStartScans() {
        SimPoolFile file = roomy();
        PoolNamespace namespace = open(file);
        namespace.scanInBackground();
        assertEquals(Status.OK, ClosedPools.create(namespace, 1000));
        Logger engine = Logger.getLogger(PoolNamespace.class.getName());
        engine.setLevel(Level.OFF);
        file.pmem().beforeEachEvent(() -> {
            throw new IllegalStateException("the log fails");
        });
        namespace.close();
        file.pmem().beforeEachEvent(null);
        engine.setLevel(null);
        PoolNamespace next = open(file.killed());
        assertEquals(Found.NOT_CLOSED.text(), next.poolStatus().freeSlots());
        next.scanInBackground();
        assertEquals(List.of(), next.problems());
    }

    private static long dead(SimPoolFile file) {
        SimPmem pmem = file.pmem();
        long dead = 0;
        for (long word = PoolHeader.REGION_TABLE_OFFSET; pmem.get(word) != 0; word += 8) {
            if ((pmem.get(word) & RegionKind.MASK) == RegionKind.ENTRY_SLOTS.code()) {
                long start = pmem.get(word) & ~RegionKind.MASK;
                for (long at = start; at + EntryRecord.SIZE <= start + REGION; at += EntryRecord.SIZE) {
                    dead += EntryRecord.state(pmem, at) == SlotState.DELETED ? 1 : 0;
                }
            }
        }
        return dead;
    }

    /** Few dead children stay on their lists until something brings a sweep; many bring one at the next start, which needs no slots. */
    @Test
    void whatIsDeadAndListedIsCountedAndSweptIfItIsMuch() {
        SimPoolFile file = new SimPoolFile(REGION, REGIONS);
        PoolNamespace namespace = FreshPool.open(file);
        for (int i = 0; i < 200; i++) { // three regions of 85
            assertEquals(Status.OK, ClosedPools.create(namespace, i));
        }
        int[] deaths = {0, 1, 0, 1, 1, 2, 0, 40};
        long left = 0;
        int next = 0;
        int swept = 0;
        for (int start = 0; start < deaths.length; start++) {
            for (int i = 0; i < deaths[start]; i++) {
                assertEquals(Status.OK, namespace.delete(ROOT, name(next++), out));
            }
            left += deaths[start];
            file = closed(file, namespace);
            assertEquals(left, dead(file), "start " + start);
            assertEquals(left, Summary.read(file.pmem(), 0).dead(), "start " + start);
            namespace = open(file);
            assertEquals(Found.VALID.text(), namespace.poolStatus().freeSlots());
            assertEquals(left >= 3, namespace.poolStatus().recovering(), "dead: " + left); // 255 / 64
            if (left >= 3) {
                namespace.scanInBackground();
                assertFalse(namespace.poolStatus().recovering());
                swept++;
                left = 0;
            }
        }
        assertEquals(2, swept);
        assertEquals(List.of(), namespace.problems());
        assertEquals(0, dead(file));
    }

    /** A listing that goes on after a crash may need what a rename has left, so the scan leaves that on its list; it is counted for a sweep to come. */
    @Test
    void whatTheScanLeavesToListingsIsCounted() {
        SimPoolFile file = new SimPoolFile(REGION, REGIONS);
        PoolNamespace namespace = FreshPool.open(file);
        for (int i = 0; i < 3; i++) {
            assertEquals(Status.OK, ClosedPools.create(namespace, i));
        }
        assertEquals(Status.OK, namespace.rename(ROOT, name(0), ROOT, Name.of("new"), true, out));
        assertEquals(Status.OK, namespace.delete(ROOT, name(1), out));
        SimPoolFile killed = file.killed();
        // No second passes while the test runs: the times that it gives out are ahead of the clock by an hour.
        killed.pmem().set(PoolHeader.CLOCK_LEASE_OFFSET, (System.currentTimeMillis() + 3_600_000L) * 1_000_000L);
        namespace = open(killed);
        namespace.scanInBackground();
        assertEquals(List.of(), namespace.problems());
        SimPoolFile closed = closed(killed, namespace);
        assertEquals(1, dead(closed));
        assertEquals(1, Summary.read(closed.pmem(), 0).dead());
    }

    /** A rename leaves what it has moved, and what it has replaced, dead on their lists. */
    @Test
    void whatEachOperationLeavesDeadIsCounted() {
        SimPoolFile file = new SimPoolFile(REGION, REGIONS);
        PoolNamespace namespace = FreshPool.open(file);
        for (int i = 0; i < 8; i++) {
            assertEquals(Status.OK, ClosedPools.create(namespace, i));
            assertEquals(Status.OK, namespace.mkdir(ROOT, directory(i), 0755, 0, 0, out));
        }
        assertEquals(Status.OK, namespace.link(ROOT, name(1), ROOT, Name.of("second"), out));
        assertEquals(Status.OK, namespace.delete(ROOT, name(0), out));
        assertEquals(Status.OK, namespace.delete(ROOT, Name.of("second"), out));
        assertEquals(Status.OK, namespace.rmdir(ROOT, directory(0)));
        assertEquals(Status.OK, namespace.rename(ROOT, name(2), ROOT, Name.of("new"), true, out));
        assertEquals(Status.OK, namespace.rename(ROOT, name(3), ROOT, name(4), true, out));
        assertEquals(Status.OK, namespace.rename(ROOT, directory(1), ROOT, directory(2), true, out));
        SimPoolFile closed = closed(file, namespace);
        assertEquals(8, dead(closed));
        assertEquals(8, Summary.read(closed.pmem(), 0).dead());
    }
}
