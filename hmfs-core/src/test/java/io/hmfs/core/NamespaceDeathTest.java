package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.recovery.Superblock;
import io.hmfs.core.sim.CrashImage;
import io.hmfs.core.sim.Sample;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.CreateBatch;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.core.type.XattrMode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: what a process does after another has died in the middle of an operation is as durable as anything, though it builds on
 * stores of the dead that were never written back. Method: the process dies before each event of an operation, the next one sees all
 * its stores, scans, works and reuses slots, and then the power goes: every image of what was never fenced is opened and checked.
 * Or that next one dies too, while it settles what the first has left, and the third one works. Of these deaths a sample.
 */
final class NamespaceDeathTest {
    private static final long ROOT = Namespace.ROOT_ID;
    private static final int IMAGES = 24;
    private static final int IMAGES_AFTER_TWO = 6;
    private static final int SAMPLED = 12;
    private static final int REUSED = 70; // the allocator looks for what is free again after 64 fresh slots
    private static final Logger ENGINE = Logger.getLogger(PoolNamespace.class.getName());

    /** Ends the operation where the process dies. */
    interface Operation {
        void on(PoolNamespace namespace, long directory);
    }

    private final Attributes out = new Attributes();
    private long directory;
    private SimPoolFile pool = new SimPoolFile(32 << 10, 16);

    @BeforeAll
    static void hush() {
        ENGINE.setLevel(Level.OFF); // the death is an error within an operation
    }

    @AfterAll
    static void speak() {
        ENGINE.setLevel(null);
    }

    static Stream<Arguments> operations() {
        Attributes out = new Attributes();
        Map<String, Operation> all = new LinkedHashMap<>();
        all.put("create", (n, d) -> n.create(d, Name.of("new"), 0644, 0, 0, out));
        all.put("mkdir", (n, d) -> n.mkdir(d, Name.of("new"), 0755, 0, 0, out));
        all.put("batched creates", NamespaceDeathTest::createAll);
        all.put("delete", (n, d) -> n.delete(d, Name.of("b"), out));
        all.put("rmdir", (n, d) -> n.rmdir(d, Name.of("s")));
        all.put("rename", (n, d) -> n.rename(d, Name.of("b"), ROOT, Name.of("new"), false, out));
        all.put("replace", (n, d) -> n.rename(d, Name.of("b"), d, Name.of("a"), true, out));
        all.put("move", (n, d) -> n.rename(d, Name.of("s"), ROOT, Name.of("new"), false, out));
        all.put("chmod", (n, d) -> n.chmod(d, Name.of("b"), 0600));
        all.put("truncate", (n, d) -> n.truncate(d, Name.of("b"), 77));
        all.put("link", (n, d) -> n.link(d, Name.of("a"), ROOT, Name.of("new"), out)); // no sweep writes its line back
        all.put("link again", (n, d) -> n.link(d, Name.of("m"), ROOT, Name.of("new"), out));
        all.put("unlink", (n, d) -> n.delete(d, Name.of("m"), out));
        all.put("replace a name", (n, d) -> n.rename(d, Name.of("b"), d, Name.of("m"), true, out));
        all.put("rename a name", (n, d) -> n.rename(d, Name.of("m"), ROOT, Name.of("new"), true, out));
        all.put("sweep", (n, d) -> n.sweep(d));
        all.put("scan", (n, _) -> n.scanInBackground());
        all.put("set an attribute", (n, d) -> setXattr(n, d, "a", 2));
        all.put("replace a directory", (n, d) -> n.rename(d, Name.of("s"), d, Name.of("t"), true, out));
        return all.entrySet().stream().map(e -> Arguments.of(e.getKey(), e.getValue()));
    }

    private static void setXattr(PoolNamespace namespace, long directory, String name, int value) {
        Name attribute = Name.of("user.a");
        byte[] bytes = {(byte) value};
        namespace.setXattr(directory, Name.of(name), attribute, bytes, XattrMode.CREATE_OR_REPLACE);
    }

    private static void createAll(PoolNamespace namespace, long directory) {
        CreateBatch batch = new CreateBatch(3);
        batch.addFile(directory, Name.of("new1"), 0644, 0, 0);
        batch.addFile(ROOT, Name.of("new"), 0644, 0, 0);
        batch.addDirectory(directory, Name.of("new2"), 0755, 0, 0);
        namespace.createAll(batch);
    }

    /** A directory d with the files a, b, c, the directories s and t, and a file with the names m and n; b of "dead" is deleted and still on the list. */
    @BeforeEach
    void prepare() throws PoolException {
        Superblock.format(Path.of("sim"), pool, new UUID(1, 2), 42, 2);
        PoolNamespace namespace = new PoolNamespace("sim", pool, false);
        assertEquals(Status.OK, namespace.mkdir(ROOT, Name.of("d"), 0755, 0, 0, out));
        directory = out.id;
        for (String name : List.of("a", "dead1", "b", "dead2", "c")) {
            assertEquals(Status.OK, namespace.create(directory, Name.of(name), 0644, 0, 0, out));
        }
        assertEquals(Status.OK, namespace.mkdir(directory, Name.of("s"), 0755, 0, 0, out));
        assertEquals(Status.OK, namespace.mkdir(directory, Name.of("t"), 0755, 0, 0, out));
        assertEquals(Status.OK, namespace.create(directory, Name.of("m"), 0644, 0, 0, out));
        assertEquals(Status.OK, namespace.link(directory, Name.of("m"), directory, Name.of("n"), out));
        setXattr(namespace, directory, "a", 1);
        assertEquals(Status.OK, namespace.delete(directory, Name.of("dead1"), out));
        assertEquals(Status.OK, namespace.delete(directory, Name.of("dead2"), out));
        pool = pool.killed();
    }

    /** What the next process does first. */
    private enum First {
        NOTHING,
        LOOK,
        SCAN,
        CHANGE,
        CHMOD
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("operations")
    void whatTheNextProcessDoesOutlivesThePower(String name, Operation operation) {
        Sample sample = new Sample(SAMPLED, name);
        for (First first : First.values()) {
            int events = 0;
            while (diesBefore(
                    events, operation, first, sample, name + ", dead before event " + events + ", then " + first)) {
                events++;
            }
            assertTrue(events > 2, "deaths: " + events);
        }
    }

    /** False if the operation ended before that event. */
    private boolean diesBefore(int event, Operation operation, First first, Sample sample, String when) {
        SimPoolFile file = pool.killed();
        boolean died = ProcessDeath.before(event, file, namespace -> operation.on(namespace, directory));
        if (died && sample.takes()) {
            goOn(file, first, IMAGES, when);
        }
        return died;
    }

    static Stream<Arguments> operationsThatAreUndone() {
        List<String> chosen =
                List.of("delete", "rmdir", "rename", "replace", "replace a directory", "unlink", "link again");
        return operations().filter(each -> chosen.contains((String) each.get()[0]));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("operationsThatAreUndone")
    void whatAThirdProcessDoesOutlivesThePower(String name, Operation operation) {
        Sample sample = new Sample(SAMPLED, name);
        int deaths = 0;
        for (int event : changes(operation)) {
            boolean diedAgain = true;
            for (int second = 0; diedAgain; second++) {
                for (First first : List.of(First.LOOK, (event + second) % 2 == 0 ? First.SCAN : First.CHANGE)) {
                    SimPoolFile file = pool.killed();
                    assertTrue(ProcessDeath.before(event, file, namespace -> operation.on(namespace, directory)));
                    diedAgain = ProcessDeath.before(second, file, Snapshot::of);
                    String when = name + ", dead before " + event + ", then before " + second + ", then " + first;
                    if (sample.takes()) {
                        goOn(file, first, IMAGES_AFTER_TWO, when);
                        deaths++;
                    }
                }
            }
        }
        assertTrue(deaths >= Sample.least(3), "deaths: " + deaths);
    }

    /** The events that follow one which has changed something; before all others a process leaves the same. */
    private List<Integer> changes(Operation operation) {
        SimPoolFile file = pool.killed();
        PoolNamespace namespace = new PoolNamespace("sim", file, false);
        List<Integer> changes = new ArrayList<>();
        int[] events = new int[1];
        file.pmem().beforeEachEvent(() -> events[0]++);
        file.pmem().afterEachChangeOf(_ -> {
            if (changes.isEmpty() || changes.getLast() != events[0]) {
                changes.add(events[0]);
            }
        });
        operation.on(namespace, directory);
        changes.removeIf(event -> event >= events[0]);
        return changes;
    }

    private void goOn(SimPoolFile file, First first, int images, String when) {
        PoolNamespace next = new PoolNamespace("sim", file, false);
        switch (first) {
            case NOTHING -> {}
            case LOOK -> touch(next);
            case SCAN -> next.scanInBackground();
            case CHANGE -> change(next, directory);
            case CHMOD -> chmod(next, directory);
        }
        // What was undone is not committed by a parent's mtime that rises now.
        assertEquals(Status.OK, next.create(directory, Name.of("later"), 0644, 0, 0, out), when);
        assertEquals(Status.OK, next.mkdir(ROOT, Name.of("other"), 0755, 0, 0, out), when);
        long other = out.id;
        for (int i = 0; i < REUSED; i++) {
            assertEquals(Status.OK, next.create(other, Name.of("file" + i), 0644, 0, 0, out), when);
            if (when.startsWith("set an attribute")) {
                setXattr(next, other, "file" + i, i); // slots of chains are used again too
                setXattr(next, other, "file" + i, i + 1);
            }
        }
        if (first == First.SCAN) {
            assertEquals(List.of(), next.problems(), when);
        }
        Map<String, String> seen = Snapshot.of(next);
        Consumer<CrashImage> check = image -> {
            PoolNamespace last = new PoolNamespace("sim", file.crashed(image), false);
            assertEquals(seen, Snapshot.of(last), () -> when + ", " + image);
            last.scanInBackground();
            assertEquals(List.of(), last.problems(), () -> when + ", " + image);
        };
        file.pmem().images(images, 1, check);
        file.pmem().cuts(check);
    }

    /** Looks at all, then works on each name: without a sweep, which would make durable what it passes. */
    private void touch(PoolNamespace next) {
        Snapshot.of(next);
        for (long parent : new long[] {directory, ROOT}) {
            for (String name : List.of("a", "b", "c", "m", "n", "s", "t", "new")) {
                next.chmod(parent, Name.of(name), 0622);
            }
        }
    }

    /** Changes what may be there, and moves, adds and replaces names of several; b stays, so that nothing but the change needs it durable. */
    private void chmod(PoolNamespace next, long directory) {
        for (String name : List.of("a", "b", "m", "n")) {
            next.chmod(directory, Name.of(name), 0611);
        }
        next.rename(directory, Name.of("m"), directory, Name.of("m2"), true, out);
        next.link(directory, Name.of("n"), ROOT, Name.of("n2"), out);
        next.rename(directory, Name.of("c"), directory, Name.of("n"), true, out);
        next.sweep(directory);
    }

    /** Removes what may be there, and makes some of it again. */
    private void change(PoolNamespace next, long directory) {
        for (String name : List.of("a", "b", "m", "new")) {
            next.delete(directory, Name.of(name), out);
            next.delete(ROOT, Name.of(name), out);
        }
        next.rmdir(directory, Name.of("s"));
        next.rmdir(directory, Name.of("new"));
        next.sweep(directory);
        next.create(directory, Name.of("b"), 0644, 0, 0, out);
        next.create(ROOT, Name.of("new"), 0644, 0, 0, out);
    }
}
