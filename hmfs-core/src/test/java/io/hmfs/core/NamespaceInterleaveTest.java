package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.engine.Clock;
import io.hmfs.core.engine.IdSource;
import io.hmfs.core.engine.IndexSegments;
import io.hmfs.core.engine.OutcomeRingOwners;
import io.hmfs.core.engine.Principals;
import io.hmfs.core.engine.RecordTable;
import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.recovery.Superblock;
import io.hmfs.core.sim.Sample;
import io.hmfs.core.sim.SimAcls;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.sim.Values;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.core.type.XattrMode;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: an operation that is answered while another stands still at any of its events is there after a power failure at that
 * moment, whatever becomes of the other. Method: at each event of the outer operation the inner one runs whole; images of that
 * moment are opened, and so is the pool after the outer one has ended.
 */
public final class NamespaceInterleaveTest {
    private static final int SAMPLED = 6;
    private static final long ROOT = Namespace.ROOT_ID;
    private static final int IMAGES = 10;

    /** Part of a pair; the two take no lock in common, since one thread runs both. */
    interface Action {
        void on(PoolNamespace namespace);
    }

    record Pair(String name, Action outer, Action inner) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static void ok(Status status) {
        assertEquals(Status.OK, status);
    }

    static Stream<Pair> pairs() {
        Sample sample = new Sample(SAMPLED, "pairs");
        Attributes out = new Attributes();
        Action sweep = n -> n.sweep(ROOT);
        Action create = n -> ok(n.create(ROOT, Name.of("new"), 0611, 0, 0, out));
        Action delete = n -> ok(n.delete(ROOT, Name.of("x"), out));
        Action rename = n -> ok(n.rename(ROOT, Name.of("y"), ROOT, Name.of("moved"), true, out));
        Action replace = n -> ok(n.rename(ROOT, Name.of("y"), ROOT, Name.of("z"), true, out));
        Action move = n -> ok(n.rename(ROOT, Name.of("d"), ROOT, Name.of("directory"), true, out));
        Action mkdir = n -> ok(n.mkdir(ROOT, Name.of("newdir"), 0711, 0, 0, out));
        Action rmdir = n -> ok(n.rmdir(ROOT, Name.of("e")));
        Action replaceDirectory = n -> ok(n.rename(ROOT, Name.of("d"), ROOT, Name.of("e"), true, out));
        Action symlink = n -> ok(n.symlink(ROOT, Name.of("link"), Values.target(400, 1), 0, 0, out));
        Action set = n -> ok(set(n, "x", "user.b", 500));
        Action setAgain = n -> ok(set(n, "x", "user.a", 50));
        Action remove = n -> ok(n.removeXattr(ROOT, Name.of("x"), Name.of("user.a")));
        Action renameX = n -> ok(n.rename(ROOT, Name.of("x"), ROOT, Name.of("moved"), true, out));
        return Stream.of(
                        new Pair("replace directory, create", replaceDirectory, create),
                        new Pair("create, replace directory", create, replaceDirectory),
                        new Pair("replace directory, sweep", replaceDirectory, sweep),
                        new Pair("sweep, replace directory", sweep, replaceDirectory),
                        new Pair("set, set", set, setAgain),
                        new Pair("set, remove", set, remove),
                        new Pair("remove, set", remove, set),
                        new Pair("set, symlink", set, symlink),
                        new Pair("symlink, set", symlink, set),
                        new Pair("set, sweep", set, sweep),
                        new Pair("sweep, set", sweep, setAgain),
                        new Pair("rename with attributes, create", renameX, create),
                        new Pair("rename with attributes, sweep", renameX, sweep),
                        new Pair("sweep, create", sweep, create),
                        new Pair("create, sweep", create, sweep),
                        new Pair("sweep, delete", sweep, delete),
                        new Pair("sweep, rename", sweep, rename),
                        new Pair("sweep, move", sweep, move),
                        new Pair("create, delete", create, delete),
                        new Pair("delete, create", delete, create),
                        new Pair("rename, delete", rename, delete),
                        new Pair("delete, replace", delete, replace),
                        new Pair("replace, create", replace, create),
                        new Pair("move, mkdir", move, mkdir),
                        new Pair("rmdir, create", rmdir, create),
                        new Pair("create, rmdir", create, rmdir),
                        new Pair("mkdir, rename", mkdir, rename),
                        new Pair("move, sweep", move, sweep),
                        new Pair("replace, sweep", replace, sweep))
                .filter(_ -> sample.takes());
    }

    private static Status set(PoolNamespace n, String name, String attribute, int size) {
        return n.setXattr(ROOT, Name.of(name), Name.of(attribute), Values.of(size, size), XattrMode.CREATE_OR_REPLACE);
    }

    private static SimPoolFile prepare() throws PoolException {
        SimPoolFile file = new SimPoolFile(32 << 10, 14);
        Superblock.format(Path.of("sim"), file, new UUID(1, 2), 42, 2);
        PoolNamespace n = new PoolNamespace("sim", file, false);
        Attributes out = new Attributes();
        for (String name : List.of("x", "dead1", "y", "dead2", "z", "dead3", "dead4")) {
            ok(n.create(ROOT, Name.of(name), 0600 + name.charAt(0) % 64, 0, 0, out));
        }
        ok(n.mkdir(ROOT, Name.of("d"), 0755, 0, 0, out));
        ok(n.create(out.id, Name.of("within"), 0644, 0, 0, out));
        ok(n.mkdir(ROOT, Name.of("e"), 0755, 0, 0, out));
        ok(n.create(ROOT, Name.of("deadHead"), 0600, 0, 0, out));
        ok(set(n, "x", "user.a", 400));
        ok(set(n, "dead2", "user.a", 400));
        for (String name : List.of("dead1", "dead2", "dead3", "dead4", "deadHead")) {
            ok(n.delete(ROOT, Name.of(name), out));
        }
        n.close();
        return file.killed();
    }

    /** Without ids, which depend on the order. */
    private static Map<String, String> look(PoolNamespace namespace) {
        Map<String, String> seen = new TreeMap<>();
        Snapshot.of(namespace).forEach((path, entry) -> seen.put(path, entry.replaceAll(" id=\\d+", "")));
        return seen;
    }

    private static PoolNamespace open(SimPoolFile file) {
        return new PoolNamespace("sim", file, false);
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void theInnerOneIsThereWhateverBecomesOfTheOuter(Pair pair) throws PoolException {
        SimPoolFile prepared = prepare();
        PoolNamespace dry = open(prepared.killed());
        pair.inner().on(dry);
        Map<String, String> innerAlone = look(dry);
        pair.outer().on(dry);
        Map<String, String> both = look(dry);
        int event = 0;
        while (interleave(pair, prepared.killed(), event, innerAlone, both)) {
            event++;
        }
        assertTrue(event > 4, "events: " + event);
    }

    /** False if the outer operation has no such event. */
    private static boolean interleave(
            Pair pair, SimPoolFile file, int event, Map<String, String> innerAlone, Map<String, String> both) {
        PoolNamespace namespace = open(file);
        int[] left = {event};
        file.pmem().beforeEachEvent(() -> {
            if (!holdsLatch() && left[0]-- == 0) {
                pair.inner().on(namespace);
                file.pmem().images(IMAGES, event, image -> {
                    PoolNamespace after = open(file.crashed(image));
                    Map<String, String> seen = look(after);
                    assertTrue(
                            seen.equals(innerAlone) || seen.equals(both),
                            () -> "event " + event + ", image " + image + ": " + seen);
                    after.scanInBackground();
                    assertEquals(List.of(), after.problems());
                });
            }
        });
        pair.outer().on(namespace);
        file.pmem().beforeEachEvent(null);
        if (left[0] >= 0) {
            return false;
        }
        assertEquals(both, look(namespace), "event " + event);
        namespace.scanInBackground();
        assertEquals(List.of(), namespace.problems(), "event " + event);
        return true;
    }

    /** Of the engine's own: what they store, they store under their monitor. */
    private static final Set<String> LATCHES = Stream.of(
                    OutcomeRingOwners.class,
                    Clock.class,
                    IdSource.class,
                    IndexSegments.class,
                    Principals.class,
                    RecordTable.class)
            .map(Class::getName)
            .collect(Collectors.toUnmodifiableSet());

    /** Index and allocator hold latches of their own, which the same thread cannot take again. */
    public static boolean holdsLatch() {
        return StackWalker.getInstance()
                .walk(frames -> frames.map(StackWalker.StackFrame::getClassName)
                        .anyMatch(name -> name.startsWith("io.hmfs.core.index.")
                                || name.startsWith("io.hmfs.core.alloc.")
                                || LATCHES.contains(name)));
    }

    /** The outer operation finds its target closed, by an rmdir that comes before the outer one has linked anything. */
    @Test
    void whatMeetsAClosedDirectoryLeavesNothingBehind() throws PoolException {
        Attributes out = new Attributes();
        Map<String, Target> outers = Map.of(
                "create", (n, id) -> n.create(id, Name.of("new"), 0611, 0, 0, out),
                "mkdir", (n, id) -> n.mkdir(id, Name.of("new"), 0711, 0, 0, out),
                "rename", (n, id) -> n.rename(ROOT, Name.of("x"), id, Name.of("new"), true, out),
                "move", (n, id) -> n.rename(ROOT, Name.of("d"), id, Name.of("new"), true, out),
                "link", (n, id) -> n.link(ROOT, Name.of("x"), id, Name.of("new"), out),
                "link the third name", (n, id) -> n.link(ROOT, Name.of("two"), id, Name.of("new"), out));
        for (Map.Entry<String, Target> outer : outers.entrySet()) {
            int refused = 0;
            int event = 0;
            while (true) {
                SimPoolFile file = new SimPoolFile(32 << 10, 14);
                Superblock.format(Path.of("sim"), file, new UUID(1, 2), 42, 2);
                PoolNamespace n = open(file); // a fresh pool: what is free is known without a scan
                ok(n.create(ROOT, Name.of("x"), 0644, 0, 0, out));
                ok(n.create(ROOT, Name.of("one"), 0644, 0, 0, out));
                ok(n.link(ROOT, Name.of("one"), ROOT, Name.of("two"), out));
                ok(n.mkdir(ROOT, Name.of("d"), 0755, 0, 0, out));
                ok(n.mkdir(ROOT, Name.of("e"), 0755, 0, 0, out));
                long e = out.id;
                int[] left = {event++};
                file.pmem().beforeEachEvent(() -> {
                    if (!holdsLatch() && left[0]-- == 0 && isEmpty(file.pmem(), e)) {
                        ok(n.rmdir(ROOT, Name.of("e")));
                    }
                });
                Status status = outer.getValue().on(n, e);
                file.pmem().beforeEachEvent(null);
                if (left[0] >= 0) {
                    break;
                }
                refused += status == Status.NO_SUCH_DIRECTORY ? 1 : 0;
                Map<String, String> seen = look(n);
                String where = outer.getKey() + " at event " + event + " " + status + ": " + seen;
                assertEquals(status == Status.OK, seen.containsKey("/e/new"), where);
                assertEquals(List.of(), n.problems(), where);
                file.pmem().images(3, event, image -> {
                    PoolNamespace after = open(file.crashed(image));
                    assertEquals(seen, look(after), () -> where + ", image " + image);
                    after.scanInBackground();
                    assertEquals(List.of(), after.problems(), () -> where + ", image " + image);
                });
            }
            assertTrue(refused > 2, outer.getKey() + " was refused " + refused + " times");
        }
    }

    /** An operation on a directory by its id. */
    interface Target {
        Status on(PoolNamespace namespace, long directory);
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

    record Change(String target, String text, Action action) {
        @Override
        public String toString() {
            return text;
        }
    }

    static Stream<Change> changes() {
        Attributes out = new Attributes();
        Name x = Name.of("x");
        Name d = Name.of("d");
        Name two = Name.of("two");
        Action chown = n -> ok(n.chown(ROOT, x, 3, 4));
        Action truncate = n -> ok(n.truncate(ROOT, x, 77));
        Action chmod = n -> ok(n.chmod(ROOT, x, 0444));
        Action times = n -> ok(n.setTimes(ROOT, x, 55, 66));
        Action acl = n -> ok(n.changeAcl(ROOT, x, SimAcls.set(0660, SimAcls.of(2, false, 1))));
        return Stream.of(
                new Change("x", "chown", chown),
                new Change("x", "truncate", truncate),
                new Change("x", "set times", times),
                new Change("x", "ACL", acl),
                new Change("x", "truncate, chmod", n -> {
                    truncate.on(n);
                    chmod.on(n);
                }),
                new Change("x", "set times, truncate, ACL", n -> {
                    times.on(n);
                    truncate.on(n);
                    acl.on(n);
                }),
                new Change("d", "chmod, create in it", n -> {
                    ok(n.chmod(ROOT, d, 0711));
                    ok(n.stat(ROOT, d, out));
                    ok(n.create(out.id, x, 0644, 0, 0, out));
                }),
                new Change("two", "truncate, chown of another name", n -> {
                    ok(n.truncate(ROOT, Name.of("three"), 77));
                    ok(n.chown(ROOT, Name.of("three"), 3, 4));
                }),
                new Change("two", "link, chmod", n -> {
                    ok(n.link(ROOT, two, ROOT, Name.of("four"), out));
                    ok(n.chmod(ROOT, two, 0444));
                }),
                new Change("two", "unlink, truncate", n -> {
                    ok(n.delete(ROOT, Name.of("three"), out));
                    ok(n.truncate(ROOT, two, 77));
                }));
    }

    /** A stat reads word by word, without a lock. */
    @ParameterizedTest
    @MethodSource("changes")
    void aStatShowsAllOfOneMoment(Change change) throws PoolException {
        SimPoolFile prepared = prepare();
        PoolNamespace first = open(prepared);
        ok(first.create(ROOT, Name.of("two"), 0600, 0, 0, new Attributes()));
        ok(first.link(ROOT, Name.of("two"), ROOT, Name.of("three"), new Attributes()));
        first.close();
        String before = stat(open(prepared.killed()), change);
        int changed = 0;
        int load = 0;
        for (int[] left = {0}; left[0] < 0 || load == 0; load++) {
            SimPoolFile file = prepared.killed();
            PoolNamespace namespace = open(file);
            Thread reader = Thread.currentThread();
            left[0] = load;
            file.pmem().beforeEachLoad(() -> {
                if (Thread.currentThread().equals(reader) && left[0]-- == 0) {
                    CompletableFuture.runAsync(() -> change.action().on(namespace))
                            .join();
                }
            });
            String seen = stat(namespace, change);
            file.pmem().beforeEachLoad(null);
            String after = stat(namespace, change);
            assertTrue(
                    seen.equals(before) || seen.equals(after),
                    "load " + load + ": " + before + ", then " + after + ", but seen " + seen);
            changed += seen.equals(before) ? 0 : 1;
        }
        assertTrue(changed > 5 && changed < load, changed + " of " + load);
    }

    /** All that a stat shows. */
    private static String stat(PoolNamespace n, Change change) {
        Attributes a = Attributes.withAcl();
        ok(n.stat(ROOT, Name.of(change.target()), a));
        return String.format(
                "%o of %d:%d %s, %d names, %d bytes, times %d %d %d",
                a.mode, a.uid, a.gid, SimAcls.text(a.acl), a.nlink, a.size, a.mtimeNanos, a.ctimeNanos, a.atimeNanos);
    }

    /** Times that are set are two units, the atime first. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aStatBesideOneThatSetsTimesShowsNoneThatNeverWere(boolean both) throws Exception {
        SimPoolFile prepared = prepare();
        Attributes before = new Attributes();
        ok(open(prepared.killed()).stat(ROOT, Name.of("x"), before));
        String kept = before.atimeNanos + " ";
        Set<String> valid = both
                ? Set.of(kept + before.mtimeNanos, "66 " + before.mtimeNanos, "66 55")
                : Set.of(kept + before.mtimeNanos, kept + 55);
        Set<String> all = new TreeSet<>();
        for (int event = 0, loads = 1; loads > 0; event++) {
            loads = 0;
            for (boolean more = true; more; ) {
                SimPoolFile file = prepared.killed();
                PoolNamespace namespace = open(file);
                Pause pause = new Pause(
                        file, event, () -> ok(namespace.setTimes(ROOT, Name.of("x"), 55, both ? 66 : Namespace.KEEP)));
                Thread reader = Thread.currentThread();
                int[] left = {loads};
                file.pmem().beforeEachLoad(() -> {
                    if (Thread.currentThread().equals(reader) && left[0]-- == 0) {
                        pause.start();
                    }
                });
                Attributes seen = new Attributes();
                ok(namespace.stat(ROOT, Name.of("x"), seen));
                file.pmem().beforeEachLoad(null);
                String times = seen.atimeNanos + " " + seen.mtimeNanos;
                assertTrue(valid.contains(times), "event " + event + ", load " + loads + ": " + times);
                all.add(times);
                more = pause.end() && left[0] < 0;
                loads += more ? 1 : 0;
            }
        }
        assertEquals(valid, all);
    }

    /** An operation in a thread of its own, which stands still before one of its events. */
    private static final class Pause {
        private final Semaphore stands = new Semaphore(0);
        private final Semaphore goesOn = new Semaphore(0);
        private final Thread thread;
        private boolean stood;

        Pause(SimPoolFile file, int event, Runnable work) {
            int[] left = {event};
            thread = new Thread(() -> {
                try {
                    work.run();
                } finally {
                    stands.release();
                }
            });
            file.pmem().beforeEachEvent(() -> {
                if (Thread.currentThread().equals(thread) && left[0]-- == 0) {
                    stood = true;
                    stands.release();
                    goesOn.acquireUninterruptibly();
                }
            });
        }

        /** Returns when it stands, or has ended before that. */
        void start() {
            thread.start();
            stands.acquireUninterruptibly();
        }

        /** Whether it stood. */
        boolean end() throws InterruptedException {
            goesOn.release();
            thread.join();
            return stood;
        }
    }

    @Test
    void theTimeOfChangeNeverFalls() throws PoolException {
        SimPoolFile file = prepare();
        PoolNamespace namespace = open(file);
        Attributes inner = new Attributes();
        Attributes outer = new Attributes();
        Name x = Name.of("x");
        boolean[] first = {true};
        file.pmem().beforeEachEvent(() -> {
            if (first[0]) {
                first[0] = false;
                ok(namespace.chmod(ROOT, x, 0444));
                ok(namespace.stat(ROOT, x, inner));
            }
        });
        ok(namespace.chmod(ROOT, x, 0555)); // its time was taken before the other's
        file.pmem().beforeEachEvent(null);
        ok(namespace.stat(ROOT, x, outer));
        assertTrue(outer.ctimeNanos > inner.ctimeNanos && inner.mode == 0444 && outer.mode == 0555);
    }
}
