package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.sim.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: the engine means what the model means, over any sequence of operations, closes, kills and power losses: two million
 * operations, a quarter of a million of them in each sample. Method: seeded random operations on both; what a crash cut off may be there or not, and everything else is equal.
 * Seeds run beside each other, each with a pool of its own. A failure prints the seed and the number of steps that replay it:
 * {@code -Dhmfs.seed=N -Dhmfs.steps=N}; without an end: {@code bin/dev sim N}.
 */
final class NamespaceSimulationTest {
    private static final int SEEDS = 8;
    private static final int SAMPLED = 8;
    private static final int STEPS = 47_000;
    private static final int STEPS_MAPPED = 150_000;

    /** Steps that are not operations: closes, kills, sweeps, comparisons. */
    private static final double OPERATIONS_PER_STEP = 0.9;

    private static final Logger ENGINE = Logger.getLogger(PoolNamespace.class.getName());

    @BeforeAll
    static void hush() {
        ENGINE.setLevel(Level.OFF); // a simulated crash is an error within an operation
    }

    @AfterAll
    static void speak() {
        ENGINE.setLevel(null);
    }

    @ParameterizedTest
    @EnumSource(Medium.class)
    void theEngineDoesWhatTheModelDoes(Medium medium) throws InterruptedException, ExecutionException {
        int steps = Integer.getInteger("hmfs.steps", medium == Medium.MAPPED ? STEPS_MAPPED : STEPS);
        Long chosen = Long.getLong("hmfs.seed");
        List<Callable<Simulation>> runs = new ArrayList<>();
        Sample sample = new Sample(SAMPLED, medium.name());
        List<Long> seeds = chosen == null
                ? LongStream.rangeClosed(1, SEEDS)
                        .filter(_ -> sample.takes())
                        .boxed()
                        .toList()
                : List.of(chosen);
        for (long seed : seeds) {
            runs.add(() -> Simulation.run(seed, medium, steps));
        }
        long operations = 0;
        try (ExecutorService threads =
                Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors())) {
            for (Future<Simulation> run : threads.invokeAll(runs)) {
                Simulation simulation = run.get();
                operations += simulation.operations();
                assertTrue(simulation.done() > steps / 10, "operations that did something: " + simulation.done());
                assertTrue(simulation.crashes() > steps / 1000, "crashes: " + simulation.crashes());
                assertEquals(
                        medium.name().endsWith("POWER") ? Persistence.PMEM : Persistence.PROCESS, simulation.mode());
            }
        }
        assertTrue(operations > OPERATIONS_PER_STEP * steps * runs.size(), "operations: " + operations);
    }
}
