package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Status;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: what a crash leaves of creates is settled once, by the list alone, against any other thread, and durably.
 * Method: simulated memory; other operations, and deaths, at chosen events of a recovery.
 */
final class CutOffCreateTest extends CutOffCreates {
    private static final int IMAGES = 64;
    private static final Logger ENGINE = Logger.getLogger(PoolNamespace.class.getName());

    @BeforeEach
    void hush() {
        ENGINE.setLevel(Level.OFF); // a death is an error within an operation
    }

    @AfterEach
    void speak() {
        ENGINE.setLevel(null);
    }

    /** Neighbours with later births, and the mtime is above: nothing but the list tells. */
    @Test
    void oneThatWasNeverLinkedIsUndoneThoughItsNeighboursAreLinked() {
        long directory = mkdir("directory");
        for (int i = 0; i < 4; i++) {
            create(directory, name(i));
        }
        unlink(directory, 1);
        kill();
        for (int i = 10; i < 14; i++) {
            create(directory, name(i));
        }
        assertEquals(Status.NOT_FOUND, namespace.stat(directory, name(3), out));
        assertEquals(Status.OK, namespace.stat(directory, name(2), out));
        namespace.scanInBackground();
        assertEquals(List.of(), namespace.problems());
    }

    /** One that becomes DELETED only after the sweep stays on the list; a child with an earlier birth would lead past it. */
    @Test
    void aScanFreesNothingThatIsStillLinked() {
        long directory = mkdir("directory");
        for (int i = 0; i < 8; i++) {
            create(directory, name(i));
        }
        List<Long> all = children(directory);
        fate(all.get(6), SlotState.DELETED);
        fate(all.get(3), SlotState.DELETING);
        kill();
        namespace.scanInBackground();
        assertEquals(List.of(), namespace.problems());
        assertEquals(7, children(directory).size());
    }

    /** Two batched creates: the newer leads to the older, and neither was linked. */
    @Test
    void aNeighbourThatWasNeverLinkedProvesNothing() {
        long directory = mkdir("directory");
        for (int i = 0; i < 4; i++) {
            create(directory, name(i));
        }
        unlink(directory, 2);
        kill();
        create(directory, name(10));
        assertEquals(Status.NOT_FOUND, namespace.stat(directory, name(2), out));
        assertEquals(Status.NOT_FOUND, namespace.stat(directory, name(3), out));
        namespace.scanInBackground();
        assertEquals(List.of(), namespace.problems());
    }

    /** What a thread of this start is about to link, and has not made durable, a walk passes by. */
    @Test
    void aWalkFinishesNothingOfThisStart() {
        long directory = mkdir("directory");
        create(directory, name(0));
        create(directory, name(1));
        List<Long> all = children(directory);
        kill();
        int[] looks = new int[1];
        boolean[] busy = new boolean[1];
        pmem().beforeEachEvent(() -> {
            if (!busy[0]) {
                busy[0] = true;
                cutOff(all);
                assertEquals(Status.OK, namespace.stat(directory, name(0), out));
                assertEquals(Status.NOT_FOUND, namespace.stat(directory, name(2), out));
                looks[0]++;
                busy[0] = false;
            }
        });
        assertEquals(Status.OK, namespace.create(directory, name(2), 0644, 0, 0, new Attributes()));
        pmem().beforeEachEvent(null);
        assertTrue(looks[0] > 20, "looks: " + looks[0]);
    }

    /** The swap: another thread settles and deletes what a walk is about to finish. */
    @Test
    void aWalkBringsNothingBackThatAnotherThreadHasDeleted() {
        long directory = mkdir("directory");
        for (int i = 0; i < 4; i++) {
            create(directory, name(i));
        }
        for (int i = 0; i < DIRECTORIES; i++) {
            create(ROOT, name(i)); // no neighbours
        }
        List<Long> all = children(directory);
        cutOff(all);
        kill();
        int[] event = new int[1];
        int events = 0;
        for (int at = 0; at == events; at++) {
            int wanted = at;
            event[0] = 0;
            boolean[] done = new boolean[1];
            SimPoolFile copy = file.killed();
            PoolNamespace on = new PoolNamespace("sim", copy, false);
            copy.pmem().beforeEachEvent(() -> {
                if (event[0]++ == wanted) {
                    copy.pmem().beforeEachEvent(null);
                    for (int i = 1; i < 4; i++) {
                        assertEquals(Status.OK, on.delete(directory, name(i), out));
                    }
                    done[0] = true;
                }
            });
            assertEquals(Status.OK, on.stat(directory, name(0), out));
            copy.pmem().beforeEachEvent(null);
            if (done[0]) {
                events++;
                for (int i = 1; i < 4; i++) {
                    assertEquals(Status.NOT_FOUND, on.stat(directory, name(i), out), "event " + wanted);
                }
                assertEquals(List.of(), on.problems(), "event " + wanted);
            }
        }
        assertTrue(events >= 4, "events: " + events);
    }

    /** The second look under the lock: another thread has undone it already. */
    @Test
    void aCreateThatWasNeverLinkedIsUndoneOnce() {
        long directory = mkdir("directory");
        create(directory, name(0));
        create(directory, name(1));
        unlink(directory, 1);
        kill();
        long mtime = contentOf(directory) + DirContentRecord.MTIME_OFFSET;
        pmem().beforeEachLoadOf(at -> {
            if (at == mtime) {
                pmem().beforeEachLoadOf(null);
                assertEquals(Status.NOT_FOUND, namespace.stat(directory, name(1), out));
            }
        });
        assertEquals(Status.NOT_FOUND, namespace.stat(directory, name(1), out));
        assertEquals(1, namespace.poolStatus().recoveredObjects());
        namespace.scanInBackground();
        assertEquals(List.of(), namespace.problems());
    }

    /** Ends the operation where the process dies. */
    private static final class Death extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** [recover.verdict] The process dies between a link and its write-back; the next one shows the file, and the power goes. */
    @Test
    void whatWasShownOfACreateThatWasCutOffOutlivesThePower() throws PoolException {
        int shown = 0;
        for (int event = 0; dies(event); event++) {
            if (namespace.stat(ROOT, name(1), out) == Status.OK) {
                shown++;
                int before = event;
                pmem().images(IMAGES, 1, image -> {
                    PoolNamespace last = new PoolNamespace("sim", file.crashed(image), false);
                    assertEquals(
                            Status.OK, last.stat(ROOT, name(1), out), () -> "dead before " + before + ", " + image);
                });
            }
        }
        assertTrue(shown > 1, "shown: " + shown);
    }

    private boolean dies(int event) throws PoolException {
        file = new SimPoolFile(REGION, 8);
        format();
        create(ROOT, name(0));
        file = file.killed();
        namespace = new PoolNamespace("sim", file, false);
        int[] left = {event};
        pmem().beforeEachEvent(() -> {
            if (left[0]-- == 0) {
                throw new Death();
            }
        });
        try {
            namespace.create(ROOT, name(1), 0644, 0, 0, out);
            return false;
        } catch (Death e) {
            pmem().processDied();
            namespace = new PoolNamespace("sim", file, false);
            return true;
        }
    }

    /** No run leaves a rename's successor dead and unlinked; where damage has, the scan would free its slot a second time. */
    @Test
    void aRenameThatIsUndoneFreesNoSuccessorThatWasThereOnce() {
        long directory = mkdir("directory");
        create(directory, name(1));
        create(directory, name(2));
        List<Long> children = children(directory);
        long successor = children.getFirst();
        long replaced = children.getLast();
        pmem().set(contentOf(directory) + DirContentRecord.CHILD_HEAD_OFFSET, replaced);
        fate(successor, SlotState.DELETED);
        pmem().set(successor + EntryRecord.NAME_OFFSET, pmem().get(replaced + EntryRecord.NAME_OFFSET));
        fate(replaced, SlotState.REPLACED);
        pmem().set(replaced + EntryRecord.LINK_OFFSET, successor);
        kill();
        assertEquals(Status.OK, namespace.stat(directory, name(1), out));
        assertEquals(SlotState.DELETED, EntryRecord.state(pmem(), successor));
    }
}
