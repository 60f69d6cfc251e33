package io.hmfs.core.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.NamespaceInterleaveTest;
import io.hmfs.core.NamespaceMomentTest;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.Stepper;
import io.hmfs.core.TestPool;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.io.IOException;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: rename moves and replaces what POSIX lets it, refuses loops, and a directory that moves keeps its content and its place in the
 * tree, whatever else goes on. Method: a mapped pool with successes, refusals and a reopening; in simulated memory sweeps, deaths, other
 * moves and power losses between the events of a move.
 */
final class RenameOpTest extends MappedPool {
    /** How often two threads that wait for each other are told to go on. */
    private static final int LOOKS_MAX = 100_000;

    private static final Logger ENGINE = Logger.getLogger("io.hmfs.core.PoolNamespace");

    @BeforeEach
    void hush() {
        ENGINE.setLevel(Level.OFF); // a death is an error within an operation
    }

    @AfterEach
    void speak() {
        ENGINE.setLevel(null);
    }

    private static void ok(Status status) {
        assertEquals(Status.OK, status);
    }

    @Test
    void renameMovesReplacesAndRefusesLoops() throws IOException {
        long a = mkdir(ROOT, "a");
        long b = mkdir(a, "b");
        long f = create(a, "f");
        assertEquals(Status.OK, namespace.append(a, Name.of("f"), f, 42));
        long g = create(b, "g");
        Attributes replaced = new Attributes();
        assertEquals(Status.EXISTS, namespace.rename(a, Name.of("f"), b, Name.of("g"), false, replaced));
        assertEquals(Status.OK, namespace.rename(a, Name.of("f"), b, Name.of("g"), true, replaced));
        assertEquals(g, replaced.id);
        assertEquals(Status.NOT_FOUND, stat(a, "f"));
        assertEquals(Status.OK, stat(b, "g"));
        assertEquals(f, out.id);
        assertEquals(42, out.size);
        assertEquals(Status.LOOP, namespace.rename(ROOT, Name.of("a"), b, Name.of("x"), true, replaced));
        assertEquals(Status.LOOP, namespace.rename(ROOT, Name.of("a"), a, Name.of("x"), true, replaced));
        assertEquals(Status.OK, namespace.rename(a, Name.of("b"), ROOT, Name.of("c"), true, replaced));
        assertEquals(0, replaced.id);
        assertEquals(Status.OK, namespace.statDirectory(b, out));
        assertEquals(List.of("g"), list(b));
        assertEquals(List.of("c", "a"), list(ROOT));
        assertEquals(Status.OK, namespace.rename(ROOT, Name.of("c"), ROOT, Name.of("c"), true, replaced));
        assertEquals(Status.NOT_FOUND, namespace.rename(ROOT, Name.of("no"), ROOT, Name.of("n"), true, replaced));
        reopen();
        assertEquals(List.of("g"), list(b));
        assertEquals(Status.OK, namespace.rename(ROOT, Name.of("a"), b, Name.of("a"), true, replaced));
        assertEquals(Status.LOOP, namespace.rename(ROOT, Name.of("c"), a, Name.of("c"), true, replaced));
    }

    @Test
    void aRenameReplacesWhatPosixLetsItReplace() throws IOException {
        long d = mkdir(ROOT, "d");
        create(d, "inside");
        long empty = mkdir(ROOT, "empty");
        mkdir(ROOT, "full");
        create(out.id, "x");
        create(ROOT, "f");
        Attributes replaced = new Attributes();
        assertEquals(Status.EXISTS, rename("d", "empty", false, replaced));
        assertEquals(Status.NOT_EMPTY, rename("d", "full", true, replaced));
        assertEquals(Status.NOT_DIRECTORY, rename("d", "f", true, replaced));
        assertEquals(Status.IS_DIRECTORY, rename("f", "empty", true, replaced));
        assertEquals(Status.IS_DIRECTORY, rename("f", "full", true, replaced));
        assertEquals(
                Status.IS_DIRECTORY,
                namespace.rename(d, Name.of("inside"), ROOT, Name.of("d"), true, replaced),
                "a file over its own directory");
        assertEquals(Status.OK, rename("d", "d", true, replaced));
        assertEquals(Status.OK, rename("d", "empty", true, replaced));
        assertEquals(empty, replaced.id);
        assertTrue(replaced.isDirectory());
        assertEquals(Status.NO_SUCH_DIRECTORY, namespace.statDirectory(empty, out));
        assertEquals(Status.NO_SUCH_DIRECTORY, namespace.create(empty, Name.of("g"), 0644, 0, 0, out));
        assertEquals(Status.NO_SUCH_DIRECTORY, namespace.list(empty, new ListCursor(), (_, _) -> true));
        reopen();
        assertEquals(Status.OK, stat(ROOT, "empty"));
        assertEquals(d, out.id);
        assertEquals(List.of("inside"), list(d));
        assertEquals(List.of("empty", "f", "full"), list(ROOT));
    }

    @Test
    void aDirectoryReplacesNoneOfItsAncestors() {
        long a = mkdir(ROOT, "a");
        long b = mkdir(a, "b");
        mkdir(b, "c");
        Attributes replaced = new Attributes();
        assertEquals(Status.NOT_EMPTY, namespace.rename(a, Name.of("b"), ROOT, Name.of("a"), true, replaced));
        assertEquals(Status.NOT_EMPTY, namespace.rename(b, Name.of("c"), ROOT, Name.of("a"), true, replaced));
        assertEquals(Status.LOOP, namespace.rename(ROOT, Name.of("a"), b, Name.of("c"), true, replaced));
        assertEquals(List.of("c"), list(b));
    }

    private Status rename(String from, String to, boolean replace, Attributes replaced) {
        return namespace.rename(ROOT, Name.of(from), ROOT, Name.of(to), replace, replaced);
    }

    /** Between the states of a directory that moves a sweep takes its old entry away, and power is lost. */
    @Test
    void aDirectoryThatMovesAwayFromASweepKeepsItsContent() throws PoolException {
        long[] id = new long[1];
        SimPoolFile file = NamespaceMomentTest.prepare(n -> {
            ok(n.mkdir(ROOT, Name.of("d"), 0755, 0, 0, out));
            id[0] = out.id;
            ok(n.create(out.id, Name.of("within"), 0644, 0, 0, out));
        });
        ServerNamespace n = TestPool.open(file);
        Thread thread = Thread.currentThread();
        int[] images = new int[1];
        file.pmem().beforeEachEvent(() -> {
            if (!Thread.currentThread().equals(thread) || NamespaceInterleaveTest.holdsLatch()) {
                return;
            }
            NamespaceMomentTest.inAnotherThread(() -> TestPool.sweep(n, ROOT));
            file.pmem().images(32, 1, image -> {
                images[0]++;
                ServerNamespace after = TestPool.open(file.crashed(image));
                TestPool.scan(after);
                assertEquals(Status.OK, after.statDirectory(id[0], new Attributes()), image::toString);
                assertEquals(List.of(), TestPool.problems(after), image::toString);
            });
        });
        ok(n.rename(ROOT, Name.of("d"), ROOT, Name.of("moved"), true, out));
        file.pmem().beforeEachEvent(null);
        assertTrue(images[0] > 50, "images: " + images[0]);
    }

    /** An rmdir dies, what it has closed moves, and power is lost. */
    @Test
    void aDirectoryThatWasToGoAndMovesOpensAgain() throws PoolException {
        SimPoolFile prepared = NamespaceMomentTest.prepare(n -> ok(n.mkdir(ROOT, Name.of("d"), 0755, 0, 0, out)));
        long d = out.id;
        int moved = 0;
        for (boolean[] died = {true}; died[0]; moved++) {
            SimPoolFile file = prepared.killed();
            died[0] = NamespaceMomentTest.diesBefore(file, moved, n -> n.rmdir(ROOT, Name.of("d")));
            ServerNamespace next = TestPool.open(file);
            Runnable look = () -> file.pmem().images(16, 1, image -> {
                ServerNamespace after = TestPool.open(file.crashed(image));
                Attributes found = new Attributes();
                boolean there = after.stat(ROOT, Name.of("d"), found) == Status.OK
                        || after.stat(ROOT, Name.of("moved"), found) == Status.OK;
                ServerNamespace first = TestPool.open(file.crashed(image)); // asked for the directory before its name
                assertEquals(
                        there ? Status.OK : Status.NO_SUCH_DIRECTORY,
                        first.create(d, Name.of("x"), 0644, 0, 0, found),
                        image::toString);
            });
            file.pmem().beforeEachEvent(look);
            next.rename(ROOT, Name.of("d"), ROOT, Name.of("moved"), true, out);
            file.pmem().beforeEachEvent(null);
            look.run();
        }
        assertTrue(moved > 5, "deaths: " + moved);
    }

    /** Each of two directories is moved into the other: one rename is refused, or each would be below the other. */
    @Test
    void ofTwoDirectoriesThatMoveIntoEachOtherOneMoves() throws PoolException {
        SimPoolFile prepared = NamespaceMomentTest.prepare(n -> {
            ok(n.mkdir(ROOT, Name.of("d"), 0755, 0, 0, out));
            ok(n.mkdir(ROOT, Name.of("e"), 0755, 0, 0, out));
        });
        for (int event = 0; event < 60; event++) {
            SimPoolFile file = prepared.killed();
            ServerNamespace n = TestPool.open(file);
            ok(n.stat(ROOT, Name.of("d"), out));
            long d = out.id;
            ok(n.stat(ROOT, Name.of("e"), out));
            long e = out.id;
            Status[] answers = new Status[2];
            try (Stepper a = new Stepper();
                    Stepper b = new Stepper()) {
                file.pmem().beforeEachEvent(() -> {
                    a.event();
                    b.event();
                });
                a.begin(() -> answers[0] = n.rename(ROOT, Name.of("d"), e, Name.of("d"), true, new Attributes()));
                b.begin(() -> answers[1] = n.rename(ROOT, Name.of("e"), d, Name.of("e"), true, new Attributes()));
                a.runTo(event);
                boolean ended = a.isDone();
                for (int looks = 0; looks < LOOKS_MAX && !(a.isDone() && b.isDone()); looks++) {
                    b.finish();
                    a.finish();
                }
                file.pmem().beforeEachEvent(null);
                assertTrue(a.isDone() && b.isDone(), "event " + event);
                assertTrue(
                        (answers[0] == Status.OK) != (answers[1] == Status.OK),
                        "event " + event + ": " + answers[0] + ", " + answers[1]);
                if (ended) {
                    assertTrue(event > 10, "events: " + event);
                    return;
                }
            }
        }
        throw new AssertionError("a rename has no end");
    }
}
