package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.AppendBatch;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.DeleteBatch;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: a power failure in a batch of deletes or of appends leaves each of them wholly there or not at all, answered ones always, shown
 * ones always; also when another operation comes in between. Method: as {@link NamespaceBatchCrashTest}.
 */
final class NamespaceBatchedChangesCrashTest {
    private static final long ROOT = Namespace.ROOT_ID;
    private static final int LIMIT = Math.max(50, Integer.getInteger("hmfs.recoveries", 50));
    private static final int AGAIN_IN_RECOVERY = Integer.getInteger("hmfs.again", 100);
    private static final int IMAGES_BETWEEN = Integer.getInteger("hmfs.images", 64);
    private static final String[] FILES = {"/a", "/b", "/c", "/d/x", "/d/y", "/e/z"};

    /** Executes a batch on the files of these paths. */
    interface Changes {
        void run(PoolNamespace namespace, List<String> paths);
    }

    record Case(String name, Changes changes, List<String> paths) {
        @Override
        public String toString() {
            return name + " " + paths;
        }
    }

    static Stream<Case> cases() {
        Changes delete = NamespaceBatchedChangesCrashTest::delete;
        Changes append = NamespaceBatchedChangesCrashTest::append;
        return Stream.of(
                new Case("delete", delete, List.of("/a", "/c")),
                new Case("delete", delete, List.of("/a", "/d/x", "/b", "/d/y")),
                new Case("delete", delete, List.of("/e/z", "/d/x", "/a")),
                new Case("append", append, List.of("/a", "/c")),
                new Case("append", append, List.of("/a", "/d/x", "/a")),
                new Case("single appends", NamespaceBatchedChangesCrashTest::appendEach, List.of("/a", "/c")));
    }

    private static SimPoolFile prepare() {
        SimPoolFile file = FreshPool.repeatable(16 << 10, 12);
        PoolNamespace n = open(file);
        Attributes out = new Attributes();
        for (String name : List.of("d", "e")) {
            assertEquals(Status.OK, n.mkdir(ROOT, Name.of(name), 0755, 0, 0, out));
        }
        for (String path : FILES) {
            assertEquals(Status.OK, n.create(parent(n, path), name(path), 0644, 0, 0, out));
        }
        n.close();
        return file.killed();
    }

    private static PoolNamespace open(SimPoolFile file) {
        return new PoolNamespace("sim", file, false);
    }

    private static long parent(Namespace namespace, String path) {
        String above = path.substring(0, path.lastIndexOf('/'));
        if (above.isEmpty()) {
            return ROOT;
        }
        Attributes out = new Attributes();
        assertEquals(Status.OK, namespace.stat(ROOT, Name.of(above.substring(1)), out));
        return out.id;
    }

    private static Name name(String path) {
        return Name.of(path.substring(path.lastIndexOf('/') + 1));
    }

    private static void delete(PoolNamespace namespace, List<String> paths) {
        DeleteBatch batch = new DeleteBatch(paths.size());
        paths.forEach(path -> batch.add(parent(namespace, path), name(path)));
        namespace.deleteAll(batch);
        for (int i = 0; i < batch.size(); i++) {
            assertEquals(Status.OK, batch.status(i));
        }
    }

    private static void append(PoolNamespace namespace, List<String> paths) {
        AppendBatch batch = new AppendBatch(paths.size());
        Attributes out = new Attributes();
        for (String path : paths) {
            assertEquals(Status.OK, namespace.stat(parent(namespace, path), name(path), out));
            batch.add(parent(namespace, path), name(path), out.id, 500);
        }
        namespace.appendAll(batch);
        for (int i = 0; i < batch.size(); i++) {
            assertEquals(Status.OK, batch.status(i));
        }
    }

    /** One after the other: each is durable, and only then shown, by itself. */
    private static void appendEach(PoolNamespace namespace, List<String> paths) {
        Attributes out = new Attributes();
        for (String path : paths) {
            long parent = parent(namespace, path);
            assertEquals(Status.OK, namespace.stat(parent, name(path), out));
            assertEquals(Status.OK, namespace.append(parent, name(path), out.id, 500));
        }
    }

    /** Each path is as before or as after; how many of the batch are as after. */
    private static int done(Map<String, String> seen, Map<String, String> before, Map<String, String> after) {
        int done = 0;
        for (Map.Entry<String, String> entry : before.entrySet()) {
            String there = seen.getOrDefault(entry.getKey(), "gone");
            String then = after.getOrDefault(entry.getKey(), "gone");
            assertTrue(there.equals(entry.getValue()) || there.equals(then), entry + ": " + there);
            done += !then.equals(entry.getValue()) && there.equals(then) ? 1 : 0;
        }
        assertTrue(before.keySet().containsAll(seen.keySet()));
        return done;
    }

    @ParameterizedTest
    @MethodSource("cases")
    void everyImageHoldsEachChangeWhollyOrNot(Case tested) {
        SimPoolFile prepared = prepare();
        PoolNamespace dry = open(prepared.killed());
        Map<String, String> before = Snapshot.of(dry);
        tested.changes().run(dry, tested.paths());
        Map<String, String> after = Snapshot.of(dry);
        int all = done(after, before, after);

        SimPoolFile file = prepared.killed();
        PoolNamespace namespace = open(file);
        Recoveries recoveries = new Recoveries(new Random(7), LIMIT, AGAIN_IN_RECOVERY);
        int[] partial = {0};
        boolean[] answered = {false};
        Runnable explore = () -> recoveries.explore(file, (seen, image) -> {
            int done = done(seen, before, after);
            assertTrue(done == all || !answered[0], "answered: " + seen);
            partial[0] += done > 0 && done < all ? 1 : 0;
        });
        file.pmem().beforeEachEvent(explore);
        tested.changes().run(namespace, tested.paths());
        file.pmem().beforeEachEvent(null);
        answered[0] = true;
        explore.run();
        assertEquals(after, Snapshot.of(namespace));
        assertTrue(partial[0] > 0, "images with some of the changes: " + partial[0]);
        System.out.println(tested + ": " + recoveries);
        assertTrue(recoveries.runs() > 5, "recoveries: " + recoveries.runs());
    }

    @ParameterizedTest
    @MethodSource("cases")
    void whatIsShownIsInEveryImage(Case tested) {
        SimPoolFile prepared = prepare();
        PoolNamespace dry = open(prepared.killed());
        Map<String, String> before = Snapshot.of(dry);
        tested.changes().run(dry, tested.paths());
        Map<String, String> after = Snapshot.of(dry);
        int shown = 0;
        boolean more = true;
        for (int event = 0; more; event++) {
            SimPoolFile file = prepared.killed();
            PoolNamespace namespace = open(file);
            int[] left = {event};
            int[] done = {0};
            int number = event;
            file.pmem().beforeEachEvent(() -> {
                if (!NamespaceInterleaveTest.holdsLatch() && left[0]-- == 0) {
                    Map<String, String> seen = Snapshot.byAnother(namespace);
                    done[0] = done(seen, before, after);
                    file.pmem().images(IMAGES_BETWEEN, number, image -> {
                        Map<String, String> there = Snapshot.of(open(file.crashed(image)));
                        for (Map.Entry<String, String> entry : before.entrySet()) {
                            String then = after.getOrDefault(entry.getKey(), "gone");
                            String was = seen.getOrDefault(entry.getKey(), "gone");
                            if (was.equals(then)) {
                                assertEquals(then, there.getOrDefault(entry.getKey(), "gone"), entry.getKey());
                            }
                        }
                    });
                }
            });
            tested.changes().run(namespace, tested.paths());
            file.pmem().beforeEachEvent(null);
            more = left[0] < 0;
            shown += done[0];
        }
        assertTrue(shown > 0, "nothing was shown before the end");
    }

    /** What another thread does between; takes no lock of the batch. */
    interface Between {
        void on(PoolNamespace namespace);

        default void inAnotherThread(PoolNamespace namespace) {
            CompletableFuture.runAsync(() -> on(namespace), task -> new Thread(task).start())
                    .join();
        }
    }

    static Stream<Between> betweens() {
        Attributes out = new Attributes();
        return Stream.of(
                n -> assertEquals(Status.OK, n.create(ROOT, Name.of("new"), 0600, 0, 0, out)),
                n -> assertEquals(Status.OK, n.delete(ROOT, Name.of("b"), out)),
                n -> assertEquals(Status.OK, n.rename(ROOT, Name.of("b"), ROOT, Name.of("moved"), false, out)),
                n -> n.sweep(ROOT));
    }

    @ParameterizedTest
    @MethodSource("betweens")
    void whatComesBetweenIsThereAndTheBatchToo(Between between) {
        SimPoolFile prepared = prepare();
        List<String> paths = List.of("/a", "/d/x", "/c");
        PoolNamespace dry = open(prepared.killed());
        between.on(dry);
        Map<String, String> without = Snapshot.of(dry);
        delete(dry, paths);
        Map<String, String> both = Snapshot.of(dry);
        boolean more = true;
        int events = 0;
        for (int event = 0; more; event++) {
            SimPoolFile file = prepared.killed();
            PoolNamespace namespace = open(file);
            int[] left = {event};
            int number = event;
            file.pmem().beforeEachEvent(() -> {
                if (!NamespaceInterleaveTest.holdsLatch() && left[0]-- == 0) {
                    between.inAnotherThread(namespace);
                    file.pmem().images(IMAGES_BETWEEN, number, image -> {
                        PoolNamespace after = open(file.crashed(image));
                        Map<String, String> seen = Snapshot.of(after);
                        assertTrue(
                                without.entrySet().containsAll(seen.entrySet())
                                        && seen.entrySet().containsAll(both.entrySet()),
                                () -> "event " + number + ", image " + image + ": " + seen);
                        after.scanInBackground();
                        assertEquals(List.of(), after.problems());
                    });
                }
            });
            delete(namespace, paths);
            file.pmem().beforeEachEvent(null);
            more = left[0] < 0;
            events++;
            if (more) {
                assertEquals(both, Snapshot.of(namespace));
            }
            namespace.scanInBackground();
            assertEquals(List.of(), namespace.problems(), "event " + event);
        }
        assertTrue(events > 8, "events: " + events);
    }
}
