package io.hmfs.core.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.Namespace;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.TestPool;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.recovery.Superblock;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
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
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: a cursor survives restarts and losses of power: what is in the directory all the while shows exactly once, also if it is renamed there, and what comes
 * or goes meanwhile at most once. Method: seeded random changes, sweeps, closes, deaths and power losses between the pages of a listing;
 * each change was acknowledged, so each of them survives. Then one rename that dies at each of its steps.
 */
final class ListRestartTest {
    private static final long SEED = Long.getLong("hmfs.seed", 1);
    private static final int ROUNDS = Integer.getInteger("hmfs.rounds", 500);
    private static final int NAMES = 12;
    private static final int IMAGES = 4; // the first: the process alone dies
    private static final int SLOTS = 10_000; // more than are free
    private static final Logger ENGINE = Logger.getLogger("io.hmfs.core.PoolNamespace");

    private final Attributes out = new Attributes();
    private SimPoolFile file = format();
    private ServerNamespace namespace = TestPool.open(file);
    private long directory;

    private static SimPoolFile format() {
        SimPoolFile file = new SimPoolFile(256 << 10, 30, Persistence.PMEM);
        try {
            Superblock.format(Path.of("sim"), file, new UUID(1, 2), 42, 2);
            // No second passes while the test runs: the times that it gives out are ahead of the clock by an hour.
            file.pmem().set(PoolHeader.CLOCK_LEASE_OFFSET, (System.currentTimeMillis() + 3_600_000L) * 1_000_000L);
            file.pmem().persist(PoolHeader.CLOCK_LEASE_OFFSET, 8);
        } catch (PoolException e) {
            throw new AssertionError(e);
        }
        return file;
    }

    @BeforeEach
    void quiet() {
        ENGINE.setLevel(Level.OFF); // the death is an error within an operation
    }

    @AfterEach
    void loud() {
        ENGINE.setLevel(null);
    }

    @Test
    void whatStaysShowsOnceOverRestarts() {
        int restarts = 0;
        for (int i = 0; i < ROUNDS; i++) {
            long seed = SEED * 1_000_000 + i;
            String name = "round" + i;
            assertEquals(Status.OK, namespace.mkdir(Namespace.ROOT_ID, Name.of(name), 0755, 0, 0, out));
            directory = out.id;
            Round round = new Round(seed);
            round.run();
            restarts += round.restarts;
            for (String left : List.copyOf(round.there.keySet())) {
                assertEquals(Status.OK, namespace.delete(directory, Name.of(left), out));
            }
            assertEquals(Status.OK, namespace.rmdir(Namespace.ROOT_ID, Name.of(name)));
        }
        assertTrue(restarts > ROUNDS / 4, restarts + " restarts in the middle of a listing");
        assertEquals(List.of(), TestPool.problems(namespace));
        namespace.close();
    }

    /** The slot to which a dead entry leads is that of another object by now, which a listing shows where that one was, and nowhere else. */
    @Test
    void anObjectInTheSlotOfASuccessorShowsOnce() {
        long root = Namespace.ROOT_ID;
        assertEquals(Status.OK, namespace.create(root, Name.of("gone"), 0644, 0, 0, out));
        assertEquals(Status.OK, namespace.rename(root, Name.of("gone"), root, Name.of("successor"), false, out));
        long slot = newest();
        assertEquals(Status.OK, namespace.delete(root, Name.of("successor"), out));
        TestPool.sweep(namespace, root);
        assertEquals(Status.OK, namespace.create(root, Name.of("object"), 0644, 0, 0, out));
        assertEquals(Status.OK, namespace.create(root, Name.of("first"), 0644, 0, 0, out));
        List<String> shown = new ArrayList<>();
        ListCursor cursor = new ListCursor();
        namespace.list(root, cursor, (name, _) -> shown.isEmpty() && shown.add(name.toString()));
        String last = "object";
        for (int i = 0; newest() != slot; i++) {
            assertTrue(i < SLOTS, "the slot is not used again");
            String next = "object" + i;
            assertEquals(Status.OK, namespace.rename(root, Name.of(last), root, Name.of(next), false, out));
            last = next;
        }
        namespace.list(root, cursor, (name, _) -> shown.add(name.toString()));
        assertEquals(List.of("first", last), shown);
    }

    /** Where the newest entry of the root stands. */
    private long newest() {
        boolean[] one = {false};
        ListCursor cursor = new ListCursor();
        namespace.list(Namespace.ROOT_ID, cursor, (_, _) -> one[0] = !one[0]);
        return cursor.at;
    }

    /** A rename dies at each step, a process or the power with it; a listing that had shown one entry goes on in the next start. */
    @Test
    void whatARenameThatDiesMovesShowsOnce() {
        int steps = 0;
        for (boolean replaces : new boolean[] {false, true}) {
            for (int image = 0; image < IMAGES; image++) {
                for (boolean scan : new boolean[] {false, true}) {
                    int died = 0;
                    while (diesAt(died, replaces, image, scan)) {
                        died++;
                    }
                    steps += died;
                }
            }
        }
        assertTrue(steps > 4 * IMAGES * 20, steps + " steps");
    }

    /** False if the rename has ended before this step. */
    private boolean diesAt(int step, boolean replaces, int image, boolean scan) {
        file = format();
        namespace = TestPool.open(file);
        for (String name : List.of("victim", "old", "object", "new")) {
            assertEquals(Status.OK, namespace.create(Namespace.ROOT_ID, Name.of(name), 0644, 0, 0, out));
        }
        List<String> shown = new ArrayList<>();
        ListCursor cursor = new ListCursor();
        namespace.list(Namespace.ROOT_ID, cursor, (name, _) -> shown.isEmpty() && shown.add(name.toString()));
        String to = replaces ? "victim" : "other";
        long object = EntryRecord.sibling(file.pmem(), cursor.at);
        boolean dies = dies(
                step,
                object,
                () -> assertEquals(
                        Status.OK,
                        namespace.rename(
                                Namespace.ROOT_ID, Name.of("object"), Namespace.ROOT_ID, Name.of(to), replaces, out)));
        file = image > 0 ? file.crashed(new Random(SEED * image + step), 64) : file.killed();
        namespace = TestPool.open(file);
        if (scan) {
            TestPool.scan(namespace);
        }
        namespace.list(Namespace.ROOT_ID, cursor, (name, _) -> shown.add(name.toString()));
        boolean moved = namespace.stat(Namespace.ROOT_ID, Name.of("object"), out) == Status.NOT_FOUND;
        List<String> expected = new ArrayList<>(List.of("new", "object", "old", "victim"));
        if (moved && replaces) {
            expected.remove("object");
        } else if (moved) {
            expected.set(1, to);
        }
        assertEquals(expected, shown, "step " + step + ", image " + image + ", scan " + scan);
        namespace.close();
        return dies;
    }

    /**
     * Whether this came to so many steps; then it died before the next one. When the object is on its way, another one is linked: so the successor is born
     * later than the rename began.
     */
    private boolean dies(int step, long object, Runnable operation) {
        int[] left = {step};
        boolean[] linked = {false};
        Thread renames = Thread.currentThread();
        file.pmem().beforeEachEvent(() -> {
            if (!Thread.currentThread().equals(renames)) {
                return;
            }
            if (!linked[0] && EntryRecord.state(file.pmem(), object) == SlotState.MOVING) {
                linked[0] = true;
                create("between");
            }
            if (left[0]-- == 0) {
                throw new Death();
            }
        });
        try {
            operation.run();
            return false;
        } catch (Death e) {
            return true;
        } finally {
            file.pmem().beforeEachEvent(null);
        }
    }

    /** By another thread. */
    private void create(String name) {
        Thread other =
                new Thread(() -> namespace.create(Namespace.ROOT_ID, Name.of(name), 0644, 0, 0, new Attributes()));
        other.start();
        try {
            other.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** The end of a process, at a store, a write-back or a fence. */
    private static final class Death extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** One listing. */
    private final class Round {
        private final long seed;
        private final Random random;
        private final Map<String, Long> there = new HashMap<>();

        /** Objects that have been there, under one name after the other, since the listing began. */
        private final Set<Long> stayed = new HashSet<>();

        private final List<Long> shown = new ArrayList<>();
        private final StringBuilder story = new StringBuilder();
        private int restarts;

        Round(long seed) {
            this.seed = seed;
            this.random = new Random(seed);
        }

        void run() {
            for (int i = random.nextInt(30); i > 0; i--) {
                change();
            }
            stayed.addAll(there.values());
            story.append("| ");
            ListCursor cursor = new ListCursor();
            while (!cursor.atEnd()) {
                int limit = shown.size() + 1 + random.nextInt(3);
                assertEquals(Status.OK, namespace.list(directory, cursor, (name, attributes) -> {
                    if (shown.size() >= limit) {
                        return false;
                    }
                    shown.add(attributes.id);
                    story.append("shows ").append(name).append(attributes.id).append(", ");
                    return true;
                }));
                for (int i = random.nextInt(4); i > 0 && !cursor.atEnd(); i--) {
                    change();
                    if (random.nextInt(4) == 0) {
                        restart();
                    }
                }
            }
            for (long object : stayed) {
                assertEquals(1, shown.stream().filter(each -> each == object).count(), () -> object + told());
            }
            assertEquals(shown.size(), new HashSet<>(shown).size(), () -> "an object shows twice" + told());
        }

        private String told() {
            return ", seed " + seed + ": " + story;
        }

        private void restart() {
            restarts++;
            switch (random.nextInt(3)) {
                case 0 -> {
                    story.append("close, ");
                    namespace.close();
                    file = file.died();
                }
                case 1 -> {
                    story.append("kill, ");
                    file = file.killed();
                }
                default -> {
                    story.append("power, ");
                    file = file.crashed(random, 1);
                }
            }
            namespace = TestPool.open(file);
            if (random.nextBoolean()) {
                TestPool.scan(namespace);
            }
        }

        private void change() {
            String name = "" + (char) ('a' + random.nextInt(NAMES));
            String other = "" + (char) ('a' + random.nextInt(NAMES));
            int what = random.nextInt(10);
            if (what < 5 && !there.containsKey(name)) {
                assertEquals(Status.OK, namespace.create(directory, Name.of(name), 0644, 0, 0, out));
                there.put(name, out.id);
                story.append("create ").append(name).append(out.id).append(", ");
            } else if (what < 7 && there.containsKey(name)) {
                assertEquals(Status.OK, namespace.delete(directory, Name.of(name), out));
                stayed.remove(there.remove(name));
                story.append("delete ").append(name).append(", ");
            } else if (what == 7) {
                TestPool.sweep(namespace, directory);
                story.append("sweep, ");
            } else if (what > 7 && there.containsKey(name) && !there.containsKey(other)) {
                assertEquals(
                        Status.OK, namespace.rename(directory, Name.of(name), directory, Name.of(other), false, out));
                long object = Objects.requireNonNull(there.remove(name));
                there.put(other, object);
                story.append("rename ").append(name).append(other).append(", ");
            }
        }
    }
}
