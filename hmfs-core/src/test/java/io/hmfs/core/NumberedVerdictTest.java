package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.sim.Sample;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.util.ArrayList;
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
 * Goal: what a start has found of a numbered change is durable before any thread changes what it rests on, and not before that is. Method:
 * the process dies before each event of a change; power fails before each event of the next start, of which a sample, in every image, and the start after
 * that must say what is there; or others make the same change, on another thread, whose fences make nothing of the start's
 * durable, power fails before a sample of the events of that, and what was found must be found again.
 */
final class NumberedVerdictTest {
    private static final long ROOT = Namespace.ROOT_ID;
    private static final int IMAGES = 64;
    private static final int SAMPLED = 6;

    private static final Logger ENGINE = Logger.getLogger(PoolNamespace.class.getName());

    private final Sample sample = new Sample(SAMPLED, "verdicts");

    @BeforeAll
    static void hush() {
        ENGINE.setLevel(Level.OFF); // the death is an error within an operation
    }

    @AfterAll
    static void speak() {
        ENGINE.setLevel(null);
    }

    static Stream<NumberedCases.Case> cases() {
        return NumberedCases.cases()
                .filter(each -> List.of("delete", "append", "chmod", "ACL", "times", "first attribute")
                        .contains(each.name()));
    }

    private static String shown(Attributes file) {
        // Of times only those that a test has set are the same each time.
        String mtime = file.mtimeNanos < Snapshot.SET_BY_A_TEST ? file.mtimeNanos + " " : "";
        String atime = file.atimeNanos < Snapshot.SET_BY_A_TEST ? file.atimeNanos + " " : "";
        return file.size + " " + file.mode + " " + mtime + atime;
    }

    private static List<Name> names(Namespace namespace) {
        List<Name> names = new ArrayList<>();
        assertEquals(Status.OK, namespace.listXattrs(ROOT, Name.of("f"), names));
        return names;
    }

    private static String shown(Namespace namespace) {
        Attributes file = new Attributes();
        Status status = namespace.stat(ROOT, Name.of("f"), file);
        return status + " " + (status == Status.OK ? shown(file) + names(namespace) : "");
    }

    /** Before each event of the change a process that has died; null when there are no more. */
    private static SimPoolFile died(NumberedCases.Case tested, int event) {
        SimPoolFile file = NumberedCases.prepare();
        boolean died = ProcessDeath.before(event, file, n -> NumberedCases.numbered(n, tested.change()));
        return died ? file : NumberedCases.prepare();
    }

    private static int events(NumberedCases.Case tested) {
        SimPoolFile file = NumberedCases.prepare();
        int[] events = new int[1];
        PoolNamespace namespace = NumberedCases.open(file);
        file.pmem().beforeEachEvent(() -> events[0]++);
        NumberedCases.numbered(namespace, tested.change());
        file.pmem().beforeEachEvent(null);
        return events[0];
    }

    @ParameterizedTest
    @MethodSource("cases")
    void noVerdictIsDurableBeforeWhatItRestsOn(NumberedCases.Case tested) {
        SimPoolFile whole = NumberedCases.prepare();
        PoolNamespace done = NumberedCases.open(whole);
        String before = shown(done);
        assertEquals(Status.OK, tested.change().on(done));
        String after = shown(done);
        int executed = 0;
        int events = events(tested);
        for (int event = 0; event < events; event++) {
            SimPoolFile file = died(tested, event);
            file.pmem().beforeEachEvent(() -> {
                if (sample.takes()) {
                    file.pmem().images(IMAGES, 1, image -> {
                        PoolNamespace next = NumberedCases.open(file.crashed(image));
                        boolean told = !NumberedCases.read(next).isEmpty();
                        assertEquals(told ? after : before, shown(next), () -> "image " + image);
                    });
                }
            });
            PoolNamespace start = NumberedCases.open(file);
            file.pmem().beforeEachEvent(null);
            executed += NumberedCases.read(start).isEmpty() ? 0 : 1;
        }
        assertTrue(executed > 0 && executed < events, executed + " of " + events);
    }

    @ParameterizedTest
    @MethodSource("cases")
    void whatOthersDoNextChangesNoVerdict(NumberedCases.Case tested) throws InterruptedException {
        int open = 0;
        int events = events(tested);
        for (int event = 0; event < events; event++) {
            SimPoolFile file = died(tested, event);
            PoolNamespace start = NumberedCases.open(file);
            List<Long> told = NumberedCases.read(start);
            if (!told.isEmpty()) {
                continue;
            }
            open++;
            Throwable[] failure = new Throwable[1];
            Random random = new Random(event);
            Thread other = new Thread(() -> {
                file.pmem().beforeEachEvent(() -> look(file, random));
                assertEquals(Status.OK, tested.change().on(start));
                file.pmem().beforeEachEvent(null);
                look(file, random);
            });
            other.setUncaughtExceptionHandler((_, thrown) -> failure[0] = thrown);
            other.start();
            other.join();
            if (failure[0] != null) {
                throw new AssertionError("event " + event, failure[0]);
            }
        }
        assertTrue(open > 0, "none was open");
    }

    /** The first start dies while it judges; what it has cleared in memory stays cleared, when others have been at the slot. */
    @Test
    void aRecordThatAStartHasClearedDoesNotComeBack() {
        NumberedCases.Case create = NumberedCases.cases()
                .filter(each -> each.name().equals("create"))
                .findFirst()
                .orElseThrow();
        int cleared = 0;
        int events = events(create);
        for (int event = 0; event < events; event++) {
            boolean dies = true;
            for (int startEvent = 0; dies; startEvent++) {
                SimPoolFile file = died(create, event);
                dies = ProcessDeath.whileItStarts(startEvent, file);
                PoolNamespace next = NumberedCases.open(file);
                if (NumberedCases.read(next).isEmpty()) {
                    cleared++;
                    next.scanInBackground();
                    look(file, new Random(event));
                }
            }
        }
        assertTrue(cleared > events, "cleared " + cleared);
    }

    private void look(SimPoolFile file, Random random) {
        if (!sample.takes()) {
            return;
        }
        file.pmem()
                .images(
                        IMAGES,
                        random.nextInt(),
                        image -> assertEquals(
                                List.of(),
                                NumberedCases.read(NumberedCases.open(file.crashed(image))),
                                () -> "it was not executed; image " + image));
    }
}
