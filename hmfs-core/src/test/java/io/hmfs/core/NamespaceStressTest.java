package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.PoolFile;
import io.hmfs.core.pmem.PoolFiles;
import io.hmfs.core.recovery.Superblock;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Attributes;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: threads in few directories and on few names never see, nor leave, anything that no order of their operations explains;
 * also when all of them die at one moment, and beside the background scan that follows. Method: StressWorld on a real mapped
 * pool, and on simulated memory that stops all threads, loses power or not, and is opened again.
 */
final class NamespaceStressTest {
    private static final int THREADS = 4;
    private static final long SECONDS = Long.getLong("hmfs.stress.seconds", 3);
    private static final int ROUNDS = Integer.getInteger("hmfs.rounds", 30);
    private static final long ROOMY = 1L << 30;
    private static final int ROOMY_REGIONS =
            400; // of 64 KiB: in a tenth of them a listing that had to wait found the pool swept
    private static final Logger ENGINE = Logger.getLogger(PoolNamespace.class.getName());

    @TempDir
    Path directory;

    /** What ends a thread of the simulated machine. */
    private static final class Crash extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** Runs the world's threads until told to stop; their errors, except those of a crash. */
    private static List<Throwable> run(StressWorld world, long seed, BooleanSupplier goOn, AtomicBoolean crashed)
            throws InterruptedException {
        Queue<Throwable> errors = new ConcurrentLinkedQueue<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int thread = i;
            threads.add(Thread.ofPlatform().name("stress-" + i).start(() -> {
                Random random = new Random(seed * THREADS + thread);
                Attributes out = new Attributes();
                try {
                    while (goOn.getAsBoolean() && errors.isEmpty()) {
                        world.step(thread, random, out);
                    }
                } catch (RuntimeException | Error e) {
                    if (crashed.get() && (e instanceof Crash || e instanceof IllegalStateException)) {
                        world.cutOff.incrementAndGet();
                    } else {
                        errors.add(e);
                    }
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        return List.copyOf(errors);
    }

    private static void assertNone(List<Throwable> errors) {
        if (!errors.isEmpty()) {
            throw new AssertionError(errors.getFirst());
        }
    }

    @Test
    void nothingGetsLostBetweenThreadsOnAMappedPool() throws IOException, InterruptedException {
        Path pool = directory.resolve("pool");
        Hmfs.format(pool, FormatOptions.ofSize(ROOMY));
        AtomicBoolean never = new AtomicBoolean();
        try (Namespace namespace = Hmfs.open(pool, OpenOptions.process())) {
            StressWorld world = new StressWorld(namespace);
            long end = System.nanoTime() + SECONDS * 1_000_000_000L;
            assertNone(run(world, 1, () -> System.nanoTime() < end, never));
            world.check();
            assertTrue(world.done.get() > 1000, "steps: " + world.done);
            assertTrue(world.listings.get() > 0);
        }
        PoolFile file = PoolFiles.open(pool, Persistence.PROCESS, false);
        PoolNamespace checked = new PoolNamespace("mapped", file, false);
        checked.scanInBackground();
        assertEquals(List.of(), checked.problems());
        checked.close();
    }

    @ParameterizedTest
    @EnumSource(Persistence.class)
    void threadsThatDieAtOnceLeaveNothingHalf(Persistence mode) throws Exception {
        ENGINE.setLevel(Level.OFF);
        SimPoolFile file = new SimPoolFile(64 << 10, ROOMY_REGIONS, mode);
        Superblock.format(Path.of("sim"), file, new UUID(1, 2), 42, 2);
        PoolNamespace namespace = new PoolNamespace("sim", file, true);
        StressWorld world = new StressWorld(namespace);
        Random random = new Random(3);
        for (int round = 0; round < ROUNDS; round++) {
            AtomicBoolean crashed = new AtomicBoolean();
            int limit = world.done.get() + 200 + random.nextInt(3000);
            file.pmem().beforeEachEvent(() -> {
                if (world.done.get() >= limit) {
                    crashed.set(true);
                }
                if (crashed.get()) {
                    throw new Crash();
                }
            });
            assertNone(run(world, round, () -> !crashed.get(), crashed));
            try {
                namespace.close();
            } catch (Crash e) {
                assertTrue(crashed.get()); // nothing was in flight, and the close itself died
            }
            SimPoolFile after = mode == Persistence.PMEM ? image(file, random) : file.killed();
            if (round % 2 == 0) {
                PoolNamespace beside = new PoolNamespace("copy", after.killed(), false);
                beside.scanInBackground();
                assertEquals(List.of(), beside.problems(), "round " + round);
            }
            file = after;
            namespace = new PoolNamespace("sim", file, true); // its scan runs beside what follows
            world.reopened(namespace);
            world.check();
            assertFalse(crashed.get() && world.done.get() < limit);
        }
        assertTrue(world.listings.get() > 0);
        namespace.close();
        ENGINE.setLevel(null);
    }

    private static SimPoolFile image(SimPoolFile file, Random random) {
        file.pmem().beforeEachEvent(null);
        int[] left = {random.nextInt(16)};
        SimPoolFile[] chosen = new SimPoolFile[1];
        file.pmem().images(16, random.nextLong(), image -> {
            if (left[0]-- >= 0) {
                chosen[0] = file.crashed(image);
            }
        });
        return chosen[0];
    }
}
