package io.hmfs.trials.soak;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.DoubleConsumer;
import org.jspecify.annotations.Nullable;

/** The mix on a server for some time, and what the gauges said meanwhile. The first failure of a client ends it. */
public final class SoakRun {
    private static final int CLIENTS = 2;
    private static final int CYCLES_PER_SECOND = 10; // of each client, where the machine can do as much
    private static final int GUESTS_PER_SECOND = 20;
    /** Looks at the live heap: three in each third, at its end the last of them. */
    private static final int COLLECTIONS = 9;

    private final SoakServer server;
    private final Samples samples = new Samples();
    private final Guests guests;
    private final AtomicLong cycles = new AtomicLong();
    private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
    private volatile boolean stop;
    private double beganAt;

    /** Of a server that no other program uses. */
    public SoakRun(SoakServer server) {
        this.server = server;
        guests = new Guests(server.port());
    }

    /** One step of a client; interrupted when the run ends. */
    private interface Step {
        void run() throws IOException;
    }

    /**
     * Runs for so long; {@code progress} is told the seconds that have passed. Before that, what the server keeps by design is filled: its
     * memory of clients that went away, and its open files.
     */
    public Samples run(double seconds, DoubleConsumer progress) throws IOException, InterruptedException {
        for (int i = 0; i < Guests.REMEMBERED; i++) {
            guests.client();
        }
        List<SteadyLoad> loads = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        try {
            for (int i = 0; i < CLIENTS; i++) {
                loads.add(new SteadyLoad(server.port(), "/soak/client-" + i));
            }
            for (SteadyLoad load : loads) {
                load.settle();
                threads.add(steadily(CYCLES_PER_SECOND, () -> {
                    load.cycle();
                    cycles.incrementAndGet();
                }));
            }
            threads.add(steadily(GUESTS_PER_SECOND, guests::visit));
            beganAt = server.uptimeSeconds();
            watch(seconds, progress);
            end(threads);
            for (SteadyLoad load : loads) {
                if (load.count() != SteadyLoad.RESIDENTS) {
                    throw new IOException("the number of files is not what it was: " + load.count());
                }
            }
        } finally {
            end(threads);
            loads.forEach(SteadyLoad::close);
        }
        return samples;
    }

    /** Repeats a step at a rate, or one after the other where that is too fast. */
    private Thread steadily(int perSecond, Step step) {
        long period = TimeUnit.SECONDS.toNanos(1) / perSecond;
        return Thread.ofPlatform().daemon().start(() -> {
            try {
                for (long due = System.nanoTime(); !stop; due = Math.max(due + period, System.nanoTime())) {
                    TimeUnit.NANOSECONDS.sleep(due - System.nanoTime());
                    step.run();
                }
            } catch (IOException | RuntimeException e) {
                failure.compareAndSet(null, e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    /** A look counts for the time when it was due, so that on a slow machine too each third has all of its own. */
    private void watch(double seconds, DoubleConsumer progress) throws IOException, InterruptedException {
        long start = System.nanoTime();
        int collections = 0;
        double due = 0;
        for (int look = 1; due < seconds; look++) {
            due = Math.min(look, seconds);
            TimeUnit.NANOSECONDS.sleep((long) (due * 1e9) - (System.nanoTime() - start));
            Exception problem = failure.get();
            if (problem != null) {
                throw new IOException("a client failed: " + problem.getMessage(), problem);
            }
            server.look(samples, due);
            if (due >= seconds * (collections + 1) / COLLECTIONS) {
                collections++;
                server.lookAtLiveHeap(samples, due);
            }
            progress.accept(due);
        }
        while (collections < COLLECTIONS) { // a run of less seconds than collections
            collections++;
            server.lookAtLiveHeap(samples, seconds * collections / COLLECTIONS);
        }
    }

    private void end(List<Thread> threads) throws InterruptedException {
        stop = true;
        for (Thread thread : threads) {
            thread.join();
        }
    }

    /** The server's uptime when the time began to run. */
    public double beganAt() {
        return beganAt;
    }

    /** Cycles of all clients until now. */
    public long cycles() {
        return cycles.get();
    }

    /** Connections that came and went until now, those before the time ran included. */
    public long visits() {
        return Guests.REMEMBERED + guests.visits();
    }
}
