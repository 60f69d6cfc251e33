package io.hmfs.core.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.Namespace;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.TestPool;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.recovery.Superblock;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: an id leads to the path that its object has, at one instant. Method: paths of a small tree, forged and freed ids; two
 * renames put before any two loads of a climb.
 */
final class PathOpTest {
    private static final long ROOT = Namespace.ROOT_ID;

    private final Attributes out = new Attributes();
    private SimPoolFile file = new SimPoolFile(32 << 10, 14);
    private ServerNamespace namespace = format(file);
    private long a;
    private long b;
    private long c;
    private long x;

    private static ServerNamespace format(SimPoolFile file) {
        try {
            Superblock.format(Path.of("sim"), file, new UUID(1, 2), 42, 2);
        } catch (PoolException e) {
            throw new AssertionError(e);
        }
        return open(file);
    }

    private static ServerNamespace open(SimPoolFile file) {
        return TestPool.open(file);
    }

    @BeforeEach
    void prepare() {
        a = mkdir(ROOT, "a");
        b = mkdir(a, "b");
        c = mkdir(b, "c");
        x = mkdir(ROOT, "x");
    }

    private long mkdir(long parent, String name) {
        assertEquals(Status.OK, namespace.mkdir(parent, Name.of(name), 0755, 0, 0, out));
        return out.id;
    }

    private long create(long parent, String name) {
        assertEquals(Status.OK, namespace.create(parent, Name.of(name), 0644, 0, 0, out));
        return out.id;
    }

    private static void rename(ServerNamespace on, long from, String name, long to, String newName) {
        assertEquals(Status.OK, on.rename(from, Name.of(name), to, Name.of(newName), true, new Attributes()));
    }

    private static String path(ServerNamespace on, long id) {
        StringBuilder path = new StringBuilder();
        Status status = on.path(id, path);
        return status == Status.OK ? path.toString() : status.toString();
    }

    private static String found(ServerNamespace on, long id) {
        StringBuilder path = new StringBuilder();
        Status status = on.findPath(id, path);
        return status == Status.OK ? path.toString() : status.toString();
    }

    @Test
    void aDirectoryHasThePathOfItsNames() {
        assertEquals(
                List.of("/", "/a", "/a/b", "/a/b/c"),
                List.of(path(namespace, ROOT), path(namespace, a), path(namespace, b), path(namespace, c)));
        rename(namespace, a, "b", x, "ü".repeat(40));
        assertEquals("/x/" + "ü".repeat(40) + "/c", path(namespace, c));
        StringBuilder appended = new StringBuilder("at ");
        assertEquals(Status.OK, namespace.path(x, appended));
        assertEquals("at /x", appended.toString());
        long deep = c;
        for (int i = 0; i < 40; i++) {
            deep = mkdir(deep, "d" + i);
        }
        assertTrue(path(open(file.killed()), deep).endsWith("/d38/d39"));
    }

    @Test
    void theIdsAboveADirectoryAreThoseOfItsPath() {
        assertArrayEquals(new long[] {c, b, a, ROOT}, namespace.above(c));
        assertArrayEquals(new long[] {ROOT}, namespace.above(ROOT));
        rename(namespace, a, "b", x, "y");
        assertArrayEquals(new long[] {c, b, x, ROOT}, namespace.above(c));
        long f = create(c, "f");
        assertEquals(Status.OK, namespace.rmdir(ROOT, Name.of("a")));
        for (long id : new long[] {0, -1, f, a, Long.MAX_VALUE}) {
            assertArrayEquals(new long[0], namespace.above(id), "id " + id);
        }
    }

    @Test
    void aFileHasThePathOfAnyOfItsNames() {
        long f = create(c, "f");
        assertEquals("/a/b/c/f", found(namespace, f));
        assertEquals("NO_SUCH_DIRECTORY", path(namespace, f));
        StringBuilder path = new StringBuilder();
        assertEquals(Status.OK, namespace.path(c, f, path));
        assertEquals("/a/b/c/f", path.toString());
        assertEquals(Status.NOT_FOUND, namespace.path(b, f, path));
        assertEquals(Status.NOT_FOUND, namespace.path(b, c, path), "c is a directory");
        assertEquals(Status.OK, namespace.link(c, Name.of("f"), x, Name.of("g"), out));
        assertEquals(Status.OK, namespace.path(x, f, path));
        assertEquals("/a/b/c/f/x/g", path.toString(), "appended, and nothing where there is none");
        assertTrue(Set.of("/a/b/c/f", "/x/g").contains(found(namespace, f)));
        assertEquals(Status.OK, namespace.delete(c, Name.of("f"), out));
        assertEquals("/x/g", found(namespace, f));
        assertEquals("/x", found(namespace, x));
        long inRoot = create(ROOT, "r");
        assertEquals("/r", found(namespace, inRoot));
    }

    @Test
    void forgedAndFreedIdsAreStatuses() {
        long f = create(x, "f");
        assertEquals(Status.OK, namespace.delete(x, Name.of("f"), out));
        assertEquals(Status.OK, namespace.rmdir(b, Name.of("c")));
        long linked = create(x, "g");
        assertEquals(Status.OK, namespace.link(x, Name.of("g"), x, Name.of("h"), out));
        assertEquals(Status.OK, namespace.delete(x, Name.of("g"), out));
        assertEquals(Status.OK, namespace.delete(x, Name.of("h"), out));
        for (long id : new long[] {0, -1, f, c, linked, f + 1_000_000, Long.MAX_VALUE, Long.MIN_VALUE, 1L << 48 | 1}) {
            assertEquals("NO_SUCH_DIRECTORY", path(namespace, id), "id " + id);
            assertEquals("NOT_FOUND", found(namespace, id), "id " + id);
            assertEquals(Status.NO_SUCH_DIRECTORY, namespace.path(id, 2, new StringBuilder()));
            assertEquals(Status.NOT_FOUND, namespace.path(x, id, new StringBuilder()));
        }
    }

    /** First the lower directory goes elsewhere, then the upper one gets another name: /a2/b/c never was. */
    @Test
    void aPathIsOneThatWas() {
        long below = mkdir(c, "below");
        long f = create(c, "f");
        SimPoolFile prepared = file.killed();
        Set<String> were = Set.of("/a/b/c", "/a/c2", "/a2/c2");
        Set<String> seen = new HashSet<>();
        try (ExecutorService renamer = Executors.newSingleThreadExecutor()) {
            int first = 0;
            while (race(prepared, renamer, first, below, f, were, seen)) {
                first++;
            }
            assertTrue(first > 50, "loads: " + first);
        }
        assertTrue(seen.containsAll(List.of("/a/b/c/below", "/a2/c2/below", "/a2/c2/f")), seen.toString());
    }

    private static void elsewhere(ExecutorService thread, Runnable rename) {
        try {
            thread.submit(rename).get();
        } catch (InterruptedException | ExecutionException e) {
            throw new AssertionError(e);
        }
    }

    /** False if the climb has no such load. */
    private boolean race(
            SimPoolFile prepared,
            ExecutorService renamer,
            int first,
            long below,
            long f,
            Set<String> were,
            Set<String> seen) {
        for (int second = first; ; second += 1 + second / 8) {
            SimPoolFile copy = prepared.killed();
            ServerNamespace on = open(copy);
            int[] load = {0};
            int at = second;
            Thread climber = Thread.currentThread();
            copy.pmem().beforeEachLoad(() -> {
                if (!Thread.currentThread().equals(climber)) {
                    return;
                }
                int now = load[0]++;
                if (now == first) {
                    elsewhere(renamer, () -> rename(on, b, "c", a, "c2"));
                }
                if (now == at) {
                    elsewhere(renamer, () -> rename(on, ROOT, "a", ROOT, "a2"));
                }
            });
            String path = path(on, below);
            String ofFile = found(on, f);
            copy.pmem().beforeEachLoad(null);
            for (String each : List.of(path, ofFile)) {
                String parent = each.substring(0, Math.max(0, each.lastIndexOf('/')));
                assertTrue(were.contains(parent), first + ", " + second + ": " + each);
                seen.add(each);
            }
            if (load[0] <= first) {
                return false;
            }
            if (load[0] <= at) {
                return true;
            }
        }
    }
}
