package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: a directory that moves keeps its content and its place in the tree, whatever else goes on. Method: sweeps, deaths, other moves and
 * power losses between the events of a move.
 */
final class NamespaceMoveTest {
    private static final long ROOT = Namespace.ROOT_ID;

    /** How often two that wait for each other are told to go on. */
    private static final int LOOKS_MAX = 100_000;

    private static final Logger ENGINE = Logger.getLogger(PoolNamespace.class.getName());

    private final Attributes out = new Attributes();

    @BeforeEach
    void hush() {
        ENGINE.setLevel(Level.OFF); // a death is an error within an operation
    }

    @AfterEach
    void speak() {
        ENGINE.setLevel(null);
    }

    private static PoolNamespace open(SimPoolFile file) {
        return new PoolNamespace("sim", file, false);
    }

    private static void ok(Status status) {
        assertEquals(Status.OK, status);
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
        PoolNamespace n = open(file);
        Thread thread = Thread.currentThread();
        int[] images = new int[1];
        file.pmem().beforeEachEvent(() -> {
            if (!Thread.currentThread().equals(thread) || NamespaceInterleaveTest.holdsLatch()) {
                return;
            }
            NamespaceMomentTest.inAnotherThread(() -> n.sweep(ROOT));
            file.pmem().images(32, 1, image -> {
                images[0]++;
                PoolNamespace after = open(file.crashed(image));
                after.scanInBackground();
                assertEquals(Status.OK, after.statDirectory(id[0], new Attributes()), image::toString);
                assertEquals(List.of(), after.problems(), image::toString);
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
            PoolNamespace next = open(file);
            Runnable look = () -> file.pmem().images(16, 1, image -> {
                PoolNamespace after = open(file.crashed(image));
                Attributes found = new Attributes();
                boolean there = after.stat(ROOT, Name.of("d"), found) == Status.OK
                        || after.stat(ROOT, Name.of("moved"), found) == Status.OK;
                PoolNamespace first = open(file.crashed(image)); // whom the directory is asked of before its name
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

    /** Each would be below the other. */
    @Test
    void ofTwoDirectoriesThatMoveIntoEachOtherOneMoves() throws PoolException {
        SimPoolFile prepared = NamespaceMomentTest.prepare(n -> {
            ok(n.mkdir(ROOT, Name.of("d"), 0755, 0, 0, out));
            ok(n.mkdir(ROOT, Name.of("e"), 0755, 0, 0, out));
        });
        for (int event = 0; event < 60; event++) {
            SimPoolFile file = prepared.killed();
            PoolNamespace n = open(file);
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
