package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.alloc.Summary;
import io.hmfs.core.alloc.Summary.Found;
import io.hmfs.core.check.CheckReport;
import io.hmfs.core.check.PoolCheck;
import io.hmfs.core.check.Progress;
import io.hmfs.core.layout.CorruptPoolException;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.layout.SummaryRecord;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.sim.SimPmem;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Goal: after a clean close the next start has all the free slots without a look at any, none of them twice, and believes nothing that
 * may be wrong. Method: a small pool without threads of its own; what a start has loaded, and what it can make until the pool is full.
 */
final class CleanCloseTest {
    private static final long ROOT = Namespace.ROOT_ID;
    private static final long REGION = 16 << 10;
    private static final int REGIONS = 14;
    private static final long SUMMARY = PoolHeader.SUMMARY_OFFSET;
    private static final Path SIM = Path.of("sim");
    private static final Logger ENGINE = Logger.getLogger(PoolNamespace.class.getName());

    private final Attributes out = new Attributes();

    @BeforeAll
    static void hush() {
        ENGINE.setLevel(Level.OFF); // a damaged chain is an error within an operation
    }

    @AfterAll
    static void speak() {
        ENGINE.setLevel(null);
    }

    private static Name name(int number) {
        return Name.of("file-" + number);
    }

    private static Name longName(int number) {
        return Name.of("n".repeat(100) + number);
    }

    private static Name directory(int number) {
        return Name.of("directory-" + number);
    }

    private static PoolNamespace open(SimPoolFile file) {
        return new PoolNamespace("sim", file, false);
    }

    private static Found found(SimPoolFile file) {
        return Summary.read(file.pmem(), 0).found();
    }

    private static CheckReport check(SimPoolFile file) {
        try {
            return PoolCheck.check(SIM, file, Progress.NONE);
        } catch (PoolException e) {
            throw new AssertionError(e);
        }
    }

    private static void repair(SimPoolFile file) {
        try {
            PoolCheck.repair(SIM, file, Progress.NONE);
        } catch (PoolException e) {
            throw new AssertionError(e);
        }
    }

    private Status create(PoolNamespace namespace, int number) {
        return namespace.create(ROOT, name(number), 0644, 0, 0, out);
    }

    /** Creates until there is no space; how many. */
    private int fill(PoolNamespace namespace, int from) {
        int made = 0;
        while (create(namespace, from + made) == Status.OK) {
            made++;
        }
        return made;
    }

    /** Full but for slots of each kind that were freed again. */
    private SimPoolFile full() {
        SimPoolFile file = new SimPoolFile(REGION, REGIONS);
        PoolNamespace namespace = FreshPool.open(file);
        for (int i = 0; i < 30; i++) {
            assertEquals(Status.OK, namespace.create(ROOT, longName(i), 0644, 0, 0, out));
            assertEquals(Status.OK, namespace.mkdir(ROOT, directory(i), 0755, 0, 0, out));
        }
        int files = fill(namespace, 0);
        assertTrue(files > 300, "files: " + files);
        for (int i = 0; i < files; i += 3) {
            assertEquals(Status.OK, namespace.delete(ROOT, name(i), out));
        }
        for (int i = 0; i < 30; i += 2) {
            assertEquals(Status.OK, namespace.delete(ROOT, longName(i), out));
            assertEquals(Status.OK, namespace.rmdir(ROOT, directory(i)));
        }
        namespace.sweep(ROOT);
        return closed(file, namespace);
    }

    /** One that has slots that nobody has used yet, and free ones. */
    private SimPoolFile roomy() {
        SimPoolFile file = new SimPoolFile(REGION, REGIONS);
        PoolNamespace namespace = FreshPool.open(file);
        for (int i = 0; i < 100; i++) {
            assertEquals(Status.OK, create(namespace, i));
        }
        for (int i = 0; i < 90; i++) {
            assertEquals(Status.OK, namespace.delete(ROOT, name(i), out));
        }
        namespace.sweep(ROOT);
        return closed(file, namespace);
    }

    private static SimPoolFile closed(SimPoolFile file, PoolNamespace namespace) {
        namespace.scanInBackground();
        assertEquals(List.of(), namespace.problems());
        namespace.close();
        assertEquals(Found.VALID, found(file));
        CheckReport report = check(file);
        assertTrue(report.wasClosed());
        assertEquals(List.of(), report.findings());
        return file.killed();
    }

    /** The same as a start finds it that has to scan. */
    private static SimPoolFile unclean(SimPoolFile closed) {
        SimPoolFile file = closed.killed();
        file.pmem().set(PoolHeader.STATE_OFFSET, 0);
        return file;
    }

    private static boolean holdsSlots(SimPmem pmem, long at) {
        for (long word = PoolHeader.REGION_TABLE_OFFSET; pmem.get(word) != 0; word += 8) {
            long start = pmem.get(word) & ~RegionKind.MASK;
            if (at >= start && at < start + REGION) {
                return RegionKind.of(word, pmem.get(word)).slotSize() != 0;
            }
        }
        return false;
    }

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
                assertEquals(Status.OK, create(namespace, 10_000 + taken++));
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
        assertEquals(Status.EXISTS, create(namespace, 99)); // takes a slot and gives it back
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

    /** One that knows nothing of summaries: it counts its start, takes slots, and says in the end that it has closed the pool. */
    @Test
    void afterAnOlderHmfsASummaryIsNotBelieved() {
        SimPoolFile file = full();
        SimPmem pmem = file.pmem();
        List<Long> summary = new ArrayList<>();
        for (long at = SUMMARY; at < SUMMARY + SummaryRecord.SIZE; at += 8) {
            summary.add(pmem.get(at));
        }
        PoolNamespace older = open(file);
        for (int i = 0; i < 20; i++) {
            assertEquals(Status.OK, create(older, 10_000 + i));
        }
        older.close();
        for (int i = 0; i < summary.size(); i++) {
            pmem.set(SUMMARY + 8L * i, summary.get(i));
        }
        assertEquals(PoolHeader.CLEAN, pmem.get(PoolHeader.STATE_OFFSET));
        assertEquals(Found.NONE, found(file));
        assertEquals(0, check(file).damage());
    }

    /** What would have an offset of zero in an old pool: the summary of no start. */
    @Test
    void aPoolThatNoOneHasClosedHasNone() {
        SimPoolFile file = new SimPoolFile(REGION, REGIONS);
        FreshPool.open(file);
        file.pmem().set(PoolHeader.STATE_OFFSET, PoolHeader.CLEAN);
        file.pmem().set(PoolHeader.STARTS_OFFSET, 0);
        assertEquals(Found.NONE, found(file));
    }

    @Test
    void aSummaryWithAnyOtherWordIsNotBelievedAndIsForgottenByARepair() {
        SimPoolFile closed = full();
        for (long at = SUMMARY; at <= SUMMARY + SummaryRecord.CHECKSUM_OFFSET; at += 8) {
            SimPoolFile file = closed.killed();
            file.pmem().set(at, file.pmem().get(at) ^ 1L << 20);
            boolean other = at == SUMMARY + SummaryRecord.STARTS_OFFSET; // another start's, as far as one can tell
            assertEquals(other ? Found.NONE : Found.DAMAGED, found(file), "word at " + at);
            assertEquals(other ? 0 : 1, check(file).damage(), "word at " + at);
            repair(file);
            assertEquals(other ? Found.NONE : Found.NOT_CLOSED, found(file), "word at " + at);
            assertEquals(0, check(file).damage());
            PoolNamespace namespace = open(file);
            namespace.scanInBackground();
            assertEquals(List.of(), namespace.problems());
        }
    }

    /** No checksum is over the batches: whatever they lead to, no slot is taken that is not free, and none twice. */
    @Test
    void aBatchThatLeadsElsewhereStopsTheStartThatMeetsItAndTheNextOneScans() {
        SimPoolFile closed = roomy();
        SimPmem pmem = closed.pmem();
        long first = SummaryRecord.free(pmem, SUMMARY, RegionKind.ENTRY_SLOTS);
        long link = first + SummaryRecord.linkOffset(RegionKind.ENTRY_SLOTS);
        long second = pmem.get(link);
        long next = pmem.get(first + EntryRecord.NEXT_OFFSET);
        long unused = SummaryRecord.unused(pmem, SUMMARY, RegionKind.ENTRY_SLOTS);
        long content = SummaryRecord.unused(pmem, SUMMARY, RegionKind.CONTENT_SLOTS);
        assertNotEquals(Pmem.NULL, second);
        assertNotEquals(Pmem.NULL, next);
        assertEquals(0, pmem.get(unused + EntryRecord.STATUS_OFFSET));
        Map<String, long[]> damages = new TreeMap<>();
        damages.put("a slot leads to itself", new long[] {first + EntryRecord.NEXT_OFFSET, first});
        damages.put("the next one leads back", new long[] {next + EntryRecord.NEXT_OFFSET, first});
        damages.put("to a slot that nobody has used", new long[] {next + EntryRecord.NEXT_OFFSET, unused});
        damages.put("to a slot in use", new long[] {next + EntryRecord.NEXT_OFFSET, inUse(closed)});
        damages.put("to a slot of another kind", new long[] {next + EntryRecord.NEXT_OFFSET, content});
        damages.put("into a slot", new long[] {next + EntryRecord.NEXT_OFFSET, first + 64});
        damages.put("out of the pool", new long[] {next + EntryRecord.NEXT_OFFSET, 1L << 40});
        damages.put("into the other batch, which follows too", new long[] {next + EntryRecord.NEXT_OFFSET, second});
        damages.put("the batch leads to itself", new long[] {link, first});
        damages.put("the batch leads out of the pool", new long[] {link, 1L << 40});
        damages.put("the batch leads to what nobody has used", new long[] {link, unused});
        damages.put("a slot without a time", new long[] {next + EntryRecord.DEATH_OFFSET, 0});
        damages.forEach((what, damage) -> meets(closed.killed(), what, damage[0], damage[1]));
    }

    private long inUse(SimPoolFile file) {
        long word = PoolHeader.REGION_TABLE_OFFSET;
        while ((file.pmem().get(word) & RegionKind.MASK) != RegionKind.ENTRY_SLOTS.code()) {
            word += 8;
        }
        return file.pmem().get(word) & ~RegionKind.MASK; // the root's own
    }

    private void meets(SimPoolFile file, String what, long at, long value) {
        file.pmem().set(at, value);
        CheckReport report = check(file);
        assertEquals(
                1,
                report.findings().stream()
                        .filter(finding -> finding.object().equals("summary of the free slots"))
                        .count(),
                () -> what + ": " + report.findings());
        SimPoolFile repaired = file.killed();
        repair(repaired);
        assertEquals(0, check(repaired).damage(), what);
        assertEquals(Found.NOT_CLOSED, found(repaired), what);

        PoolNamespace namespace = open(file);
        int[] made = new int[1];
        assertThrows(
                CorruptPoolException.class,
                () -> {
                    while (create(namespace, 10_000 + made[0]) == Status.OK) {
                        made[0]++;
                    }
                },
                what);
        namespace.close();
        assertEquals(Found.NOT_CLOSED, found(file), what);
        PoolNamespace next = open(file);
        next.scanInBackground();
        assertEquals(List.of(), next.problems(), what);
        for (int i = 0; i < made[0]; i++) {
            assertEquals(Status.OK, next.stat(ROOT, name(10_000 + i), out), what + ", file " + i);
        }
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
            assertEquals(Status.OK, create(namespace, i));
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

    /** A rename leaves what it has moved, and what it has replaced, dead on their lists. */
    @Test
    void whatEachOperationLeavesDeadIsCounted() {
        SimPoolFile file = new SimPoolFile(REGION, REGIONS);
        PoolNamespace namespace = FreshPool.open(file);
        for (int i = 0; i < 8; i++) {
            assertEquals(Status.OK, create(namespace, i));
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
