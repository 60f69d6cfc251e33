package io.hmfs.core;

import static io.hmfs.core.ClosedPools.REGION;
import static io.hmfs.core.ClosedPools.REGIONS;
import static io.hmfs.core.ClosedPools.ROOT;
import static io.hmfs.core.ClosedPools.check;
import static io.hmfs.core.ClosedPools.found;
import static io.hmfs.core.ClosedPools.full;
import static io.hmfs.core.ClosedPools.name;
import static io.hmfs.core.ClosedPools.open;
import static io.hmfs.core.ClosedPools.repair;
import static io.hmfs.core.ClosedPools.roomy;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hmfs.core.alloc.Summary.Found;
import io.hmfs.core.check.CheckReport;
import io.hmfs.core.layout.CorruptPoolException;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.layout.SummaryRecord;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.sim.SimPmem;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Goal: a start believes no summary that may be wrong, and takes no slot twice, whatever a summary leads to; a check finds what does not fit,
 * and a repair forgets it. Method: words of a pool that was closed are changed; then check, repair, or a start that meets it.
 */
final class SummaryBeliefTest {
    private static final int THREADS = 64;
    private static final long SUMMARY = PoolHeader.SUMMARY_OFFSET;
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
            assertEquals(Status.OK, ClosedPools.create(older, 10_000 + i));
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
        assertEquals(Found.NEW, found(file));
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
        damages.put("to a slot that has not been used", new long[] {next + EntryRecord.NEXT_OFFSET, unused});
        damages.put("to a slot in use", new long[] {next + EntryRecord.NEXT_OFFSET, inUse(closed)});
        damages.put("to a slot of another kind", new long[] {next + EntryRecord.NEXT_OFFSET, content});
        damages.put("into a slot", new long[] {next + EntryRecord.NEXT_OFFSET, first + 64});
        damages.put("out of the pool", new long[] {next + EntryRecord.NEXT_OFFSET, 1L << 40});
        damages.put("into the other batch, which follows too", new long[] {next + EntryRecord.NEXT_OFFSET, second});
        damages.put("the batch leads to itself", new long[] {link, first});
        damages.put("the batch leads out of the pool", new long[] {link, 1L << 40});
        damages.put("the batch leads to what has not been used", new long[] {link, unused});
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
                    while (ClosedPools.create(namespace, 10_000 + made[0]) == Status.OK) {
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

    /** Slots that one thread has in hand are free to look at; another one must not get them too. */
    @Test
    void aBatchThatIsInHandIsNotTakenOverAgain() throws InterruptedException {
        SimPoolFile file = roomy();
        SimPmem pmem = file.pmem();
        long first = SummaryRecord.free(pmem, SUMMARY, RegionKind.ENTRY_SLOTS);
        long next = pmem.get(first + EntryRecord.NEXT_OFFSET);
        pmem.set(first + SummaryRecord.linkOffset(RegionKind.ENTRY_SLOTS), next);
        pmem.set(next + SummaryRecord.linkOffset(RegionKind.ENTRY_SLOTS), Pmem.NULL); // nothing else can be met
        PoolNamespace namespace = open(file);
        assertEquals(Status.OK, ClosedPools.create(namespace, 10_000));
        assertEquals(SlotState.FREE, EntryRecord.state(pmem, next));
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        for (int i = 1;
                i <= THREADS && thrown.get() == null;
                i++) { // each has the same stripe as the first, or another one
            int number = 10_000 + i;
            Thread thread = new Thread(() -> ClosedPools.create(namespace, number));
            thread.setUncaughtExceptionHandler((_, error) -> thrown.set(error));
            thread.start();
            thread.join();
        }
        assertInstanceOf(CorruptPoolException.class, thrown.get());
    }
}
