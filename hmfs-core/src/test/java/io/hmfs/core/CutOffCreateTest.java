package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.recovery.Superblock;
import io.hmfs.core.sim.SimPmem;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: what a crash leaves of creates is settled by whoever meets it, with few steps, against any other thread, and durably.
 * Method: simulated memory, whose loads of list pointers are counted; other operations run at chosen events of a recovery.
 */
final class CutOffCreateTest {
    private static final long ROOT = Namespace.ROOT_ID;
    private static final int FILES = 400;
    private static final int REGION = 64 << 10;

    /** More than the neighbours that a search looks at on both sides. */
    private static final int DIRECTORIES = 66;

    private static final int IMAGES = 64;
    private static final Logger ENGINE = Logger.getLogger(PoolNamespace.class.getName());

    private final Attributes out = new Attributes();
    private SimPoolFile file = new SimPoolFile(REGION, 128);
    private PoolNamespace namespace;
    private long siblingsLoaded;

    @BeforeEach
    void hush() {
        ENGINE.setLevel(Level.OFF); // a death is an error within an operation
    }

    @AfterEach
    void speak() {
        ENGINE.setLevel(null);
    }

    @BeforeEach
    void format() throws PoolException {
        Superblock.format(Path.of("sim"), file, new UUID(1, 2), 42);
        namespace = new PoolNamespace("sim", file, false);
    }

    private long mkdir(String name) {
        assertEquals(Status.OK, namespace.mkdir(ROOT, Name.of(name), 0755, 0, 0, out));
        return out.id;
    }

    private static Name name(int i) {
        return Name.of("file" + i);
    }

    private void create(long directory, Name name) {
        assertEquals(Status.OK, namespace.create(directory, name, 0644, 0, 0, out));
    }

    private SimPmem pmem() {
        return file.pmem();
    }

    /** The process dies; the next start has no thread that scans. */
    private void kill() {
        file = file.killed();
        namespace = new PoolNamespace("sim", file, false);
    }

    private long contentOf(long directory) {
        long live = EntryRecord.status(SlotState.NORMAL, EntryRecord.KIND_CONTENT, 0);
        for (long at = 0; at < pmem().size(); at += Pmem.LINE) {
            if (pmem().get(at) == live && DirContentRecord.id(pmem(), at) == directory) {
                return at;
            }
        }
        throw new AssertionError("no content");
    }

    /** The children of a directory, the newest first. */
    private List<Long> children(long directory) {
        List<Long> all = new ArrayList<>();
        for (long at = DirContentRecord.childHead(pmem(), contentOf(directory));
                at != Pmem.NULL;
                at = EntryRecord.sibling(pmem(), at)) {
            all.add(at);
        }
        return all;
    }

    /** Gives objects the state back that they had before their creates were over. */
    private void cutOff(List<Long> objects) {
        objects.forEach(at -> EntryRecord.setState(pmem(), at, SlotState.CREATING));
    }

    private void countSiblings() {
        List<Long> entries = new ArrayList<>();
        long table = file.header() + PoolHeader.REGION_TABLE_OFFSET;
        for (int i = 0; pmem().get(table + 8L * i) != 0; i++) {
            long word = pmem().get(table + 8L * i);
            if (RegionKind.of(table, word) == RegionKind.ENTRY_SLOTS) {
                entries.add(word & ~RegionKind.MASK);
            }
        }
        long first = file.regionAt(0);
        boolean[] isEntries = new boolean[file.regionsMax()];
        entries.forEach(start -> isEntries[(int) ((start - first) / REGION)] = true);
        pmem().beforeEachLoadOf(at -> {
            long in = (at - first) % REGION % EntryRecord.SIZE;
            if (at >= first && in == EntryRecord.SIBLING_OFFSET && isEntries[(int) ((at - first) / REGION)]) {
                siblingsLoaded++;
            }
        });
    }

    enum Order {
        NEWEST_FIRST,
        OLDEST_FIRST,
        MIXED
    }

    /** What was created next in the same directory stands too far away to help. */
    @ParameterizedTest
    @EnumSource(Order.class)
    void aDirectoryOfCutOffCreatesTakesStepsInProportionToItsList(Order order) {
        long[] directories = new long[DIRECTORIES];
        for (int d = 0; d < DIRECTORIES; d++) {
            directories[d] = mkdir("directory" + d);
        }
        for (int i = 0; i < FILES; i++) {
            for (long directory : directories) {
                create(directory, name(i));
            }
        }
        cutOff(children(directories[0]));
        kill();
        List<Integer> asked = new ArrayList<>();
        for (int i = 0; i < FILES; i++) {
            asked.add(order == Order.NEWEST_FIRST ? FILES - 1 - i : i);
        }
        if (order == Order.MIXED) {
            Collections.shuffle(asked, new Random(7));
        }
        countSiblings();
        for (int i : asked) {
            assertEquals(Status.OK, namespace.stat(directories[0], name(i), out));
        }
        assertTrue(siblingsLoaded < 10 * FILES, siblingsLoaded + " steps for " + FILES + " children");
        assertEquals(FILES, namespace.poolStatus().recoveredObjects());
        pmem().beforeEachLoadOf(null);
        assertEquals(List.of(), namespace.problems());
    }

    @Test
    void aListingOfCutOffCreatesTakesStepsInProportionToo() {
        long directory = mkdir("directory");
        for (int i = 0; i < FILES; i++) {
            create(directory, name(i));
        }
        cutOff(children(directory));
        kill();
        countSiblings();
        int[] listed = new int[1];
        assertEquals(Status.OK, namespace.list(directory, new ListCursor(), (_, _) -> ++listed[0] > 0));
        assertEquals(FILES, listed[0]);
        assertTrue(siblingsLoaded < 30 * FILES, siblingsLoaded + " steps for " + FILES + " children");
    }

    @Test
    void oneThatStandsDeepInAListIsFoundByItsNeighbours() {
        long directory = mkdir("directory");
        for (int i = 0; i < FILES; i++) {
            create(directory, name(i));
        }
        cutOff(children(directory).subList(FILES / 2, FILES / 2 + 1));
        kill();
        countSiblings();
        assertEquals(Status.OK, namespace.stat(directory, name(FILES - 1 - FILES / 2), out));
        assertTrue(siblingsLoaded < 100, siblingsLoaded + " steps");
    }

    /** Takes the newest children off the list again, as if their creates had been cut off before the link. */
    private void unlink(long directory, int count) {
        List<Long> all = children(directory);
        cutOff(all.subList(0, count));
        long content = contentOf(directory);
        long mtime = DirContentRecord.mtime(pmem(), content);
        long head = all.get(count);
        long before = EntryRecord.birth(pmem(), head);
        assertTrue(pmem().cas16(content + DirContentRecord.CHILD_HEAD_OFFSET, all.get(0), mtime, head, before));
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

    /** A sweep took every second child off the list, and the process died before it freed their slots. */
    @Test
    void slotsThatASweepHasLostAreFoundInStepsInProportionToo() {
        long directory = mkdir("directory");
        for (int i = 0; i < FILES; i++) {
            create(directory, name(i));
        }
        List<Long> all = children(directory);
        for (int i = 1; i < FILES; i += 2) {
            long at = all.get(i);
            fate(at, SlotState.DELETED);
            pmem().set(all.get(i - 1) + EntryRecord.SIBLING_OFFSET, EntryRecord.sibling(pmem(), at));
        }
        kill();
        countSiblings();
        namespace.scanInBackground();
        assertTrue(siblingsLoaded < 10 * FILES, siblingsLoaded + " steps for " + FILES + " children");
        pmem().beforeEachLoadOf(null);
        assertEquals(FILES / 2, children(directory).size());
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

    private void fate(long at, int state) {
        pmem().set(at + EntryRecord.DEATH_OFFSET, EntryRecord.birth(pmem(), at) + 1);
        EntryRecord.setState(pmem(), at, state);
    }

    /** Two joined creates: the newer leads to the older, and neither was linked. */
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
}
