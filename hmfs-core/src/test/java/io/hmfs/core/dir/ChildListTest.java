package io.hmfs.core.dir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.sim.SimPmem;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Goal: what is linked to a child list keeps its order, its clock and its promises one by one; what a sweep takes off it:
 * {@link ChildListSweepTest}. Method: the list of the root directory of a small pool in simulated memory, with objects made by hand.
 */
final class ChildListTest extends ChildListKit {
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

    /** Linked one by one or as a chain. What no child is known for has none: the first ones, and those after a child of another list in the same place of the table. */
    @Test
    void aChildLeadsToTheOneSoManyBehindIt() {
        long[] objects = new long[3 * ChildList.AHEAD];
        for (int i = 0; i < objects.length; i++) {
            if (i < 2 * ChildList.AHEAD) {
                objects[i] = child("child" + i);
            } else {
                objects[i] = object("child" + i);
            }
        }
        int chained = 2 * ChildList.AHEAD;
        long head = objects[chained - 1];
        lists.chain(objects, chained, objects.length, head, DirContentRecord.mtime(pmem, content));
        for (int i = 0; i < objects.length; i++) {
            long expected = i < ChildList.AHEAD ? Pmem.NULL : objects[i - ChildList.AHEAD];
            assertEquals(expected, pmem.get(objects[i] + EntryRecord.NEXT_OFFSET), "child " + i);
        }
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
    void aClosedListTakesNoEntry() {
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
}
