package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.recovery.Superblock;
import io.hmfs.core.sim.SimAcls;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.sim.Values;
import io.hmfs.core.type.Acl;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Bytes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.core.type.XattrMode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: nothing is shown to any thread before it is durable (I2). Method: before each event of an operation a second thread stats all
 * names; whatever it saw of the operation must still be seen in every image that a power failure could leave at that moment.
 */
final class NamespaceVisibilityTest {
    private static final long ROOT = Namespace.ROOT_ID;
    private static final int IMAGES = 24;
    private static final long TIMEOUT_MILLIS = 40;
    private static final Name A = Name.of("user.a");
    private static final List<String> NAMES = List.of("d", "e", "f", "g", "n", "one", "two");

    /** One operation on the prepared tree. */
    interface Action extends ToIntFunction<PoolNamespace> {}

    record Case(String name, Action action) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Case> cases() {
        Attributes out = new Attributes();
        return Stream.of(
                new Case(
                        "create",
                        n -> n.create(ROOT, Name.of("n"), 0644, 1, 2, out).code()),
                new Case(
                        "mkdir",
                        n -> n.mkdir(ROOT, Name.of("n"), 0755, 1, 2, out).code()),
                new Case("delete", n -> n.delete(ROOT, Name.of("f"), out).code()),
                new Case("rmdir", n -> n.rmdir(ROOT, Name.of("e")).code()),
                new Case(
                        "rename",
                        n -> n.rename(ROOT, Name.of("f"), ROOT, Name.of("n"), false, out)
                                .code()),
                new Case(
                        "replace",
                        n -> n.rename(ROOT, Name.of("f"), ROOT, Name.of("g"), true, out)
                                .code()),
                new Case(
                        "move",
                        n -> n.rename(ROOT, Name.of("d"), ROOT, Name.of("n"), false, out)
                                .code()),
                new Case("chmod", n -> n.chmod(ROOT, Name.of("f"), 0600).code()),
                new Case("chown", n -> n.chown(ROOT, Name.of("d"), 7, 8).code()),
                new Case(
                        "set times",
                        n -> n.setTimes(ROOT, Name.of("f"), 12345, 67890).code()),
                new Case(
                        "set access time",
                        n -> n.setTimes(ROOT, Name.of("f"), Namespace.KEEP, 67890)
                                .code()),
                new Case(
                        "link",
                        n -> n.link(ROOT, Name.of("f"), ROOT, Name.of("n"), out).code()),
                new Case(
                        "link the third name",
                        n -> n.link(ROOT, Name.of("one"), ROOT, Name.of("n"), out)
                                .code()),
                new Case("unlink", n -> n.delete(ROOT, Name.of("one"), out).code()),
                new Case(
                        "replace a name",
                        n -> n.rename(ROOT, Name.of("f"), ROOT, Name.of("two"), true, out)
                                .code()),
                new Case(
                        "rename a name",
                        n -> n.rename(ROOT, Name.of("two"), ROOT, Name.of("n"), true, out)
                                .code()),
                new Case(
                        "chmod by a name",
                        n -> n.chmod(ROOT, Name.of("one"), 0600).code()),
                new Case(
                        "replace a directory",
                        n -> n.rename(ROOT, Name.of("d"), ROOT, Name.of("e"), true, out)
                                .code()),
                new Case(
                        "symlink",
                        n -> n.symlink(ROOT, Name.of("n"), Values.target(50, 1), 1, 2, out)
                                .code()),
                new Case(
                        "first attribute",
                        n -> n.setXattr(ROOT, Name.of("f"), A, Values.of(9, 9), XattrMode.CREATE)
                                .code()),
                new Case(
                        "another value",
                        n -> n.setXattr(ROOT, Name.of("g"), A, Values.of(700, 7), XattrMode.REPLACE)
                                .code()),
                new Case(
                        "remove attribute",
                        n -> n.removeXattr(ROOT, Name.of("g"), A).code()),
                new Case(
                        "rename with attributes",
                        n -> n.rename(ROOT, Name.of("g"), ROOT, Name.of("n"), true, out)
                                .code()),
                new Case(
                        "first ACL",
                        n -> n.changeAcl(ROOT, Name.of("f"), SimAcls.set(0604, SimAcls.of(3, false, 7)))
                                .code()),
                new Case(
                        "no ACL any more",
                        n -> n.changeAcl(ROOT, Name.of("e"), SimAcls.set(0711, Acl.NONE))
                                .code()),
                new Case(
                        "create with an ACL",
                        n -> n.create(ROOT, Name.of("n"), 0604, 1, 2, SimAcls.of(3, false, 7), out)
                                .code()),
                new Case("truncate", n -> n.truncate(ROOT, Name.of("f"), 77).code()));
    }

    private static SimPoolFile prepare() throws PoolException {
        SimPoolFile file = new SimPoolFile(32 << 10, 14);
        Superblock.format(Path.of("sim"), file, new UUID(1, 2), 42, 2);
        PoolNamespace n = new PoolNamespace("sim", file, false);
        Attributes out = new Attributes();
        assertEquals(Status.OK, n.mkdir(ROOT, Name.of("d"), 0755, 0, 0, out));
        assertEquals(Status.OK, n.mkdir(ROOT, Name.of("e"), 0755, 0, 0, out));
        assertEquals(Status.OK, n.changeAcl(ROOT, Name.of("e"), SimAcls.set(0750, SimAcls.of(1, true, 5))));
        assertEquals(Status.OK, n.create(ROOT, Name.of("f"), 0644, 0, 0, out));
        assertEquals(Status.OK, n.create(ROOT, Name.of("g"), 0644, 0, 0, out));
        assertEquals(Status.OK, n.setXattr(ROOT, Name.of("g"), A, Values.of(9, 1), XattrMode.CREATE));
        assertEquals(Status.OK, n.create(ROOT, Name.of("one"), 0644, 0, 0, out));
        assertEquals(Status.OK, n.link(ROOT, Name.of("one"), ROOT, Name.of("two"), out));
        n.close();
        return file.killed();
    }

    /** Everything that stat tells, field by field. Nothing moves meanwhile, so a file has as many names as it says. */
    private static Map<String, Long> look(PoolNamespace namespace) {
        Map<String, Long> seen = new TreeMap<>();
        Attributes a = Attributes.withAcl();
        Map<Long, Integer> names = new TreeMap<>();
        Map<Long, Integer> counts = new TreeMap<>();
        for (String name : NAMES) {
            Status status = namespace.stat(ROOT, Name.of(name), a);
            seen.put(name + " status", (long) status.code());
            if (status == Status.OK) {
                put(seen, name, a);
                seen.put(name + " attribute", valueOf(namespace, name));
                names.merge(a.id, 1, Integer::sum);
                counts.put(a.id, a.nlink);
            }
        }
        assertEquals(names, counts, "names found, and counted");
        assertEquals(Status.OK, namespace.statDirectory(ROOT, a));
        put(seen, "/", a);
        return seen;
    }

    /** A status, or size and first bytes of the value. */
    private static long valueOf(PoolNamespace namespace, String name) {
        Bytes value = new Bytes();
        Status status = namespace.getXattr(ROOT, Name.of(name), A, value);
        return status == Status.OK ? Arrays.hashCode(value.value) * 1000L : status.code();
    }

    private static void put(Map<String, Long> seen, String name, Attributes a) {
        seen.put(name + " id", a.id);
        seen.put(name + " mode", (long) a.mode);
        seen.put(name + " acl", (long) Arrays.hashCode(a.acl));
        seen.put(name + " uid", (long) a.uid);
        seen.put(name + " gid", (long) a.gid);
        seen.put(name + " nlink", (long) a.nlink);
        seen.put(name + " size", a.size);
        seen.put(name + " mtime", a.mtimeNanos);
        seen.put(name + " ctime", a.ctimeNanos);
        seen.put(name + " atime", a.atimeNanos);
    }

    private interface Look {
        Map<String, Long> at(PoolNamespace namespace);
    }

    /** What was seen at one moment, and then in one image of that moment. */
    private record Sight(Map<String, Long> seen, Map<String, Long> after, String image) {}

    @ParameterizedTest
    @MethodSource("cases")
    void whatWasSeenStays(Case tested) throws Exception {
        int early = watch(tested, NamespaceVisibilityTest::look);
        assertTrue(early > 0, "nothing of the operation was ever seen");
    }

    /** Apart: a stat would have what it reads written back. */
    @ParameterizedTest
    @MethodSource("cases")
    void whatWasCountedStays(Case tested) throws Exception {
        int early = watch(tested, namespace -> {
            Count count = Count.in(namespace, ROOT);
            return Map.of("files", count.files, "directories", count.directories, "bytes", count.bytes);
        });
        boolean counts = Set.of("create", "mkdir", "delete", "link", "truncate").contains(tested.name());
        assertTrue(early > 0 || !counts, "nothing of the operation was ever counted");
    }

    /** How often something of the operation was seen that an image had to keep. */
    private static int watch(Case tested, Look look) throws Exception {
        SimPoolFile file = prepare();
        PoolNamespace namespace = new PoolNamespace("sim", file, false);
        Map<String, Long> before = look.at(namespace);
        List<Sight> sights = new ArrayList<>();
        Thread worker = Thread.currentThread();
        try (ExecutorService observer = Executors.newSingleThreadExecutor()) {
            file.pmem().beforeEachEvent(() -> {
                if (Thread.currentThread().equals(worker)) {
                    sights.addAll(lookAround(file, namespace, look, observer, TIMEOUT_MILLIS));
                }
            });
            assertEquals(0, tested.action().applyAsInt(namespace));
            sights.addAll(
                    lookAround(file, namespace, look, observer, Integer.MAX_VALUE)); // no thread has to wait any more
            file.pmem().beforeEachEvent(null);
        }
        Map<String, Long> last = look.at(namespace);
        int early = 0;
        for (Sight sight : sights) {
            for (Map.Entry<String, Long> field : sight.seen().entrySet()) {
                if (!field.getValue().equals(before.get(field.getKey()))) {
                    Long after = sight.after().get(field.getKey());
                    assertTrue(
                            field.getValue().equals(after) || Objects.equals(after, last.get(field.getKey())),
                            () -> field + " was seen, and after image " + sight.image() + " it is " + after);
                    early++;
                }
            }
        }
        return early;
    }

    /** Empty if the observer has to wait for the operation, which stands still meanwhile. */
    private static List<Sight> lookAround(
            SimPoolFile file, PoolNamespace namespace, Look look, ExecutorService observer, long timeoutMillis) {
        Future<Map<String, Long>> looking = observer.submit(() -> look.at(namespace));
        Map<String, Long> seen;
        try {
            seen = looking.get(timeoutMillis, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            return List.of();
        } catch (InterruptedException | ExecutionException e) {
            throw new AssertionError(e);
        }
        List<Sight> sights = new ArrayList<>();
        file.pmem().images(IMAGES, 5, image -> {
            PoolNamespace after = new PoolNamespace("sim", file.crashed(image), false);
            sights.add(new Sight(seen, look.at(after), image.toString()));
        });
        return sights;
    }
}
