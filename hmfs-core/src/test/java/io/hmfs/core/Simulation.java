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
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;

/**
 * One seeded run of the engine beside its model: runs what {@link SimulatedChoice} draws, kills, and compares. After a crash within
 * an operation there are two models until one fits.
 */
final class Simulation {
    private static final long REGION = 32 << 10;
    private static final int REGIONS = 24;
    private static final int STORY = 400;

    private final Medium medium;
    private final Random random;
    private final Attributes out = new Attributes();
    private final SimulatedChoice choice;
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
        this.choice = new SimulatedChoice(random, out);
        this.medium = medium;
        this.file = medium == Medium.MAPPED
                ? new MemoryPoolFile(MappedPmem.inMemory((REGIONS + 1) * REGION), REGION, REGIONS)
                : new SimPoolFile(REGION, REGIONS, medium == Medium.KILL ? Persistence.PROCESS : Persistence.PMEM);
        try {
            Superblock.format(Path.of("sim"), file, new UUID(1, 2), seed, 2);
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
        story.addFirst(SimulatedChoice.told(text));
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
            crashWithin(choice.next(models.getFirst()), sim);
        } else if (what < 50) {
            check();
        } else {
            run(choice.next(models.getFirst()));
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
            choice.know(id);
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
                for (String name : SimulatedChoice.names()) {
                    for (long directory : choice.directories()) {
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
                    choice.know(out.id);
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
}
