package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.recovery.Superblock;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: whatever is asked first after a power failure gets the truth, by id as well as by name. Method: every image of one
 * operation is reopened, and one chosen operation is the first that meets what is half done.
 */
final class NamespaceRecoveryTest {
    private static final long ROOT = Namespace.ROOT_ID;
    private static final int IMAGES = 64;
    private static final int WANDERERS = 16;
    private static final int SLOTS_IN_HAND = 70; // before the allocator looks for what is free again

    private final Attributes out = new Attributes();
    private SimPoolFile file = new SimPoolFile(32 << 10, 14);
    private PoolNamespace namespace = format(file);
    private long d;
    private long empty;
    private int images;

    private static PoolNamespace format(SimPoolFile file) {
        try {
            Superblock.format(Path.of("sim"), file, new UUID(1, 2), 42, 2);
        } catch (PoolException e) {
            throw new AssertionError(e);
        }
        return open(file);
    }

    private static PoolNamespace open(SimPoolFile file) {
        return new PoolNamespace("sim", file, false);
    }

    @BeforeEach
    void prepare() {
        d = mkdir(namespace, ROOT, "d");
        empty = mkdir(namespace, ROOT, "empty");
        file = file.killed();
        namespace = open(file);
    }

    private long mkdir(PoolNamespace on, long parent, String name) {
        assertEquals(Status.OK, on.mkdir(parent, Name.of(name), 0755, 0, 0, out));
        return out.id;
    }

    /** Runs an operation, and a look at every image before each of its events and at its end. */
    private void explore(Runnable operation, Consumer<SimPoolFile> look) {
        Runnable hook = () -> file.pmem().images(IMAGES, images, image -> {
            images++;
            look.accept(file.crashed(image));
        });
        file.pmem().beforeEachEvent(hook);
        operation.run();
        file.pmem().beforeEachEvent(null);
        hook.run();
        assertTrue(images > 20, "images: " + images);
    }

    private void moveDirectory() {
        assertEquals(Status.OK, namespace.rename(ROOT, Name.of("d"), empty, Name.of("moved"), true, out));
    }

    @Test
    void aDirectoryOnTheMoveIsThereByItsId() {
        explore(this::moveDirectory, image -> {
            PoolNamespace after = open(image);
            assertEquals(Status.OK, after.statDirectory(d, out));
            assertEquals(d, out.id);
            assertEquals(Status.OK, after.list(d, new ListCursor(), (_, _) -> true));
        });
    }

    @Test
    void aDirectoryOnTheMoveHasAPath() {
        long below = mkdir(namespace, d, "below");
        explore(this::moveDirectory, image -> {
            PoolNamespace after = open(image);
            StringBuilder path = new StringBuilder();
            assertEquals(Status.OK, after.path(below, path));
            assertEquals(Status.OK, after.findPath(d, path.append(' ')));
            boolean moved = after.stat(ROOT, Name.of("d"), out) != Status.OK;
            assertEquals(moved ? "/empty/moved/below /empty/moved" : "/d/below /d", path.toString());
        });
    }

    @Test
    void aFileOnTheMoveHasAPath() {
        assertEquals(Status.OK, namespace.create(d, Name.of("f"), 0644, 0, 0, out));
        long f = out.id;
        explore(
                () -> assertEquals(
                        Status.OK, namespace.rename(d, Name.of("f"), empty, Name.of("n".repeat(70)), true, out)),
                image -> {
                    PoolNamespace after = open(image);
                    StringBuilder path = new StringBuilder();
                    assertEquals(Status.OK, after.findPath(f, path));
                    boolean moved = after.stat(d, Name.of("f"), out) != Status.OK;
                    assertEquals(moved ? "/empty/" + "n".repeat(70) : "/d/f", path.toString());
                    assertEquals(Status.OK, after.path(moved ? empty : d, f, path));
                    assertEquals(Status.NOT_FOUND, after.path(moved ? d : empty, f, path));
                });
    }

    /** The first request meets an entry in flight through another name of the same file. */
    @Test
    void theCountOfNamesIsTheNumberOfNames() {
        assertEquals(Status.OK, namespace.create(d, Name.of("a"), 0644, 0, 0, out));
        assertEquals(Status.OK, namespace.create(d, Name.of("other"), 0644, 0, 0, out));
        assertEquals(Status.OK, namespace.link(d, Name.of("a"), d, Name.of("b"), out));
        for (Runnable change : namesChange()) {
            explore(change, image -> {
                PoolNamespace after = open(image);
                int told = after.stat(d, Name.of("a"), out) == Status.OK ? out.nlink : 0;
                long a = out.id;
                int[] found = new int[1];
                after.list(d, new ListCursor(), (name, seen) -> {
                    found[0] += seen.id == a ? 1 : 0;
                    return seen.id != a || assertNames(told, seen.nlink, name);
                });
                assertEquals(found[0], told);
            });
        }
    }

    private static boolean assertNames(int told, int seen, Name name) {
        assertEquals(told, seen, name.toString());
        return true;
    }

    private List<Runnable> namesChange() {
        Name b = Name.of("b");
        Name c = Name.of("c");
        return List.of(
                () -> assertEquals(Status.OK, namespace.link(d, Name.of("a"), d, c, out)),
                () -> assertEquals(Status.OK, namespace.delete(d, b, out)),
                () -> assertEquals(Status.OK, namespace.rename(d, c, d, b, true, out)),
                () -> assertEquals(Status.OK, namespace.rename(d, Name.of("other"), d, b, true, out)));
    }

    /** A crash, and then the entry that was in flight goes, and its slot is another's, before any thread has met the inode. */
    @Test
    void theSlotOfANameInFlightIsNotReusedBeforeItIsCounted() {
        Name a = Name.of("a");
        assertEquals(Status.OK, namespace.create(d, a, 0644, 0, 0, out));
        List<Runnable> changes = List.of(
                () -> assertEquals(Status.OK, namespace.link(d, a, empty, Name.of("b"), out)),
                () -> assertEquals(Status.OK, namespace.delete(empty, Name.of("b"), out)),
                () -> assertEquals(Status.OK, namespace.link(d, a, empty, Name.of("c"), out)));
        for (Runnable change : changes) {
            explore(change, image -> {
                PoolNamespace after = open(image);
                after.rename(empty, Name.of("b"), ROOT, Name.of("b2"), true, out);
                after.rename(empty, Name.of("c"), ROOT, Name.of("c2"), true, out);
                after.rename(d, a, ROOT, Name.of("a2"), true, out);
                SimPoolFile again = wander(after, image, "a2");
                PoolNamespace last = open(again);
                assertEquals(Status.OK, last.stat(ROOT, Name.of("a2"), out));
                assertEquals(namesOf(last), out.nlink);
                last.scanInBackground();
                assertEquals(List.of(), last.problems());
            });
        }
    }

    private int namesOf(PoolNamespace on) {
        Attributes other = new Attributes();
        int names = 1;
        for (String name : List.of("b2", "c2")) {
            names += on.stat(ROOT, Name.of(name), other) == Status.OK ? 1 : 0;
        }
        return names;
    }

    /** Renames a name to and fro, so that its entry stands in one slot after the other that became free. */
    private SimPoolFile wander(PoolNamespace on, SimPoolFile image, String name) {
        int names = namesOf(on);
        int rounds = images % WANDERERS == 0 ? SLOTS_IN_HAND : 2;
        for (int i = 0; i < rounds; i++) {
            on.sweep(empty);
            on.sweep(d);
            on.sweep(ROOT);
            assertEquals(Status.OK, on.rename(ROOT, Name.of(name), ROOT, Name.of("elsewhere"), true, out));
            assertEquals(Status.OK, on.rename(ROOT, Name.of("elsewhere"), ROOT, Name.of(name), true, out));
            assertEquals(Status.OK, on.stat(ROOT, Name.of(name), out));
            assertEquals(names, out.nlink, "round " + i);
        }
        return image.killed();
    }

    /** The old access object is swept, and its slot reused, before any thread has met the new one. */
    @Test
    void aDirectoryOnTheMoveIsThereByItsIdAfterASweepToo() {
        explore(this::moveDirectory, image -> {
            PoolNamespace after = open(image);
            after.sweep(ROOT);
            assertEquals(Status.OK, after.create(ROOT, Name.of("new"), 0644, 0, 0, out));
            assertEquals(Status.OK, after.statDirectory(d, out));
            assertEquals(d, out.id);
        });
    }

    @Test
    void noDirectoryGetsBelowItselfByAMoveThatWasCutOff() {
        explore(this::moveDirectory, image -> {
            PoolNamespace after = open(image);
            Status status = after.rename(ROOT, Name.of("empty"), d, Name.of("x"), true, out);
            Map<String, String> seen = Snapshot.of(after);
            assertEquals(2, seen.size(), status + " " + seen);
            assertEquals(status == Status.LOOP, seen.containsKey("/empty/moved"), status + " " + seen);
        });
    }

    @Test
    void aDirectoryThatIsGoneByNameIsGoneByItsId() {
        explore(() -> assertEquals(Status.OK, namespace.rmdir(ROOT, Name.of("empty"))), image -> {
            PoolNamespace after = open(image);
            Status byName = after.stat(ROOT, Name.of("empty"), out);
            Status byId = byName == Status.OK ? Status.OK : Status.NO_SUCH_DIRECTORY;
            assertEquals(byId, after.list(empty, new ListCursor(), (_, _) -> true));
            assertEquals(byId, after.statDirectory(empty, out));
            assertEquals(byId, after.create(empty, Name.of("f"), 0644, 0, 0, out));
        });
    }

    private void replaceDirectory() {
        assertEquals(Status.OK, namespace.rename(ROOT, Name.of("d"), ROOT, Name.of("empty"), true, out));
    }

    @Test
    void aDirectoryThatWasReplacedIsGoneByItsIdToo() {
        int[] gone = new int[1];
        explore(this::replaceDirectory, image -> {
            for (boolean scanned : new boolean[] {false, true}) {
                PoolNamespace after = open(image.killed());
                if (scanned) {
                    after.scanInBackground();
                }
                Status byId = after.statDirectory(empty, out);
                assertEquals(byId, after.list(empty, new ListCursor(), (_, _) -> true));
                assertEquals(byId, after.create(empty, Name.of("f"), 0644, 0, 0, out));
                assertEquals(Status.OK, after.stat(ROOT, Name.of("empty"), out));
                assertEquals(byId == Status.OK ? empty : d, out.id, "by its name, " + byId);
                assertEquals(Status.OK, after.statDirectory(d, out));
                assertEquals(Status.OK, after.list(d, new ListCursor(), (_, _) -> true));
                assertEquals(byId, after.stat(ROOT, Name.of("d"), out) == Status.OK ? Status.OK : byId);
                gone[0] += byId == Status.NO_SUCH_DIRECTORY ? 1 : 0;
                if (!scanned) {
                    after.scanInBackground(); // once for each start
                }
                assertEquals(List.of(), after.problems());
            }
        });
        assertTrue(gone[0] > 0 && gone[0] < 2 * images, gone[0] + " of " + images);
    }

    /** The first crash comes within a rename over a directory, the second within its undoing, after a child was put into it. */
    @Test
    void aChildOfADirectoryWhoseReplacementWasUndoneIsNotLost() {
        int[] children = new int[1];
        explore(this::replaceDirectory, image -> {
            PoolNamespace second = open(image);
            boolean[] busy = new boolean[1];
            image.pmem().beforeEachEvent(() -> {
                if (!busy[0] && isOpen(image.pmem(), empty)) {
                    busy[0] = true;
                    Status made = second.create(empty, Name.of("child"), 0644, 0, 0, out);
                    if (made == Status.OK) {
                        children[0]++;
                        image.pmem().images(IMAGES, 1, again -> {
                            Map<String, String> seen = Snapshot.of(open(image.crashed(again)));
                            assertTrue(seen.containsKey("/empty/child"), "acknowledged, and lost: " + seen);
                            assertTrue(seen.containsKey("/d"), "it cannot have been replaced: " + seen);
                        });
                    }
                }
            });
            second.stat(ROOT, Name.of("d"), out);
            second.stat(ROOT, Name.of("empty"), out);
            image.pmem().beforeEachEvent(null);
        });
        assertTrue(children[0] > 0);
    }

    /** The first crash comes within an rmdir, the second within its undoing, after a child was put into the directory. */
    @Test
    void aChildOfADirectoryWhoseRemovalWasUndoneIsNotLost() {
        int[] children = new int[1];
        explore(() -> assertEquals(Status.OK, namespace.rmdir(ROOT, Name.of("empty"))), image -> {
            PoolNamespace second = open(image);
            boolean[] busy = new boolean[1];
            image.pmem().beforeEachEvent(() -> {
                if (!busy[0] && isOpen(image.pmem(), empty)) {
                    busy[0] = true;
                    Status made = second.create(empty, Name.of("child"), 0644, 0, 0, out);
                    if (made == Status.OK) {
                        children[0]++;
                        assertEquals(Status.OK, second.create(ROOT, Name.of("other"), 0644, 0, 0, out));
                        image.pmem().images(IMAGES, 1, again -> {
                            Map<String, String> seen = Snapshot.of(open(image.crashed(again)));
                            assertTrue(seen.containsKey("/empty/child"), "acknowledged, and lost: " + seen);
                        });
                    }
                }
            });
            second.stat(ROOT, Name.of("empty"), out);
            image.pmem().beforeEachEvent(null);
        });
        assertTrue(children[0] > 0);
    }

    /** No scan ever runs in these starts, as if each were killed at once. */
    @Test
    void startsDoNotEatThePool() {
        int before = namespace.poolStatus().regionsUsed();
        for (int start = 0; start < 40; start++) {
            mkdir(namespace, ROOT, "made" + start);
            assertEquals(Status.OK, namespace.create(ROOT, Name.of("x".repeat(200) + start), 0644, 0, 0, out));
            file = file.killed();
            namespace = open(file);
        }
        assertTrue(namespace.poolStatus().regionsUsed() <= before + 1, "only a region for long names is new");
        namespace.scanInBackground();
        assertEquals(List.of(), namespace.problems());
    }

    private static boolean isOpen(Pmem pmem, long directory) {
        long live = EntryRecord.status(SlotState.NORMAL, EntryRecord.KIND_CONTENT, 0);
        for (long at = 0; at < pmem.size(); at += Pmem.LINE) {
            if (pmem.get(at) == live && DirContentRecord.id(pmem, at) == directory) {
                return DirContentRecord.childHead(pmem, at) != DirContentRecord.CLOSED;
            }
        }
        return false;
    }
}
