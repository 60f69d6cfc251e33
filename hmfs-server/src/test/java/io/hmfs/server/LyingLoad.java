package io.hmfs.server;

import io.hmfs.client.HmfsClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.io.TempDir;

/** What tests of a server on a {@link LyingDisk} have in common: clients that work while the disk is in trouble, and what is told of it when one fails. */
abstract class LyingLoad {
    static final int CLIENTS = 3;

    /** Works on its own directory, and knows what was acknowledged. */
    interface Worker extends AutoCloseable {
        void workOnce() throws Exception;

        /** What another client reads is what was acknowledged. */
        void compare(HmfsClient reader) throws IOException;

        @Override
        void close();
    }

    /** What is done to disk and server while the clients work. */
    interface Trouble {
        void make(LyingDisk disk, ServerMachine machine) throws Exception;
    }

    @TempDir
    Path directory;

    final long seed = Long.getLong("hmfs.seed", 1);
    final List<String> history = new ArrayList<>();
    private final AtomicInteger rounds = new AtomicInteger();
    private final List<Future<?>> working = new ArrayList<>();
    private volatile boolean over;

    abstract HmfsClient connect(ServerMachine machine) throws IOException;

    abstract Worker worker(ServerMachine machine, int number) throws IOException;

    void underLoad(List<String> settings, Trouble trouble) throws Exception {
        try (LyingDisk disk = LyingDisk.mount(directory, seed);
                ServerMachine machine = ServerMachine.onLyingDisk(disk, directory, settings);
                ExecutorService threads = Executors.newFixedThreadPool(CLIENTS)) {
            List<Worker> workers = new ArrayList<>();
            try {
                machine.start();
                for (int i = 0; i < CLIENTS; i++) {
                    Worker worker = worker(machine, i);
                    workers.add(worker);
                    working.add(threads.submit(() -> work(worker)));
                }
                trouble.make(disk, machine);
                over = true;
                for (Future<?> each : working) {
                    each.get();
                }
                try (HmfsClient other = connect(machine)) {
                    for (Worker each : workers) {
                        each.compare(other);
                    }
                }
                System.out.println("seed " + seed + ", " + rounds + " rounds: " + history);
            } catch (Exception | AssertionError e) {
                throw failed(e);
            } finally {
                over = true;
                threads.shutdownNow(); // none waits for a server that did not start again
                workers.forEach(Worker::close);
            }
        }
    }

    private Void work(Worker worker) throws Exception {
        while (!over) {
            worker.workOnce();
            rounds.incrementAndGet();
        }
        return null;
    }

    /** Waits for something; fails if a client does meanwhile. */
    void await(String what, Callable<Boolean> condition) throws Exception {
        Await.until(what, () -> condition.call() || working.stream().anyMatch(Future::isDone));
        for (Future<?> each : working) {
            if (each.isDone()) {
                each.get();
            }
        }
    }

    /** Until some client has done its work once more. */
    void awaitRound() throws Exception {
        int before = rounds.get();
        await("changes", () -> rounds.get() > before);
    }

    AssertionError failed(Throwable e) {
        Throwable cause = e instanceof ExecutionException && e.getCause() != null ? e.getCause() : e;
        return new AssertionError(
                "seed " + seed + " (-Dhmfs.seed), after " + history + ": " + cause.getMessage(), cause);
    }
}
