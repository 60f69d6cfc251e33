package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.sim.Sample;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.CreateBatch;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.util.List;
import java.util.Random;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: what a start says of a change that the death of a process has cut off stays true when the power fails, also during that start;
 * and a change that undoes itself leaves no record. Method: the process dies before each event of the change; the next start sees all
 * its stores, fenced or not; power fails before events of that start and after it, and the third one must say what was told. Before
 * each event of a create its directory is removed, and images of all that follows must say that it was not executed.
 */
final class NumberedDeathTest {
    private static final long ROOT = Namespace.ROOT_ID;
    private static final int IMAGES = 4;
    private static final int REUSED = 70; // the allocator looks for what is free again after 64 fresh slots

    /** Power fails before one of so many events of a start. */
    private static final int AGAIN = 12;

    /** A run takes one of so many deaths, and always the first and the last. */
    private static final int SAMPLED = 6;

    private static final Logger ENGINE = Logger.getLogger(PoolNamespace.class.getName());

    private final Random random = new Random(11);

    @BeforeAll
    static void hush() {
        ENGINE.setLevel(Level.OFF); // the death is an error within an operation
    }

    @AfterAll
    static void speak() {
        ENGINE.setLevel(null);
    }

    static Stream<NumberedCases.Case> cases() {
        return NumberedCases.cases();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void whatAStartHasToldStaysTrue(NumberedCases.Case tested) {
        NumberedCrashTest.Explorer explorer = new NumberedCrashTest.Explorer(tested, true);
        explorer.learn(NumberedCases.prepare());
        Sample sample = new Sample(SAMPLED, tested.name());
        boolean dies = true;
        int executed = 0;
        int open = 0;
        for (int event = 0; dies; event++) {
            SimPoolFile file = NumberedCases.prepare();
            dies = ProcessDeath.before(event, file, n -> NumberedCases.numbered(n, tested.change()));
            if (!dies) {
                file.pmem().processDied();
            } else if (event > 0 && !sample.takes()) {
                continue;
            }
            file.pmem().beforeEachEvent(() -> {
                if (random.nextInt(AGAIN) == 0) {
                    explorer.start(file.crashed(random, IMAGES)); // says something that is true
                }
            });
            PoolNamespace next = NumberedCases.open(file);
            List<Long> told = NumberedCases.read(next);
            file.pmem().beforeEachEvent(() -> {
                if (random.nextInt(AGAIN) == 0) {
                    assertEquals(told, told(file), "while what was cut off is settled");
                }
            });
            next.scanInBackground();
            file.pmem().beforeEachEvent(null);
            for (int i = 0; i < IMAGES; i++) {
                assertEquals(told, explorer.start(file.crashed(random, IMAGES)).executed(), "event " + event);
            }
            executed += told.isEmpty() ? 0 : 1;
            open += told.isEmpty() ? 1 : 0;
        }
        assertTrue(executed > 0 && open > 0, "both were met");
    }

    @Test
    void aCreateWhoseDirectoryGoesLeavesNoRecord() {
        comesToNothing((n, directory) -> n.create(directory, Name.of("new"), 0644, 0, 0, new Attributes()));
    }

    @Test
    void aBatchedCreateWhoseDirectoryGoesLeavesNoRecord() {
        comesToNothing((n, directory) -> {
            CreateBatch batch = new CreateBatch(1);
            batch.addFile(directory, Name.of("new"), 0644, 0, 0);
            batch.change(0).set(NumberedCases.ring(n), 5);
            n.createAll(batch);
            return batch.status(0);
        });
    }

    @Test
    void aRenameWhoseDirectoryGoesLeavesNoRecord() {
        comesToNothing(
                (n, directory) -> n.rename(ROOT, Name.of("f"), directory, Name.of("new"), false, new Attributes()));
    }

    /** A change in a directory. */
    interface Change {
        Status in(ServerNamespace namespace, long directory);
    }

    private void comesToNothing(Change change) {
        int undone = 0;
        boolean more = true;
        for (int event = 0; more; event++) {
            SimPoolFile file = NumberedCases.prepare();
            PoolNamespace n = NumberedCases.open(file);
            Attributes directory = new Attributes();
            assertEquals(Status.OK, n.stat(ROOT, Name.of("empty"), directory));
            long _ = NumberedCases.ring(n); // held before the first event that counts
            int[] left = {event};
            Status[] removed = new Status[1];
            file.pmem().beforeEachEvent(() -> {
                if (left[0]-- == 0 && !isThere(file, directory.id)) { // else the rmdir would wait for the change to end
                    removed[0] = n.rmdir(ROOT, Name.of("empty"));
                } else if (removed[0] == Status.OK) {
                    assertEquals(List.of(), told(file), "its directory is gone");
                }
            });
            Status status = NumberedCases.numbered(n, each -> change.in(each, directory.id));
            file.pmem().beforeEachEvent(null);
            more = left[0] < 0;
            if (removed[0] == Status.OK) {
                assertEquals(Status.NO_SUCH_DIRECTORY, status);
                for (int i = 0; i < REUSED; i++) { // the slot is another's
                    assertEquals(Status.OK, n.create(ROOT, Name.of("other" + i), 0644, 0, 0, new Attributes()));
                }
                for (int i = 0; i < IMAGES; i++) {
                    assertEquals(List.of(), told(file), "nothing was executed");
                }
                undone++;
            }
        }
        assertTrue(undone > 1, "undone " + undone);
    }

    /** Whether the change has come to its commit. */
    private static boolean isThere(SimPoolFile file, long directory) {
        Status found = NumberedCases.open(file.killed()).stat(directory, Name.of("new"), new Attributes());
        return found == Status.OK;
    }

    private List<Long> told(SimPoolFile file) {
        return NumberedCases.read(NumberedCases.open(file.crashed(random, IMAGES)));
    }
}
