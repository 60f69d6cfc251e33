package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.History.Call;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.recovery.Superblock;
import io.hmfs.core.sim.ReferenceNamespace;
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
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: two operations in one directory, and a power failure at any moment of both: what is left is explained by some order of
 * what was answered and what may have been done (I1), and I3 to I5 hold. Method: every pair; two threads that are stopped at
 * events, all combinations of two events where there are few, seeded orders else; images of each such moment, recovered twice, the
 * first time not to its end. {@code -Dhmfs.schedules=N} for more orders, {@code -Dhmfs.seed=N} for others.
 */
final class NamespacePairTest {
    private static final long ROOT = Namespace.ROOT_ID;
    private static final int SCHEDULES = Integer.getInteger("hmfs.schedules", 3);
    private static final long SEED = Long.getLong("hmfs.seed", 1);

    /** Moments of a pair of which each is looked at. */
    private static final int FEW = 130;

    private static final int IMAGES = 6;
    private static final int IMAGES_OF_MANY = 2;

    /** The first recovery is cut off within so many events, if it has them. */
    private static final int RECOVERY_EVENTS = 60;

    private static final Logger ENGINE = Logger.getLogger(PoolNamespace.class.getName());

    /** What one of the two does; made anew for each run. */
    private record Kind(String verb, String directory, String name, String target, String newName) {
        @Override
        public String toString() {
            return verb + " " + directory + "/" + name + (verb.equals("rename") ? " to " + target + "/" + newName : "");
        }
    }

    private static final List<Kind> KINDS = List.of(
            new Kind("create", "p", "c", "", ""),
            new Kind("create", "s", "c", "", ""),
            new Kind("mkdir", "p", "c", "", ""),
            new Kind("delete", "p", "a", "", ""),
            new Kind("delete", "p", "b", "", ""),
            new Kind("rmdir", "p", "s", "", ""),
            new Kind("rename", "p", "a", "p", "c"),
            new Kind("rename", "p", "a", "p", "b"),
            new Kind("rename", "p", "b", "q", "y"),
            new Kind("rename", "q", "x", "p", "c"),
            new Kind("rename", "q", "x", "s", "c"),
            new Kind("rename", "p", "s", "p", "c"),
            new Kind("rename", "p", "s", "q", "y"),
            new Kind("chmod", "p", "a", "", ""),
            new Kind("append", "p", "a", "", ""),
            new Kind("truncate", "p", "b", "", ""),
            new Kind("times", "p", "b", "", ""),
            new Kind("list", "p", "a", "", ""),
            new Kind("stat", "p", "b", "", ""),
            new Kind("sweep", "p", "a", "", ""),
            new Kind("link", "p", "b", "q", "y"),
            new Kind("link", "q", "n", "p", "c"),
            new Kind("delete", "p", "m", "", ""),
            new Kind("delete", "q", "n", "", ""),
            new Kind("rename", "p", "m", "q", "y"),
            new Kind("rename", "q", "x", "q", "n"));

    private SimPoolFile prepared = new SimPoolFile(16 << 10, 16);
    private final ReferenceNamespace model = new ReferenceNamespace();
    private final Map<String, Long> ids = new TreeMap<>();
    private final Stepper[] steppers = {new Stepper(), new Stepper()};
    private long images;
    private long moments;

    @BeforeEach
    void prepare() throws PoolException {
        ENGINE.setLevel(Level.OFF);
        Superblock.format(Path.of("sim"), prepared, new UUID(1, 2), 42);
        PoolNamespace n = new PoolNamespace("sim", prepared, false);
        ids.put("/", ROOT);
        make(n, FileType.DIRECTORY, "/", "p", 01001);
        make(n, FileType.DIRECTORY, "/", "q", 01002);
        for (String name : List.of("dead1", "a", "dead2", "b", "dead3")) {
            make(n, FileType.FILE, "p", name, 01003 + name.charAt(0));
        }
        make(n, FileType.DIRECTORY, "p", "s", 01005);
        make(n, FileType.FILE, "q", "x", 01006);
        make(n, FileType.FILE, "p", "m", 01007);
        assertEquals(Status.OK, n.link(id("p"), Name.of("m"), id("q"), Name.of("n"), new Attributes()));
        assertEquals(Status.OK, model.link(id("p"), "m", id("q"), "n"));
        for (String name : List.of("dead1", "dead2", "dead3")) {
            assertEquals(Status.OK, n.delete(id("p"), Name.of(name), new Attributes()));
            assertEquals(Status.OK, model.delete(id("p"), name));
        }
        n.close();
        prepared = prepared.killed();
    }

    @AfterEach
    void close() {
        steppers[0].close();
        steppers[1].close();
        ENGINE.setLevel(null);
    }

    private long id(String directory) {
        return directory.isEmpty() ? 0 : Objects.requireNonNull(ids.get(directory));
    }

    private void make(PoolNamespace n, FileType type, String in, String name, int mode) {
        Attributes out = new Attributes();
        long directory = id(in);
        Name named = Name.of(name);
        Status status = type == FileType.FILE
                ? n.create(directory, named, mode, 0, 0, out)
                : n.mkdir(directory, named, mode, 0, 0, out);
        assertEquals(Status.OK, status);
        assertEquals(Status.OK, model.make(type, directory, name, mode, 0, 0, out.id));
        ids.put(name, out.id);
    }

    private Call call(Kind kind, int number) {
        long target = kind.verb().equals("append") ? id(kind.name()) : id(kind.target());
        return new Call(kind.verb(), id(kind.directory()), kind.name(), target, kind.newName(), number);
    }

    static IntStream kinds() {
        return IntStream.range(0, KINDS.size());
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aCrashWithinTwoLeavesWhatAnOrderExplains(int first) {
        for (int second = first; second < KINDS.size(); second++) {
            Pair pair = new Pair(KINDS.get(first), KINDS.get(second));
            int[] events = {pair.events(0), pair.events(1)};
            if ((events[0] + 1) * (events[1] + 1) <= FEW) {
                for (int i = 0; i <= events[0]; i++) {
                    for (int j = 0; j <= events[1]; j++) {
                        pair.run(new Schedule(List.of(i, j), IMAGES));
                    }
                }
            } else {
                for (int i = 0; i < SCHEDULES; i++) {
                    Random random = new Random((SEED * 1009 + first) * 1009 + second * 31L + i);
                    pair.run(new Schedule(random, events[0] + events[1], IMAGES_OF_MANY));
                }
            }
        }
        assertTrue(images > moments, images + " images of " + moments + " moments");
    }

    /** How many events each of the two comes on by, in turns; images are taken from the second turn on. */
    private record Schedule(List<Integer> turns, int images) {
        Schedule(Random random, int events, int images) {
            this(turns(random, events), images);
        }

        private static List<Integer> turns(Random random, int events) {
            List<Integer> turns = new ArrayList<>();
            int most = 1 + random.nextInt(25);
            turns.add(random.nextInt(2) == 0 ? 0 : random.nextInt(most));
            for (int sum = 0; sum < events + most; sum += turns.getLast()) {
                turns.add(1 + random.nextInt(most));
            }
            return turns;
        }
    }

    /** Two operations, run again and again. */
    private final class Pair {
        private final Kind[] kinds;

        Pair(Kind first, Kind second) {
            this.kinds = new Kind[] {first, second};
        }

        int events(int which) {
            SimPoolFile file = prepared.killed();
            PoolNamespace namespace = new PoolNamespace("sim", file, false);
            int[] events = new int[1];
            file.pmem().beforeEachEvent(() -> events[0]++);
            call(kinds[which], 02000).on(namespace);
            return events[0];
        }

        void run(Schedule schedule) {
            SimPoolFile file = prepared.killed();
            PoolNamespace namespace = new PoolNamespace("sim", file, false);
            List<Call> calls = List.of(call(kinds[0], 02000), call(kinds[1], 02001));
            file.pmem().beforeEachEvent(() -> {
                steppers[0].event();
                steppers[1].event();
            });
            file.pmem().beforeEachLoad(() -> {
                steppers[0].load();
                steppers[1].load();
            });
            AtomicLong time = new AtomicLong();
            for (int i = 0; i < 2; i++) {
                Call call = calls.get(i);
                steppers[i].begin(() -> call.run(namespace, time));
            }
            boolean ended = false;
            for (int turn = 0; turn < schedule.turns().size() && !ended; turn++) {
                steppers[turn % 2].advance(schedule.turns().get(turn));
                ended = steppers[0].isDone() && steppers[1].isDone();
                if (turn > 0) {
                    look(calls, file, schedule, turn);
                }
            }
            Stepper.killAll(steppers, namespace, file.pmem());
        }

        private void look(List<Call> calls, SimPoolFile file, Schedule schedule, int turn) {
            moments++;
            Random random = new Random(SEED + turn);
            file.pmem().images(schedule.images(), SEED + turn, image -> {
                images++;
                try {
                    recover(calls, file.crashed(image), random);
                } catch (AssertionError | RuntimeException e) {
                    throw new AssertionError(
                            "-Dhmfs.seed=" + SEED + " " + calls + " " + schedule.turns() + ", turn " + turn + ", image "
                                    + image + ": " + e.getMessage(),
                            e);
                }
            });
        }

        /** The first recovery loses power, at one of its own events; the second comes to its end. */
        private void recover(List<Call> calls, SimPoolFile first, Random random) {
            int[] left = {random.nextInt(RECOVERY_EVENTS)};
            SimPoolFile[] second = new SimPoolFile[1];
            first.pmem().beforeEachEvent(() -> {
                if (left[0]-- == 0) {
                    second[0] = first.crashed(random, IMAGES);
                }
            });
            PoolNamespace cutOff = new PoolNamespace("sim", first, false);
            Map<String, String> seen = second[0] == null ? History.text(Snapshot.of(cutOff)) : Map.of();
            boolean answered = second[0] == null;
            cutOff.scanInBackground();
            first.pmem().beforeEachEvent(null);
            PoolNamespace namespace = new PoolNamespace("sim", second[0] == null ? first.killed() : second[0], false);
            Map<String, String> after = History.text(Snapshot.of(namespace));
            if (answered) {
                assertEquals(seen, after, "what the first recovery showed stays true");
            }
            assertTrue(
                    History.isExplained(calls, new ReferenceNamespace(model), after),
                    () -> "no order explains that afterwards there is " + after);
            namespace.scanInBackground();
            assertEquals(List.of(), namespace.problems());
            assertEquals(after, History.text(Snapshot.of(namespace)), "after the scan");
        }
    }
}
