package io.hmfs.core.check;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.Namespace;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.Snapshot;
import io.hmfs.core.TestPool;
import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.layout.SegmentRecord;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.sim.Sample;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Progress;
import io.hmfs.core.type.Status;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: whatever is damaged is found or does no harm, and a repair brings everything back that was not damaged itself. Method: a pool
 * with something of everything; word by word, bits are turned and values replaced, of which a sample; each time check, repair, check again,
 * open, and compare what the namespace shows.
 */
@Timeout(3000)
final class PoolDamageTest {
    private static final Path PATH = Path.of("damaged");
    private static final int REGIONS = 24;
    private static final long[] BITS = {0, 1, 2, 3, 5, 6, 8, 9, 16, 18, 32, 40, 47, 52, 58, 62, 63};
    private static final int SAMPLED = 12;
    private static final DamagedPool POOL = new DamagedPool(REGIONS, 0);

    private static CheckReport check(DamagedPool pool) {
        try {
            return PoolCheck.check(PATH, pool, Progress.NONE);
        } catch (PoolException e) {
            throw new AssertionError(e);
        }
    }

    private static CheckReport repair(DamagedPool pool) {
        try {
            return PoolCheck.repair(PATH, pool, Progress.NONE);
        } catch (PoolException e) {
            throw new AssertionError(e);
        }
    }

    /** What became of one damage. */
    private record Outcome(CheckReport found, CheckReport repaired, Map<String, String> shown) {}

    private static Outcome damage(DamagedPool pool, String where, long at, long value) {
        pool.restore();
        pool.pmem().set(at, value);
        long[] before = pool.bytes();
        CheckReport found = check(pool);
        assertArrayEquals(before, pool.bytes(), where + ": a check changes nothing");
        CheckReport repaired = found;
        if (found.damage() > 0) {
            repaired = repair(pool);
            CheckReport again = check(pool);
            assertEquals(repaired.damage(), again.damage(), where);
            if (found.lost() == 0) {
                assertEquals(List.of(), left(again), () -> where + ": found " + found.findings());
            }
        }
        return new Outcome(found, repaired, repaired.lost() == 0 ? shown(pool, where) : Map.of());
    }

    private static List<Finding> left(CheckReport report) {
        return report.findings().stream()
                .filter(finding ->
                        finding.severity() == Finding.Severity.DAMAGE || finding.severity() == Finding.Severity.LOST)
                .toList();
    }

    private static Map<String, String> shown(DamagedPool pool, String where) {
        try {
            ServerNamespace namespace = pool.open();
            TestPool.scan(namespace);
            assertEquals(List.of(), TestPool.problems(namespace), where);
            Map<String, String> shown = names(namespace);
            Name name = Name.of("made after all that");
            assertEquals(Status.OK, namespace.create(Namespace.ROOT_ID, name, 0644, 0, 0, new Attributes()));
            assertEquals(Status.OK, namespace.delete(Namespace.ROOT_ID, name, new Attributes()));
            namespace.close();
            return shown;
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(where + ": " + e.getMessage(), e);
        }
    }

    /** Names whose bytes are no text any more cannot be asked for by text: then what was shown is what should be. */
    private static Map<String, String> names(ServerNamespace namespace) {
        try {
            return Snapshot.of(namespace);
        } catch (AssertionError e) {
            if (String.valueOf(e.getMessage()).contains("\uFFFD")) {
                return POOL.snapshot();
            }
            throw e;
        }
    }

    private static List<Long> slots(DamagedPool pool, RegionKind kind, LongPredicate wanted) {
        List<Long> slots = new ArrayList<>();
        for (int i = 0; i < pool.regionsMax(); i++) {
            long word = pool.pmem().get(PoolHeader.REGION_TABLE_OFFSET + 8L * i);
            if ((word & RegionKind.MASK) == kind.code()) {
                long start = word & ~RegionKind.MASK;
                for (long at = start; at + kind.slotSize() <= start + pool.regionSize(); at += kind.slotSize()) {
                    if (wanted.test(at)) {
                        slots.add(at);
                    }
                }
            }
        }
        return slots;
    }

    /** Each word of a range, with chosen bits turned, and replaced by what words in pools may be. */
    private static void words(DamagedPool pool, String what, long at, long size, Judge judge) {
        Sample sample = new Sample(SAMPLED, what);
        for (long word = at; word < at + size; word += 8) {
            pool.restore();
            long right = pool.pmem().get(word);
            List<Long> values = new ArrayList<>(List.of(0L, 1L, -1L, Long.MAX_VALUE, 64L * 1000, at, right + 64));
            for (long bit : BITS) {
                values.add(right ^ 1L << bit);
            }
            for (long value : values) {
                if (value != right && sample.takes()) {
                    String where = what + " +" + (word - at) + ": 0x" + Long.toHexString(right) + " is 0x"
                            + Long.toHexString(value);
                    judge.of(where, damage(pool, where, word, value));
                }
            }
        }
        pool.restore();
    }

    private interface Judge {
        void of(String where, Outcome outcome);
    }

    /** Paths without those below /lost+found. */
    private static Set<String> missing(DamagedPool pool, Map<String, String> shown) {
        TreeSet<String> missing = new TreeSet<>(pool.snapshot().keySet());
        missing.removeAll(shown.keySet());
        return missing;
    }

    private static void nothingIsMissing(DamagedPool pool, String where, Outcome outcome) {
        assertEquals(
                new TreeSet<>(),
                missing(pool, outcome.shown()),
                () -> where + "; found " + outcome.found().findings());
    }

    @Test
    void aWholePoolIsClean() {
        POOL.restore();
        CheckReport report = check(POOL);
        assertEquals(List.of(), report.findings());
        assertTrue(report.wasClosed());
        assertEquals(5L, report.counted().get("directories"));
        assertEquals(32L, report.counted().get("files"));
        assertEquals(report, repair(POOL));
    }

    @Test
    void everyWordOfTheSuperblock() {
        words(POOL, "superblock", 0, 128, (where, outcome) -> {
            // Nothing but a checksum tells the seed, and that is not enough if more than a bit of it is wrong.
            if (outcome.found().lost() > 0) {
                assertTrue(
                        where.startsWith("superblock +48"),
                        where + outcome.found().findings());
            } else {
                nothingIsMissing(POOL, where, outcome);
            }
        });
    }

    @Test
    void everyWordOfTheSummary() {
        words(
                POOL,
                "summary",
                PoolHeader.SUMMARY_OFFSET,
                72,
                (where, outcome) -> nothingIsMissing(POOL, where, outcome));
    }

    @Test
    void everyWordOfTheRegionTable() {
        words(
                POOL,
                "region table",
                PoolHeader.REGION_TABLE_OFFSET,
                8L * REGIONS,
                (where, outcome) -> nothingIsMissing(POOL, where, outcome));
    }

    @Test
    void everyWordOfTheIndexRoot() {
        words(
                POOL,
                "index root",
                PoolHeader.INDEX_ROOT_OFFSET,
                192,
                (where, outcome) -> nothingIsMissing(POOL, where, outcome));
    }

    @Test
    void theDirectoryOfTheIndex() {
        long at = DamagedPool.REGION; // the first region
        words(POOL, "index directory", at, 8 * 5, (where, outcome) -> nothingIsMissing(POOL, where, outcome));
    }

    @Test
    void headersAndWordsOfSegments() {
        long at = 2 * DamagedPool.REGION; // the second
        words(POOL, "segment", at, 64, (where, outcome) -> nothingIsMissing(POOL, where, outcome));
        int words = 0;
        for (long word = at + 64; word < at + 4 * SegmentRecord.SIZE && words < 25; word += 8) {
            if (POOL.pmem().get(word) != 0) {
                words++;
                words(POOL, "index word", word, 8, (where, outcome) -> nothingIsMissing(POOL, where, outcome));
            }
        }
        assertEquals(25, words);
    }

    @Test
    void everyWordOfContents() {
        for (long at : slots(POOL, RegionKind.CONTENT_SLOTS, at -> POOL.pmem().get(at) != 0)) {
            words(
                    POOL,
                    "content " + POOL.pmem().get(at + 8),
                    at,
                    DirContentRecord.SIZE,
                    (where, outcome) -> nothingIsMissing(POOL, where, outcome));
        }
    }

    @Test
    void freeSlots() {
        LongPredicate free = at -> POOL.pmem().get(at) == 0;
        for (RegionKind kind : List.of(RegionKind.CONTENT_SLOTS, RegionKind.ENTRY_SLOTS, RegionKind.LONG_ENTRY_SLOTS)) {
            List<Long> slots = slots(POOL, kind, free);
            words(
                    POOL,
                    "free slot of " + kind,
                    slots.getLast(),
                    Math.min(128, kind.slotSize()),
                    (where, outcome) -> nothingIsMissing(POOL, where, outcome));
            words(
                    POOL,
                    "first free slot of " + kind,
                    slots.getFirst(),
                    64,
                    (where, outcome) -> nothingIsMissing(POOL, where, outcome));
        }
    }

    @Test
    void unusedRegions() {
        words(POOL, "last region", REGIONS * DamagedPool.REGION + 1024, 24, (where, outcome) -> {
            assertTrue(outcome.found().damage() > 0, where);
            nothingIsMissing(POOL, where, outcome);
        });
    }

    @Test
    void principals() {
        POOL.restore();
        long at = 0;
        for (int i = 0; i < REGIONS; i++) {
            long word = POOL.pmem().get(PoolHeader.REGION_TABLE_OFFSET + 8L * i);
            at = (word & RegionKind.MASK) == RegionKind.PRINCIPALS.code() ? word & ~RegionKind.MASK : at;
        }
        List<String> lost = new ArrayList<>();
        Sample sample = new Sample(SAMPLED, "principals");
        for (long word : new long[] {0, 8, 16, 32, 48}) {
            for (int bit = 0; bit < Long.SIZE; bit++) {
                if (!sample.takes()) {
                    continue;
                }
                long right = POOL.pmem().get(at + word);
                String where = "principals +" + word + " bit " + bit;
                Outcome outcome = damage(POOL, where, at + word, right ^ 1L << bit);
                if (outcome.found().lost() > 0) {
                    lost.add(where);
                } else {
                    nothingIsMissing(POOL, where, outcome);
                }
                POOL.restore();
            }
        }
        assertEquals(List.of(), lost);
    }

    /** The object itself may get another name; nothing else may be missing, and no object may be gone. */
    @Test
    void everyWordOfEntries() {
        POOL.restore();
        Pmem pmem = POOL.pmem();
        List<Long> slots = slots(POOL, RegionKind.ENTRY_SLOTS, at -> pmem.get(at) != 0);
        slots.addAll(slots(POOL, RegionKind.LONG_ENTRY_SLOTS, at -> pmem.get(at) != 0)
                .subList(0, 2));
        List<Long> tried = new ArrayList<>();
        for (int i = 0; i < slots.size(); i += i < 6 ? 1 : 4) {
            tried.add(slots.get(i));
        }
        tried.add(slots.getLast());
        for (long at : tried) {
            long size = at == slots.getLast() ? 256 : EntryRecord.SIZE;
            String what = "entry '" + nameAt(at) + "' in " + pmem.get(at + EntryRecord.PARENT_OFFSET);
            words(POOL, what, at, size, (where, outcome) -> {
                long shown = outcome.shown().keySet().stream()
                        .filter(path -> !path.equals("/lost+found"))
                        .count();
                // One that was dead may come back to life; none that lived may be gone.
                assertTrue(
                        shown >= POOL.snapshot().size(),
                        () -> where + "; missing " + missing(POOL, outcome.shown()) + " of "
                                + outcome.shown().keySet() + " found "
                                + outcome.found().findings());
            });
        }
    }

    private static String nameAt(long at) {
        Name name = new Name();
        EntryRecord.name(POOL.pmem(), at, EntryRecord.status(POOL.pmem(), at), name);
        return name.toString();
    }

    /** The next start may begin at the lease, and takes what was freed behind its beginning for what it knows. */
    @Test
    void aSlotThatWasFreedAfterTheLeaseIsUsedAgain() throws PoolException {
        POOL.restore();
        long lease = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis()) + TimeUnit.MINUTES.toNanos(10);
        POOL.pmem().set(PoolHeader.CLOCK_LEASE_OFFSET, lease);
        long free = slots(POOL, RegionKind.ENTRY_SLOTS, at -> POOL.pmem().get(at) == 0)
                .getFirst();
        assertEquals(0, check(POOL).damage());
        POOL.pmem().set(free + EntryRecord.DEATH_OFFSET, lease + TimeUnit.MILLISECONDS.toNanos(500));
        assertTrue(check(POOL).damage() > 0);
        repair(POOL);
        ServerNamespace namespace = POOL.open();
        TestPool.scan(namespace);
        assertEquals(List.of(), TestPool.problems(namespace));
        namespace.close();
        POOL.restore();
    }

    /** Bits anywhere: no exception, no endless loop, and clean after the repair. */
    @Test
    void randomBits() {
        long seed = Long.getLong("hmfs.seed", 20261120);
        int rounds = Integer.getInteger("hmfs.flips", 1500);
        Random random = new Random(seed);
        for (int round = 0; round < rounds; round++) {
            POOL.restore();
            StringBuilder where = new StringBuilder("seed " + seed + " round " + round + ":");
            int flips = 1 + random.nextInt(1 << random.nextInt(8));
            for (int i = 0; i < flips; i++) {
                long at = usedWord(random);
                long bit = random.nextInt(64);
                POOL.pmem().set(at, POOL.pmem().get(at) ^ 1L << bit);
                where.append(" 0x" + Long.toHexString(at) + "^" + bit);
            }
            survive(where.toString());
        }
        POOL.restore();
    }

    private static void survive(String where) {
        try {
            assertTimeoutPreemptively(Duration.ofMinutes(5), () -> {
                try {
                    PoolCheck.check(PATH, POOL, Progress.NONE);
                    CheckReport after = PoolCheck.repair(PATH, POOL, Progress.NONE);
                    if (after.lost() == 0) {
                        assertEquals(List.of(), left(after));
                        ServerNamespace namespace = POOL.open();
                        TestPool.scan(namespace);
                        assertEquals(List.of(), TestPool.problems(namespace));
                        namespace.close();
                    }
                } catch (PoolException _) {
                    // More of the superblock is damaged than can be told from the rest: it says so.
                }
            });
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(where + ": " + e, e);
        }
    }

    /** Mostly where something stands. */
    private static long usedWord(Random random) {
        for (int tries = 0; ; tries++) {
            long at = 8L * random.nextInt((int) (POOL.fileSize() >>> 3));
            if (tries > 40 || POOL.pmem().get(at) != 0) {
                return at;
            }
        }
    }
}
