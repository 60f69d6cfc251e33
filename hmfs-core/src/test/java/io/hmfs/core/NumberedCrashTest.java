package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.sim.Acls;
import io.hmfs.core.sim.CrashTree;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.sim.Values;
import io.hmfs.core.type.Acl;
import io.hmfs.core.type.AppendBatch;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.CreateBatch;
import io.hmfs.core.type.DeleteBatch;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: after a power failure at any moment of a numbered change its record says whether it was executed, and a change that is
 * sent again then is executed once. Method: before each event of the change, and of what others do afterwards, every image that the simulated
 * memory could leave is opened: what the ring says must fit what is there; where it says nothing the change is made again, and must
 * succeed; then others undo it, and the ring must say the same. In some the start itself loses power.
 */
final class NumberedCrashTest {
    private static final long ROOT = Namespace.ROOT_ID;
    private static final long CLIENT = 0x77;
    private static final long USER = 0x55;
    private static final long NUMBER = 5;

    /** New starts of a moment; the joined creates would take more. */
    private static final int LIMIT = Integer.getInteger("hmfs.recoveries.single", 200);

    private static final int LIMIT_OF_JOINED = 12;

    /** The power fails again before one of so many events of a start. */
    private static final int AGAIN = Integer.getInteger("hmfs.again.single", 20);

    /** The image is one of so many. */
    private static final int IMAGES_AGAIN = 16;

    /** A change, and what others do to its object afterwards. */
    record Case(String name, NamespaceCrashTest.Action change, List<NamespaceCrashTest.Action> others) {
        Case(String name, NamespaceCrashTest.Action change, NamespaceCrashTest.Action... others) {
            this(name, change, List.of(others));
        }

        boolean isJoined() {
            return name.equals("joined create");
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private static long id(Namespace n, String name) {
        Attributes out = new Attributes();
        assertEquals(Status.OK, n.stat(ROOT, Name.of(name), out));
        return out.id;
    }

    private static Status delete(Namespace n, long directory, String name) {
        return n.delete(directory, Name.of(name), new Attributes());
    }

    private static Status create(Namespace n, long directory, String name) {
        return n.create(directory, Name.of(name), 0600, 3, 4, new Attributes());
    }

    private static Status rename(Namespace n, long from, String name, long to, String newName) {
        return n.rename(from, Name.of(name), to, Name.of(newName), true, new Attributes());
    }

    /** Frees slots and takes them again. */
    private static Status churn(Namespace n) {
        for (int i = 0; i < 5; i++) {
            assertEquals(Status.OK, create(n, ROOT, "churn" + i));
        }
        for (int i = 0; i < 5; i++) {
            assertEquals(Status.OK, delete(n, ROOT, "churn" + i));
        }
        ((PoolNamespace) n).sweep(ROOT);
        return Status.OK;
    }

    private static Status createBoth(Namespace n) {
        CreateBatch batch = new CreateBatch(2);
        batch.addFile(ROOT, Name.of("first"), 0644, 1, 2);
        batch.addFile(ROOT, Name.of("new"), 0644, 1, 2);
        boolean numbered = n.numbered().find(ring(n), NUMBER, new io.hmfs.core.type.ChangeOutcome());
        assertTrue(!numbered, "it is made only where it was not executed");
        batch.number(1, ring(n), NUMBER);
        n.createAll(batch);
        return batch.status(1);
    }

    /** One alone: those of a batch come to be one by one. */
    private static Status deleteJoined(Namespace n) {
        DeleteBatch batch = new DeleteBatch(1);
        batch.add(ROOT, Name.of("f"));
        batch.number(0, ring(n), NUMBER);
        n.deleteAll(batch);
        return batch.status(0);
    }

    private static Status appendJoined(Namespace n) {
        AppendBatch batch = new AppendBatch(1);
        batch.add(ROOT, Name.of("f"), id(n, "f"), 4096);
        batch.number(0, ring(n), NUMBER);
        n.appendAll(batch);
        return batch.status(0);
    }

    static Stream<Case> cases() {
        Attributes out = new Attributes();
        return Stream.of(
                new Case(
                        "create",
                        n -> n.create(ROOT, Name.of("new"), 0644, 1, 2, out),
                        n -> rename(n, ROOT, "new", ROOT, "f"),
                        n -> delete(n, ROOT, "f"),
                        NumberedCrashTest::churn),
                new Case(
                        "joined create",
                        NumberedCrashTest::createBoth,
                        n -> delete(n, ROOT, "new"),
                        NumberedCrashTest::churn),
                new Case(
                        "joined delete",
                        NumberedCrashTest::deleteJoined,
                        n -> create(n, ROOT, "f"),
                        n -> delete(n, ROOT, "f"),
                        NumberedCrashTest::churn),
                new Case("joined append", NumberedCrashTest::appendJoined, NumberedCrashTest::undoSize),
                new Case(
                        "mkdir",
                        n -> n.mkdir(ROOT, Name.of("new"), 0755, 1, 2, out),
                        n -> n.rmdir(ROOT, Name.of("new")),
                        NumberedCrashTest::churn),
                new Case(
                        "symlink",
                        n -> n.symlink(ROOT, Name.of("new"), Values.target(30, 1), 1, 2, out),
                        n -> delete(n, ROOT, "new"),
                        NumberedCrashTest::churn),
                new Case(
                        "delete",
                        n -> delete(n, ROOT, "f"),
                        n -> create(n, ROOT, "f"),
                        n -> delete(n, ROOT, "f"),
                        NumberedCrashTest::churn),
                new Case(
                        "delete of one of several names",
                        n -> delete(n, ROOT, "two"),
                        n -> n.link(ROOT, Name.of("one"), ROOT, Name.of("two"), out),
                        n -> delete(n, ROOT, "one")),
                new Case(
                        "rmdir",
                        n -> n.rmdir(ROOT, Name.of("empty")),
                        n -> n.mkdir(ROOT, Name.of("empty"), 0755, 1, 2, out),
                        NumberedCrashTest::churn),
                new Case(
                        "rename",
                        n -> rename(n, ROOT, "f", id(n, "d"), "new"),
                        n -> rename(n, id(n, "d"), "new", ROOT, "f"),
                        NumberedCrashTest::churn,
                        n -> rename(n, ROOT, "f", id(n, "d"), "new")),
                new Case(
                        "rename over a file",
                        n -> rename(n, ROOT, "f", id(n, "d"), "a"),
                        n -> rename(n, id(n, "d"), "a", ROOT, "f"),
                        NumberedCrashTest::churn),
                new Case(
                        "rename of a directory",
                        n -> rename(n, ROOT, "d", id(n, "empty"), "new"),
                        n -> rename(n, id(n, "empty"), "new", ROOT, "d")),
                new Case(
                        "rename over a directory",
                        n -> rename(n, ROOT, "d", ROOT, "empty"),
                        n -> rename(n, ROOT, "empty", ROOT, "d")),
                new Case("append", n -> n.append(ROOT, Name.of("f"), id(n, "f"), 4096), NumberedCrashTest::undoSize),
                new Case("truncate", n -> n.truncate(ROOT, Name.of("f"), 1), NumberedCrashTest::undoSize),
                new Case(
                        "truncate by one of several names",
                        n -> n.truncate(ROOT, Name.of("two"), 1),
                        n -> delete(n, ROOT, "two"),
                        n -> delete(n, ROOT, "one")),
                new Case("chmod", n -> n.chmod(ROOT, Name.of("f"), 0644), n -> n.chmod(ROOT, Name.of("f"), 0640)),
                new Case(
                        "ACL",
                        n -> n.changeAcl(ROOT, Name.of("f"), Acls.set(0660, Acls.of(2, false, 1))),
                        n -> n.chmod(ROOT, Name.of("f"), 0640),
                        n -> n.changeAcl(ROOT, Name.of("f"), Acls.set(0600, Acl.NONE)),
                        n -> delete(n, ROOT, "f")),
                new Case(
                        "chown",
                        n -> n.chown(ROOT, Name.of("d"), 7, 8),
                        n -> n.chown(ROOT, Name.of("d"), 0, 0),
                        n -> rename(n, ROOT, "d", id(n, "empty"), "new")));
    }

    private static Status undoSize(Namespace n) {
        assertEquals(Status.OK, n.truncate(ROOT, Name.of("f"), 100));
        return delete(n, ROOT, "f");
    }

    static SimPoolFile prepare() {
        SimPoolFile file = FreshPool.repeatable(128 << 10, 10);
        PoolNamespace n = open(file);
        Attributes out = new Attributes();
        assertEquals(Status.OK, n.mkdir(ROOT, Name.of("d"), 0755, 0, 0, out));
        assertEquals(Status.OK, create(n, out.id, "a"));
        assertEquals(Status.OK, n.mkdir(ROOT, Name.of("empty"), 0755, 0, 0, out));
        assertEquals(Status.OK, create(n, ROOT, "one"));
        assertEquals(Status.OK, n.link(ROOT, Name.of("one"), ROOT, Name.of("two"), out));
        assertEquals(Status.OK, create(n, ROOT, "f"));
        assertEquals(Status.OK, n.append(ROOT, Name.of("f"), id(n, "f"), 100));
        // The ring was another client's before, and what he did under this number is known to be executed.
        n.numbered().enter(n.numbered().hold(CLIENT + 1, USER, 1), NUMBER, 0, 0);
        assertEquals(Status.OK, create(n, ROOT, "early"));
        n.numbered().leave();
        n.close();
        file = file.killed();
        n = open(file);
        assertEquals(List.of(), read(n));
        n.close();
        return file.killed();
    }

    static PoolNamespace open(SimPoolFile file) {
        return new PoolNamespace("sim", file, false);
    }

    static long ring(Namespace n) {
        return n.numbered().hold(CLIENT, USER, 1);
    }

    static Status numbered(Namespace n, NamespaceCrashTest.Action change) {
        n.numbered().enter(ring(n), NUMBER, 0, 0);
        Status status = change.on(n);
        n.numbered().leave();
        return status;
    }

    static List<Long> read(Namespace n) {
        List<Long> numbers = new ArrayList<>();
        n.numbered().read(ring(n), numbers::add);
        return numbers;
    }

    /** Which changes a start says were executed. */
    record Outcome(List<Long> executed) {}

    private static Map<String, String> withoutIds(Map<String, String> shown) {
        Map<String, String> text = new TreeMap<>(shown);
        text.replaceAll((_, each) -> each.replaceAll(" id=\\d+", ""));
        return text;
    }

    /** Looks at what a power failure leaves. */
    static final class Explorer {
        private final Case tested;
        private final boolean looksFirst;
        private final Random random = new Random(7);
        private final CrashTree<Outcome> tree = new CrashTree<>(this::start, random);
        private Map<String, String> before = Map.of();
        private Map<String, String> after = Map.of();
        private int starts;
        private int executed;
        private int open;
        private boolean sampled;

        /** {@code looksFirst}: whether anybody looks before the change comes again, which settles what was cut off. */
        Explorer(Case tested, boolean looksFirst) {
            this.tested = tested;
            this.looksFirst = looksFirst;
        }

        /** A start, and the change again unless it was executed; then the others, who make nothing of the record untrue. */
        Outcome start(SimPoolFile file) {
            PoolNamespace n = open(file);
            List<Long> told = read(n);
            assertEquals(told, read(open(file.killed())), "another start says the same");
            if (looksFirst) {
                Map<String, String> expected = told.isEmpty() ? before : after;
                assertEquals(withoutIds(expected), withoutIds(Snapshot.of(n)), "the record says what is there");
            }
            if (told.isEmpty()) {
                assertEquals(Status.OK, numbered(n, tested.change), "the change again");
                assertEquals(List.of(NUMBER), read(n));
            }
            Map<String, String> made = Snapshot.of(n);
            assertEquals(withoutIds(after), withoutIds(made), "made once");
            n.scanInBackground();
            assertEquals(List.of(), n.problems());
            for (NamespaceCrashTest.Action each : tested.others) {
                assertEquals(Status.OK, each.on(n));
                assertEquals(List.of(NUMBER), read(open(file.killed())), "what others do leaves it executed");
            }
            return new Outcome(told);
        }

        /** Sees what the change does to this pool. */
        void learn(SimPoolFile file) {
            PoolNamespace dry = open(file.killed());
            before = Snapshot.of(dry);
            assertEquals(Status.OK, tested.change.on(dry));
            after = Snapshot.of(dry);
            assertNotEquals(before, after, "a change that changes nothing proves nothing");
        }

        void change(SimPoolFile file) {
            learn(file);
            PoolNamespace n = open(file);
            file.pmem().beforeEachEvent(() -> look(file, false));
            assertEquals(Status.OK, numbered(n, tested.change));
            file.pmem().beforeEachEvent(null);
            look(file, true);
        }

        private void look(SimPoolFile file, boolean answered) {
            sampled |= !tree.explore(file, tested.isJoined() ? LIMIT_OF_JOINED : LIMIT, (outcome, image) -> {
                assertTrue(!answered || !outcome.executed.isEmpty(), () -> "answered, image " + image);
                count(outcome);
                if (random.nextInt(AGAIN) == 0) {
                    again(file.crashed(image), outcome);
                }
            });
        }

        private void count(Outcome outcome) {
            executed += outcome.executed.isEmpty() ? 0 : 1;
            open += outcome.executed.isEmpty() ? 1 : 0;
        }

        /** Loses power before events of the start, and of the change that is made again. What was told once stays true. */
        private void again(SimPoolFile file, Outcome first) {
            boolean[] told = new boolean[1];
            file.pmem().beforeEachEvent(() -> {
                if (random.nextInt(AGAIN) == 0) {
                    Outcome second = start(file.crashed(random, IMAGES_AGAIN));
                    starts++;
                    if (told[0]) {
                        assertEquals(first.executed, second.executed, "told once");
                    }
                }
            });
            PoolNamespace n = open(file);
            assertEquals(first.executed, read(n));
            told[0] = true;
            n.scanInBackground();
            told[0] = false;
            if (first.executed.isEmpty() && random.nextInt(AGAIN) == 0) {
                assertEquals(Status.OK, numbered(n, tested.change));
            }
            file.pmem().beforeEachEvent(null);
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void theRecordSaysWhatIsThere(Case tested) {
        run(tested, true);
    }

    @ParameterizedTest
    @MethodSource("cases")
    void theChangeAgainMeetsWhatWasCutOff(Case tested) {
        run(tested, false);
    }

    private static void run(Case tested, boolean looksFirst) {
        Explorer explorer = new Explorer(tested, looksFirst);
        explorer.change(prepare());
        System.out.println(tested + ": " + explorer.tree.runs() + " starts that differ, " + explorer.starts
                + " after another one, " + explorer.executed
                + " found it executed, " + explorer.open + " not");
        assertTrue(explorer.executed > 0 && explorer.open > 0, "both were met");
        assertTrue(tested.isJoined() || !explorer.sampled, "moments that were not explored to their end");
    }
}
