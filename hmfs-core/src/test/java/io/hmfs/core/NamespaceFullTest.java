package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.recovery.Superblock;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.core.type.XattrMode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: a full pool says so, goes on serving, and what is deleted can be used again at once, also by several threads. */
final class NamespaceFullTest {
    private static final long ROOT = Namespace.ROOT_ID;
    private static final int THREADS = 4;
    private static final int ROUNDS = 3000;
    private static final int FEW_ROUNDS = 200; // each sweeps a long list

    /** Files that each thread holds less than the pool has room for: those that others have deleted and not yet made again. */
    private static final int SLACK = 2;

    @TempDir
    Path directory;

    private Namespace namespace;
    private final Attributes out = new Attributes();

    @BeforeEach
    void makePool() throws IOException {
        Path pool = directory.resolve("pool");
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        namespace = Hmfs.open(pool, OpenOptions.process());
    }

    @AfterEach
    void close() {
        namespace.close();
    }

    private static Name name(long number) {
        return Name.of("file-" + number);
    }

    /** Creates until the pool is full; the number of files. */
    private long fill(long parent) {
        for (long number = 0; ; number++) {
            Status status = namespace.create(parent, name(number), 0644, 0, 0, out);
            if (status == Status.NO_SPACE) {
                assertTrue(number > 100_000, "full after " + number);
                return number;
            }
            assertEquals(Status.OK, status);
        }
    }

    @Test
    void aFullPoolSaysSoAndIsUsableAfterADelete() throws IOException {
        int count = 0;
        while (namespace.create(ROOT, Name.of("f" + count), 0644, 0, 0, out) == Status.OK) {
            count++;
        }
        assertTrue(count > 100_000, "files in a pool of 64 MiB: " + count);
        assertEquals(Status.OK, namespace.stat(ROOT, Name.of("f0"), out));
        for (int i = 0; i < 1000; i++) {
            assertEquals(Status.OK, namespace.delete(ROOT, Name.of("f" + i), out));
        }
        int again = 0;
        long deadline = System.nanoTime() + 120_000_000_000L;
        while (again < 500 && System.nanoTime() < deadline) {
            again += namespace.create(ROOT, Name.of("g" + again), 0644, 0, 0, out) == Status.OK ? 1 : 0;
        }
        assertEquals(500, again);
        for (int i = 1000; i < 2000; i++) {
            assertEquals(Status.OK, namespace.delete(ROOT, Name.of("f" + i), out));
        }
        namespace.close();
        namespace = Hmfs.open(directory.resolve("pool"), OpenOptions.process());
        for (int i = 0; i < 500; i++) {
            // At once, though no region is free and the scan has only begun.
            assertEquals(Status.OK, namespace.create(ROOT, Name.of("h" + i), 0644, 0, 0, out));
        }
    }

    @Test
    void eachDeleteMakesRoomForACreateOrARename() {
        long count = fill(ROOT);
        assertEquals(Status.OK, namespace.stat(ROOT, name(count - 1), out));
        assertEquals(Status.NO_SPACE, namespace.mkdir(ROOT, Name.of("directory"), 0755, 0, 0, out));
        assertEquals(Status.NO_SPACE, namespace.rename(ROOT, name(1), ROOT, Name.of("elsewhere"), false, out));
        assertEquals(Status.OK, namespace.stat(ROOT, name(1), out));
        assertEquals(Status.OK, namespace.append(ROOT, name(1), out.id, 77));
        for (int round = 0; round < FEW_ROUNDS; round++) {
            assertEquals(Status.OK, namespace.delete(ROOT, name(round), out), "round " + round);
            assertEquals(Status.OK, namespace.create(ROOT, name(count + round), 0644, 0, 0, out), "round " + round);
        }
        assertEquals(Status.OK, namespace.delete(ROOT, name(FEW_ROUNDS), out));
        assertEquals(Status.OK, namespace.rename(ROOT, name(FEW_ROUNDS + 1), ROOT, Name.of("elsewhere"), false, out));
        assertEquals(Status.OK, namespace.create(ROOT, name(0), 0644, 0, 0, out), "the slot that the rename left");
        assertEquals(Status.NO_SPACE, namespace.create(ROOT, name(1), 0644, 0, 0, out));
    }

    /** There is always room for a thread that asks, but it may be on its way from one thread to another: once in forty runs showed that. */
    @RepeatedTest(20)
    void whatOneThreadDeletesAllMayUse() throws InterruptedException {
        long[] parents = new long[THREADS];
        for (int i = 0; i < THREADS; i++) {
            assertEquals(Status.OK, namespace.mkdir(ROOT, Name.of("directory" + i), 0755, 0, 0, out));
            parents[i] = out.id;
        }
        long count = fill(ROOT);
        for (long number = 0; number < THREADS * SLACK; number++) {
            assertEquals(Status.OK, namespace.delete(ROOT, name(number), out));
        }
        Queue<Throwable> errors = new ConcurrentLinkedQueue<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            long parent = parents[i];
            threads.add(Thread.ofPlatform().start(() -> {
                try {
                    churn(parent);
                } catch (RuntimeException | Error e) {
                    errors.add(e);
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(List.of(), List.copyOf(errors));
        assertEquals(Status.OK, namespace.stat(ROOT, name(count - 1), out));
    }

    private void churn(long parent) {
        Attributes mine = new Attributes();
        ArrayDeque<Name> there = new ArrayDeque<>();
        for (int round = 0; round < ROUNDS; round++) {
            assertEquals(Status.OK, namespace.create(parent, name(round), 0644, 0, 0, mine), "round " + round);
            there.add(name(round));
            if (there.size() == SLACK) {
                assertEquals(Status.OK, namespace.delete(parent, there.remove(), mine));
            }
        }
    }

    private PoolNamespace full(SimPoolFile file) throws IOException {
        Superblock.format(Path.of("sim"), file, new UUID(1, 2), 42, 2);
        PoolNamespace filled = new PoolNamespace("sim", file, false);
        for (int i = 0; filled.create(ROOT, name(i), 0644, 0, 0, out) == Status.OK; i++) {
            // until it is full
        }
        return filled;
    }

    /** What it takes itself and gives back is no room that others have taken. */
    @Test
    void aRefusedThreadMakesNoMoreRoundsForWhatItGivesBack() throws IOException {
        SimPoolFile file = new SimPoolFile(32 << 10, 14);
        try (PoolNamespace filled = full(file)) {
            int[] rounds = new int[1];
            filled.whenFull(() -> {
                rounds[0]++;
                return false;
            });
            Name attribute = Name.of("user.a");
            assertEquals(
                    Status.NO_SPACE, filled.setXattr(ROOT, name(0), attribute, new byte[60_000], XattrMode.CREATE));
            int asked = rounds[0];
            assertTrue(asked > 0 && asked < 10, "rounds: " + asked);
            byte[] target = "x".repeat(3000).getBytes(StandardCharsets.UTF_8);
            assertEquals(Status.NO_SPACE, filled.symlink(ROOT, Name.of("link"), target, 0, 0, out));
            assertTrue(rounds[0] - asked < 10, "rounds: " + rounds[0]);
        }
    }

    @Test
    void aCreateThatFindsNoRoomWaitsForADeleteThatIsUnderWay() throws Exception {
        SimPoolFile file = new SimPoolFile(32 << 10, 14);
        try (PoolNamespace filled = full(file)) {
            AtomicReference<Status> answer = new AtomicReference<>();
            Thread asking = Thread.ofPlatform()
                    .unstarted(() -> answer.set(filled.create(ROOT, Name.of("more"), 0644, 0, 0, new Attributes())));
            Thread deleting = Thread.currentThread();
            file.pmem().beforeEachEvent(() -> {
                if (Thread.currentThread().equals(deleting) && asking.getState() == Thread.State.NEW) {
                    asking.start();
                    while (asking.getState() != Thread.State.TIMED_WAITING && asking.isAlive()) {
                        Thread.onSpinWait();
                    }
                }
            });
            assertEquals(Status.OK, filled.delete(ROOT, name(0), out));
            asking.join();
            assertEquals(Status.OK, answer.get());
        }
    }

    @Test
    void aThreadThatWaitsForRoomWhenTheEngineStopsIsNotToldThatThereIsNone() throws Exception {
        SimPoolFile file = new SimPoolFile(32 << 10, 14);
        full(file).close();
        SimPoolFile opened = file.killed();
        CountDownLatch scan = new CountDownLatch(1);
        Thread main = Thread.currentThread();
        AtomicBoolean dies = new AtomicBoolean();
        opened.pmem().beforeEachLoad(() -> {
            if (Thread.currentThread().getName().equals("hmfs-scan")) {
                hold(scan); // so a thread that finds no room waits for it
            } else if (dies.get() && Thread.currentThread().equals(main)) {
                throw new IndexOutOfBoundsException("a bad pointer");
            }
        });
        PoolNamespace stopping = new PoolNamespace("sim", opened, true);
        AtomicReference<Object> answer = new AtomicReference<>();
        Thread waiting = Thread.ofPlatform().start(() -> {
            try {
                Status status = Status.OK;
                for (int i = 0; status == Status.OK; i++) { // the start may have a few slots at hand
                    status = stopping.create(ROOT, Name.of("more" + i), 0644, 0, 0, new Attributes());
                }
                answer.set(status);
            } catch (IllegalStateException e) {
                answer.set(e);
            }
        });
        while (waiting.getState() != Thread.State.TIMED_WAITING && waiting.isAlive()) {
            Thread.onSpinWait();
        }
        dies.set(true);
        assertThrows(IndexOutOfBoundsException.class, () -> stopping.stat(ROOT, name(0), new Attributes()));
        dies.set(false);
        waiting.join();
        assertInstanceOf(IllegalStateException.class, answer.get());
        scan.countDown();
        stopping.close();
    }

    private static void hold(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
