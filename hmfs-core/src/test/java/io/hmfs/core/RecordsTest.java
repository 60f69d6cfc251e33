package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.Records.Kind;
import io.hmfs.core.alloc.Summary;
import io.hmfs.core.alloc.Summary.Found;
import io.hmfs.core.check.CheckReport;
import io.hmfs.core.check.Finding;
import io.hmfs.core.check.PoolCheck;
import io.hmfs.core.layout.CorruptPoolException;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.layout.TableRecord;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Progress;
import io.hmfs.core.type.Status;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: records are found by every later start, in whatever way the one before has ended; a full pool refuses them; damage among them is
 * found and put right. Method: a small simulated pool, opened again and again, and words of it bent by hand.
 */
final class RecordsTest {
    private static final long ROOT = Namespace.ROOT_ID;
    private static final int PER_REGION = (32 << 10) / 64;

    private final SimPoolFile file = new SimPoolFile(32 << 10, 16);
    private final PoolNamespace namespace = FreshPool.open(file);
    private final Records records = namespace.records();

    private static PoolNamespace open(SimPoolFile pool) {
        return new PoolNamespace("sim", pool, false);
    }

    private static Map<Long, List<Long>> all(Records of, Kind kind) {
        Map<Long, List<Long>> found = new TreeMap<>();
        of.each(
                kind,
                (_, key, first, second, third) ->
                        assertEquals(null, found.put(key, List.of(first, second, third)), "twice: " + key));
        return found;
    }

    @Test
    void everyStartFindsThem() {
        long lease = records.put(Kind.LEASE, 7, 1, 2, 3);
        records.put(Kind.QUOTA, 7, -1, 5, 0);
        long gone = records.put(Kind.CUT, 8, 6, 7, 8);
        records.clear(gone);
        records.clear(Records.NONE);
        records.fence();
        assertEquals(Map.of(7L, List.of(1L, 2L, 3L)), all(open(file.killed()).records(), Kind.LEASE));
        assertEquals(Map.of(7L, List.of(-1L, 5L, 0L)), all(open(file.killed()).records(), Kind.QUOTA));
        assertEquals(Map.of(), all(open(file.killed()).records(), Kind.CUT));
        namespace.close();
        Records next = open(file).records();
        assertEquals(1, all(next, Kind.LEASE).size());
        long again = next.put(Kind.LEASE, 9, 1, 2, 3);
        assertNotEquals(lease, again, "the line of another one");
        assertEquals(2, all(next, Kind.LEASE).size());
    }

    @Test
    void linesAreUsedAgainAndRegionsAreTakenAsTheyAreNeeded() {
        long[] at = new long[3 * PER_REGION];
        for (int i = 0; i < at.length; i++) {
            at[i] = records.put(Kind.LEASE, i + 1, i, i, i);
            assertNotEquals(Records.NONE, at[i]);
        }
        assertEquals(3, regions(file).size());
        for (int i = 0; i < at.length; i += 2) {
            records.clear(at[i]);
        }
        for (int i = 0; i < at.length; i += 2) {
            assertNotEquals(Records.NONE, records.put(Kind.LEASE, i + 1, 0, 0, 0));
        }
        assertEquals(3, regions(file).size(), "nothing was cleared for good");
        Records next = open(file.killed()).records();
        assertEquals(at.length, all(next, Kind.LEASE).size());
        assertEquals(List.of(1L, 1L, 1L), all(next, Kind.LEASE).get(2L));
        assertEquals(List.of(0L, 0L, 0L), all(next, Kind.LEASE).get(3L));
    }

    @Test
    void aFullPoolRefusesThem() {
        Attributes out = new Attributes();
        int made = 0;
        while (namespace.create(ROOT, Name.of("f" + made), 0644, 0, 0, out) == Status.OK) {
            made++;
        }
        assertEquals(Records.NONE, records.put(Kind.LEASE, 1, 2, 3, 4));
        SimPoolFile growing = SimPoolFile.growing(32 << 10, 6, 16);
        PoolNamespace other = FreshPool.open(growing);
        int lines = 0;
        while (other.records().put(Kind.LEASE, ++lines, 2, 3, 4) != Records.NONE) {
            assertTrue(lines <= 16 * PER_REGION);
        }
        assertTrue(lines > 4 * PER_REGION, "a pool that may grow grows for them: " + lines);
    }

    /** No sweep frees a region, and the threads that ask are those of connections. */
    @Test
    void aTableWithoutALineInAFullPoolAsksForNoSweep() {
        while (records.put(Kind.LEASE, 1, 2, 3, 4) != Records.NONE) {
            assertTrue(regions(file).size() < 16);
        }
        int[] asked = new int[1];
        namespace.whenFull(() -> {
            asked[0]++;
            return true;
        });
        assertEquals(Records.NONE, records.put(Kind.LEASE, 1, 2, 3, 4));
        assertEquals(0, asked[0]);
        records.clear(Unwritten.regions(file, RegionKind.RECORDS).findFirst().orElseThrow());
        assertNotEquals(Records.NONE, records.put(Kind.LEASE, 1, 2, 3, 4));
        assertEquals(Records.NONE, records.put(Kind.LEASE, 1, 2, 3, 4));
        assertEquals(0, asked[0]);
    }

    @Test
    void aPoolThatCannotGrowIsAskedOnceUntilARecordIsCleared() throws PoolException {
        SimPoolFile growing = SimPoolFile.growing(32 << 10, 8, 16);
        growing.diskFull(true);
        PoolNamespace other = FreshPool.open(growing);
        other.growth.backOff(0);
        while (other.records().put(Kind.LEASE, 1, 2, 3, 4) != Records.NONE) {
            assertTrue(regions(growing).size() < 8);
        }
        growing.diskFull(false);
        assertEquals(Records.NONE, other.records().put(Kind.LEASE, 1, 2, 3, 4), "remembered");
        assertTrue(other.growth.grow());
        long at = other.records().put(Kind.LEASE, 1, 2, 3, 4);
        assertNotEquals(Records.NONE, at, "it has grown");
        while (other.records().put(Kind.LEASE, 1, 2, 3, 4) != Records.NONE) {
            assertTrue(regions(growing).size() <= 16);
        }
        other.records().clear(at);
        assertEquals(at, other.records().put(Kind.LEASE, 1, 2, 3, 4));
    }

    @Test
    void aPoolWithDataElsewhereHasALineThoughItIsFullBeforeTheFirstIsAsked() {
        FreshPool.open(file).close();
        PoolNamespace other = RemovedFilesTest.open(file);
        Attributes out = new Attributes();
        int made = 0;
        while (other.create(ROOT, Name.of("f" + made), 0644, 0, 0, out) == Status.OK) {
            made++;
        }
        assertNotEquals(Records.NONE, other.records().put(Kind.LEASE, out.id, 2, 3, 4));
        assertEquals(1, regions(file).size());
        other.close();
        RemovedFilesTest.open(file).close();
        assertEquals(1, regions(file).size(), "once for all starts");
    }

    /** What runs while the namespace is closed, to be seen through at its first event or load. */
    private static Map<String, Consumer<Records>> calls() {
        Attributes out = new Attributes();
        return Map.of(
                "put", r -> r.put(Kind.LEASE, 2, 2, 3, 4),
                "clear", r -> r.each(Kind.QUOTA, (at, _, _, _, _) -> r.clear(at)),
                "fence", Records::fence,
                "each", r -> r.each(Kind.LEASE, (_, _, _, _, _) -> {}),
                "find", r -> r.find(ROOT, r.hash(ROOT, Name.of("f")), 1, new Name(), out));
    }

    static Set<String> callNames() {
        return calls().keySet();
    }

    @ParameterizedTest
    @MethodSource("callNames")
    void aCloseWaitsForACallThatIsUnderWay(String call) {
        assertEquals(Status.OK, namespace.create(ROOT, Name.of("f"), 0644, 0, 0, new Attributes()));
        records.put(Kind.LEASE, 1, 2, 3, 4);
        records.put(Kind.QUOTA, 1, 2, 3, 4);
        boolean[] met = new boolean[1];
        try (Stepper closer = new Stepper()) {
            Runnable hook = () -> {
                if (!met[0]) {
                    met[0] = true;
                    closer.begin(namespace::close);
                    assertFalse(closer.isDone(), "closed under a call");
                }
            };
            file.pmem().beforeEachEvent(hook);
            if (call.equals("each") || call.equals("find")) {
                file.pmem().beforeEachLoad(hook);
            }
            try {
                Objects.requireNonNull(calls().get(call)).accept(records);
            } catch (IllegalStateException e) {
                assertTrue(call.equals("find"), "it looks again after the index, and is told that the pool is closed");
            }
            while (!closer.isDone()) {
                closer.finish();
            }
        }
        assertTrue(met[0]);
        assertThrows(
                IllegalStateException.class,
                () -> Objects.requireNonNull(calls().get(call)).accept(records));
    }

    @Test
    void aRecordCostsALineAndAFenceForAsManyAsGoTogether() {
        records.clear(records.put(Kind.LEASE, 1, 2, 3, 4));
        records.fence();
        long writeBacks = file.pmem().writeBacks();
        long fences = file.pmem().fences();
        records.put(Kind.LEASE, 1, 2, 3, 4);
        records.put(Kind.LEASE, 2, 2, 3, 4);
        records.fence();
        assertEquals(2, file.pmem().writeBacks() - writeBacks);
        assertEquals(1, file.pmem().fences() - fences);
    }

    @Test
    void aFileIsFoundByTheHashOfItsName() {
        Attributes out = new Attributes();
        assertEquals(Status.OK, namespace.create(ROOT, Name.of("f"), 0644, 0, 0, out));
        long id = out.id;
        assertEquals(Status.OK, namespace.append(ROOT, Name.of("f"), id, 99));
        long hash = records.hash(ROOT, Name.of("f"));
        Records next = open(file.killed()).records();
        Name name = new Name();
        assertTrue(next.find(ROOT, hash, id, name, out));
        assertEquals("f", name.toString());
        assertEquals(99, out.size);
        assertFalse(next.find(ROOT, hash, id + 1, name, out), "another file");
        assertFalse(next.find(ROOT + 1, hash, id, name, out), "another directory");
        assertFalse(next.find(ROOT, records.hash(ROOT, Name.of("g")), id, name, out), "another name");
    }

    @Test
    void allCutsOfAFileHold() throws PoolException {
        Attributes out = new Attributes();
        assertEquals(Status.OK, namespace.create(ROOT, Name.of("f"), 0644, 0, 0, out));
        records.put(Kind.CUT, out.id, ROOT, 1, 100);
        records.put(Kind.CUT, out.id, ROOT, 1, 50);
        namespace.close();
        assertEquals(0, check(file).pending());
        long[] sizes = new long[1];
        open(file).records().each(Kind.CUT, (_, _, _, _, size) -> sizes[0] += size);
        assertEquals(150, sizes[0]);
    }

    @Test
    void withoutWriteBackTheyOutliveTheProcessAlone() {
        SimPoolFile process = new SimPoolFile(32 << 10, 16, Persistence.PROCESS);
        FreshPool.open(process).records().put(Kind.LEASE, 1, 2, 3, 4);
        assertEquals(Map.of(1L, List.of(2L, 3L, 4L)), all(open(process.killed()).records(), Kind.LEASE));
    }

    private static List<Long> regions(SimPoolFile pool) {
        return Unwritten.regions(pool, RegionKind.RECORDS).boxed().toList();
    }

    private static long regionWord(SimPoolFile pool) {
        long at = PoolHeader.REGION_TABLE_OFFSET;
        while ((pool.pmem().get(at) & RegionKind.MASK) != RegionKind.RECORDS.code()) {
            at += 8;
        }
        return at;
    }

    private static CheckReport check(SimPoolFile pool) throws PoolException {
        return PoolCheck.check(Path.of("sim"), pool, Progress.NONE);
    }

    @Test
    void damageIsFoundAndPutRight() throws PoolException {
        Attributes out = new Attributes();
        assertEquals(Status.OK, namespace.create(ROOT, Name.of("f"), 0644, 0, 0, out));
        long at = records.put(Kind.LEASE, out.id, 1, 2, 3);
        records.put(Kind.QUOTA, ROOT, 5, 6, 0);
        records.put(Kind.GRANT_EPOCH, 4_711, 1, 2, 3); // of a stripe, which no file need have
        namespace.close();
        assertEquals(List.of(), check(file).findings());
        assertEquals(3L, check(file).counted().get("records"));
        long word = regionWord(file);
        long[][] bent = {
            {at + TableRecord.STATE_OFFSET, file.pmem().get(at) ^ 1 << 20},
            {at + TableRecord.STATE_OFFSET, file.pmem().get(at) ^ 3},
            {at + TableRecord.KEY_OFFSET, 99},
            {at + TableRecord.ORDER_OFFSET, 1},
            {at + PER_REGION / 2 * TableRecord.SIZE, 42},
            {word, file.pmem().get(word) ^ 3},
            {word, 0}
        };
        for (long[] each : bent) {
            SimPoolFile damaged = file.killed();
            damaged.pmem().set(each[0], each[1]);
            assertTrue(check(damaged).damage() > 0, () -> each[0] + " became " + each[1]);
            if (each[0] != word) {
                assertThrows(CorruptPoolException.class, () -> open(damaged));
            }
            CheckReport repaired = PoolCheck.repair(Path.of("sim"), damaged, Progress.NONE);
            assertEquals(0, repaired.damage(), () -> repaired.findings().toString());
            Records next = open(damaged).records();
            assertEquals(1, all(next, Kind.QUOTA).size(), "what was not damaged is kept");
            assertEquals(Map.of(4_711L, List.of(1L, 2L, 3L)), all(next, Kind.GRANT_EPOCH));
            assertEquals(
                    each[0] >= at && each[0] < at + 64 ? 0 : 1,
                    all(next, Kind.LEASE).size());
        }
    }

    @Test
    void aRecordOfTheFutureIsDamage() throws PoolException {
        long at = records.put(Kind.QUOTA, ROOT, 5, 6, 0);
        namespace.close();
        TableRecord.fill(file.pmem(), at, TableRecord.QUOTA, ROOT, 5, 6, 0, Long.MAX_VALUE / 2);
        assertEquals(1, check(file).damage());
    }

    @Test
    void whatIsAboutNothingThatIsThereWaitsForItsOwner() throws PoolException {
        records.put(Kind.LEASE, 4711, 1, 2, 3);
        records.put(Kind.QUOTA, 4712, 1, 2, 3);
        long old = records.put(Kind.QUOTA, ROOT, 1, 2, 3);
        records.put(Kind.QUOTA, ROOT, 4, 5, 6);
        namespace.scanInBackground(); // so that the close tells the free slots
        namespace.close();
        assertEquals(Found.VALID, Summary.read(file.pmem(), 0).found());
        CheckReport report = check(file);
        assertEquals(0, report.damage(), () -> report.findings().toString());
        assertEquals(3, report.pending());
        assertEquals(
                3,
                report.findings().stream()
                        .filter(each -> each.severity() == Finding.Severity.PENDING)
                        .count());
        PoolNamespace next = open(file);
        assertEquals(List.of(4L, 5L, 6L), all(next.records(), Kind.QUOTA).get(ROOT));
        assertEquals(0, file.pmem().get(old), "the older one is cleared");
    }
}
