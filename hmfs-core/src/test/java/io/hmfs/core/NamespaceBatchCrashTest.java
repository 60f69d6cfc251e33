package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.sim.Sample;
import io.hmfs.core.sim.SimAcls;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Acl;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.CreateBatch;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: a power failure in a batch leaves each directory with all of its new children or none, answered ones always, shown ones
 * always; also when another operation comes in between. Method: as NamespaceCrashTest and NamespaceInterleaveTest; where another
 * operation comes in between, every image of a moment that has no more than {@code -Dhmfs.images=N}, else so many of them.
 */
final class NamespaceBatchCrashTest {
    private static final long ROOT = Namespace.ROOT_ID;
    /** New recoveries of a moment. */
    private static final int LIMIT = Math.max(50, Integer.getInteger("hmfs.recoveries", 50));

    private static final int AGAIN_IN_RECOVERY = Integer.getInteger("hmfs.again", 100);

    private static final int IMAGES_BETWEEN = Integer.getInteger("hmfs.images", 64);
    private static final int AGAIN = 8;
    private static final int SAMPLED = 3;

    /** Paths to create; those that end in a slash are directories. */
    record Case(List<String> paths) {
        @Override
        public String toString() {
            return paths.toString();
        }
    }

    static Stream<Case> cases() {
        return Stream.of(
                new Case(List.of("/d/new1", "/d/new2")),
                new Case(List.of("/new1", "/a", "/new2", "/new3")),
                new Case(List.of("/d/new1", "/e/new2")),
                new Case(List.of("/d/new1", "/e/new2", "/d/" + "n".repeat(100))),
                new Case(List.of("/new1", "/sub/", "/d/sub/")),
                new Case(List.of("/d/new1", "/d/acl1", "/e/acl2")));
    }

    private static SimPoolFile prepare() {
        SimPoolFile file = FreshPool.repeatable(16 << 10, 12);
        PoolNamespace n = open(file);
        Attributes out = new Attributes();
        for (String name : List.of("d", "e", "f")) {
            assertEquals(Status.OK, n.mkdir(ROOT, Name.of(name), 0755, 0, 0, out));
        }
        for (String name : List.of("a", "b", "dead")) {
            assertEquals(Status.OK, n.create(ROOT, Name.of(name), 0644, 0, 0, out));
        }
        assertEquals(Status.OK, n.delete(ROOT, Name.of("dead"), out));
        n.close();
        return file.killed();
    }

    private static PoolNamespace open(SimPoolFile file) {
        return new PoolNamespace("sim", file, false);
    }

    private static String parentOf(String path) {
        return path.substring(0, path.lastIndexOf('/', path.length() - 2));
    }

    private static CreateBatch batch(Namespace namespace, List<String> paths) {
        Attributes out = new Attributes();
        CreateBatch batch = new CreateBatch(paths.size());
        for (String path : paths) {
            String parent = parentOf(path);
            long id = ROOT;
            if (!parent.isEmpty()) {
                assertEquals(Status.OK, namespace.stat(ROOT, Name.of(parent.substring(1)), out));
                id = out.id;
            }
            Name name = Name.of(path.substring(parent.length() + 1).replace("/", ""));
            if (path.endsWith("/")) {
                batch.addDirectory(id, name, 0711, 3, 4);
            } else {
                batch.addFile(id, name, 0611, 3, 4, path.contains("acl") ? SimAcls.of(6, false, 5) : Acl.NONE);
            }
        }
        return batch;
    }

    private static Map<String, String> withoutIds(Map<String, String> seen) {
        Map<String, String> without = new TreeMap<>();
        seen.forEach((path, entry) -> without.put(path, entry.replaceAll(" id=\\d+", "")));
        return without;
    }

    @ParameterizedTest
    @MethodSource("cases")
    void everyImageHoldsAllNewChildrenOfADirectoryOrNone(Case tested) {
        SimPoolFile prepared = prepare();
        PoolNamespace dry = open(prepared.killed());
        Map<String, String> before = Snapshot.of(dry);
        dry.createAll(batch(dry, tested.paths()));
        Map<String, String> after = Snapshot.of(dry);

        SimPoolFile file = prepared.killed();
        PoolNamespace namespace = open(file);
        CreateBatch batch = batch(namespace, tested.paths());
        Random random = new Random(7);
        Recoveries recoveries = new Recoveries(random, LIMIT, AGAIN_IN_RECOVERY);
        int[] partial = {0};
        boolean[] answered = {false};
        Runnable explore = () -> recoveries.explore(file, (seen, image) -> {
            if (random.nextInt(AGAIN) == 0) { // the same once more, over what the crash has left
                PoolNamespace again = open(file.crashed(image));
                again.createAll(batch(again, tested.paths()));
                assertEquals(withoutIds(after), withoutIds(Snapshot.of(again)));
                again.scanInBackground();
                assertEquals(List.of(), again.problems());
            }
            Map<String, Boolean> has = new HashMap<>();
            for (Map.Entry<String, String> entry : after.entrySet()) {
                String path = entry.getKey();
                if (before.containsKey(path)) {
                    assertEquals(entry.getValue(), seen.get(path));
                } else {
                    boolean there = seen.containsKey(path);
                    assertEquals(there, has.getOrDefault(parentOf(path), there), path + ": " + seen);
                    has.put(parentOf(path), there);
                    assertTrue(there || !answered[0], path + " was answered");
                    assertTrue(!there || entry.getValue().equals(seen.get(path)), path);
                }
            }
            assertTrue(after.keySet().containsAll(seen.keySet()));
            partial[0] += has.containsValue(true) && has.containsValue(false) ? 1 : 0;
        });
        Sample sample = new Sample(SAMPLED, tested.toString());
        file.pmem().beforeEachEvent(() -> {
            if (sample.takes()) {
                explore.run();
            }
        });
        namespace.createAll(batch);
        file.pmem().beforeEachEvent(null);
        answered[0] = true;
        explore.run();
        assertEquals(after, Snapshot.of(namespace));
        long directories = tested.paths().stream()
                .map(NamespaceBatchCrashTest::parentOf)
                .distinct()
                .count();
        assertEquals(directories > 1, partial[0] > 0, "images with one directory and not the other: " + partial[0]);
        System.out.println(tested + ": " + recoveries);
        assertTrue(recoveries.runs() > 100, "recoveries: " + recoveries.runs());
    }

    @Test
    void whatIsShownIsInEveryImage() {
        SimPoolFile prepared = prepare();
        // In the root, whose own line a snapshot does not write back: it does so for each directory that it stats, and
        // fences.
        List<String> paths = List.of("/new1", "/e/new2", "/new3");
        int shown = 0;
        boolean more = true;
        for (int event = 0; more; event++) {
            SimPoolFile file = prepared.killed();
            PoolNamespace namespace = open(file);
            CreateBatch batch = batch(namespace, paths);
            int[] left = {event};
            int[] seenNew = {0};
            file.pmem().beforeEachEvent(() -> {
                if (left[0]-- == 0) {
                    Map<String, String> seen = Snapshot.byAnother(namespace);
                    seenNew[0] = seen.keySet().stream().anyMatch(path -> path.contains("new")) ? 1 : 0;
                    file.pmem().images(IMAGES_BETWEEN, left[0], image -> {
                        Map<String, String> there = Snapshot.of(open(file.crashed(image)));
                        assertTrue(there.entrySet().containsAll(seen.entrySet()), image + ": " + seen + ", " + there);
                    });
                }
            });
            namespace.createAll(batch);
            file.pmem().beforeEachEvent(null);
            more = left[0] < 0;
            shown += seenNew[0];
        }
        assertTrue(shown >= 2, "shown before the end: " + shown);
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
                n -> assertEquals(Status.OK, n.create(ROOT, Name.of("x"), 0600, 0, 0, out)),
                n -> assertEquals(Status.OK, n.delete(ROOT, Name.of("a"), out)),
                n -> assertEquals(Status.OK, n.rename(ROOT, Name.of("a"), ROOT, Name.of("b"), true, new Attributes())),
                n -> n.sweep(ROOT));
    }

    @ParameterizedTest
    @MethodSource("betweens")
    void whatComesBetweenIsThereAndTheBatchToo(Between between) {
        SimPoolFile prepared = prepare();
        List<String> paths = List.of("/new1", "/new2", "/d/new3");
        PoolNamespace dry = open(prepared.killed());
        between.on(dry);
        Map<String, String> without = withoutIds(Snapshot.of(dry));
        dry.createAll(batch(dry, paths));
        Map<String, String> both = withoutIds(Snapshot.of(dry));
        boolean more = true;
        int events = 0;
        for (int event = 0; more; event++) {
            SimPoolFile file = prepared.killed();
            PoolNamespace namespace = open(file);
            CreateBatch batch = batch(namespace, paths);
            int[] left = {event};
            int number = event;
            file.pmem().beforeEachEvent(() -> {
                if (!NamespaceInterleaveTest.holdsLatch() && left[0]-- == 0) {
                    between.inAnotherThread(namespace);
                    file.pmem().images(IMAGES_BETWEEN, number, image -> {
                        PoolNamespace after = open(file.crashed(image));
                        Map<String, String> seen = withoutIds(Snapshot.of(after));
                        assertTrue(
                                seen.entrySet().containsAll(without.entrySet())
                                        && both.entrySet().containsAll(seen.entrySet()),
                                () -> "event " + number + ", image " + image + ": " + seen);
                        assertEquals(seen.containsKey("/new1"), seen.containsKey("/new2"));
                        after.scanInBackground();
                        assertEquals(List.of(), after.problems());
                    });
                }
            });
            namespace.createAll(batch);
            file.pmem().beforeEachEvent(null);
            more = left[0] < 0;
            events++;
            assertEquals(more ? both : withoutBetween(both, namespace), withoutIds(Snapshot.of(namespace)));
            namespace.scanInBackground();
            assertEquals(List.of(), namespace.problems(), "event " + event);
        }
        assertTrue(events > 10, "events: " + events);
    }

    /** In the last round the batch has no such event, and nothing came between. */
    private static Map<String, String> withoutBetween(Map<String, String> both, PoolNamespace namespace) {
        assertTrue(both.containsKey("/new1"));
        return withoutIds(Snapshot.of(namespace));
    }

    @Test
    void aDirectoryThatIsClosedMeanwhileRefusesItsOwnCreatesOnly() {
        int refused = 0;
        boolean more = true;
        for (int event = 0; more; event++) {
            SimPoolFile file = new SimPoolFile(32 << 10, 14);
            PoolNamespace namespace = FreshPool.open(file); // what is free is known without a scan
            Attributes out = new Attributes();
            assertEquals(Status.OK, namespace.mkdir(ROOT, Name.of("e"), 0755, 0, 0, out));
            long e = out.id;
            CreateBatch batch = batch(namespace, List.of("/e/new1", "/new2", "/e/new3", "/e/sub/"));
            int[] left = {event};
            boolean[] closed = {false};
            file.pmem().beforeEachEvent(() -> {
                if (!NamespaceInterleaveTest.holdsLatch() && left[0]-- == 0 && isEmpty(file.pmem(), e)) {
                    closed[0] = true;
                    assertEquals(Status.OK, namespace.rmdir(ROOT, Name.of("e")));
                }
            });
            namespace.createAll(batch);
            file.pmem().beforeEachEvent(null);
            more = left[0] < 0;
            Status expected = closed[0] ? Status.NO_SUCH_DIRECTORY : Status.OK;
            String where = "event " + event;
            assertEquals(expected, batch.status(0), where);
            assertEquals(Status.OK, batch.status(1), where);
            assertEquals(expected, batch.status(2), where);
            assertEquals(expected, batch.status(3), where);
            assertEquals(closed[0] ? 1 : 5, Snapshot.of(namespace).size(), where);
            assertEquals(List.of(), namespace.problems(), where);
            refused += closed[0] ? 1 : 0;
        }
        assertTrue(refused > 5, "refused " + refused + " times");
    }

    private static boolean isEmpty(Pmem pmem, long directory) {
        long live = EntryRecord.status(SlotState.NORMAL, EntryRecord.KIND_CONTENT, 0);
        for (long at = 0; at < pmem.size(); at += Pmem.LINE) {
            if (pmem.get(at) == live && DirContentRecord.id(pmem, at) == directory) {
                return DirContentRecord.childHead(pmem, at) == Pmem.NULL;
            }
        }
        return false;
    }
}
