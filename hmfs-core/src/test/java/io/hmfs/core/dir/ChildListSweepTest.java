package io.hmfs.core.dir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.sim.SimPmem;
import io.hmfs.core.type.Name;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Goal: a sweep takes the dead off a child list and nothing else, beside any other thread, and before any thread forgets where they were.
 * Method: the list of the root directory of a small pool in simulated memory; another thread's work, or a death, at each moment.
 */
final class ChildListSweepTest extends ChildListKit {
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
            EntryRecord.init(
                    pmem,
                    entries[i],
                    EntryRecord.KIND_DIRECTORY,
                    id,
                    EntryRecord.NO_CHECK,
                    ROOT,
                    Name.of("d" + i),
                    time,
                    0,
                    0);
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
