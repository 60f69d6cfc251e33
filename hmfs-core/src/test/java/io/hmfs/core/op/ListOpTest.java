package io.hmfs.core.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.Namespace;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.TestPool;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.pmem.PoolFile;
import io.hmfs.core.pmem.PoolFiles;
import io.hmfs.core.recovery.Superblock;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.ListVisitor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: whatever happens during a listing, a name that is there all the while shows exactly once, and an object that only changes
 * its name shows. Method: the visitor itself changes the directory between two entries; chosen cases, then seeded random ones.
 */
final class ListOpTest {
    private static final long ROOT = Namespace.ROOT_ID;
    private static final int ROUNDS = 3000;

    private final Attributes out = new Attributes();
    private ServerNamespace namespace = TestPool.open(format());
    private long directory;

    private static SimPoolFile format() {
        SimPoolFile file = new SimPoolFile(256 << 10, 30, Persistence.PROCESS);
        try {
            Superblock.format(Path.of("sim"), file, new UUID(1, 2), 42, 2);
        } catch (PoolException e) {
            throw new AssertionError(e);
        }
        return file;
    }

    @BeforeEach
    void prepare() {
        directory = mkdir("dir");
    }

    private long mkdir(String name) {
        assertEquals(Status.OK, namespace.mkdir(ROOT, Name.of(name), 0755, 0, 0, out));
        return out.id;
    }

    private void create(String... names) {
        for (String name : names) {
            assertEquals(Status.OK, namespace.create(directory, Name.of(name), 0644, 0, 0, out));
        }
    }

    private void rename(String from, String to) {
        assertEquals(Status.OK, namespace.rename(directory, Name.of(from), directory, Name.of(to), true, out));
    }

    /** Lists all, a page of one entry at a time or at once, and runs something after an entry has been shown. */
    private List<String> list(boolean paged, String after, Runnable change) {
        List<String> shown = new ArrayList<>();
        ListCursor cursor = new ListCursor();
        while (!cursor.atEnd()) {
            int limit = paged ? shown.size() + 1 : Integer.MAX_VALUE;
            assertEquals(Status.OK, namespace.list(directory, cursor, (name, _) -> {
                if (shown.size() == limit) {
                    return false;
                }
                shown.add(name.toString());
                if (name.toString().equals(after)) {
                    change.run();
                }
                return true;
            }));
        }
        return shown;
    }

    /** Shows nothing, and counts how often it is told of nodes that are passed. */
    private static final class Passing implements ListVisitor {
        int told;
        int shown;

        @Override
        public boolean visit(Name name, Attributes attributes) {
            shown++;
            return true;
        }

        @Override
        public void passing() {
            told++;
        }
    }

    @Test
    void aLongWayToTheFirstEntryIsTold() {
        int many = 2 * ListVisitor.NODES + 1;
        create("oldest");
        for (int i = 0; i < many; i++) {
            create("f" + i);
        }
        ListCursor cursor = new ListCursor();
        cursor.birth = 1; // before all
        Passing forged = new Passing();
        assertEquals(Status.OK, namespace.list(directory, cursor, forged));
        assertEquals(2, forged.told);
        assertEquals(0, forged.shown);

        for (int i = 0; i < many; i++) {
            assertEquals(Status.OK, namespace.delete(directory, Name.of("f" + i), out));
        }
        Passing dead = new Passing();
        assertEquals(Status.OK, namespace.list(directory, new ListCursor(), dead));
        assertEquals(2, dead.told);
        assertEquals(1, dead.shown);
        TestPool.sweep(namespace, directory);
        Passing swept = new Passing();
        assertEquals(Status.OK, namespace.list(directory, new ListCursor(), swept));
        assertEquals(0, swept.told);
    }

    @Test
    void aListingResumesFromItsCursorWhateverHappensBetweenThePages() {
        for (int i = 0; i < 1000; i++) {
            create("f" + i);
        }
        Set<String> seen = new HashSet<>();
        ListCursor cursor = new ListCursor();
        int round = 0;
        while (!cursor.atEnd()) {
            int limit = seen.size() + 10;
            assertEquals(
                    Status.OK,
                    namespace.list(directory, cursor, (name, _) -> seen.size() < limit && seen.add(name.toString())));
            create("new" + round);
            if (!cursor.atEnd()) {
                // The entry that the cursor stands on goes away, and so does one that has been shown.
                assertEquals(Status.OK, namespace.delete(directory, Name.of("f" + (999 - 10 * round - 9)), out));
                cursor.at = round % 3 == 0 ? 77 : cursor.at;
            }
            round++;
        }
        for (int i = 0; i < 1000; i++) {
            assertTrue(seen.contains("f" + i), "f" + i);
        }
    }

    @Test
    void aNameThatIsReplacedAfterItWasShownShowsOnce() {
        for (boolean paged : new boolean[] {false, true}) {
            directory = mkdir("shown" + paged);
            create("o", "x", "t", "y");
            assertEquals(List.of("y", "t", "x"), list(paged, "t", () -> rename("o", "t")));
        }
    }

    @Test
    void aNameThatIsReplacedBeforeItIsShownShowsOnce() {
        for (boolean paged : new boolean[] {false, true}) {
            directory = mkdir("not shown" + paged);
            create("t", "x", "o", "y");
            assertEquals(List.of("y", "x", "t"), list(paged, "y", () -> rename("o", "t")));
            directory = mkdir("not shown, below" + paged);
            create("o", "x", "t", "y");
            assertEquals(List.of("y", "t", "x"), list(paged, "y", () -> rename("o", "t")));
        }
    }

    @Test
    void aNameThatIsReplacedTwiceAndSweptShowsOnce() {
        create("t", "x", "y");
        assertEquals(List.of("y", "x", "t"), list(false, "y", () -> {
            for (int i = 0; i < 5; i++) {
                create("tmp");
                rename("tmp", "t");
                TestPool.sweep(namespace, directory);
            }
        }));
    }

    @Test
    void anObjectThatIsRenamedTwiceShowsUnderItsLastName() {
        create("o", "x", "y");
        assertEquals(List.of("y", "x", "c"), list(false, "y", () -> {
            rename("o", "b");
            rename("b", "c");
        }));
    }

    /** Its slot is FREE then, though the listing keeps it from being used again: nothing of a name or of attributes stands there. */
    @Test
    void anObjectThatIsSweptBeforeItsNameIsReadDoesNotShow() throws PoolException {
        boolean met = true;
        for (int load = 0; met; load++) {
            SimPoolFile file = format();
            namespace = TestPool.open(file);
            directory = mkdir("dir");
            create("o", "y");
            assertEquals(Status.OK, namespace.stat(directory, Name.of("o"), out));
            long id = out.id;
            int sweepsAt = load;
            int[] loads = new int[1];
            List<Long> ids = new ArrayList<>();
            List<String> shown = new ArrayList<>();
            assertEquals(Status.OK, namespace.list(directory, new ListCursor(), (name, found) -> {
                shown.add(name.toString());
                ids.add(found.id);
                if (shown.size() == 1) {
                    rename("o", "renamed");
                    file.pmem().beforeEachLoad(() -> {
                        if (loads[0]++ == sweepsAt) {
                            file.pmem().beforeEachLoad(null);
                            assertEquals(Status.OK, namespace.delete(directory, Name.of("renamed"), out));
                            TestPool.sweep(namespace, directory);
                        }
                    });
                }
                return true;
            }));
            file.pmem().beforeEachLoad(null);
            met = loads[0] > load;
            assertEquals("y", shown.removeFirst());
            assertTrue(
                    shown.isEmpty() || shown.equals(List.of("renamed")),
                    () -> "before load " + sweepsAt + ": " + shown);
            assertTrue(ids.size() == 1 || ids.getLast() == id, () -> "before load " + sweepsAt + ": " + ids);
        }
    }

    /** A listing stands on it, and goes on from there. */
    @Test
    void theSlotOfAnEntryThatIsSweptAfterItWasShownIsNotUsedAgain() {
        create("x", "y", "z");
        long other = mkdir("other");
        assertEquals(List.of("z", "y", "x"), list(false, "y", () -> {
            assertEquals(Status.OK, namespace.delete(directory, Name.of("y"), out));
            TestPool.sweep(namespace, directory);
            for (int i = 0; i < 10; i++) {
                assertEquals(Status.OK, namespace.create(other, Name.of("new" + i), 0644, 0, 0, out));
            }
        }));
    }

    /** What takes a place and goes on shows where that place was. */
    @Test
    void anObjectThatReplacesAndIsRenamedShowsInThePlaceItTook() {
        for (boolean paged : new boolean[] {false, true}) {
            directory = mkdir("took" + paged);
            create("t", "x", "o", "y");
            assertEquals(List.of("y", "x", "c"), list(paged, "y", () -> {
                rename("o", "t");
                rename("t", "c");
            }));
        }
    }

    /** Where children lead ahead, memory is asked for and no more: also of a mapped file, and with each value that the word can have. */
    @Test
    void aChildThatLeadsAnywhereChangesNothing(@TempDir Path in) throws IOException, PoolException {
        long[] anywhere = {-1, 1, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 47, 4096, 0};
        Path path = in.resolve("mapped");
        Hmfs.format(path, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        try (PoolFile file = PoolFiles.open(path, Persistence.PROCESS, false, 0)) {
            namespace = TestPool.open(file);
            directory = mkdir("dir");
            List<String> names = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                names.addFirst("file" + i);
                create("file" + i);
            }
            ListCursor cursor = new ListCursor();
            boolean[] one = {false};
            namespace.list(directory, cursor, (_, _) -> one[0] = !one[0]);
            int child = 0;
            for (long at = cursor.at; at != 0; at = EntryRecord.sibling(file.pmem(), at)) {
                file.pmem().set(at + EntryRecord.NEXT_OFFSET, anywhere[child++ % anywhere.length]);
            }
            assertEquals(100, child);
            assertEquals(names, list(false, "", () -> {}));
        }
    }

    @Test
    void randomChangesHideNothingThatStays() {
        for (int round = 0; round < ROUNDS; round++) {
            directory = mkdir("round" + round);
            new Round(round).run();
            namespace.list(directory, new ListCursor(), (name, _) -> {
                namespace.delete(directory, Name.of(name.toString()), out);
                return true;
            });
            assertEquals(Status.OK, namespace.rmdir(ROOT, Name.of("round" + round)));
        }
        namespace.close();
    }

    /** One listing of a few names with a few changes in between. */
    private final class Round {
        private static final int NAMES = 7;

        private final int seed;
        private final Random random;
        private final Map<String, Long> there = new HashMap<>();

        /** Names that have had an owner since the listing began. */
        private final Set<String> names = new HashSet<>();

        /** Objects that have been there since the listing began, and have replaced none. */
        private final Set<Long> objects = new HashSet<>();

        private final List<String> shown = new ArrayList<>();
        private final List<Long> shownObjects = new ArrayList<>();
        private final StringBuilder story = new StringBuilder();

        Round(int seed) {
            this.seed = seed;
            this.random = new Random(seed);
        }

        void run() {
            int before = random.nextInt(25);
            for (int i = 0; i < before; i++) {
                change();
            }
            names.addAll(there.keySet());
            objects.addAll(there.values());
            story.append("| ");
            ListCursor cursor = new ListCursor();
            while (!cursor.atEnd()) {
                int limit = random.nextInt(3) == 0 ? 100 : shown.size() + 1 + random.nextInt(3);
                namespace.list(directory, cursor, (name, attributes) -> {
                    if (shown.size() >= limit) {
                        return false;
                    }
                    shown.add(name.toString());
                    shownObjects.add(attributes.id);
                    story.append("shows ").append(name).append(", ");
                    for (int i = random.nextInt(5) - 1; i > 0; i--) {
                        change();
                    }
                    return true;
                });
            }
            for (String name : names) {
                assertEquals(1, shown.stream().filter(name::equals).count(), () -> "name " + name + told());
            }
            for (long object : objects) {
                assertTrue(shownObjects.contains(object), () -> "object " + object + told());
            }
        }

        private String told() {
            return ", seed " + seed + ": " + story + "names " + names + ", objects " + objects;
        }

        private void change() {
            String a = "" + (char) ('a' + random.nextInt(NAMES));
            String b = "" + (char) ('a' + random.nextInt(NAMES));
            int what = random.nextInt(10);
            if (what < 4 && !there.containsKey(a)) {
                create(a);
                there.put(a, out.id);
                story.append("create ").append(a).append(out.id).append(", ");
            } else if (what == 4 && there.containsKey(a)) {
                namespace.delete(directory, Name.of(a), out);
                objects.remove(gone(a));
                story.append("delete ").append(a).append(", ");
            } else if (what == 5) {
                TestPool.sweep(namespace, directory);
            } else if (what > 5 && there.containsKey(a) && !a.equals(b)) {
                rename(a, b);
                story.append("rename ").append(a).append(b).append(", ");
                long object = gone(a);
                Long replaced = there.put(b, object);
                if (replaced != null) {
                    // An object that takes a place shows there, and only if the place was not shown yet.
                    objects.remove(replaced);
                    objects.remove(object);
                }
            }
        }

        private long gone(String name) {
            names.remove(name);
            return Objects.requireNonNull(there.remove(name));
        }
    }
}
