package io.hmfs.core.dir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.alloc.Clock;
import io.hmfs.core.alloc.Epochs;
import io.hmfs.core.alloc.IdSource;
import io.hmfs.core.alloc.Regions;
import io.hmfs.core.index.HashIndex;
import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.recovery.Superblock;
import io.hmfs.core.sim.SimPmem;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Name;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: a child list keeps its order, its clock and its promises one by one. Method: the list of the root directory of a small pool
 * in simulated memory, with objects made by hand.
 */
final class ChildListTest {
    private static final long ROOT = 1;

    private final SimPoolFile file = new SimPoolFile(32 << 10, 14);
    private final SimPmem pmem = file.pmem();
    private Engine engine = engineOf(file);
    private ChildList lists = new ChildList(engine);
    private long content;

    private static Engine engineOf(SimPoolFile file) {
        Pmem pmem = file.pmem();
        try {
            Superblock.format(Path.of("sim"), file, new UUID(1, 2), 42);
        } catch (PoolException e) {
            throw new AssertionError(e);
        }
        Regions regions = new Regions(file);
        Keys keys = new Keys(pmem, 42);
        HashIndex index =
                HashIndex.open(pmem, PoolHeader.INDEX_ROOT_OFFSET, keys::ofObject, new IndexSegments(pmem, regions));
        return new Engine(pmem, regions, index, keys, new Epochs(), new Clock(pmem, 0), new IdSource(pmem, 0));
    }

    @BeforeEach
    void find() {
        content = engine.findContent(ROOT);
    }

    private long object(String name) {
        long at = engine.entrySlots.allocate();
        long time = engine.clock.next();
        EntryRecord.init(pmem, at, EntryRecord.KIND_FILE, engine.ids.next(), ROOT, Name.of(name), time, 0, 0);
        return at;
    }

    private long child(String name) {
        long at = object(name);
        assertTrue(lists.link(content, at, engine.clock.next()));
        EntryRecord.setState(pmem, at, SlotState.NORMAL);
        return at;
    }

    private List<Long> children() {
        List<Long> all = new ArrayList<>();
        for (long at = DirContentRecord.childHead(pmem, content); at != Pmem.NULL; at = EntryRecord.sibling(pmem, at)) {
            all.add(at);
        }
        return all;
    }

    private void kill(long at) {
        engine.setFate(at, SlotState.DELETED, engine.clock.next());
    }

    /** The memory after a power loss that kept nothing that was not fenced. */
    private SimPmem afterPowerLoss() {
        SimPmem[] after = new SimPmem[1];
        pmem.images(2, 1, image -> after[0] = after[0] == null ? pmem.crashed(image) : after[0]);
        return after[0];
    }

    @Test
    void birthsDescendAndCountAsIssued() {
        long early = engine.clock.next();
        long first = child("first");
        long second = object("second");
        assertTrue(lists.link(content, second, early), "linked with a time from before the first");
        assertEquals(List.of(second, first), children());
        assertTrue(EntryRecord.birth(pmem, second) > EntryRecord.birth(pmem, first));
        // The directory's mtime may lie ahead of the clock: a birth above it is issued time from then on, and leased.
        long ahead = engine.clock.next() + 5_000_000_000L;
        pmem.cas16(
                content + DirContentRecord.CHILD_HEAD_OFFSET,
                second,
                DirContentRecord.mtime(pmem, content),
                second,
                ahead);
        long third = child("third");
        assertEquals(ahead + 1, EntryRecord.birth(pmem, third));
        assertTrue(engine.clock.next() > ahead + 1);
        assertTrue(afterPowerLoss().get(PoolHeader.CLOCK_LEASE_OFFSET) > ahead + 1);
    }

    @Test
    void aChainDescendsAndCountsAsIssuedAndIsLinkedAsAWholeOrNot() {
        long late = object("late");
        long later = object("later");
        long first = child("first"); // its birth is above those of the two
        long ahead = engine.clock.next() + 5_000_000_000L;
        pmem.cas16(
                content + DirContentRecord.CHILD_HEAD_OFFSET,
                first,
                DirContentRecord.mtime(pmem, content),
                first,
                ahead);
        long[] objects = {Pmem.NULL, late, later};
        lists.chain(objects, 1, 3, first, ahead);
        assertTrue(engine.clock.next() > ahead + 2);
        assertTrue(afterPowerLoss().get(PoolHeader.CLOCK_LEASE_OFFSET) > ahead + 2, "leased before it is stored");
        pmem.fence();
        assertFalse(lists.linkChain(content, first, ahead - 1, later), "the mtime has moved");
        assertFalse(lists.linkChain(content, Pmem.NULL, ahead, later), "the head has moved");
        assertEquals(List.of(first), children());
        assertTrue(lists.linkChain(content, first, ahead, later));
        assertEquals(List.of(later, late, first), children());
        assertEquals(ahead + 1, EntryRecord.birth(pmem, late));
        assertEquals(ahead + 2, EntryRecord.birth(pmem, later));
        assertEquals(ahead + 2, DirContentRecord.mtime(pmem, content));
        pmem.fence();
        assertEquals(later, DirContentRecord.childHead(afterPowerLoss(), content));
        assertTrue(lists.contains(content, late) && lists.contains(content, later));
    }

    @Test
    void raiseMakesDurableWhatAnotherHasRaised() {
        long mtime = DirContentRecord.mtime(pmem, content);
        pmem.cas16(content + DirContentRecord.CHILD_HEAD_OFFSET, Pmem.NULL, mtime, Pmem.NULL, mtime + 10);
        lists.raise(content, mtime + 5);
        pmem.fence();
        assertEquals(mtime + 10, DirContentRecord.mtime(afterPowerLoss(), content));
        lists.raise(content, mtime + 20);
        pmem.fence();
        assertEquals(mtime + 20, DirContentRecord.mtime(afterPowerLoss(), content));
    }

    @Test
    void aClosedListTakesNobody() {
        long mtime = DirContentRecord.mtime(pmem, content);
        assertTrue(lists.swingHead(content, Pmem.NULL, mtime, DirContentRecord.CLOSED, mtime + 1));
        assertFalse(lists.link(content, object("late"), engine.clock.next()));
        assertEquals(DirContentRecord.CLOSED, DirContentRecord.childHead(pmem, content));
    }

    @Test
    void containsFindsWhatIsLinkedAndNothingElse() {
        long a = child("a");
        long b = child("b");
        long never = object("never");
        assertTrue(lists.contains(content, a));
        assertTrue(lists.contains(content, b));
        assertFalse(lists.contains(content, never));
        pmem.set(never + EntryRecord.BIRTH_OFFSET, EntryRecord.birth(pmem, a));
        assertFalse(lists.contains(content, never));
    }

    @Test
    void aSweepTakesTheDeadAlone() {
        List<Long> all = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            all.add(child("c" + i));
        }
        List<Long> alive = new ArrayList<>();
        for (int i = 7; i >= 0; i--) {
            if (i == 7 || i == 6 || i == 3 || i == 0) {
                kill(all.get(i));
            } else {
                alive.add(all.get(i));
            }
        }
        int pin = engine.epochs.pin();
        long mtime = DirContentRecord.mtime(pmem, content);
        assertTrue(lists.sweep(content, ChildList.Sweep.TRY));
        engine.epochs.unpin(pin);
        assertEquals(alive, children());
        assertEquals(mtime, DirContentRecord.mtime(pmem, content));
        assertEquals(SlotState.FREE, EntryRecord.state(pmem, all.getFirst()));
    }

    /** At each event of a sweep another child comes to the head, which the sweep is about to unlink. */
    @Test
    void aChildThatComesDuringASweepStays() {
        long kept = child("kept");
        for (int event = 0; event < 40; event++) {
            kill(child("dead" + event));
            kill(child("dead too" + event));
            int[] left = {event};
            long[] late = new long[1];
            pmem.beforeEachEvent(() -> {
                if (left[0]-- == 0) {
                    late[0] = child("late");
                }
            });
            int pin = engine.epochs.pin();
            assertTrue(lists.sweep(content, ChildList.Sweep.TRY));
            engine.epochs.unpin(pin);
            pmem.beforeEachEvent(null);
            if (late[0] == 0) {
                assertEquals(List.of(kept), children());
                assertTrue(event > 10, "events of a sweep: " + event);
                return;
            }
            assertEquals(List.of(late[0], kept), children(), "event " + event);
            kill(late[0]);
        }
        throw new AssertionError("a sweep of two children has no end");
    }

    /** Runs {@code other} before one load or event of {@code operation}, each in turn, until there are no more. */
    private void atEachMoment(Runnable operation, Runnable other, Runnable check) {
        for (int moment = 0; moment < 200; moment++) {
            int[] left = {moment};
            Runnable hook = () -> {
                if (left[0]-- == 0) {
                    other.run();
                }
            };
            pmem.beforeEachEvent(hook);
            pmem.beforeEachLoad(hook);
            operation.run();
            pmem.beforeEachEvent(null);
            pmem.beforeEachLoad(null);
            if (left[0] >= 0) {
                assertTrue(moment > 3, "moments: " + moment);
                return;
            }
            check.run();
        }
        throw new AssertionError("an operation has no end");
    }

    @Test
    void aChildThatComesDuringALinkStays() {
        long[] made = new long[2];
        atEachMoment(
                () -> {
                    made[0] = object("new");
                    assertTrue(lists.link(content, made[0], engine.clock.next()));
                },
                () -> made[1] = child("late"),
                () -> {
                    assertTrue(
                            children().contains(made[0]) && children().contains(made[1]),
                            children().toString());
                    children().forEach(at -> EntryRecord.setState(pmem, at, SlotState.DELETED));
                    lists.sweep(content, ChildList.Sweep.ALL);
                });
    }

    @Test
    void aRaiseChangesNothingButTheTime() {
        long dead = child("dead");
        long[] late = new long[1];
        long[] time = new long[1];
        Runnable raise = () -> {
            time[0] = DirContentRecord.mtime(pmem, content) + 1000;
            lists.raise(content, time[0]);
        };
        atEachMoment(raise, () -> late[0] = child("late"), () -> {
            assertEquals(List.of(late[0], dead), children());
            assertTrue(DirContentRecord.mtime(pmem, content) >= time[0]);
            kill(late[0]);
            lists.sweep(content, ChildList.Sweep.ALL);
        });
        kill(dead);
        kill(child("dead too"));
        atEachMoment(raise, () -> lists.sweep(content, ChildList.Sweep.ALL), () -> {
            assertEquals(List.of(), children(), "swept, and on the list again");
            kill(child("dead"));
        });
    }

    @Test
    void aHeadThatHasMovedIsNotSwung() {
        long first = child("first");
        long mtime = DirContentRecord.mtime(pmem, content);
        assertFalse(lists.swingHead(content, Pmem.NULL, mtime, DirContentRecord.CLOSED, mtime + 1), "another head");
        assertFalse(lists.swingHead(content, first, mtime - 1, DirContentRecord.CLOSED, mtime + 1), "another time");
        assertEquals(List.of(first), children());
    }

    private static final class Death extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** Runs what dies before the first event for which the hook says so. */
    private void dies(BooleanSupplier before, Runnable operation) {
        pmem.beforeEachEvent(() -> {
            if (before.getAsBoolean()) {
                throw new Death();
            }
        });
        assertThrows(Death.class, operation::run);
        pmem.beforeEachEvent(null);
    }

    /**
     * A create dies before its link is durable, and so does a sweep that has unlinked behind it: what was the head before leads to what
     * was swept.
     */
    @Test
    void whatIsOnTheListNoMoreIsOnItInNoImage() {
        long kept = child("kept");
        long swept = child("swept");
        long head = child("head");
        kill(swept);
        kill(head);
        for (long at : List.of(kept, swept, head)) {
            pmem.writeBack(at, Pmem.LINE);
        }
        pmem.fence();
        long late = object("late");
        dies(
                () -> DirContentRecord.childHead(pmem, content) == late,
                () -> lists.link(content, late, engine.clock.next()));
        dies(() -> EntryRecord.sibling(pmem, late) == kept, () -> lists.sweep(content, ChildList.Sweep.ALL));
        assertEquals(List.of(late, kept), children());
        pmem.processDied();
        assertFalse(lists.isUnlinked(content, kept, Pmem.NULL));
        assertTrue(lists.isUnlinked(content, swept, Pmem.NULL));
        int[] images = new int[1];
        pmem.images(64, 1, image -> {
            images[0]++;
            SimPmem after = pmem.crashed(image);
            for (long at = DirContentRecord.childHead(after, content); at != 0; at = EntryRecord.sibling(after, at)) {
                assertTrue(at != swept, () -> "on the list in image " + image);
            }
        });
        assertTrue(images[0] > 0);
    }

    /** A directory has moved, and the rename is not at its fence: its content points at the new entry, but not durably so. */
    @Test
    void aContentPointsAtNoFreeSlot() {
        long id = engine.ids.next();
        long[] entries = new long[2];
        for (int i = 0; i < 2; i++) {
            entries[i] = engine.entrySlots.allocate();
            long time = engine.clock.next();
            EntryRecord.init(pmem, entries[i], EntryRecord.KIND_DIRECTORY, id, ROOT, Name.of("d" + i), time, 0, 0);
            assertTrue(lists.link(content, entries[i], engine.clock.next()));
            EntryRecord.setState(pmem, entries[i], SlotState.NORMAL);
        }
        long own = engine.contentSlots.allocate();
        DirContentRecord.init(pmem, own, id, entries[0], engine.clock.next());
        assertTrue(engine.index.insert(engine.keys.ofContent(id), own));
        pmem.persist(own, DirContentRecord.SIZE);
        pmem.setRelease(entries[0] + EntryRecord.LINK_OFFSET, entries[1]);
        kill(entries[0]);
        pmem.setRelease(own + DirContentRecord.ACCESS_OFFSET, entries[1]);
        lists.sweep(content, ChildList.Sweep.ALL);
        assertEquals(SlotState.FREE, EntryRecord.state(pmem, entries[0]));
        pmem.images(64, 1, image -> {
            SimPmem after = pmem.crashed(image);
            assertTrue(
                    EntryRecord.state(after, entries[0]) != SlotState.FREE
                            || DirContentRecord.access(after, own) == entries[1],
                    image::toString);
        });
    }

    @Test
    void aHeadThatIsSweptIsTheHeadStill() {
        long kept = child("kept");
        long[] late = new long[1];
        atEachMoment(
                () -> {
                    kill(child("dead"));
                    lists.sweep(content, ChildList.Sweep.ALL);
                },
                () -> late[0] = child("late"),
                () -> {
                    kill(late[0]);
                    assertTrue(children().containsAll(List.of(late[0], kept)), children() + " without " + late[0]);
                    lists.sweep(content, ChildList.Sweep.ALL);
                    assertEquals(List.of(kept), children());
                });
    }

    @Test
    void oneSweeperAtATime() throws InterruptedException {
        kill(child("dead"));
        int lock = engine.sweepers.of(content << 14);
        engine.sweepers.lockWrite(lock);
        assertFalse(lists.sweep(content, ChildList.Sweep.TRY));
        for (ChildList.Sweep which : List.of(ChildList.Sweep.OLD, ChildList.Sweep.ALL)) {
            Thread sweeper = Thread.ofPlatform().daemon().start(() -> lists.sweep(content, which));
            sweeper.join(20);
            assertEquals(1, children().size(), which + " has to wait");
        }
        engine.sweepers.unlockWrite(lock);
        long end = System.nanoTime() + 120_000_000_000L;
        while (!children().isEmpty() && System.nanoTime() < end) {
            Thread.onSpinWait();
        }
        assertEquals(List.of(), children());
    }
}
