package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hmfs.core.pmem.MappedPmem;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.pmem.PoolFile;
import io.hmfs.core.recovery.Superblock;
import io.hmfs.core.sim.ReferenceNamespace;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.FileType;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;

/** One seeded run of the engine beside its model. After a crash within an operation there are two models until one fits. */
final class Simulation {
    private static final long ROOT = Namespace.ROOT_ID;
    private static final long REGION = 32 << 10;
    private static final int REGIONS = 24;
    private static final int OBJECTS = 60;
    private static final int STORY = 400;
    private static final String[] NAMES = {"a", "b", "c", "d", "e", "f", "n".repeat(64), "n".repeat(65), "m".repeat(255)
    };

    private final Medium medium;
    private final Random random;
    private final Attributes out = new Attributes();
    private final List<Long> known = new ArrayList<>(List.of(ROOT));
    private final ArrayDeque<String> story = new ArrayDeque<>();
    private List<ReferenceNamespace> models = new ArrayList<>(List.of(new ReferenceNamespace()));
    private PoolFile file;
    private PoolNamespace namespace;
    private int done;
    private int crashes;
    private int operations;

    /** Ends the operation where the simulated machine stops. */
    private static final class Crash extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    Simulation(long seed, Medium medium) {
        this.random = new Random(seed * 31 + medium.name().hashCode());
        this.medium = medium;
        this.file = medium == Medium.MAPPED
                ? new MemoryPoolFile(MappedPmem.inMemory((REGIONS + 1) * REGION), REGION, REGIONS)
                : new SimPoolFile(REGION, REGIONS, medium == Medium.KILL ? Persistence.PROCESS : Persistence.PMEM);
        try {
            Superblock.format(Path.of("sim"), file, new UUID(1, 2), seed);
        } catch (PoolException e) {
            throw new AssertionError(e);
        }
        this.namespace = new PoolNamespace("sim", file, false);
    }

    /** A whole run. */
    static Simulation run(long seed, Medium medium, int steps) {
        Simulation simulation = new Simulation(seed, medium);
        int step = 0;
        try {
            for (; step < steps; step++) {
                simulation.step();
            }
            simulation.end();
            return simulation;
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(
                    "-Dhmfs.seed=" + seed + " -Dhmfs.steps=" + (step + 1) + " " + medium + ": " + e
                            + simulation.story(),
                    e);
        }
    }

    int done() {
        return done;
    }

    int crashes() {
        return crashes;
    }

    /** Operations that were called. */
    int operations() {
        return operations;
    }

    Persistence mode() {
        return file.pmem().persistence();
    }

    /** What was done last, the latest first. */
    String story() {
        return "\n    " + String.join("\n    ", story);
    }

    private void tell(String text) {
        story.addFirst(text.replace(NAMES[6], "n64").replace(NAMES[7], "n65").replace(NAMES[8], "m255"));
        if (story.size() > STORY) {
            story.removeLast();
        }
    }

    void step() {
        int what = random.nextInt(1000);
        if (what < 3) {
            tell("close");
            namespace.close();
            reopen(file instanceof SimPoolFile sim ? killed(sim) : file);
        } else if (what < 7) {
            tell("kill between");
            crashes++;
            reopen(file instanceof SimPoolFile sim ? killed(sim) : file);
        } else if (what < 45 && file instanceof SimPoolFile sim) {
            crashWithin(operation(), sim);
        } else if (what < 50) {
            check();
        } else {
            run(operation());
        }
    }

    /** The last comparison. */
    void end() {
        check();
        namespace.close();
        reopen(file instanceof SimPoolFile sim ? killed(sim) : file);
        check();
    }

    private void run(Step step) {
        operations++;
        Status status = step.engine().on(namespace);
        tell(step.text() + " " + status);
        if (status == Status.NO_SPACE) {
            return;
        }
        done += status == Status.OK ? 1 : 0;
        long id = out.id;
        models.removeIf(model -> step.model().on(model, id) != status);
        if (models.isEmpty()) {
            throw new AssertionError(step.text() + " says " + status);
        }
        if (status == Status.OK && step.makes() && models.getFirst().hasDirectory(id)) {
            known.add(id);
        }
    }

    private void crashWithin(Step step, SimPoolFile sim) {
        crashes++;
        int[] left = {random.nextInt(70)};
        sim.pmem().beforeEachEvent(() -> {
            if (left[0]-- == 0) {
                throw new Crash();
            }
        });
        boolean finished = false;
        try {
            run(step);
            finished = true;
        } catch (Crash e) {
            tell(step.text() + " CRASH");
        }
        sim.pmem().beforeEachEvent(null);
        SimPoolFile after = medium == Medium.POWER || (medium == Medium.KILL_THEN_POWER && random.nextInt(3) == 0)
                ? sim.crashed(random, 12)
                : killed(sim);
        open(after);
        if (!finished) {
            addOutcomes(step);
        }
        settle();
    }

    private SimPoolFile killed(SimPoolFile sim) {
        if (medium == Medium.KILL_THEN_POWER) {
            sim.pmem().processDied();
            return sim;
        }
        return sim.killed();
    }

    /** The operation may be there or not. Only for one that makes an object, the engine has to say at once, for its id. */
    private void addOutcomes(Step step) {
        List<ReferenceNamespace> outcomes = new ArrayList<>();
        for (ReferenceNamespace model : models) {
            ReferenceNamespace after = new ReferenceNamespace(model);
            if (step.makes()) {
                out.id = -1;
                for (String name : NAMES) {
                    for (long directory : known) {
                        if (model.child(directory, name) == null
                                && step.text().contains(" " + directory + " " + name + " ")
                                && namespace.stat(directory, Name.of(name), out) == Status.OK) {
                            step.model().on(after, out.id);
                            outcomes.add(after);
                        }
                    }
                }
                if (out.id == -1) {
                    outcomes.add(model);
                } else if (after.hasDirectory(out.id)) {
                    known.add(out.id);
                }
            } else {
                outcomes.add(model);
                if (step.model().on(after, -1) == Status.OK) {
                    outcomes.add(after);
                }
            }
        }
        models = outcomes;
    }

    private void open(PoolFile next) {
        file = next;
        namespace = new PoolNamespace("sim", file, false);
    }

    private void reopen(PoolFile next) {
        open(next);
        settle();
    }

    private void settle() {
        switch (random.nextInt(4)) {
            case 0 -> check();
            case 1 -> {
                namespace.scanInBackground();
                tell("scan");
                check();
            }
            default -> {
                // operations meet what is half done; the scan comes with the next check, or not before the next crash
            }
        }
    }

    private void check() {
        tell("check");
        Map<String, String> seen = Snapshot.of(namespace);
        String differences = models.stream()
                .map(model -> Snapshot.difference(model.snapshot(), seen))
                .toList()
                .toString();
        models.removeIf(model -> !model.snapshot().equals(seen));
        if (models.isEmpty()) {
            throw new AssertionError("the engine differs from each model: " + differences);
        }
        models = new ArrayList<>(models.subList(0, 1)); // two that show the same are the same
        if (!namespace.poolStatus().recovering() || random.nextBoolean()) {
            if (namespace.poolStatus().recovering()) {
                namespace.scanInBackground();
            }
            assertEquals(List.of(), namespace.problems());
            assertEquals(seen, Snapshot.of(namespace));
        }
    }

    private long directory() {
        return known.get(random.nextInt(known.size()));
    }

    private String name() {
        return NAMES[random.nextInt(NAMES.length)];
    }

    /** More often than not one that is there. */
    private String nameIn(long directory) {
        String name = name();
        for (int tries = 0; tries < 3 && models.getFirst().child(directory, name) == null; tries++) {
            name = name();
        }
        return name;
    }

    private Step operation() {
        ReferenceNamespace model = models.getFirst();
        if (known.size() > 12) {
            known.removeIf(id -> id != ROOT && (!model.hasDirectory(id) && random.nextInt(3) > 0));
        }
        boolean crowded = model.size() > OBJECTS;
        if (random.nextInt(20) == 0) {
            return sweep(directory());
        }
        int what = random.nextInt(115);
        if (what >= 100) {
            long d = directory();
            boolean make = what < 103 && !crowded;
            return make ? ChainSteps.symlink(random, d, name(), out) : ChainSteps.change(random, d, nameIn(d));
        }
        return what < 50 ? change(what, crowded) : what < 58 ? link() : what < 72 ? rename() : attribute(what);
    }

    private Step sweep(long d) {
        return new Step(
                "sweep " + d,
                _ -> {
                    namespace.sweep(d);
                    return Status.OK;
                },
                (_, _) -> Status.OK,
                false);
    }

    private Step change(int what, boolean crowded) {
        long d = directory();
        String n = what < 28 ? name() : nameIn(d);
        Name name = Name.of(n);
        int mode = random.nextInt(010000);
        int owner = random.nextInt(100);
        String at = " " + d + " " + n + " ";
        if (what < 20 && !crowded) {
            return new Step(
                    "create" + at,
                    e -> e.create(d, name, mode, owner, owner, out),
                    (m, id) -> m.make(FileType.FILE, d, n, mode, owner, owner, id),
                    true);
        } else if (what < 28 && !crowded) {
            return new Step(
                    "mkdir" + at,
                    e -> e.mkdir(d, name, mode, owner, owner, out),
                    (m, id) -> m.make(FileType.DIRECTORY, d, n, mode, owner, owner, id),
                    true);
        } else if (what < 42) {
            return new Step("delete" + at, e -> e.delete(d, name, out), (m, id) -> m.delete(d, n), false);
        }
        return new Step("rmdir" + at, e -> e.rmdir(d, name), (m, id) -> m.rmdir(d, n), false);
    }

    private Step link() {
        long d = directory();
        long to = directory();
        String n = nameIn(d);
        String newName = name();
        Name name = Name.of(n);
        Name target = Name.of(newName);
        return new Step(
                "link " + d + " " + n + " as " + to + " " + newName,
                e -> e.link(d, name, to, target, out),
                (m, id) -> m.link(d, n, to, newName),
                false);
    }

    private Step rename() {
        long d = directory();
        long to = random.nextInt(3) == 0 ? d : directory();
        String n = nameIn(d);
        String newName = name();
        boolean replace = random.nextInt(4) > 0;
        Name name = Name.of(n);
        Name target = Name.of(newName);
        Attributes replaced = new Attributes();
        return new Step(
                "rename " + d + " " + n + " to " + to + " " + newName + (replace ? " replacing" : ""),
                e -> e.rename(d, name, to, target, replace, replaced),
                (m, id) -> m.rename(d, n, to, newName, replace),
                false);
    }

    private Step attribute(int what) {
        long d = directory();
        String n = nameIn(d);
        Name name = Name.of(n);
        long size = random.nextInt(1000) - 1L;
        int value = random.nextInt(0100000);
        String at = " " + d + " " + n + " " + value + " " + size;
        ReferenceNamespace.Node node = models.getFirst().child(d, n);
        long id = node == null ? 7 : node.id;
        boolean isFile = node != null && node.type == FileType.FILE;
        return switch (what % 8) {
            case 0 -> new Step("chmod" + at, e -> e.chmod(d, name, value), (m, _) -> m.chmod(d, n, value), false);
            case 1 ->
                new Step("chown" + at, e -> e.chown(d, name, value, -1), (m, _) -> m.chown(d, n, value, -1), false);
            case 2 ->
                new Step(
                        "append" + at + " to " + id,
                        e -> e.append(d, name, id, size),
                        (m, _) -> m.append(d, n, id, size),
                        false);
            case 3 ->
                new Step("truncate" + at, e -> e.truncate(d, name, size), (m, _) -> m.truncate(d, n, size), false);
            case 4 -> Step.list(d, random);
            case 5 -> new Step("statDirectory " + d, e -> e.statDirectory(d, out), (m, _) -> m.statDirectory(d), false);
            // A directory's mtime moves with its children and with an rmdir that is undone: not modelled.
            case 6 ->
                isFile
                        ? new Step(
                                "setTimes" + at,
                                e -> e.setTimes(d, name, size, size),
                                (m, _) -> m.setMtime(d, n, size),
                                false)
                        : Step.list(d, random);
            default ->
                (value & 1) == 0
                        ? new Step("stat" + at, e -> e.stat(d, name, out), (m, _) -> m.stat(d, n), false)
                        : new Step("statAll" + at, e -> BatchedStat.of(e, d, name, out), (m, _) -> m.stat(d, n), false);
        };
    }
}
