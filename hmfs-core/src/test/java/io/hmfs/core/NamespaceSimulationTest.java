package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.pmem.Persistence;
import java.util.Arrays;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: the engine means what the model means, over any sequence of operations, closes, kills and power losses. Method: seeded
 * random operations on both; what a crash cut off may be there or not, and everything else is equal. A failure prints the
 * seed: run it alone with {@code -Dhmfs.seed=N}, longer with {@code -Dhmfs.steps=N}.
 */
final class NamespaceSimulationTest {
    private static final long[] SEEDS = {1, 2, 3, 4, 5, 6, 7, 8};
    private static final int STEPS = 7_000;
    private static final int STEPS_MAPPED = 40_000;

    private static final Logger ENGINE = Logger.getLogger(PoolNamespace.class.getName());

    @BeforeAll
    static void hush() {
        ENGINE.setLevel(Level.OFF); // a simulated crash is an error within an operation
    }

    @AfterAll
    static void speak() {
        ENGINE.setLevel(null);
    }

    static Stream<Arguments> runs() {
        Long chosen = Long.getLong("hmfs.seed");
        LongStream seeds = chosen == null ? Arrays.stream(SEEDS) : LongStream.of(chosen);
        return seeds.boxed()
                .flatMap(seed -> Stream.of(Simulation.Medium.values()).map(medium -> Arguments.of(seed, medium)));
    }

    @ParameterizedTest
    @MethodSource("runs")
    void theEngineDoesWhatTheModelDoes(long seed, Simulation.Medium medium) {
        int steps = Integer.getInteger("hmfs.steps", medium == Simulation.Medium.MAPPED ? STEPS_MAPPED : STEPS);
        Simulation simulation = new Simulation(seed, medium);
        try {
            for (int i = 0; i < steps; i++) {
                simulation.step();
            }
            simulation.end();
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("-Dhmfs.seed=" + seed + " " + medium + ": " + e + simulation.story(), e);
        }
        assertTrue(simulation.done() > steps / 10, "operations that did something: " + simulation.done());
        assertTrue(simulation.crashes() > steps / 1000, "crashes: " + simulation.crashes());
        assertEquals(medium.name().endsWith("POWER") ? Persistence.PMEM : Persistence.PROCESS, simulation.mode());
    }
}
