package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.alloc.Summary;
import io.hmfs.core.check.CheckReport;
import io.hmfs.core.check.PoolCheck;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.sim.Sample;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.DeleteBatch;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Progress;
import io.hmfs.core.type.RemovedFile;
import io.hmfs.core.type.Status;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: a power failure, or the death of the process, at any moment of the removal of a file, of the sweep, of the end of its data and of the reuse of
 * its slot: no file that lives is handed out to have its data removed, none that is gone is forgotten before its data is, and no slot is used for
 * two. Method: before each event images of the memory are recovered, scanned and checked, some with another failure within the recovery.
 */
final class RemovedFilesCrashTest {
    private static final long ROOT = Namespace.ROOT_ID;

    /** Images of one moment, and of one moment within a recovery. */
    private static final int IMAGES = Integer.getInteger("hmfs.images", 8);

    private static final int IMAGES_AGAIN = 3;

    /** A recovery is cut off before one of so many of its events. */
    private static final int AGAIN = 1000;

    private static final int FILES = 8;

    private final Attributes out = new Attributes();
    private final Random random = new Random(5);
    private final SimPoolFile file = FreshPool.repeatable(16 << 10, 12);

    /** Of each file that there ever was: what may be true of it after a crash now. */
    private final Map<Long, Set<Fate>> fates = new TreeMap<>();

    private final List<Long> taken = new ArrayList<>();
    private long directory;
    private long images;

    private static final int SAMPLED = 6;

    private enum Fate {
        LIVES,
        HANDED_OUT,
        FORGOTTEN
    }

    /** What a recovery comes after: a power failure, the death of the process while the machine goes on, or more than one of them. */
    private enum After {
        POWER,
        DEATH,
        BOTH
    }

    private interface Step {
        void run(PoolNamespace namespace);
    }

    private static Name name(int number) {
        return Name.of("f" + number);
    }

    private static PoolNamespace open(SimPoolFile pool) {
        return new PoolNamespace("sim", pool, false, true, true);
    }

    private void ok(Status status) {
        assertEquals(Status.OK, status);
    }

    private long id(PoolNamespace namespace, long parent, Name name) {
        ok(namespace.stat(parent, name, out));
        return out.id;
    }

    /** What may be of these files from now on. */
    private void may(Set<Fate> what, Long... ids) {
        for (Long id : ids) {
            fates.put(id, what);
        }
    }

    /** A step that removes files: before its end each lives or is handed out, after it each is handed out. */
    private void removes(Runnable step, Long... ids) {
        may(Set.of(Fate.LIVES, Fate.HANDED_OUT), ids);
        step.run();
        may(Set.of(Fate.HANDED_OUT), ids);
    }

    private void create(PoolNamespace n, long parent, Name name) {
        ok(n.create(parent, name, 0644, 0, 0, out));
        may(Set.of(Fate.LIVES), out.id);
    }

    private void delete(PoolNamespace n, long parent, Name name) {
        removes(() -> ok(n.delete(parent, name, new Attributes())), id(n, parent, name));
    }

    private void replace(PoolNamespace n, long parent, Name name, long to, Name target) {
        removes(() -> ok(n.rename(parent, name, to, target, true, new Attributes())), id(n, to, target));
    }

    private void take(PoolNamespace n) {
        RemovedFile next = new RemovedFile();
        while (n.removedFiles().next(next)) {
            taken.add(next.token);
            may(Set.of(Fate.HANDED_OUT, Fate.FORGOTTEN), next.id);
        }
    }

    private void done(PoolNamespace n) {
        taken.forEach(n.removedFiles()::done);
        taken.clear();
    }

    private void fill(PoolNamespace n) {
        for (int i = 0; i < 6; i++) {
            Name name = Name.of("more" + fates.size());
            // Until it is acknowledged it may be there or not, and its id is not known.
            ok(n.create(ROOT, name, 0644, 0, 0, out));
            may(Set.of(Fate.LIVES), out.id);
        }
    }

    private static Stream<String> cases() {
        return Stream.of(
                "delete, sweep, done, reuse",
                "delete, done, sweep, reuse",
                "rename over a file, sweep, done, reuse",
                "rename away, sweep, delete",
                "rename away twice, reuse of the first slot",
                "batch",
                "rmdir of what is dead",
                "last name of several, done, reuse",
                "rename over the last name of several",
                "first link cut off",
                "all, close, start, done, reuse");
    }

    private List<Step> steps(String tested) {
        Step sweep = n -> {
            n.sweep(ROOT);
            n.sweep(directory);
        };
        Step delete = n -> delete(n, ROOT, name(0));
        Step replace = n -> replace(n, ROOT, name(1), directory, name(2));
        Step away = n -> ok(n.rename(ROOT, name(3), directory, Name.of("away"), true, out));
        Step back = n -> ok(n.rename(directory, Name.of("away"), ROOT, Name.of("back"), true, out));
        return switch (tested) {
            case "delete, sweep, done, reuse" -> List.of(delete, sweep, this::take, this::done, this::fill);
            case "delete, done, sweep, reuse" -> List.of(delete, this::take, this::done, sweep, this::fill);
            case "rename over a file, sweep, done, reuse" ->
                List.of(replace, sweep, this::take, this::done, sweep, this::fill);
            case "rename away, sweep, delete" ->
                List.of(away, sweep, n -> delete(n, directory, Name.of("away")), this::take, this::done);
            case "rename away twice, reuse of the first slot" -> List.of(away, back, sweep, this::fill, this::take);
            case "batch" -> List.of(n -> batch(n), sweep, this::take, this::done, this::fill);
            case "rmdir of what is dead" ->
                List.of(
                        n -> delete(n, directory, name(2)),
                        n -> ok(n.rmdir(ROOT, Name.of("d"))),
                        this::take,
                        this::done,
                        this::fill);
            case "last name of several, done, reuse" ->
                List.of(
                        n -> ok(n.link(ROOT, name(4), directory, Name.of("second"), out)),
                        n -> ok(n.delete(ROOT, name(4), out)),
                        sweep,
                        n -> delete(n, directory, Name.of("second")),
                        this::take,
                        this::done,
                        sweep,
                        this::fill);
            case "rename over the last name of several" ->
                List.of(
                        n -> ok(n.link(ROOT, name(4), directory, Name.of("second"), out)),
                        n -> ok(n.delete(ROOT, name(4), out)),
                        n -> replace(n, ROOT, name(5), directory, Name.of("second")),
                        this::take,
                        sweep,
                        this::done);
            case "first link cut off" ->
                List.of(n -> ok(n.link(ROOT, name(4), directory, Name.of("second"), out)), sweep);
            case "all, close, start, done, reuse" -> List.of(delete, replace, away, sweep, n -> closeAndGoOn(n));
            default -> throw new AssertionError(tested);
        };
    }

    private void batch(PoolNamespace n) {
        DeleteBatch batch = new DeleteBatch(3);
        batch.add(ROOT, name(6));
        batch.add(directory, name(2));
        batch.add(ROOT, name(7));
        removes(() -> n.deleteAll(batch), id(n, ROOT, name(6)), id(n, directory, name(2)), id(n, ROOT, name(7)));
    }

    private void closeAndGoOn(PoolNamespace n) {
        n.close();
        PoolNamespace next = open(file);
        assertEquals(Summary.Found.VALID.text(), next.poolStatus().freeSlots());
        take(next);
        assertEquals(2, taken.size());
        next.scanInBackground(); // sweeps what is dead, and looks for nothing
        done(next);
        fill(next);
    }

    @ParameterizedTest
    @MethodSource("cases")
    void everyImageHasEachFileOnceOrItsDataToRemove(String tested) {
        PoolNamespace first = open(file);
        first.scanInBackground();
        ok(first.mkdir(ROOT, Name.of("d"), 0755, 0, 0, out));
        directory = out.id;
        for (int i = 0; i < FILES; i++) {
            create(first, i == 2 ? directory : ROOT, name(i));
        }
        first.close();
        PoolNamespace namespace = open(file);
        Sample sample = new Sample(SAMPLED, tested);
        boolean[] looks = {false};
        file.pmem().beforeEachEvent(() -> {
            if (!looks[0] && sample.takes()) {
                looks[0] = true;
                file.pmem().images(IMAGES, random.nextLong(), image -> recovered(file.crashed(image), After.POWER));
                recovered(file.died(), After.DEATH);
                looks[0] = false;
            }
        });
        for (Step step : steps(tested)) {
            step.run(namespace);
        }
        file.pmem().beforeEachEvent(null);
        recovered(file.died(), After.DEATH);
        assertTrue(images > Sample.least(100), "images: " + images);
    }

    /** Recovers an image, of which what is told here is true; and again after another failure in between. */
    private void recovered(SimPoolFile image, After after) {
        images++;
        try {
            CheckReport report = PoolCheck.check(Path.of("image"), image, Progress.NONE);
            assertEquals(0, report.damage(), () -> report.findings().toString());
        } catch (PoolException e) {
            throw new AssertionError(e);
        }
        if (after != After.BOTH) {
            image.pmem().beforeEachEvent(() -> {
                if (random.nextInt(AGAIN) == 0) {
                    image.pmem()
                            .images(
                                    IMAGES_AGAIN,
                                    random.nextLong(),
                                    next -> recovered(image.crashed(next), After.BOTH));
                }
            });
        }
        PoolNamespace namespace = open(image);
        namespace.scanInBackground();
        image.pmem().beforeEachEvent(null);
        assertEquals(List.of(), namespace.problems());
        Set<Long> living = new HashSet<>();
        collect(namespace, ROOT, living);
        List<Long> tokens = new ArrayList<>();
        Set<Long> handedOut = RemovedFilesTest.take(namespace, tokens).keySet();
        fates.forEach((id, may) -> {
            assertFalse(living.contains(id) && handedOut.contains(id), "lives and is to lose its data: " + id);
            Fate fate = living.contains(id) ? Fate.LIVES : handedOut.contains(id) ? Fate.HANDED_OUT : Fate.FORGOTTEN;
            assertTrue(may.contains(fate), () -> id + " " + fate + ", not one of " + may);
        });
        assertTrue(fates.keySet().containsAll(handedOut), () -> "never removed: " + handedOut);
        if (after == After.DEATH) {
            loses(image, handedOut);
        }
        // And all of it ends.
        tokens.forEach(namespace.removedFiles()::done);
        namespace.sweep(ROOT);
        assertEquals(0, namespace.removedFiles().count());
        assertEquals(List.of(), namespace.problems());
    }

    /**
     * The power fails after a scan that met what a dead process had stored and not made durable. Each bucket has been written back by then, as by a
     * create whose word came into it. What was handed out is gone: its data may be.
     */
    private void loses(SimPoolFile image, Set<Long> handedOut) {
        Map<Long, Set<Fate>> before = new TreeMap<>(fates);
        handedOut.forEach(id -> may(Set.of(Fate.HANDED_OUT), id));
        Unwritten.regions(image, RegionKind.INDEX_SEGMENTS)
                .forEach(region -> image.pmem().writeBack(region, image.regionSize()));
        image.pmem().fence();
        image.pmem().images(IMAGES_AGAIN, random.nextLong(), next -> recovered(image.crashed(next), After.BOTH));
        fates.putAll(before);
    }

    private void collect(PoolNamespace namespace, long in, Set<Long> living) {
        List<Long> directories = new ArrayList<>();
        ok(namespace.list(in, new ListCursor(), (_, found) -> {
            if (found.isDirectory()) {
                directories.add(found.id);
            } else {
                living.add(found.id);
            }
            return true;
        }));
        directories.forEach(each -> collect(namespace, each, living));
    }
}
