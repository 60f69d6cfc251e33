package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.History.Call;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.recovery.Superblock;
import io.hmfs.core.sim.ReferenceNamespace;
import io.hmfs.core.sim.Sample;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.FileType;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: the shortest histories that break the protocol when one of its rules is left out break nothing here. Method: each is a
 * program of threads, power losses and threads again, on a few names; the threads stop at events in seeded turns, power is lost at
 * any of them with any image, and what was answered and what is there in the end must be explained by an order. Each runs in a
 * roomy pool, and in a full one, where slots are used again at once.
 */
final class NamespaceRuleTest {
    private static final long ROOT = Namespace.ROOT_ID;
    private static final int RUNS = Integer.getInteger("hmfs.runs", 1500) / 3;

    private static final int SAMPLED = 6;

    /** Runs in which one thread stops at a chosen event, and the others come to their end before power is lost. */
    private static final int ORDERLY = 400;

    private static final int EVENTS = 60;
    private static final Long SEED = Long.getLong("hmfs.seed");
    private static final int IMAGES = 8;
    private static final long REGION = 16 << 10;
    private static final int REGIONS_FULL = 8;
    private static final int REGIONS_ROOMY = 12;
    private static final Logger ENGINE = Logger.getLogger(PoolNamespace.class.getName());

    /**
     * A rule's history: names that are there at first, then phases, between which power is lost, of threads, of operations. a and b
     * are files in directory p; c and e in q; d is a directory in p, with x and y in it.
     */
    record Rule(String name, String there, String program) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Rule> rules() {
        return Stream.of(
                new Rule(
                        "a successor is checked when a rename is finished",
                        "a",
                        "rename a b;sweep p;create c/stat a|delete b"),
                new Rule("chmod against rename", "a", "chmod a|rename a b|stat b"),
                new Rule("a delete makes the raised mtime durable", "b", "create a|delete b"),
                new Rule("an object is gone before its name", "a", "delete a|stat a;list a"),
                new Rule("a birth counts as issued", "", "create a|create b/stat a;stat b;scan"),
                new Rule("a half filled slot is no object", "a", "delete a/sweep p;create b|stat a/stat b"),
                new Rule("what was shown stays", "a", "chmod a|stat a;stat a/stat a"),
                new Rule("a slot waits for threads that reach it", "b", "create a|sweep p|delete b;create b"),
                new Rule("a name that moves is listed", "a", "rename a b|list a;list b"),
                new Rule("a name that is replaced is listed", "a b", "rename a b|list b;list b"),
                new Rule("a directory has its content", "", "mkdir d/stat d;create x"),
                new Rule("not empty is durable", "d", "rmdir d|create x/stat d;stat x"),
                new Rule("an origin is what points back", "a", "rename a c;sweep p;create b/delete c"),
                new Rule("an origin used again", "a", "rename a b;sweep p;create c/stat b"),
                new Rule("a verdict rests on what is durable", "a", "delete a/create b|stat a/stat a;list a"),
                new Rule("a stat looks again", "a b", "rename a b|stat b"),
                new Rule("a content goes after its object", "d", "rmdir d|create x|stat d"),
                new Rule("not empty because of what a stat shows", "o d", "rename o x|rmdir d|stat o"),
                new Rule("a scan beside a rename undone", "a", "rename a b/create e|stat a|scan"),
                new Rule("a scan behind a rename undone", "a", "rename a b/create e;stat a;scan"),
                new Rule("a scan leaves what a link reaches", "a", "rename a b/create e;scan"),
                new Rule("a scan holds the key's lock", "", "create a/scan|create a"),
                new Rule("a scan holds the sweeper's lock", "a b", "rename a b/sweep p|scan"),
                new Rule("a successor points back", "a", "rename a b/stat a;create e;rename a c/stat a;stat c"),
                new Rule(
                        "a successor of the replaced points back",
                        "a b c",
                        "rename a b/stat b;create e;rename c b/stat b"),
                new Rule("a link that stayed behind", "a b", "rename a b/delete b;sweep p;create c/list b"),
                new Rule("an undone successor is durable", "a", "rename a b/create b|delete a/list a;stat b"),
                new Rule(
                        "the origin is back before the successor goes",
                        "a",
                        "rename a c/create c|create a/stat c;stat a"),
                new Rule("a thread that meets a closed directory waits", "d", "rmdir d|create x/stat d;create x"),
                new Rule("a key and a state of two lives", "a b", "rename a b/delete b;sweep p;create c/stat c;list b"),
                new Rule("a filled slot is no object without the lock", "a", "delete a/sweep p;create a|create a"));
    }

    private final Map<String, Long> ids = new TreeMap<>();
    private final Stepper[] steppers = {new Stepper(), new Stepper(), new Stepper()};
    private ReferenceNamespace model = new ReferenceNamespace();
    private SimPoolFile prepared = new SimPoolFile(REGION, REGIONS_ROOMY);

    @BeforeEach
    void hush() {
        ENGINE.setLevel(Level.OFF);
    }

    @AfterEach
    void close() {
        for (Stepper stepper : steppers) {
            stepper.close();
        }
        ENGINE.setLevel(null);
    }

    private static String directoryOf(String name) {
        return switch (name) {
            case "x", "y" -> "d";
            case "c", "e" -> "q";
            default -> "p";
        };
    }

    private long id(String name) {
        return Objects.requireNonNull(ids.get(name), name);
    }

    /** In a full pool the last slots are those of files that were there once. */
    private void prepare(Rule rule, boolean full) throws PoolException {
        SimPoolFile file = new SimPoolFile(REGION, full ? REGIONS_FULL : REGIONS_ROOMY);
        Superblock.format(Path.of("sim"), file, new UUID(1, 2), 42, 2);
        PoolNamespace n = new PoolNamespace("sim", file, false);
        model = new ReferenceNamespace();
        make(n, FileType.DIRECTORY, ROOT, "p", 01001);
        make(n, FileType.DIRECTORY, ROOT, "q", 01002);
        ids.put("d", 77L);
        if (full) {
            fill(n);
        }
        for (String name : rule.there().isEmpty() ? new String[0] : rule.there().split(" ", -1)) {
            FileType type = name.equals("d") ? FileType.DIRECTORY : FileType.FILE;
            make(n, type, id(directoryOf(name)), name, 01100 + name.charAt(0));
        }
        n.close();
        prepared = file.killed();
    }

    private void make(PoolNamespace n, FileType type, long directory, String name, int mode) {
        Attributes out = new Attributes();
        Name named = Name.of(name);
        Status status = type == FileType.FILE
                ? n.create(directory, named, mode, 0, 0, out)
                : n.mkdir(directory, named, mode, 0, 0, out);
        assertEquals(Status.OK, status);
        assertEquals(Status.OK, model.make(type, directory, name, mode, 0, 0, out.id));
        ids.put(name, out.id);
    }

    private void fill(PoolNamespace n) {
        Attributes out = new Attributes();
        int made = 0;
        while (n.create(id("q"), Name.of("f" + made), 0600, 0, 0, out) == Status.OK) {
            made++;
        }
        assertTrue(made > 20, "files in a full pool: " + made);
        for (int i = 0; i < made; i++) {
            if (i < 5) {
                assertEquals(Status.OK, n.delete(id("q"), Name.of("f" + i), out));
            } else {
                assertEquals(Status.OK, model.make(FileType.FILE, id("q"), "f" + i, 0600, 0, 0, 1000 + i));
            }
        }
        n.sweep(id("q"));
    }

    private Call call(String operation, int number) {
        String[] words = operation.split(" ", -1);
        String name = words[1];
        if (words[0].equals("sweep")) {
            return new Call("sweep", id(name), name, 0, "", number);
        }
        String target = words.length > 2 ? words[2] : "";
        long to = target.isEmpty() ? 0 : id(directoryOf(target));
        return new Call(words[0], id(directoryOf(name)), name, to, target, number);
    }

    @ParameterizedTest
    @MethodSource("rules")
    void holds(Rule rule) throws PoolException {
        for (boolean full : new boolean[] {false, true}) {
            prepare(rule, full);
            Sample sample = new Sample(SAMPLED, rule.name() + full);
            for (long seed = 0; seed < RUNS; seed++) {
                if (sample.takes()) {
                    new Run(rule, SEED == null ? seed : SEED, full).all();
                }
            }
        }
    }

    /** One run of one history. */
    private final class Run {
        private final Rule rule;
        private final long number;
        private final Random random;
        private final boolean full;
        private final AtomicLong time = new AtomicLong();
        private final List<Call> calls = new ArrayList<>();
        private SimPoolFile file = prepared.killed();
        private PoolNamespace namespace = new PoolNamespace("sim", file, false);

        Run(Rule rule, long number, boolean full) {
            this.rule = rule;
            this.number = number;
            this.random = new Random(number);
            this.full = full;
        }

        void all() {
            try {
                String[] phases = rule.program().split("/", -1);
                for (int i = 0; i < phases.length; i++) {
                    // The last phase may come to its end.
                    boolean orderly = i == 0 && number < ORDERLY;
                    phase(phases[i], orderly || i < phases.length - 1 || random.nextInt(2) == 0, orderly);
                }
                check();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError(
                        "-Dhmfs.seed=" + number + (full ? " full " : " ") + rule.program() + " " + calls + ": "
                                + e.getMessage(),
                        e);
            }
        }

        private void phase(String phase, boolean loses, boolean orderly) {
            String[] threads = phase.split("\\|", -1);
            file.pmem().beforeEachEvent(() -> {
                for (Stepper stepper : steppers) {
                    stepper.event();
                }
            });
            file.pmem().beforeEachLoad(() -> {
                for (Stepper stepper : steppers) {
                    stepper.load();
                }
            });
            for (int i = 0; i < threads.length; i++) {
                List<Call> mine = new ArrayList<>();
                for (String operation : threads[i].split(";", -1)) {
                    mine.add(call(operation.equals("scan") ? "scan p" : operation, 02000 + calls.size() + mine.size()));
                }
                calls.addAll(mine);
                steppers[i].begin(() -> mine.forEach(each -> each.run(namespace, time)));
            }
            if (orderly) {
                runOrderly(threads.length);
            } else {
                runAnyhow(threads.length, loses);
            }
            if (loses) {
                loseAll();
            }
            file.pmem().beforeEachEvent(null);
            file.pmem().beforeEachLoad(null);
        }

        private void runOrderly(int threads) {
            int first = (int) number % threads;
            steppers[first].advance(number / threads % EVENTS);
            for (int i = 1; i < threads; i++) {
                steppers[(first + i) % threads].finish();
            }
        }

        private void runAnyhow(int threads, boolean loses) {
            int most = 1 + random.nextInt(40);
            int turns = loses ? random.nextInt(6 * threads) : Integer.MAX_VALUE;
            for (int turn = 0; turn < turns && !isDone(threads); turn++) {
                steppers[random.nextInt(threads)].advance(1 + random.nextInt(most));
            }
        }

        private boolean isDone(int threads) {
            boolean done = true;
            for (int i = 0; i < threads; i++) {
                done &= steppers[i].isDone();
            }
            return done;
        }

        private void loseAll() {
            SimPoolFile before = file;
            SimPoolFile after = before.crashed(random, IMAGES);
            long now = time.incrementAndGet();
            for (Call call : calls) {
                call.lost = call.ended == Long.MAX_VALUE ? Math.min(call.lost, now) : call.lost;
            }
            Stepper.killAll(steppers, namespace, before.pmem());
            if (random.nextInt(3) == 0) {
                before.pmem().processDied(); // what was not fenced may go with the next loss
            } else {
                file = after;
            }
            namespace = new PoolNamespace("sim", file, false);
        }

        private void check() {
            Map<String, String> seen = History.text(Snapshot.of(namespace));
            assertTrue(
                    History.isExplained(calls, new ReferenceNamespace(model), seen),
                    () -> "no order explains that afterwards there is " + seen);
            // A scan that ran before is of no use to what came after it.
            namespace.close();
            SimPoolFile last = file.killed();
            PoolNamespace scanned = new PoolNamespace("sim", last, false);
            scanned.scanInBackground();
            assertEquals(List.of(), scanned.problems());
            assertEquals(seen, History.text(Snapshot.of(scanned)), "after the scan");
        }
    }
}
