package io.hmfs.core.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.FreshPool;
import io.hmfs.core.Namespace;
import io.hmfs.core.NamespaceCrashTest;
import io.hmfs.core.NumberedChanges;
import io.hmfs.core.NumberedNamespace;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.TestPool;
import io.hmfs.core.check.CheckReport;
import io.hmfs.core.check.PoolCheck;
import io.hmfs.core.layout.OutcomeRecord;
import io.hmfs.core.layout.OutcomeRing;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Change;
import io.hmfs.core.type.ChangeOutcome;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Progress;
import io.hmfs.core.type.Status;
import io.hmfs.core.type.XattrMode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Goal: a ring is one client's, tells what its changes came to, and changes hands without a trace; a damaged one is found, and forgotten.
 * Method: clients that come, go and come back, over starts too, in a pool with room for two regions of a ring each; words bent by hand.
 */
final class OutcomeRingOwnersTest {
    private static final long ROOT = Namespace.ROOT_ID;
    private static final long USER = 9;

    private final SimPoolFile file = new SimPoolFile(128 << 10, 128); // a share of two regions, a ring in each
    private final ServerNamespace namespace = FreshPool.open(file);

    private static long hold(ServerNamespace n, long client, long next) {
        return n.numbered().hold(client, USER, next, NumberedChanges.From.ANYBODY);
    }

    private static List<Long> read(ServerNamespace n, long ring) {
        List<Long> numbers = new ArrayList<>();
        n.numbered().read(ring, numbers::add);
        return numbers;
    }

    private static ServerNamespace numbered(ServerNamespace n, long ring, long number) {
        Change change = new Change();
        change.set(ring, number);
        return NumberedNamespace.of(n, change);
    }

    private static long create(ServerNamespace n, long ring, long number, String name) {
        Attributes out = new Attributes();
        assertEquals(Status.OK, numbered(n, ring, number).create(ROOT, Name.of(name), 0644, 5, 6, out));
        return out.id;
    }

    @Test
    void aRecordTellsWhatTheAnswerWas() {
        long ring = hold(namespace, 1, 1);
        long id = create(namespace, ring, 1, "f");
        Attributes there = new Attributes();
        assertEquals(Status.OK, namespace.stat(ROOT, Name.of("f"), there));
        ChangeOutcome told = new ChangeOutcome();
        assertTrue(namespace.numbered().find(ring, 1, told));
        assertEquals(id, told.id);
        assertEquals(ROOT, told.parentId);
        assertEquals(there.mtimeNanos, told.timeNanos);
        assertEquals(there.ctimeNanos, told.timeNanos);
        assertEquals(there.atimeNanos, told.timeNanos);
        assertEquals(5, told.uid);
        assertEquals(6, told.gid);
        assertEquals(0, told.removedId);
        assertEquals(Status.OK, namespace.append(ROOT, Name.of("f"), id, 77));
        assertEquals(Status.OK, numbered(namespace, ring, 2).delete(ROOT, Name.of("f"), there));
        assertTrue(namespace.numbered().find(ring, 2, told));
        assertEquals(id, told.removedId);
        assertEquals(77, told.removedSize);
        assertFalse(namespace.numbered().find(ring, 3, told));
    }

    @Test
    void aChangeThatFailsOrHasNoNumberLeavesNoRecord() {
        long ring = hold(namespace, 1, 1);
        create(namespace, ring, 1, "f");
        ServerNamespace numbered = numbered(namespace, ring, 2);
        Attributes out = new Attributes();
        assertEquals(Status.EXISTS, numbered.create(ROOT, Name.of("f"), 0644, 0, 0, out));
        assertEquals(Status.NOT_FOUND, numbered.delete(ROOT, Name.of("g"), out));
        assertEquals(Status.OK, namespace.create(ROOT, Name.of("g"), 0644, 0, 0, out));
        assertEquals(List.of(1L), read(namespace, ring));
    }

    /** What an operation costs more with a number than without, as "write-backs, fences". */
    private String costMore(NamespaceCrashTest.Action action, NamespaceCrashTest.Action again) {
        long ring = hold(namespace, 1, 1);
        long[] cost = new long[4];
        for (int i = 0; i < 2; i++) {
            long writeBacks = file.pmem().writeBacks();
            long fences = file.pmem().fences();
            ServerNamespace numbered = numbered(namespace, i == 0 ? NumberedChanges.NONE : ring, i);
            assertEquals(Status.OK, (i == 0 ? action : again).on(numbered));
            cost[2 * i] = file.pmem().writeBacks() - writeBacks;
            cost[2 * i + 1] = file.pmem().fences() - fences;
        }
        return (cost[2] - cost[0]) + ", " + (cost[3] - cost[1]);
    }

    @Test
    void aRecordCostsALineAndAFenceWhereThereIsNoneToGoWith() {
        Attributes out = new Attributes();
        for (String name : new String[] {"warm", "x", "y"}) {
            assertEquals(Status.OK, namespace.create(ROOT, Name.of(name), 0644, 0, 0, out));
        }
        assertEquals(Status.OK, setXattr(namespace, "warm"));
        assertEquals("1, 0", costMore(n -> create(n, "a", out), n -> create(n, "b", out)));
        assertEquals(
                "1, 0",
                costMore(
                        n -> n.rename(ROOT, Name.of("a"), ROOT, Name.of("c"), false, out),
                        n -> n.rename(ROOT, Name.of("b"), ROOT, Name.of("d"), false, out)));
        assertEquals("1, 1", costMore(n -> n.truncate(ROOT, Name.of("c"), 5), n -> n.truncate(ROOT, Name.of("d"), 5)));
        assertEquals("1, 1", costMore(n -> n.chmod(ROOT, Name.of("c"), 0600), n -> n.chmod(ROOT, Name.of("d"), 0600)));
        assertEquals(
                "1, 1", costMore(n -> n.setTimes(ROOT, Name.of("c"), 1, 2), n -> n.setTimes(ROOT, Name.of("d"), 1, 2)));
        assertEquals("1, 0", costMore(n -> setXattr(n, "c"), n -> setXattr(n, "d")));
        assertEquals("1, 1", costMore(n -> n.delete(ROOT, Name.of("c"), out), n -> n.delete(ROOT, Name.of("d"), out)));
    }

    private static Status setXattr(Namespace n, String name) {
        return n.setXattr(ROOT, Name.of(name), Name.of("user.a"), new byte[5], XattrMode.CREATE);
    }

    private static Status create(Namespace n, String name, Attributes out) {
        return n.create(ROOT, Name.of(name), 0644, 0, 0, out);
    }

    @Test
    void aRingIsItsClientsUntilAnotherOneNeedsIt() {
        long first = hold(namespace, 1, 1);
        create(namespace, first, 1, "a");
        long second = hold(namespace, 2, 1);
        assertNotEquals(first, second);
        assertEquals(NumberedChanges.NONE, hold(namespace, 3, 1), "both are held");
        namespace.numbered().release(second);
        namespace.numbered().release(first);
        assertEquals(first, hold(namespace, 1, 9));
        assertEquals(1, namespace.numbered().first(first));
        assertEquals(List.of(1L), read(namespace, first));
        namespace.numbered().release(first);
        assertEquals(second, hold(namespace, 3, 5), "that of the client that has been away for longer");
        assertEquals(5, namespace.numbered().first(second));
        assertEquals(first, hold(namespace, 2, 7));
        assertEquals(List.of(), read(namespace, first), "what another client did");
        ServerNamespace next = TestPool.open(file.killed());
        assertEquals(first, hold(next, 2, 8));
        assertEquals(7, next.numbered().first(first));
        assertEquals(List.of(), read(next, first));
    }

    /** A ctime lies ahead of the clock when changes follow each other faster than it counts. */
    @Test
    void aTimeAheadOfTheClockIsNotTheNextOwners() {
        ServerNamespace n = TestPool.open(FreshPool.repeatable(128 << 10, 10));
        long ring = hold(n, 1, 1);
        create(n, ring, 1, "f");
        for (int i = 0; i < 10; i++) {
            assertEquals(Status.OK, n.chmod(ROOT, Name.of("f"), 0600 + i));
        }
        assertEquals(Status.OK, numbered(n, ring, 2).setTimes(ROOT, Name.of("f"), 1, 2));
        n.numbered().release(ring);
        assertEquals(ring, hold(n, 2, 1));
        assertEquals(List.of(), read(n, ring));
    }

    @Test
    void aRingIsDurableWhenItIsHeld() {
        assertNotEquals(NumberedChanges.NONE, hold(namespace, 1, 3));
        file.pmem().images(1000, 3, image -> {
            ServerNamespace n = TestPool.open(file.crashed(image));
            assertEquals(3, n.numbered().first(hold(n, 1, 4)));
        });
    }

    @Test
    void anotherUserIsAnotherClient() {
        long ring = hold(namespace, 1, 1);
        assertNotEquals(ring, namespace.numbered().hold(1, USER + 1, 1, NumberedChanges.From.ANYBODY));
    }

    @Test
    void aRingThatChangesHandsWhenThePowerFailsIsNoClientsOrTheNewOnes() {
        long ring = hold(namespace, 1, 1);
        create(namespace, ring, 1, "a");
        hold(namespace, 2, 1);
        namespace.numbered().release(ring);
        int[] seen = new int[2];
        file.pmem()
                .beforeEachEvent(() -> file.pmem().images(64, 3, image -> {
                    ServerNamespace n = TestPool.open(file.crashed(image));
                    long since = OutcomeRing.since(file.crashed(image).pmem(), ring);
                    long mine = hold(n, 3, 4);
                    boolean old = since != 0 && !read(n, mine).isEmpty();
                    assertFalse(old, "of another client");
                    seen[since == 0 ? 0 : 1]++;
                }));
        assertEquals(ring, hold(namespace, 3, 4));
        file.pmem().beforeEachEvent(null);
        assertTrue(seen[0] > 0 && seen[1] > 0);
    }

    private long ringRegionWord() {
        for (int i = 0; ; i++) {
            long at = PoolHeader.REGION_TABLE_OFFSET + 8L * i;
            if ((file.pmem().get(at) & RegionKind.MASK) == RegionKind.OUTCOMES.code()) {
                return at;
            }
        }
    }

    /** Bends a word, and sees that it is found, put right, and that the ring is forgotten. */
    private void bend(long at, long value) throws PoolException {
        long right = file.pmem().get(at);
        file.pmem().set(at, value);
        CheckReport damaged = PoolCheck.check(Path.of("sim"), file, Progress.NONE);
        assertTrue(damaged.damage() > 0, () -> at + " was " + right + ", is " + value);
        CheckReport repaired = PoolCheck.repair(Path.of("sim"), file, Progress.NONE);
        assertEquals(0, repaired.damage(), () -> repaired.findings().toString());
        ServerNamespace n = TestPool.open(file.killed());
        assertEquals(8, n.numbered().first(hold(n, 1, 8)));
    }

    @Test
    void aDamagedRingIsForgotten() throws PoolException {
        long ring = hold(namespace, 1, 1);
        create(namespace, ring, 1, "a");
        namespace.close();
        assertEquals(0, PoolCheck.check(Path.of("sim"), file, Progress.NONE).damage());
        long record = OutcomeRing.record(ring, 1);
        long[][] bent = {
            {ring + OutcomeRing.MAGIC_OFFSET, 4},
            {record + OutcomeRecord.NUMBER_OFFSET, 2 << 2 | OutcomeRecord.WRITTEN},
            {record + OutcomeRecord.NUMBER_OFFSET, 1 << 2},
            {record + OutcomeRecord.OBJECT_OFFSET, 64 | OutcomeRecord.MADE},
            {ringRegionWord(), file.pmem().get(ringRegionWord()) ^ 3}
        };
        for (long[] each : bent) {
            ServerNamespace n = TestPool.open(file);
            assertEquals(ring, hold(n, 1, 1), () -> "before " + each[0] + " becomes " + each[1]);
            n.numbered().release(ring);
            create(n, hold(n, 1, 1), 1, "more" + each[0] + each[1]);
            n.close();
            bend(each[0], each[1]);
        }
    }
}
