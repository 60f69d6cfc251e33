package io.hmfs.core;

import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * The engine beside its model, one seed after the other, until something differs: {@code bin/dev sim SEED}. Says what it has done
 * after each run, and how to repeat one that failed.
 */
public final class SimulationRun {
    private static final int STEPS = 100_000;
    private static final Logger ENGINE = Logger.getLogger(PoolNamespace.class.getName());

    private SimulationRun() {}

    public static void main(String[] arguments) throws InterruptedException {
        ENGINE.setLevel(Level.OFF); // a simulated crash is an error within an operation
        AtomicLong next = new AtomicLong(Long.parseLong(arguments[0]) * Medium.values().length);
        AtomicLong operations = new AtomicLong();
        Thread[] threads = new Thread[Runtime.getRuntime().availableProcessors()];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = Thread.ofPlatform().start(() -> {
                while (true) {
                    run(next.getAndIncrement(), operations);
                }
            });
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private static void run(long number, AtomicLong operations) {
        Medium[] media = Medium.values();
        long seed = number / media.length;
        Medium medium = media[(int) (number % media.length)];
        try {
            Simulation done = Simulation.run(seed, medium, STEPS);
            System.out.printf(
                    "seed %d %s: %d operations, %d crashes; %,d operations in all%n",
                    seed, medium, done.operations(), done.crashes(), operations.addAndGet(done.operations()));
        } catch (AssertionError | RuntimeException e) {
            e.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
    }
}
