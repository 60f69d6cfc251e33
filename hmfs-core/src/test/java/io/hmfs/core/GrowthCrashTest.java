package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.recovery.Superblock;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.space.Growth;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Goal: a growth that is cut off anywhere leaves a pool that opens, has all that was acknowledged, and grows again. Method: the create
 * that finds the pool full grows it; before each event of it the power fails, and each image is opened; or the process dies there, the
 * next one fills what it finds, and then the power fails.
 */
final class GrowthCrashTest {
    private static final long ROOT = Namespace.ROOT_ID;
    private static final int IMAGES = 24;
    private static final int MORE = 200; // several regions
    private static final Logger ENGINE = Logger.getLogger(PoolNamespace.class.getName());
    private static final Logger GROWTH = Logger.getLogger(Growth.class.getName());

    private final Attributes out = new Attributes();

    @BeforeAll
    static void hush() {
        ENGINE.setLevel(Level.OFF); // the death is an error within an operation
        GROWTH.setLevel(Level.OFF);
    }

    @AfterAll
    static void speak() {
        ENGINE.setLevel(null);
        GROWTH.setLevel(null);
    }

    /** A pool that is as full as can be, with its namespace. */
    private static final class Full {
        final SimPoolFile file = SimPoolFile.growing(16 << 10, 10, 31); // a step of 16, and a part of one
        final PoolNamespace namespace;
        final int files;

        Full(Attributes out) {
            namespace = FreshPool.open(file);
            file.diskFull(true);
            int made = 0;
            while (namespace.create(ROOT, name(made), 0644, 0, 0, out) == Status.OK) {
                made++;
            }
            file.diskFull(false);
            namespace.growth.backOff(0);
            files = made;
        }
    }

    private static Name name(int number) {
        return Name.of("file-" + number);
    }

    private static PoolNamespace open(SimPoolFile file, String what) {
        try {
            Superblock.check(Path.of("sim"), file);
            return new PoolNamespace("sim", file, false);
        } catch (PoolException | RuntimeException e) {
            throw new AssertionError(what, e);
        }
    }

    private void hasAll(PoolNamespace namespace, int files, String what) {
        for (int i = 0; i < files; i++) {
            assertEquals(Status.OK, namespace.stat(ROOT, name(i), out), what + ", file " + i);
        }
    }

    private void growsAgain(SimPoolFile file, int files, String what) {
        PoolNamespace namespace = open(file, what);
        hasAll(namespace, files, what);
        namespace.scanInBackground();
        assertEquals(List.of(), namespace.problems(), what);
        for (int i = 0; i < MORE; i++) {
            Status status = namespace.create(ROOT, name(files + i), 0644, 0, 0, out);
            assertTrue(status == Status.OK || (i == 0 && status == Status.EXISTS), what + ": " + status);
        }
        assertTrue(namespace.poolStatus().regionsMax() >= 26, what);
        assertEquals(List.of(), namespace.problems(), what);
    }

    @Test
    void thePowerMayFailAtAnyStep() {
        Full full = new Full(out);
        SimPoolFile file = full.file;
        file.pmem().persist(0, file.pmem().size());
        int[] images = new int[2];
        file.pmem()
                .beforeEachEvent(() -> file.pmem().images(IMAGES, 1, image -> {
                    images[file.crashed(image).fileSize() == file.sizeMax() ? 0 : 1]++;
                    growsAgain(file.crashed(image), full.files, image.toString());
                }));
        assertEquals(Status.OK, full.namespace.create(ROOT, name(full.files), 0644, 0, 0, out));
        file.pmem().beforeEachEvent(null);
        assertTrue(images[0] == 0 && images[1] > 20, images[0] + " and " + images[1]);
        file.pmem().images(IMAGES, 2, image -> growsAgain(file.crashed(image), full.files + 1, image.toString()));
    }

    private static final class Death extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** What the next process builds on is durable, also the size that the dead one had stored and not written back. */
    @Test
    void theProcessMayDieAtAnyStepAndThePowerFailLater() {
        int events = 0;
        while (diesBefore(events)) {
            events++;
        }
        assertTrue(events > 8, "deaths: " + events);
    }

    private boolean diesBefore(int event) {
        Full full = new Full(out);
        SimPoolFile file = full.file;
        file.pmem().persist(0, file.pmem().size());
        int[] left = {event};
        file.pmem().beforeEachEvent(() -> {
            if (left[0]-- == 0) {
                throw new Death();
            }
        });
        Name next = name(full.files);
        boolean dies = true;
        try {
            full.namespace.create(ROOT, next, 0644, 0, 0, out);
            dies = false;
        } catch (Death _) {
            file.pmem().processDied();
        }
        file.pmem().beforeEachEvent(null);
        String what = "death before event " + event;
        PoolNamespace second = open(file, what);
        int more = 100;
        for (int i = 0; i < more; i++) {
            Status status = second.create(ROOT, name(full.files + i), 0644, 0, 0, out);
            assertTrue(status == Status.OK || (i == 0 && status == Status.EXISTS), what + ": " + status);
        }
        file.pmem().images(IMAGES / 4, event, image -> {
            PoolNamespace third = open(file.crashed(image), what + ", then " + image);
            hasAll(third, full.files + more, what + ", then " + image);
            third.scanInBackground();
            assertEquals(List.of(), third.problems(), what + ", then " + image);
        });
        return dies;
    }

    /** A pool must not go where its file does not. */
    @Test
    void aSuperblockThatSaysMoreThanTheFileHasIsRefused() throws PoolException {
        SimPoolFile file = SimPoolFile.growing(16 << 10, 10, 31);
        Superblock.format(Path.of("sim"), file, new UUID(1, 2), 42, 2);
        file.pmem().set(PoolHeader.GROWN_OFFSET, file.sizeMax());
        PoolException refused = assertThrows(PoolException.class, () -> Superblock.check(Path.of("sim"), file));
        assertEquals(PoolException.Reason.TRUNCATED, refused.reason());
    }
}
