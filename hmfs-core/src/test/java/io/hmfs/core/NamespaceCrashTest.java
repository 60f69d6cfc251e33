package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.hmfs.core.sim.Sample;
import io.hmfs.core.sim.SimAcls;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.sim.Values;
import io.hmfs.core.type.Acl;
import io.hmfs.core.type.AppendBatch;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.core.type.XattrMode;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: a power failure at any moment of any operation leaves the operation wholly there or wholly not, and an acknowledged one
 * there (I1), with I3 to I5 intact. Method: before each event of the operation, every image that the simulated memory could leave is
 * recovered, or one that no recovery can tell from it, and compared; in some the recovery itself loses power. Steps one after the
 * other leave more and more that no fence has made durable; so each is run a second time, on a pool where what was before is durable.
 */
public final class NamespaceCrashTest {
    private static final long ROOT = Namespace.ROOT_ID;
    private static final long REGION = 16 << 10;
    private static final int REGIONS = 12;

    /** New recoveries of a moment, of a single operation; none but those with names of 200 bytes takes as many. */
    private static final int LIMIT_DEFAULT = 1000;

    private static final int LIMIT = Integer.getInteger("hmfs.recoveries.single", LIMIT_DEFAULT);
    private static final int LIMIT_OF_LONG_NAMES = 100;

    /** The same when several follow each other. */
    private static final int LIMIT_OF_SEQUENCES = Integer.getInteger("hmfs.recoveries", 3);

    /** The power fails again before one of so many events of a recovery. */
    private static final int AGAIN = Integer.getInteger("hmfs.again.single", 4);

    private static final int AGAIN_IN_SEQUENCES = Integer.getInteger("hmfs.again", 100);
    private static final int SAMPLED = 6;

    /** One operation on the prepared tree. */
    public interface Action {
        Status on(ServerNamespace namespace);
    }

    record Case(String name, List<Action> steps) {
        Case(String name, Action... steps) {
            this(name, List.of(steps));
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private static long id(ServerNamespace namespace, String... path) {
        Attributes out = new Attributes();
        long directory = ROOT;
        for (String name : path) {
            assertEquals(Status.OK, namespace.stat(directory, Name.of(name), out));
            directory = out.id;
        }
        return directory;
    }

    private static Status rename(ServerNamespace n, long from, String name, long to, String newName) {
        return n.rename(from, Name.of(name), to, Name.of(newName), true, new Attributes());
    }

    /** Commits a size, all of whose bytes from a place on were written. */
    private static Status write(ServerNamespace n, long directory, String name, long from, long size) {
        Attributes out = new Attributes();
        assertEquals(Status.OK, n.stat(directory, Name.of(name), out));
        AppendBatch batch = new AppendBatch(1);
        batch.add(directory, Name.of(name), out.id, size, from);
        n.appendAll(batch);
        return batch.status(0);
    }

    private static long orphans(ServerNamespace n) {
        Attributes out = new Attributes();
        assertEquals(Status.OK, n.orphans(true, out));
        return out.id;
    }

    private static Status link(ServerNamespace n, long from, String name, long to, String newName) {
        return n.link(from, Name.of(name), to, Name.of(newName), new Attributes());
    }

    static Stream<Case> cases() {
        Attributes out = new Attributes();
        String longName = "n".repeat(200);
        return Stream.of(
                new Case("create", n -> n.create(id(n, "d"), Name.of("new"), 0644, 1, 2, out)),
                new Case("create with a long name", n -> n.create(ROOT, Name.of(longName), 0644, 1, 2, out)),
                new Case("mkdir", n -> n.mkdir(id(n, "d"), Name.of("new"), 0755, 1, 2, out)),
                new Case("delete", n -> n.delete(id(n, "d"), Name.of("a"), out)),
                new Case("rmdir", n -> n.rmdir(ROOT, Name.of("empty"))),
                new Case(
                        "rmdir with dead children",
                        n -> n.delete(id(n, "once"), Name.of("x"), out),
                        n -> n.rmdir(ROOT, Name.of("once"))),
                new Case("rename in a directory", n -> rename(n, id(n, "d"), "a", id(n, "d"), "new")),
                new Case("rename replacing in a directory", n -> rename(n, id(n, "d"), "a", id(n, "d"), "b")),
                new Case("rename across", n -> rename(n, id(n, "d"), "a", ROOT, "new")),
                new Case("rename replacing across", n -> rename(n, id(n, "d"), "a", ROOT, "f")),
                new Case("rename of a directory", n -> rename(n, ROOT, "d", id(n, "empty"), "moved")),
                new Case(
                        "rename of a directory, twice, and a sweep",
                        n -> rename(n, ROOT, "d", id(n, "empty"), "moved"),
                        n -> rename(n, id(n, "empty"), "moved", ROOT, "back"),
                        n -> n.rmdir(ROOT, Name.of("empty"))),
                new Case("a directory and all below it to the orphans", n -> rename(n, ROOT, "d", orphans(n), "1")),
                new Case("chmod", n -> n.chmod(ROOT, Name.of("f"), 0600)),
                new Case("chown", n -> n.chown(ROOT, Name.of("d"), 7, 8)),
                new Case("set mtime", n -> n.setTimes(ROOT, Name.of("f"), 12345, Namespace.KEEP)),
                new Case("append", n -> n.append(ROOT, Name.of("f"), id(n, "f"), 4096)),
                new Case("truncate", n -> n.truncate(ROOT, Name.of("f"), 1)),
                new Case("rename over an empty directory", n -> rename(n, ROOT, "d", ROOT, "empty")),
                new Case("rename over an empty directory elsewhere", n -> rename(n, ROOT, "empty", id(n, "p"), "q")),
                new Case(
                        "rename over a directory with dead children",
                        n -> n.delete(id(n, "once"), Name.of("x"), out),
                        n -> rename(n, ROOT, "d", ROOT, "once"),
                        n -> n.mkdir(ROOT, Name.of("d"), 0700, 0, 0, out),
                        n -> rename(n, ROOT, "once", ROOT, "d")),
                new Case("link", n -> link(n, ROOT, "f", id(n, "d"), "new")),
                new Case("link with a long name", n -> link(n, ROOT, "f", id(n, "d"), longName)),
                new Case("link, the third name", n -> link(n, ROOT, "two", id(n, "d"), "three")),
                new Case(
                        "unlink, first name first",
                        n -> n.delete(id(n, "d"), Name.of("one"), out),
                        n -> n.delete(ROOT, Name.of("two"), out)),
                new Case(
                        "unlink, second name first, and a sweep",
                        n -> n.delete(ROOT, Name.of("two"), out),
                        n -> n.delete(id(n, "d"), Name.of("one"), out),
                        n -> rename(n, id(n, "d"), "a", ROOT, "a"),
                        n -> rename(n, id(n, "d"), "b", ROOT, "b"),
                        n -> n.rmdir(ROOT, Name.of("d"))),
                new Case(
                        "rename of both names",
                        n -> rename(n, id(n, "d"), "one", ROOT, "new"),
                        n -> rename(n, ROOT, "two", ROOT, "newer")),
                new Case(
                        "rename over both names",
                        n -> rename(n, ROOT, "f", ROOT, "two"),
                        n -> rename(n, id(n, "d"), "a", id(n, "d"), "one")),
                new Case(
                        "rename of a name over another file's",
                        n -> link(n, ROOT, "f", ROOT, "g"),
                        n -> rename(n, ROOT, "two", ROOT, "g"),
                        n -> rename(n, ROOT, "g", ROOT, "f")),
                new Case("chmod by the second name", n -> n.chmod(ROOT, Name.of("two"), 0600)),
                new Case("set mtime by the first name", n -> n.setTimes(id(n, "d"), Name.of("one"), 12345, 1)),
                new Case("append by the second name", n -> n.append(ROOT, Name.of("two"), id(n, "two"), 4096)),
                new Case(
                        "delete and create again",
                        n -> n.delete(ROOT, Name.of("f"), out),
                        n -> n.create(ROOT, Name.of("f"), 0644, 1, 2, out),
                        n -> rename(n, ROOT, "f", ROOT, "g"),
                        n -> n.create(ROOT, Name.of("f"), 0644, 1, 2, out)));
    }

    static Stream<Case> chains() {
        Attributes out = new Attributes();
        return Stream.of(
                new Case("symlink", n -> n.symlink(ROOT, Name.of("s"), Values.target(30, 1), 1, 2, out)),
                new Case(
                        "symlink with a long target",
                        n -> n.symlink(ROOT, Name.of("s"), Values.target(900, 1), 1, 2, out)),
                new Case(
                        "rename and delete of a symlink",
                        n -> n.symlink(id(n, "p"), Name.of("s"), Values.target(30, 1), 1, 2, out),
                        n -> rename(n, id(n, "p"), "s", ROOT, "t"),
                        n -> n.delete(ROOT, Name.of("t"), out)),
                new Case("first attribute", n -> set(n, ROOT, "f", "user.a", 50)),
                new Case("first attribute, two slots", n -> set(n, ROOT, "f", "user.a", 500)),
                new Case("one more attribute", n -> set(n, ROOT, "x", "user.b", 50)),
                new Case("another value", n -> set(n, ROOT, "x", "user.a", 60)),
                new Case("remove the only attribute", n -> n.removeXattr(ROOT, Name.of("x"), Name.of("user.a"))),
                new Case(
                        "attributes, one after the other",
                        n -> set(n, id(n, "d"), "a", "user.a", 20),
                        n -> set(n, id(n, "d"), "a", "user.b", 400),
                        n -> n.removeXattr(id(n, "d"), Name.of("a"), Name.of("user.a")),
                        n -> n.changeAcl(id(n, "d"), Name.of("a"), SimAcls.set(0604, SimAcls.of(2, false, 2))),
                        n -> n.removeXattr(id(n, "d"), Name.of("a"), Name.of("user.b")),
                        n -> n.changeAcl(id(n, "d"), Name.of("a"), SimAcls.set(0614, Acl.NONE))),
                new Case(
                        "ACL of a directory",
                        n -> n.changeAcl(ROOT, Name.of("d"), SimAcls.set(0750, SimAcls.of(20, true, 2))),
                        n -> n.chmod(ROOT, Name.of("d"), 0710),
                        n -> n.changeAcl(ROOT, Name.of("d"), SimAcls.set(0700, SimAcls.of(1, false, 3))),
                        n -> rename(n, ROOT, "d", ROOT, "new")),
                new Case(
                        "ACL by the second name",
                        n -> n.changeAcl(ROOT, Name.of("two"), SimAcls.set(0604, SimAcls.of(2, false, 2)))),
                new Case(
                        "create with an ACL",
                        n -> n.create(ROOT, Name.of("new"), 0620, 1, 2, SimAcls.of(50, false, 2), out)),
                new Case(
                        "mkdir with an ACL, and rmdir",
                        n -> n.mkdir(ROOT, Name.of("new"), 0720, 1, 2, SimAcls.of(1, true, 2), out),
                        n -> n.rmdir(ROOT, Name.of("new"))),
                new Case("rename with attributes", n -> rename(n, ROOT, "x", ROOT, "new")),
                new Case("rename with attributes across", n -> rename(n, ROOT, "x", id(n, "d"), "b")),
                new Case("rename over attributes", n -> rename(n, ROOT, "f", ROOT, "x")),
                new Case(
                        "rename of a directory with attributes, and a sweep",
                        n -> set(n, id(n, "p"), "q", "user.a", 400),
                        n -> rename(n, id(n, "p"), "q", ROOT, "q"),
                        n -> set(n, ROOT, "q", "user.a", 40),
                        n -> n.rmdir(ROOT, Name.of("p"))),
                new Case(
                        "removal with attributes, and a sweep",
                        n -> set(n, id(n, "p"), "q", "user.a", 1200),
                        n -> n.rmdir(id(n, "p"), Name.of("q")),
                        n -> n.rmdir(ROOT, Name.of("p"))),
                new Case(
                        "second name of a file with attributes",
                        n -> link(n, ROOT, "x", ROOT, "y"),
                        n -> set(n, ROOT, "y", "user.b", 400),
                        n -> rename(n, ROOT, "x", ROOT, "z"),
                        n -> n.delete(ROOT, Name.of("y"), out),
                        n -> n.delete(ROOT, Name.of("z"), out)),
                new Case(
                        "slots used again",
                        n -> n.delete(ROOT, Name.of("x"), out),
                        n -> set(n, ROOT, "f", "user.a", 400),
                        n -> n.symlink(ROOT, Name.of("x"), Values.target(400, 1), 1, 2, out),
                        n -> set(n, ROOT, "f", "user.a", 300)));
    }

    static Stream<Case> sizes() {
        return Stream.of(
                new Case(
                        "a file that stays dense",
                        n -> write(n, id(n, "d"), "a", 0, 100),
                        n -> write(n, id(n, "d"), "a", 100, 200),
                        n -> rename(n, id(n, "d"), "a", ROOT, "new"),
                        n -> n.truncate(ROOT, Name.of("new"), 150),
                        n -> link(n, ROOT, "new", ROOT, "newer"),
                        n -> write(n, ROOT, "newer", 150, 160)),
                new Case(
                        "a dense file gets a hole",
                        n -> write(n, id(n, "d"), "a", 0, 100),
                        n -> n.truncate(id(n, "d"), Name.of("a"), 200),
                        n -> write(n, id(n, "d"), "a", 200, 300),
                        n -> n.truncate(id(n, "d"), Name.of("a"), 0),
                        n -> write(n, id(n, "d"), "a", 0, 50),
                        n -> write(n, id(n, "d"), "a", 60, 100)));
    }

    private static Status set(ServerNamespace n, long directory, String name, String attribute, int size) {
        return n.setXattr(
                directory, Name.of(name), Name.of(attribute), Values.of(size, size), XattrMode.CREATE_OR_REPLACE);
    }

    private static SimPoolFile prepare() {
        SimPoolFile file = FreshPool.repeatable(REGION, REGIONS);
        PoolNamespace n = new PoolNamespace("sim", file, false);
        Attributes out = new Attributes();
        assertEquals(Status.OK, n.mkdir(ROOT, Name.of("d"), 0755, 0, 0, out));
        long d = out.id;
        assertEquals(Status.OK, n.mkdir(ROOT, Name.of("empty"), 0755, 0, 0, out));
        assertEquals(Status.OK, n.mkdir(ROOT, Name.of("once"), 0755, 0, 0, out));
        assertEquals(Status.OK, n.create(out.id, Name.of("x"), 0644, 0, 0, out));
        for (String name : List.of("a", "b")) {
            assertEquals(Status.OK, n.create(d, Name.of(name), 0644, 0, 0, out));
        }
        assertEquals(Status.OK, n.create(ROOT, Name.of("f"), 0644, 0, 0, out));
        assertEquals(Status.OK, n.append(ROOT, Name.of("f"), out.id, 100));
        assertEquals(Status.OK, n.create(d, Name.of("one"), 0640, 0, 0, out));
        assertEquals(Status.OK, link(n, d, "one", ROOT, "two"));
        assertEquals(Status.OK, n.mkdir(ROOT, Name.of("p"), 0755, 0, 0, out));
        assertEquals(Status.OK, n.mkdir(out.id, Name.of("q"), 0755, 0, 0, out));
        assertEquals(Status.OK, n.create(ROOT, Name.of("x"), 0644, 0, 0, out));
        assertEquals(Status.OK, set(n, ROOT, "x", "user.a", 400));
        n.close();
        return file.killed();
    }

    private static PoolNamespace open(SimPoolFile file) {
        return new PoolNamespace("sim", file, false);
    }

    static Stream<Case> sequences() {
        return Stream.of(cases(), chains(), sizes())
                .flatMap(each -> each)
                .filter(tested -> tested.steps().size() > 1);
    }

    /** On a pool where all that was before the operation is durable. */
    @ParameterizedTest
    @MethodSource({"cases", "chains", "sizes"})
    void everyImageHoldsTheOperationWhollyOrNot(Case tested) {
        boolean all = !tested.name().contains("long name") || LIMIT > LIMIT_DEFAULT;
        Explorer explorer = new Explorer(all ? LIMIT : LIMIT_OF_LONG_NAMES, AGAIN, new Sample(1, "all moments"));
        SimPoolFile file = prepare();
        for (Action step : tested.steps()) {
            file = file.killed();
            explorer.run(step, open(file.killed()), file, open(file));
        }
        Recoveries recoveries = explorer.tell(tested.toString());
        assertTrue(recoveries.secondMoments() > 0);
        if (all) {
            assertEquals(0, recoveries.sampled(), "moments that were not explored to their end");
        }
    }

    /** One after the other: they leave more and more that no fence has made durable. */
    @ParameterizedTest
    @MethodSource("sequences")
    void everyImageHoldsTheLastOfSeveralWhollyOrNot(Case tested) {
        Explorer explorer = new Explorer(LIMIT_OF_SEQUENCES, AGAIN_IN_SEQUENCES, new Sample(SAMPLED, tested.name()));
        SimPoolFile file = prepare();
        PoolNamespace dry = open(file.killed());
        PoolNamespace namespace = open(file);
        for (Action step : tested.steps()) {
            explorer.run(step, dry, file, namespace);
        }
        explorer.tell(tested + ", one after the other");
    }

    /** Looks at the images before each event of an operation. */
    private static final class Explorer {
        private final Recoveries recoveries;
        private final Sample sample;
        private Map<String, String> before = Map.of();
        private Map<String, String> after = Map.of();

        Explorer(int limit, int again, Sample sample) {
            recoveries = new Recoveries(new Random(7), limit, again);
            this.sample = sample;
        }

        /** The operation comes to the same on {@code dry}. */
        void run(Action step, PoolNamespace dry, SimPoolFile file, PoolNamespace namespace) {
            before = Snapshot.of(dry);
            assertEquals(Status.OK, step.on(dry));
            after = Snapshot.of(dry);
            assertNotEquals(before, after, "a step that changes nothing proves nothing");
            file.pmem().beforeEachEvent(() -> look(file, false));
            assertEquals(Status.OK, step.on(namespace));
            file.pmem().beforeEachEvent(null);
            look(file, true);
        }

        /** What has been answered must be there. */
        private void look(SimPoolFile file, boolean answered) {
            if (!answered && !sample.takes()) {
                return;
            }
            recoveries.explore(file, (seen, _) -> {
                if (!seen.equals(after) && (answered || !seen.equals(before))) {
                    fail((answered ? "answered: " : "") + "neither before nor after: " + seen);
                }
            });
        }

        Recoveries tell(String what) {
            System.out.println(what + ": " + recoveries);
            assertTrue(recoveries.runs() >= 3);
            return recoveries;
        }
    }
}
