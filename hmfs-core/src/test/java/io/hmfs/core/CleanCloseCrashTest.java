package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.hmfs.core.alloc.Summary;
import io.hmfs.core.alloc.Summary.Found;
import io.hmfs.core.check.CheckReport;
import io.hmfs.core.check.PoolCheck;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.sim.CrashImage;
import io.hmfs.core.sim.Sample;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Progress;
import io.hmfs.core.type.Status;
import io.hmfs.core.type.XattrMode;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Goal: the power may fail at any moment of a close, of the start after it and of that start's first operations, and no slot is handed
 * out twice or lost. Method: work that leaves much that no fence has made durable, then the close; before each of its events images are
 * opened and checked, with the summary where there is one; so are those of what follows.
 */
final class CleanCloseCrashTest {
    private static final long ROOT = Namespace.ROOT_ID;
    private static final int IMAGES = 8;
    private static final int SAMPLED = 3;

    private static final Logger ENGINE = Logger.getLogger(PoolNamespace.class.getName());

    private final Attributes out = new Attributes();
    private final Map<Found, Integer> seen = new EnumMap<>(Found.class);

    @BeforeAll
    static void hush() {
        ENGINE.setLevel(Level.OFF); // a death is an error within an operation
    }

    @AfterAll
    static void speak() {
        ENGINE.setLevel(null);
    }

    private static Name name(int number) {
        return Name.of("file-" + number);
    }

    private static PoolNamespace open(SimPoolFile file) {
        return new PoolNamespace("sim", file, false);
    }

    private void ok(Status status) {
        assertEquals(Status.OK, status);
    }

    /** Of each kind of slots some were freed, of each state that an operation does not write back some are there. */
    private void work(PoolNamespace namespace) {
        for (int i = 0; i < 40; i++) {
            ok(namespace.create(ROOT, name(i), 0644, 0, 0, out));
        }
        for (int i = 0; i < 4; i++) {
            ok(namespace.mkdir(ROOT, Name.of("d" + i), 0755, 0, 0, out));
            ok(namespace.create(out.id, Name.of("n".repeat(90) + i), 0644, 0, 0, out));
        }
        ok(namespace.setXattr(ROOT, name(30), Name.of("user.a"), new byte[400], XattrMode.CREATE));
        ok(namespace.link(ROOT, name(31), ROOT, Name.of("second"), out));
        for (int i = 0; i < 20; i++) {
            ok(namespace.delete(ROOT, name(i), out));
        }
        ok(namespace.delete(ROOT, name(30), out));
        ok(namespace.delete(ROOT, name(31), out));
        namespace.sweep(ROOT);
        ok(namespace.stat(ROOT, Name.of("d0"), out));
        ok(namespace.delete(out.id, Name.of("n".repeat(90) + 0), out));
        ok(namespace.rmdir(ROOT, Name.of("d0")));
        ok(namespace.rename(ROOT, name(32), ROOT, name(33), true, out));
        ok(namespace.rename(ROOT, Name.of("d1"), ROOT, Name.of("moved"), false, out));
        ok(namespace.delete(ROOT, name(34), out)); // dead and listed
    }

    /** What an image comes to: all that was there, known free slots, room for as many files as there is on each way to know them. */
    private void opens(SimPoolFile file, Map<String, String> before, Map<String, String> after, CrashImage image) {
        Found found = Summary.read(file.pmem(), 0).found();
        seen.merge(found, 1, Integer::sum);
        try {
            CheckReport report = PoolCheck.check(Path.of("image"), file, Progress.NONE);
            assertEquals(0, report.damage(), () -> image + ": " + report.findings());
            assertTrue(found != Found.VALID || report.pending() == 0, () -> image + ": " + report.findings());
        } catch (PoolException e) {
            throw new AssertionError(e);
        }
        SimPoolFile scanned = file.killed();
        scanned.pmem().set(PoolHeader.STATE_OFFSET, 0);
        int room = -1;
        for (SimPoolFile each : List.of(file, scanned)) {
            PoolNamespace namespace = open(each);
            Map<String, String> shown = Snapshot.of(namespace);
            if (!shown.equals(before) && !shown.equals(after)) {
                fail(image + ": neither before nor after: " + shown);
            }
            namespace.scanInBackground();
            assertEquals(List.of(), namespace.problems(), image::toString);
            int made = 0;
            while (namespace.create(ROOT, Name.of("more-" + made), 0644, 0, 0, out) == Status.OK) {
                made++;
            }
            assertTrue(made > 80, image + ": room for " + made);
            assertTrue(room < 0 || room == made, image + ": " + room + " and " + made);
            room = made;
            assertEquals(List.of(), namespace.problems(), image::toString);
            shown = Snapshot.of(namespace);
            assertTrue(
                    shown.entrySet().containsAll(before.entrySet())
                            || shown.entrySet().containsAll(after.entrySet()),
                    image::toString);
        }
    }

    private int seen(Found found) {
        return seen.getOrDefault(found, 0);
    }

    private SimPoolFile worked(boolean durable) {
        SimPoolFile file = FreshPool.repeatable(16 << 10, 12);
        PoolNamespace namespace = open(file);
        namespace.scanInBackground();
        work(namespace);
        if (durable) {
            file.pmem().persist(0, file.pmem().size());
        }
        Map<String, String> shown = Snapshot.of(namespace);
        file.pmem()
                .beforeEachEvent(() ->
                        file.pmem().images(IMAGES, 1, image -> opens(file.crashed(image), shown, shown, image)));
        namespace.close();
        file.pmem().beforeEachEvent(null);
        int[] valid = {seen(Found.VALID), 0};
        file.pmem().images(1000, 1, image -> {
            opens(file.crashed(image), shown, shown, image);
            valid[1]++;
        });
        assertEquals(valid[0] + valid[1], seen(Found.VALID), "each image of what was closed has the summary");
        assertTrue(seen(Found.NOT_CLOSED) > 100, "images of a close: " + seen(Found.NOT_CLOSED));
        assertEquals(0, seen(Found.DAMAGED));
        return file;
    }

    @Test
    void thePowerMayFailAtEachMomentOfAClose() {
        worked(false);
        worked(true);
    }

    /** What has no fence at the close is durable with it: the power may fail long after. */
    @Test
    void thePowerMayFailInTheStartThatFollows() {
        SimPoolFile file = worked(false);
        int before = seen(Found.VALID);
        Map<String, String>[] shown = twice(Snapshot.of(open(file.killed())));
        Sample sample = new Sample(SAMPLED, "a start after a close");
        int[] moments = {0};
        file.pmem().beforeEachEvent(() -> {
            if (sample.takes()) {
                moments[0]++;
                file.pmem().images(IMAGES, 2, image -> opens(file.crashed(image), shown[0], shown[1], image));
            }
        });
        PoolNamespace namespace = open(file);
        assertTrue(seen(Found.VALID) > before);
        int valid = seen(Found.VALID);
        PoolNamespace dry = open(file.killed());
        for (Step step : List.<Step>of(
                n -> n.create(ROOT, Name.of("new"), 0644, 0, 0, out),
                n -> n.mkdir(ROOT, Name.of("new directory"), 0755, 0, 0, out),
                n -> n.create(ROOT, Name.of("new" + "n".repeat(90)), 0644, 0, 0, out),
                n -> n.delete(ROOT, name(35), out),
                n -> n.rename(ROOT, name(36), ROOT, name(37), true, out))) {
            shown[0] = Snapshot.of(dry);
            ok(step.on(dry));
            shown[1] = Snapshot.of(dry);
            ok(step.on(namespace));
            shown[0] = shown[1];
        }
        assertEquals(valid, seen(Found.VALID), "no slot is taken before the summary is worth nothing");
        assertTrue(moments[0] > 10, "moments: " + moments[0]);
    }

    private interface Step {
        Status on(Namespace namespace);
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static Map<String, String>[] twice(Map<String, String> shown) {
        return new Map[] {shown, shown};
    }

    /** Its stores are seen by the next one, and were never fenced: then the power fails. */
    @Test
    void theProcessMayDieInTheStartThatFollowsAndThePowerFailLater() {
        SimPoolFile closed = worked(true).killed();
        Map<String, String> shown = Snapshot.of(open(closed.killed()));
        int events = 0;
        while (diesBefore(events, closed.killed(), shown)) {
            events++;
        }
        assertTrue(events > 30, "deaths: " + events);
    }

    private boolean diesBefore(int event, SimPoolFile file, Map<String, String> shown) {
        int[] left = {event};
        file.pmem().beforeEachEvent(() -> {
            if (left[0]-- == 0) {
                throw new IllegalStateException("the process dies");
            }
        });
        boolean dies = false;
        try {
            PoolNamespace namespace = open(file);
            ok(namespace.create(ROOT, Name.of("new"), 0644, 0, 0, out));
            ok(namespace.delete(ROOT, Name.of("new"), out));
        } catch (IllegalStateException _) {
            dies = true;
            file.pmem().processDied();
        }
        file.pmem().beforeEachEvent(null);
        PoolNamespace second = open(file);
        second.scanInBackground();
        Map<String, String> now = Snapshot.of(second);
        file.pmem().images(IMAGES, event, image -> opens(file.crashed(image), now, now, image));
        now.remove("/new");
        assertEquals(shown, now);
        return dies;
    }
}
