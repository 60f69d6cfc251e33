package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.sim.Sample;
import io.hmfs.core.sim.SimPmem;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.util.List;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Goal: what a recovery has decided stays decided, whatever others do beside it and whatever is lost after it: the histories that
 * the model of the protocol has found (docs/model.md). Method: simulated memory; another thread's store, the death of the process
 * and losses of power at each event.
 */
final class NamespaceVerdictTest extends CutOffCreates {
    private static final int IMAGES = 24;
    private static final int IMAGES_EACH = 3;
    private static final int SAMPLED = 3;
    private static final Name A = Name.of("a");
    private static final Name B = Name.of("b");
    private static final Logger ENGINE = Logger.getLogger(PoolNamespace.class.getName());

    private final Sample sample = new Sample(SAMPLED, "verdicts");
    private int seed;

    @BeforeAll
    static void hush() {
        ENGINE.setLevel(Level.OFF); // a death is an error within an operation
    }

    @AfterAll
    static void speak() {
        ENGINE.setLevel(null);
    }

    private static PoolNamespace open(SimPoolFile pool) {
        return new PoolNamespace("sim", pool, false);
    }

    /** A delete that was not committed, and before each event of its recovery another thread raises the directory's mtime. */
    @Test
    void aDeleteIsFinishedByNoMtimeThatMayBeLost() {
        long directory = mkdir("d");
        create(directory, A);
        long content = contentOf(directory);
        long at = children(directory).getFirst();
        pmem().set(at + EntryRecord.DEATH_OFFSET, DirContentRecord.mtime(pmem(), content) + 1);
        EntryRecord.setState(pmem(), at, SlotState.DELETING);
        kill();
        int events = 0;
        for (boolean raised = true; raised; events++) {
            raised = statsTheSameAfterARaiseBefore(events, directory, content);
        }
        assertTrue(events > 5, "events: " + events);
    }

    private boolean statsTheSameAfterARaiseBefore(int event, long directory, long content) {
        SimPoolFile pool = file.killed();
        PoolNamespace on = open(pool);
        int[] left = {event};
        pool.pmem().beforeEachEvent(() -> {
            if (left[0]-- == 0) {
                pool.pmem().beforeEachEvent(null);
                raise(pool.pmem(), content); // its write-back has not come yet
            }
        });
        Status seen = on.stat(directory, A, out);
        pool.pmem().beforeEachEvent(null);
        pool.pmem().images(IMAGES, seed++, image -> {
            Status later = open(pool.crashed(image)).stat(directory, A, new Attributes());
            assertEquals(seen, later, () -> "raised before event " + event + ", " + image);
        });
        return left[0] < 0;
    }

    private static void raise(SimPmem pmem, long content) {
        long head = DirContentRecord.childHead(pmem, content);
        long mtime = DirContentRecord.mtime(pmem, content);
        assertTrue(pmem.cas16(content + DirContentRecord.CHILD_HEAD_OFFSET, head, mtime, head, mtime + 1_000_000));
    }

    /** Runs an operation, and looks at every image before each of its events and at its end. */
    private void explore(SimPoolFile pool, int limit, Consumer<PoolNamespace> operation, Consumer<SimPoolFile> look) {
        PoolNamespace on = open(pool);
        Runnable hook = () -> {
            if (sample.takes()) {
                pool.pmem().images(limit, seed++, image -> look.accept(pool.crashed(image)));
            }
        };
        pool.pmem().beforeEachEvent(hook);
        operation.accept(on);
        pool.pmem().beforeEachEvent(null);
        hook.run();
    }

    private void createBoth() {
        create(ROOT, A);
        create(ROOT, B);
        kill();
    }

    private static void replace(PoolNamespace on) {
        assertEquals(Status.OK, on.rename(ROOT, A, ROOT, B, true, new Attributes()));
    }

    /** b was deleted, and the sweep of what is left of it is cut off. */
    private void staysDeletedInASweep(SimPoolFile pool, int limit, String when) {
        explore(pool, limit, on -> on.sweep(ROOT), image -> {
            PoolNamespace last = open(image);
            assertEquals(Status.NOT_FOUND, last.stat(ROOT, B, out), when);
            assertEquals(Status.NOT_FOUND, last.stat(ROOT, A, out), when);
        });
    }

    /** T is REPLACED in what is durable, and DELETED only in what the dead process had stored. */
    @Test
    void whatWasReplacedStaysGoneThoughTheProcessDied() {
        createBoth();
        int finished = 0;
        int events = 0;
        for (boolean died = true; died; events++) {
            SimPoolFile pool = file.killed();
            died = ProcessDeath.before(events, pool, NamespaceVerdictTest::replace);
            PoolNamespace next = open(pool);
            if (next.stat(ROOT, A, out) == Status.NOT_FOUND) {
                finished++;
                assertEquals(Status.OK, next.delete(ROOT, B, out));
                staysDeletedInASweep(pool, IMAGES, "dead before event " + events);
            }
        }
        assertTrue(finished > 3, "finished: " + finished);
    }

    /** What replaced b goes on under another name, and forgets where it came from. */
    @Test
    void whatReplacedItMovesOnAndStandsInOnePlaceOnly() {
        createBoth();
        int moves = 0;
        int events = 0;
        for (boolean died = true; died; events++) {
            SimPoolFile pool = file.killed();
            died = ProcessDeath.before(events, pool, NamespaceVerdictTest::replace);
            int event = events;
            if (open(pool.killed()).stat(ROOT, A, out) == Status.NOT_FOUND) {
                moves++;
                explore(
                        pool,
                        IMAGES_EACH,
                        on -> on.rename(ROOT, B, ROOT, Name.of("c"), true, new Attributes()),
                        image -> {
                            PoolNamespace last = open(image);
                            boolean b = last.stat(ROOT, B, out) == Status.OK;
                            boolean c = last.stat(ROOT, Name.of("c"), out) == Status.OK;
                            assertTrue(b != c, () -> "dead before event " + event + ", b " + b + ", c " + c);
                        });
            }
        }
        assertTrue(moves > 3, "moves: " + moves);
    }

    /** [recover.rename.finish] The sweep may have taken off what replaced it, and have lost T's own line. */
    @Test
    void whatWasReplacedStaysGoneThoughThePowerFailed() {
        createBoth();
        int[] finished = new int[1];
        explore(file, IMAGES_EACH, NamespaceVerdictTest::replace, image -> {
            PoolNamespace next = open(image);
            if (next.delete(ROOT, B, out) == Status.OK && next.stat(ROOT, A, out) == Status.NOT_FOUND) {
                finished[0]++;
                staysDeletedInASweep(image, IMAGES_EACH, "image");
            }
        });
        assertTrue(finished[0] >= Sample.least(4), "finished: " + finished[0]);
    }

    /** [sweep.2] A slot that was freed while only the dead process's stores said DELETED. */
    @Test
    void noSlotOfTheDeadIsLost() {
        createBoth();
        int events = 0;
        for (boolean died = true; died; events++) {
            SimPoolFile pool = file.killed();
            died = ProcessDeath.before(events, pool, NamespaceVerdictTest::replace);
            PoolNamespace next = open(pool);
            next.sweep(ROOT);
            next.scanInBackground();
            int event = events;
            pool.pmem().images(IMAGES_EACH, seed++, image -> {
                SimPoolFile third = pool.crashed(image);
                PoolNamespace on = open(third);
                on.delete(ROOT, B, new Attributes());
                third.pmem().images(2, seed++, again -> {
                    PoolNamespace last = open(third.crashed(again));
                    last.sweep(ROOT);
                    last.scanInBackground();
                    assertEquals(List.of(), last.problems(), () -> "dead before event " + event + ", " + image);
                });
            });
        }
        assertTrue(events > 5, "events: " + events);
    }
}
