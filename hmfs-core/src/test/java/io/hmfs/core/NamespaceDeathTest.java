package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.recovery.Superblock;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.CreateBatch;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: what a process does after another has died in the middle of an operation is as durable as anything, though it builds on
 * stores of the dead that were never written back. Method: the process dies before each event of an operation, the next one sees all
 * its stores, scans, works and reuses slots, and then the power goes: every image of what was never fenced is opened and checked.
 */
final class NamespaceDeathTest {
    private static final long ROOT = Namespace.ROOT_ID;
    private static final int IMAGES = 24;
    private static final int REUSED = 70; // the allocator looks for what is free again after 64 fresh slots
    private static final Logger ENGINE = Logger.getLogger(PoolNamespace.class.getName());

    /** Ends the operation where the process dies. */
    private static final class Death extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    interface Operation {
        void on(PoolNamespace namespace, long directory);
    }

    private final Attributes out = new Attributes();

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
        all.put("joined creates", NamespaceDeathTest::createAll);
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
        return all.entrySet().stream().map(e -> Arguments.of(e.getKey(), e.getValue()));
    }

    private static void createAll(PoolNamespace namespace, long directory) {
        CreateBatch batch = new CreateBatch(3);
        batch.addFile(directory, Name.of("new1"), 0644, 0, 0);
        batch.addFile(ROOT, Name.of("new"), 0644, 0, 0);
        batch.addDirectory(directory, Name.of("new2"), 0755, 0, 0);
        namespace.createAll(batch);
    }

    /** A directory d with the files a, b, c, d, e and the directory s; b of "dead" is deleted and still on the list. */
    private SimPoolFile prepare(long[] directory) throws PoolException {
        SimPoolFile file = new SimPoolFile(32 << 10, 16);
        Superblock.format(Path.of("sim"), file, new UUID(1, 2), 42);
        PoolNamespace namespace = new PoolNamespace("sim", file, false);
        assertEquals(Status.OK, namespace.mkdir(ROOT, Name.of("d"), 0755, 0, 0, out));
        directory[0] = out.id;
        for (String name : List.of("a", "dead1", "b", "dead2", "c")) {
            assertEquals(Status.OK, namespace.create(directory[0], Name.of(name), 0644, 0, 0, out));
        }
        assertEquals(Status.OK, namespace.mkdir(directory[0], Name.of("s"), 0755, 0, 0, out));
        assertEquals(Status.OK, namespace.create(directory[0], Name.of("m"), 0644, 0, 0, out));
        assertEquals(Status.OK, namespace.link(directory[0], Name.of("m"), directory[0], Name.of("n"), out));
        assertEquals(Status.OK, namespace.delete(directory[0], Name.of("dead1"), out));
        assertEquals(Status.OK, namespace.delete(directory[0], Name.of("dead2"), out));
        return file.killed();
    }

    /** What the next process does first. */
    private enum First {
        NOTHING,
        SCAN,
        CHANGE,
        CHMOD
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("operations")
    void whatTheNextProcessDoesOutlivesThePower(String name, Operation operation) throws PoolException {
        for (First first : First.values()) {
            int events = 0;
            while (diesBefore(events, operation, first, name + ", dead before event " + events + ", then " + first)) {
                events++;
            }
            assertTrue(events > 2, "deaths: " + events);
        }
    }

    /** False if the operation ended before that event. */
    private boolean diesBefore(int event, Operation operation, First first, String when) throws PoolException {
        long[] directory = new long[1];
        SimPoolFile file = prepare(directory);
        PoolNamespace namespace = new PoolNamespace("sim", file, false);
        int[] left = {event};
        file.pmem().beforeEachEvent(() -> {
            if (left[0]-- == 0) {
                throw new Death();
            }
        });
        try {
            operation.on(namespace, directory[0]);
            return false;
        } catch (Death e) {
            file.pmem().processDied();
            goOn(file, directory[0], first, when);
            return true;
        }
    }

    private void goOn(SimPoolFile file, long directory, First first, String when) {
        PoolNamespace next = new PoolNamespace("sim", file, false);
        switch (first) {
            case NOTHING -> {}
            case SCAN -> next.scanInBackground();
            case CHANGE -> change(next, directory);
            case CHMOD -> chmod(next, directory);
        }
        assertEquals(Status.OK, next.mkdir(ROOT, Name.of("other"), 0755, 0, 0, out), when);
        long other = out.id;
        for (int i = 0; i < REUSED; i++) {
            assertEquals(Status.OK, next.create(other, Name.of("file" + i), 0644, 0, 0, out), when);
        }
        Map<String, String> seen = Snapshot.of(next);
        if (first == First.SCAN) {
            assertEquals(List.of(), next.problems(), when);
        }
        file.pmem().images(IMAGES, 1, image -> {
            PoolNamespace last = new PoolNamespace("sim", file.crashed(image), false);
            assertEquals(seen, Snapshot.of(last), () -> when + ", " + image);
            last.scanInBackground();
            assertEquals(List.of(), last.problems(), () -> when + ", " + image);
        });
    }

    /** Changes what may be there, and moves a name of several; b stays, so that nothing but the change needs it durable. */
    private void chmod(PoolNamespace next, long directory) {
        for (String name : List.of("a", "b", "m", "n")) {
            next.chmod(directory, Name.of(name), 0611);
        }
        next.rename(directory, Name.of("m"), directory, Name.of("m2"), true, out);
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
