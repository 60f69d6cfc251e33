package io.hmfs.core.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.ServerNamespace;
import io.hmfs.core.Snapshot;
import io.hmfs.core.TestPool;
import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.IndexHeader;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.pmem.PoolFile;
import io.hmfs.core.recovery.Superblock;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Progress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongPredicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: damage to the shape of a pool is repaired too, and a repair that dies is finished by the next. Method: lists, trees and a large
 * index bent by hand; repairs cut off at each of their events, with the images that a power failure leaves there.
 */
@Timeout(3000)
final class PoolRepairTest {
    private static final Path PATH = Path.of("repair");

    private static CheckReport check(PoolFile pool) {
        try {
            return PoolCheck.check(PATH, pool, Progress.NONE);
        } catch (PoolException e) {
            throw new AssertionError(e);
        }
    }

    private static CheckReport repair(PoolFile pool) {
        try {
            return PoolCheck.repair(PATH, pool, Progress.NONE);
        } catch (PoolException e) {
            throw new AssertionError(e);
        }
    }

    private static Map<String, String> repaired(DamagedPool pool) {
        assertTrue(check(pool).damage() > 0, "the damage is seen");
        CheckReport report = repair(pool);
        assertEquals(0, report.damage(), () -> report.findings().toString());
        assertTrue(report.repaired() > 0);
        ServerNamespace namespace = pool.open();
        TestPool.scan(namespace);
        assertEquals(List.of(), TestPool.problems(namespace));
        Map<String, String> shown = Snapshot.of(namespace);
        namespace.close();
        return shown;
    }

    private static long slot(DamagedPool pool, RegionKind kind, LongPredicate wanted) {
        for (int i = 0; i < pool.regionsMax(); i++) {
            long word = pool.pmem().get(PoolHeader.REGION_TABLE_OFFSET + 8L * i);
            long start = word & ~RegionKind.MASK;
            boolean right = (word & RegionKind.MASK) == kind.code();
            for (long at = start; right && at + kind.slotSize() <= start + pool.regionSize(); at += kind.slotSize()) {
                if (pool.pmem().get(at) != 0 && wanted.test(at)) {
                    return at;
                }
            }
        }
        throw new AssertionError("no such slot");
    }

    private static long entry(DamagedPool pool, String name) {
        return slot(pool, RegionKind.ENTRY_SLOTS, at -> {
            long status = EntryRecord.status(pool.pmem(), at);
            Name there = new Name();
            EntryRecord.name(pool.pmem(), at, status, there);
            return there.toString().equals(name) && EntryRecord.state(status) == 2;
        });
    }

    private static long content(DamagedPool pool, String name) {
        long id = EntryRecord.id(pool.pmem(), entry(pool, name));
        return slot(pool, RegionKind.CONTENT_SLOTS, at -> DirContentRecord.id(pool.pmem(), at) == id);
    }

    @Test
    void aListThatEndsInItself() {
        DamagedPool pool = new DamagedPool(24, 40);
        long head = DirContentRecord.childHead(pool.pmem(), content(pool, "c"));
        long second = EntryRecord.sibling(pool.pmem(), head);
        pool.pmem().set(second + EntryRecord.SIBLING_OFFSET, head);
        assertEquals(pool.snapshot(), repaired(pool));
    }

    @Test
    void aListThatRunsIntoAnother() {
        DamagedPool pool = new DamagedPool(24, 40);
        long head = DirContentRecord.childHead(pool.pmem(), content(pool, "c"));
        pool.pmem().set(head + EntryRecord.SIBLING_OFFSET, DirContentRecord.childHead(pool.pmem(), content(pool, "a")));
        assertEquals(pool.snapshot(), repaired(pool));
    }

    @Test
    void birthsOutOfOrder() {
        DamagedPool pool = new DamagedPool(24, 40);
        long at = DirContentRecord.childHead(pool.pmem(), content(pool, "c"));
        for (int i = 0; i < 20; i++) {
            pool.pmem().set(at + EntryRecord.BIRTH_OFFSET, i % 3 == 0 ? 5 : Long.MAX_VALUE - i);
            at = EntryRecord.sibling(pool.pmem(), at);
        }
        assertEquals(pool.snapshot(), repaired(pool));
    }

    @Test
    void aDirectoryWithoutContent() {
        DamagedPool pool = new DamagedPool(24, 40);
        long content = content(pool, "c");
        for (long at = content; at < content + DirContentRecord.SIZE; at += 8) {
            pool.pmem().set(at, 0);
        }
        assertEquals(pool.snapshot(), repaired(pool));
    }

    @Test
    void aDirectoryWhoseEntryIsGoneComesToLostAndFound() {
        DamagedPool pool = new DamagedPool(24, 40);
        long at = entry(pool, "c");
        long id = EntryRecord.id(pool.pmem(), at);
        for (long word = at; word < at + EntryRecord.SIZE; word += 8) {
            pool.pmem().set(word, 0);
        }
        Map<String, String> shown = repaired(pool);
        assertTrue(shown.containsKey("/lost+found/#" + id + "/many-39"), shown::toString);
        // The list went through the entry that is gone: its elder siblings are there too.
        assertEquals(pool.snapshot().size() + 1, shown.size());
    }

    @Test
    void directoriesBelowThemselves() {
        DamagedPool pool = new DamagedPool(24, 0);
        long moved = entry(pool, "moved directory");
        long c = entry(pool, "c");
        // The directory above takes the place of what is below it: nothing leads there from the root any more.
        long rootContent = slot(pool, RegionKind.CONTENT_SLOTS, at -> DirContentRecord.id(pool.pmem(), at) == 1);
        unlink(pool, rootContent, moved);
        long below = content(pool, "c");
        pool.pmem().set(moved + EntryRecord.PARENT_OFFSET, EntryRecord.id(pool.pmem(), c));
        pool.pmem().set(moved + EntryRecord.SIBLING_OFFSET, DirContentRecord.childHead(pool.pmem(), below));
        pool.pmem().set(moved + EntryRecord.BIRTH_OFFSET, DirContentRecord.mtime(pool.pmem(), below) + 1);
        pool.pmem().set(below + DirContentRecord.CHILD_HEAD_OFFSET, moved);
        pool.pmem().set(below + DirContentRecord.MTIME_OFFSET, DirContentRecord.mtime(pool.pmem(), below) + 1);
        Map<String, String> shown = repaired(pool);
        assertEquals(pool.snapshot().size() + 1, shown.size(), shown::toString);
        assertTrue(
                shown.keySet().stream().anyMatch(path -> path.startsWith("/lost+found/") && path.endsWith("/n10")),
                shown::toString);
    }

    private static void unlink(DamagedPool pool, long content, long at) {
        long field = content + DirContentRecord.CHILD_HEAD_OFFSET;
        while (pool.pmem().get(field) != at) {
            field = pool.pmem().get(field) + EntryRecord.SIBLING_OFFSET;
        }
        pool.pmem().set(field, EntryRecord.sibling(pool.pmem(), at));
    }

    @Test
    void twoObjectsOfOneName() {
        DamagedPool pool = new DamagedPool(24, 0);
        long one = entry(pool, "n3");
        long two = entry(pool, "n2");
        pool.pmem().set(two + EntryRecord.NAME_OFFSET, pool.pmem().get(one + EntryRecord.NAME_OFFSET));
        // Its index word proves the old name.
        assertEquals(pool.snapshot(), repaired(pool));
    }

    private static void loseIndex(DamagedPool pool) {
        pool.pmem().set(PoolHeader.INDEX_ROOT_OFFSET + IndexHeader.DEPTH_OFFSET, 99);
    }

    private static void turn(DamagedPool pool, long at, int bit) {
        pool.pmem().set(at, pool.pmem().get(at) ^ 1L << bit);
    }

    /** An index that is built anew has the wrong id too, and proves nothing against the place where the root stands. */
    @Test
    void theRootKeepsItsIdWhateverTheIndexSays() {
        DamagedPool pool = new DamagedPool(24, 0);
        long root = EntryRecord.parent(pool.pmem(), entry(pool, "a")); // an id
        turn(
                pool,
                slot(pool, RegionKind.CONTENT_SLOTS, at -> DirContentRecord.id(pool.pmem(), at) == root)
                        + DirContentRecord.ID_OFFSET,
                9);
        loseIndex(pool);
        assertEquals(pool.snapshot(), repaired(pool));
    }

    /** The id of the root is no other directory's: neither its content nor an index word says so. */
    @Test
    void aContentThatSaysItIsTheRootsIsNotBelieved() {
        DamagedPool pool = new DamagedPool(24, 0);
        long content = content(pool, "empty");
        turn(pool, content + DirContentRecord.ID_OFFSET, 2); // 5 becomes 1
        assertEquals(1, DirContentRecord.id(pool.pmem(), content));
        turn(pool, entry(pool, "empty") + EntryRecord.ID_OFFSET, 40);
        loseIndex(pool);
        assertEquals(pool.snapshot().keySet(), repaired(pool).keySet());
    }

    /** What was replaced has another id than its successor, but died at its birth. */
    @Test
    void whatWasReplacedAndIsSaidToMoveStaysDead() {
        DamagedPool pool = new DamagedPool(24, 0);
        long successor = entry(pool, "file-3");
        long replaced = slot(
                pool,
                RegionKind.ENTRY_SLOTS,
                at -> EntryRecord.link(pool.pmem(), at) == successor
                        && EntryRecord.id(pool.pmem(), at) != EntryRecord.id(pool.pmem(), successor));
        pool.pmem().set(replaced, EntryRecord.withState(EntryRecord.status(pool.pmem(), replaced), SlotState.MOVING));
        turn(pool, successor + EntryRecord.ID_OFFSET, 18);
        assertEquals(pool.snapshot().keySet(), repaired(pool).keySet());
    }

    /** Some splits deep, all of it gone. */
    @Test
    void anIndexIsBuiltAnew() {
        DamagedPool pool = new DamagedPool(120, 12_000);
        loseIndex(pool);
        assertEquals(pool.snapshot(), repaired(pool));
        pool.restore();
        long directory = IndexHeader.directoryAt(pool.pmem(), PoolHeader.INDEX_ROOT_OFFSET);
        pool.pmem().set(directory + 8, pool.pmem().get(directory));
        assertEquals(pool.snapshot(), repaired(pool));
        pool.restore();
        for (long at = PoolHeader.INDEX_ROOT_OFFSET; at < 1024; at += 8) {
            pool.pmem().set(at, 0);
        }
        assertEquals(pool.snapshot(), repaired(pool));
    }

    /** Ends a repair where the simulated machine stops. */
    private static final class Cut extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    @Test
    void aRepairThatDiesIsFinishedByTheNext() throws PoolException {
        SimPoolFile whole = new SimPoolFile(DamagedPool.REGION, 16, Persistence.PMEM);
        Superblock.format(PATH, whole, new UUID(3, 4), 11, 2);
        ServerNamespace namespace = TestPool.open(whole);
        DamagedPool.fill(namespace, 3);
        TestPool.scan(namespace);
        Map<String, String> shown = Snapshot.of(namespace);
        namespace.close();
        int cuts = 0;
        for (int event = 0; ; event++) {
            SimPoolFile damaged = whole.killed();
            damage(damaged);
            if (!repairUntil(damaged, event)) {
                break;
            }
            cuts++;
            SimPoolFile before = whole.killed();
            damage(before);
            damaged.pmem().images(3, event, image -> {
                assertShutIfChanged(before.pmem(), damaged.crashed(image));
                verify(damaged.crashed(image), shown);
            });
        }
        assertTrue(cuts > 20, "cut off " + cuts + " times");
    }

    /** What a repair has begun to change opens only when one has come to its end. */
    private static void assertShutIfChanged(Pmem before, SimPoolFile after) {
        boolean changed = false;
        for (long at = 0; at < before.size(); at += 8) {
            changed |= at != PoolHeader.STATE_OFFSET
                    && before.get(at) != after.pmem().get(at);
        }
        if (changed && check(after.killed()).damage() > 0) {
            assertEquals(PoolHeader.REPAIRING, after.pmem().get(PoolHeader.STATE_OFFSET));
        }
    }

    /** A list cut, an index word gone, an object that is nowhere, and the index without its header. */
    private static void damage(PoolFile pool) {
        Pmem pmem = pool.pmem();
        long content = 0;
        for (int i = 0; i < 8; i++) {
            long word = pmem.get(PoolHeader.REGION_TABLE_OFFSET + 8L * i);
            content = (word & RegionKind.MASK) == RegionKind.CONTENT_SLOTS.code() ? word & ~RegionKind.MASK : content;
        }
        long head = DirContentRecord.childHead(pmem, content);
        pmem.set(head + EntryRecord.SIBLING_OFFSET, 64);
        pmem.set(PoolHeader.INDEX_ROOT_OFFSET, 0);
        pmem.persist(head, 64);
        pmem.persist(PoolHeader.INDEX_ROOT_OFFSET, 64);
    }

    private static boolean repairUntil(SimPoolFile pool, int event) {
        AtomicInteger left = new AtomicInteger(event);
        pool.pmem().beforeEachEvent(() -> {
            if (left.getAndDecrement() == 0) {
                throw new Cut();
            }
        });
        try {
            repair(pool);
            return false;
        } catch (Cut e) {
            return true;
        } finally {
            pool.pmem().beforeEachEvent(null);
        }
    }

    private static void verify(SimPoolFile pool, Map<String, String> expected) {
        if (pool.pmem().get(PoolHeader.STATE_OFFSET) == PoolHeader.REPAIRING) {
            PoolException refused = assertThrows(PoolException.class, () -> Superblock.check(PATH, pool));
            assertEquals(PoolException.Reason.REPAIR_CUT_SHORT, refused.reason());
        }
        CheckReport report = repair(pool);
        assertEquals(0, report.damage(), () -> report.findings().toString());
        ServerNamespace namespace = TestPool.open(pool);
        TestPool.scan(namespace);
        assertEquals(List.of(), TestPool.problems(namespace));
        assertEquals(expected, Snapshot.of(namespace));
    }
}
