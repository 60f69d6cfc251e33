package io.hmfs.server.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.Namespace;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.type.Acl;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.access.Access;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a walk meets each entry once, however it is cut and whatever goes meanwhile, and enters nothing that it was not allowed to.
 * Method: trees in a real pool, beside the paths that made them; walks written down after every few entries and read back; texts
 * that no walk wrote.
 */
class TreeWalkTest {
    private static final long SEED = Long.getLong("hmfs.seed", 1);

    @TempDir
    private Path directory;

    private Namespace namespace;
    private final Set<String> made = new TreeSet<>();
    private final List<String> met = new ArrayList<>();
    private final Set<String> closed = new HashSet<>();

    @BeforeEach
    void open() throws IOException {
        Path pool = directory.resolve("pool");
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        namespace = Hmfs.open(pool, OpenOptions.process());
    }

    @AfterEach
    void close() {
        namespace.close();
    }

    private class Walk extends TreeWalk {
        Walk() {
            super(namespace, "/");
        }

        @Override
        public Status enter(Attributes directory, Access.Where where) {
            return closed.contains(where.path()) ? Status.ACCESS_DENIED : Status.OK;
        }

        @Override
        public Status entry(Level level, Name name, Attributes entry) {
            met.add(path(name));
            return Status.OK;
        }
    }

    private long mkdir(long parent, String path) {
        Attributes out = new Attributes();
        assertEquals(Status.OK, namespace.mkdir(parent, last(path), 0755, 0, 0, out));
        made.add(path);
        return out.id;
    }

    private void create(long parent, String path) {
        assertEquals(Status.OK, namespace.create(parent, last(path), 0644, 0, 0, new Attributes()));
        made.add(path);
    }

    private static Name last(String path) {
        return Name.of(path.substring(path.lastIndexOf('/') + 1));
    }

    private Attributes root() {
        Attributes root = new Attributes();
        assertEquals(Status.OK, namespace.statDirectory(Namespace.ROOT_ID, root));
        return root;
    }

    private void makeTree() {
        Random random = new Random(SEED);
        List<Long> ids = new ArrayList<>(List.of(Namespace.ROOT_ID));
        List<String> paths = new ArrayList<>(List.of(""));
        for (int i = 0; i < 400; i++) {
            int at = random.nextInt(ids.size());
            String path = paths.get(at) + "/" + i;
            if (random.nextInt(4) == 0) {
                ids.add(mkdir(ids.get(at), path));
                paths.add(path);
            } else {
                create(ids.get(at), path);
            }
        }
    }

    private void walkInPartsOf(int entries) {
        Walk walk = new Walk();
        assertEquals(Status.OK, walk.begin(root()));
        assertEquals(Status.OK, walk.run(entries));
        while (!walk.isAtEnd()) {
            byte[] written = walk.write();
            walk = new Walk();
            assertEquals(Status.OK, walk.read(root(), written));
            assertEquals(Status.OK, walk.run(entries));
        }
    }

    @Test
    void eachEntryIsMetOnceHoweverOftenTheWalkIsCut() {
        makeTree();
        for (int entries : new int[] {1, 2, 7, 100, 100_000}) {
            met.clear();
            walkInPartsOf(entries);
            assertEquals(made.size(), met.size(), entries + " entries a part");
            assertEquals(made, new TreeSet<>(met));
        }
    }

    /** Of a directory with a list a listing tells too little, and what is asked for that must be this very directory. */
    @Test
    void aDirectoryWithAListIsEnteredThoughItIsRenamedMeanwhile() {
        long id = mkdir(Namespace.ROOT_ID, "/d");
        create(id, "/d/inner");
        long[] list = {Acl.entry(false, Acl.USER, 7, 7), Acl.entry(false, Acl.GROUP, 0)};
        assertEquals(Status.OK, namespace.changeAcl(Namespace.ROOT_ID, Name.of("d"), object -> {
            object.acl = list;
            return Status.OK;
        }));
        Walk walk = new Walk() {
            @Override
            public Status entry(Level level, Name name, Attributes entry) {
                if (entry.id == id) {
                    assertEquals(
                            Status.OK,
                            namespace.rename(
                                    Namespace.ROOT_ID,
                                    Name.of("d"),
                                    Namespace.ROOT_ID,
                                    Name.of("e"),
                                    false,
                                    new Attributes()));
                }
                return super.entry(level, name, entry);
            }
        };
        assertEquals(Status.OK, walk.begin(root()));
        assertEquals(Status.OK, walk.run(100));
        assertEquals(made, new TreeSet<>(met));
    }

    @Test
    void aLongDirectoryIsReadInPages() {
        long id = mkdir(Namespace.ROOT_ID, "/d");
        for (int i = 0; i < 3_000; i++) {
            create(id, "/d/" + i);
        }
        walkInPartsOf(100_000);
        assertEquals(made.size(), met.size());
        assertEquals(made, new TreeSet<>(met));
    }

    /** Cuts a walk inside /b/c; /a is still to come, or was before. */
    private byte[] cutWithin() {
        create(mkdir(Namespace.ROOT_ID, "/old"), "/old/strange");
        create(mkdir(Namespace.ROOT_ID, "/a"), "/a/f");
        long b = mkdir(Namespace.ROOT_ID, "/b");
        create(b, "/b/f");
        long c = mkdir(b, "/b/c");
        create(c, "/b/c/f");
        create(c, "/b/c/g");
        Walk walk = new Walk();
        assertEquals(Status.OK, walk.begin(root()));
        while (!met.contains("/b/c/g")) {
            assertEquals(Status.OK, walk.run(1));
        }
        return walk.write();
    }

    @Test
    void whatHasGoneOnTheWayIsTold() {
        byte[] written = cutWithin();
        Attributes b = new Attributes();
        assertEquals(Status.OK, namespace.stat(Namespace.ROOT_ID, Name.of("b"), b));
        assertEquals(
                Status.OK,
                namespace.rename(b.id, Name.of("c"), Namespace.ROOT_ID, Name.of("moved"), false, new Attributes()));
        assertEquals( // another one of that name, whose entries stand behind the place where the walk was
                Status.OK,
                namespace.rename(Namespace.ROOT_ID, Name.of("old"), b.id, Name.of("c"), false, new Attributes()));
        Walk walk = new Walk();
        assertEquals(Status.STALE, walk.read(root(), written));
    }

    @Test
    void aUserThatGoesOnIsAskedAgainForEachDirectory() {
        byte[] written = cutWithin();
        for (String path : List.of("/", "/b", "/b/c")) {
            closed.clear();
            closed.add(path);
            assertEquals(Status.ACCESS_DENIED, new Walk().read(root(), written), path);
        }
    }

    @Test
    void anotherDirectoryAtTheTopIsToldAndATextThatNoWalkWroteRefused() {
        byte[] written = cutWithin();
        Attributes a = new Attributes();
        assertEquals(Status.OK, namespace.stat(Namespace.ROOT_ID, Name.of("a"), a));
        assertEquals(Status.STALE, new Walk().read(a, written));
        for (int length = 1; length < written.length; length++) {
            byte[] cut = Arrays.copyOf(written, length);
            boolean whole = length == 34 || length == 34 + 35; // one level, or two
            assertEquals(whole ? Status.OK : Status.INVALID_ARGUMENT, new Walk().read(root(), cut), length + " bytes");
        }
        Random random = new Random(SEED);
        for (int i = 0; i < 2_000; i++) {
            byte[] forged = written.clone();
            forged[random.nextInt(forged.length)] = (byte) random.nextInt();
            Walk walk = new Walk();
            Status status = walk.read(root(), forged);
            if (status == Status.OK) {
                assertEquals(Status.OK, walk.run(1_000));
                assertTrue(walk.isAtEnd());
            }
        }
    }

    @Test
    void aDirectoryThatMayNotBeEnteredEndsTheWalk() {
        makeTree();
        String inner = made.stream()
                .filter(path -> made.stream().anyMatch(other -> other.startsWith(path + "/")))
                .findFirst()
                .orElseThrow();
        closed.add(inner);
        Walk walk = new Walk();
        assertEquals(Status.OK, walk.begin(root()));
        assertEquals(Status.ACCESS_DENIED, walk.run(100_000));
    }

    @Test
    void aDeepWalkEndsByCountToo() {
        long at = Namespace.ROOT_ID;
        for (int i = 0; i < 1_200; i++) {
            Attributes out = new Attributes();
            assertEquals(Status.OK, namespace.mkdir(at, Name.of("d"), 0755, 0, 0, out));
            at = out.id;
        }
        Walk walk = new Walk();
        assertEquals(Status.OK, walk.begin(root()));
        assertEquals(Status.OK, walk.run(1_100));
        assertEquals(1_100, met.size());
        assertTrue(walk.isTooDeep());
        assertEquals(Status.OK, walk.run(1_000));
        assertTrue(walk.isAtEnd());
    }
}
