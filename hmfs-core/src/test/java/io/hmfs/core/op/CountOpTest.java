package io.hmfs.core.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.Count;
import io.hmfs.core.Namespace;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.TestPool;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.recovery.Superblock;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.core.type.TreeCount;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * Goal: a count says what listings of the whole tree say, however it is cut. Method: trees of seeded shapes with every kind of entry and
 * with dead ones; what changes meanwhile is in NamespaceReaderTest, and each snapshot of the other tests is counted too.
 */
final class CountOpTest {
    private static final long ROOT = Namespace.ROOT_ID;

    private final SimPoolFile file = format();
    private final ServerNamespace namespace = TestPool.open(file);
    private final Attributes out = new Attributes();
    private final List<Long> directories = new ArrayList<>(List.of(ROOT));

    private static SimPoolFile format() {
        SimPoolFile file = new SimPoolFile(256 << 10, 60, Persistence.PROCESS);
        try {
            Superblock.format(Path.of("sim"), file, new UUID(1, 2), 42, 2);
        } catch (PoolException e) {
            throw new AssertionError(e);
        }
        return file;
    }

    private static void ok(Status status) {
        assertEquals(Status.OK, status);
    }

    /** Files with and without bytes, directories, links of both kinds; a fifth of them deleted again. */
    private void makeTree(int entries, long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < entries; i++) {
            long parent = directories.get(random.nextInt(directories.size()));
            Name name = Name.of("n" + seed + "-" + i);
            switch (random.nextInt(8)) {
                case 0 -> {
                    ok(namespace.mkdir(parent, name, 0755, 0, 0, out));
                    directories.add(out.id);
                }
                case 1 -> ok(namespace.symlink(parent, name, "to".getBytes(StandardCharsets.UTF_8), 0, 0, out));
                default -> {
                    ok(namespace.create(parent, name, 0644, 0, 0, out));
                    ok(namespace.append(parent, name, out.id, random.nextInt(3) * 1000L));
                    if (random.nextInt(6) == 0) {
                        ok(namespace.link(parent, name, parent, Name.of("l" + seed + "-" + i), out));
                    }
                    if (random.nextInt(5) == 0) {
                        ok(namespace.delete(parent, name, out));
                    }
                }
            }
        }
    }

    private String listed(long directory) {
        Count sum = new Count();
        List<Long> left = new ArrayList<>(List.of(directory));
        while (!left.isEmpty()) {
            ok(namespace.list(left.removeLast(), new ListCursor(), (_, entry) -> {
                sum.add(entry);
                return !entry.isDirectory() || left.add(entry.id);
            }));
        }
        return sum.toString();
    }

    @Test
    void aCountSaysWhatListingsSay() {
        for (int seed = 1; seed <= 5; seed++) {
            makeTree(400, seed);
            for (long directory : directories) {
                assertEquals(listed(directory), Count.in(namespace, directory).toString(), "seed " + seed);
            }
        }
        assertTrue(directories.size() > 100, directories.size() + " directories");
    }

    /** What is shown in the place of a dead one must not be looked for from the head of the list each time. */
    @Test
    void whatIsRenamedMeanwhileCostsNoWalkFromTheHead() {
        int files = 2_000;
        for (int i = 0; i < files; i++) {
            ok(namespace.create(ROOT, Name.of("f" + i), 0644, 0, 0, out));
        }
        Count count = new Count();
        count.push(new TreeCount.Level(null, ROOT, new byte[0]));
        ok(namespace.count(count, 10));
        for (int i = 0; i < files; i++) {
            ok(namespace.rename(ROOT, Name.of("f" + i), ROOT, Name.of("g" + i), false, out));
        }
        long[] loads = {0};
        file.pmem().beforeEachLoad(() -> loads[0]++);
        ok(namespace.count(count, 2L * files));
        file.pmem().beforeEachLoad(null);
        assertTrue(count.isAtEnd());
        assertEquals(files, count.files);
        assertTrue(loads[0] < 200L * files, loads[0] + " loads");
    }

    @Test
    void howeverItIsCut() {
        makeTree(1_500, 7);
        String all = listed(ROOT);
        for (int part : new int[] {1, 2, 7, 100, 10_000}) {
            Count count = new Count();
            count.push(new TreeCount.Level(null, ROOT, new byte[0]));
            int parts = 0;
            for (; !count.isAtEnd(); parts++) {
                ok(namespace.count(count, part));
                assertTrue(parts < 10_000, "it comes to no end: " + count);
            }
            assertEquals(all, count.toString(), part + " entries a part");
            assertTrue(parts >= count.files / (part + 8L * 2), parts + " parts of " + part); // each lane ends its step
        }
    }

    @Test
    void whatIsRefusedEndsItAndWhatIsThrownStopsNothingElse() {
        ok(namespace.mkdir(ROOT, Name.of("d"), 0755, 0, 0, out));
        long closed = out.id;
        ok(namespace.create(closed, Name.of("f"), 0644, 0, 0, out));
        Count count = new Count() {
            @Override
            protected Status enter(Level level, Attributes directory) {
                return directory.id == closed ? Status.ACCESS_DENIED : Status.OK;
            }
        };
        count.push(new TreeCount.Level(null, ROOT, new byte[0]));
        assertEquals(Status.ACCESS_DENIED, namespace.count(count, 1_000));
        Count failing = new Count() {
            @Override
            protected Status enter(Level level, Attributes directory) {
                throw new IllegalArgumentException("a caller's error");
            }
        };
        failing.push(new TreeCount.Level(null, ROOT, new byte[0]));
        assertThrows(IllegalArgumentException.class, () -> namespace.count(failing, 1_000));
        assertEquals(
                "1 files, 1 directories, 0 bytes", Count.in(namespace, ROOT).toString());
    }

    /** Each level on the way says where it is. */
    @Test
    void theWayDownIsTold() {
        long at = ROOT;
        for (String name : List.of("a", "b", "c")) {
            ok(namespace.mkdir(at, Name.of(name), 0755, 0, 0, out));
            at = out.id;
        }
        Set<String> ways = new HashSet<>();
        Count count = new Count() {
            @Override
            protected Status enter(Level level, Attributes directory) {
                StringBuilder way = new StringBuilder();
                for (Level each = level; each.above != null; each = each.above) {
                    way.insert(0, "/" + new String(each.name, StandardCharsets.UTF_8));
                }
                ways.add(way.toString());
                return Status.OK;
            }
        };
        count.push(new TreeCount.Level(null, ROOT, new byte[0]));
        ok(namespace.count(count, 1_000));
        assertEquals(Set.of("/a", "/a/b", "/a/b/c"), ways);
    }
}
