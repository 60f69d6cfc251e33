package io.hmfs.core.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.Namespace;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.TestPool;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.PoolFiles;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a file is one object by whichever of its names, and goes with the last of them. Method: a real mapped pool in a file; each
 * operation by one name, a look by another; every refusal; the pool checked at the end.
 */
final class LinkOpTest {
    private static final long ROOT = Namespace.ROOT_ID;
    private static final int NAMES_MAX = 65_535;

    @TempDir
    Path directory;

    private Path pool;
    private Namespace namespace;
    private final Attributes out = new Attributes();
    private long d;
    private long file;

    @BeforeEach
    void open() throws IOException {
        pool = directory.resolve("pool");
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        namespace = Hmfs.open(pool, OpenOptions.process());
        assertEquals(Status.OK, namespace.mkdir(ROOT, Name.of("d"), 0755, 0, 0, out));
        d = out.id;
        assertEquals(Status.OK, namespace.create(ROOT, Name.of("a"), 0644, 1, 2, out));
        file = out.id;
    }

    @AfterEach
    void nothingIsWrong() throws IOException {
        namespace.close();
        ServerNamespace checked = TestPool.open(PoolFiles.open(pool, Persistence.PROCESS, false));
        TestPool.scan(checked);
        assertEquals(List.of(), TestPool.problems(checked));
        checked.close();
    }

    private void reopen() throws IOException {
        namespace.close();
        namespace = Hmfs.open(pool, OpenOptions.process());
    }

    private Status link(long from, String name, long to, String newName) {
        return namespace.link(from, Name.of(name), to, Name.of(newName), out);
    }

    private Status delete(long from, String name) {
        return namespace.delete(from, Name.of(name), out);
    }

    private Status rename(long from, String name, long to, String newName) {
        return namespace.rename(from, Name.of(name), to, Name.of(newName), true, out);
    }

    /** ctime counts in units of 4 µs, the clock in milliseconds and then by ones. */
    private static void awaitClock(long time) {
        while (System.currentTimeMillis() * 1_000_000 <= time) {
            Thread.onSpinWait();
        }
    }

    private Attributes stat(long parent, String name) {
        Attributes seen = new Attributes();
        assertEquals(Status.OK, namespace.stat(parent, Name.of(name), seen), name);
        return seen;
    }

    private List<String> list(long parent) {
        List<String> names = new ArrayList<>();
        assertEquals(
                Status.OK,
                namespace.list(parent, new ListCursor(), (name, a) -> names.add(name + " " + a.id + " " + a.nlink)));
        return names;
    }

    @Test
    void whatOneNameChangesTheOtherShows() throws IOException {
        long before = stat(ROOT, "a").ctimeNanos;
        assertEquals(Status.OK, link(ROOT, "a", d, "b"));
        assertEquals(List.of(file, 2L), List.of(out.id, (long) out.nlink));
        assertTrue(stat(ROOT, "a").ctimeNanos > before, "a name more is a change");
        assertEquals(Status.OK, namespace.chmod(d, Name.of("b"), 0600));
        assertEquals(Status.OK, namespace.chown(ROOT, Name.of("a"), 7, Integer.MAX_VALUE));
        assertEquals(Status.OK, namespace.append(d, Name.of("b"), file, 1000));
        assertEquals(Status.OK, namespace.truncate(ROOT, Name.of("a"), 999));
        assertEquals(Status.OK, namespace.setTimes(d, Name.of("b"), 5, 6));
        assertEquals(Status.STALE, namespace.append(d, Name.of("b"), file + 1, 2000));
        for (int i = 0; i < 2; i++) {
            Attributes a = stat(ROOT, "a");
            Attributes b = stat(d, "b");
            assertEquals(List.of(0600, 7, Integer.MAX_VALUE, 2), List.of(a.mode, a.uid, a.gid, a.nlink));
            assertEquals(List.of(file, 999L, 5L, 6L), List.of(a.id, a.size, a.mtimeNanos, a.atimeNanos));
            assertEquals(List.of(a.mode, a.uid, a.gid, a.nlink), List.of(b.mode, b.uid, b.gid, b.nlink));
            assertEquals(List.of(a.id, a.size, a.mtimeNanos), List.of(b.id, b.size, b.mtimeNanos));
            assertEquals(a.ctimeNanos, b.ctimeNanos);
            assertNotEquals(a.birthNanos, b.birthNanos, "each entry has its place in its list");
            assertEquals(List.of("b " + file + " 2"), list(d));
            reopen();
        }
    }

    @Test
    void theFileGoesWithItsLastName() throws IOException {
        assertEquals(Status.OK, link(ROOT, "a", ROOT, "b"));
        assertEquals(Status.OK, link(ROOT, "b", d, "c"));
        assertEquals(Status.OK, namespace.append(d, Name.of("c"), file, 77));
        long before = stat(ROOT, "b").ctimeNanos;
        awaitClock(before);
        assertEquals(Status.OK, delete(ROOT, "a"));
        assertEquals(List.of(file, 2L, 77L), List.of(out.id, (long) out.nlink, out.size));
        assertTrue(stat(ROOT, "b").ctimeNanos > before, "a name less is a change");
        assertEquals(Status.NOT_FOUND, delete(ROOT, "a"));
        reopen();
        assertEquals(2, stat(ROOT, "b").nlink);
        assertEquals(Status.OK, delete(ROOT, "b"));
        assertEquals(1, out.nlink);
        assertEquals(77, stat(d, "c").size);
        assertEquals(Status.OK, link(d, "c", ROOT, "a"));
        assertEquals(Status.OK, delete(d, "c"));
        assertEquals(Status.OK, delete(ROOT, "a"));
        assertEquals(List.of(file, 0L, 77L), List.of(out.id, (long) out.nlink, out.size));
        assertEquals(Status.OK, namespace.rmdir(ROOT, Name.of("d")));
        assertEquals(List.of(), list(ROOT));
    }

    /** POSIX: the count of names and a name are part of the file's state. */
    @Test
    void aNameThatMovesOrIsReplacedIsAChange() {
        assertEquals(Status.OK, link(ROOT, "a", ROOT, "b"));
        long before = stat(ROOT, "a").ctimeNanos;
        awaitClock(before);
        assertEquals(Status.OK, rename(ROOT, "b", d, "c"));
        long moved = stat(ROOT, "a").ctimeNanos;
        assertTrue(moved > before, "one of its names has moved");
        awaitClock(moved);
        assertEquals(Status.OK, namespace.create(ROOT, Name.of("other"), 0644, 0, 0, out));
        assertEquals(Status.OK, rename(ROOT, "other", d, "c"));
        assertTrue(stat(ROOT, "a").ctimeNanos > moved, "one of its names has been replaced");
        assertEquals(1, stat(ROOT, "a").nlink);
    }

    @Test
    void aFileWithOneNameLeavesNone() {
        assertEquals(Status.OK, delete(ROOT, "a"));
        assertEquals(0, out.nlink);
        assertEquals(Status.OK, namespace.create(ROOT, Name.of("a"), 0644, 0, 0, out));
        assertEquals(1, out.nlink);
        assertEquals(Status.OK, namespace.create(ROOT, Name.of("b"), 0644, 0, 0, out));
        assertEquals(Status.OK, rename(ROOT, "a", ROOT, "b"));
        assertEquals(0, out.nlink);
    }

    @Test
    void renameMovesOneNameAndReplacesOneName() throws IOException {
        assertEquals(Status.OK, link(ROOT, "a", d, "b"));
        assertEquals(Status.OK, rename(d, "b", ROOT, "c"));
        assertEquals(0, out.id);
        assertEquals(List.of("c " + file + " 2", "a " + file + " 2", "d " + d + " 1"), list(ROOT));
        assertEquals(Status.OK, namespace.create(ROOT, Name.of("f"), 0644, 0, 0, out));
        long other = out.id;
        assertEquals(Status.OK, rename(ROOT, "f", ROOT, "a"));
        assertEquals(List.of(file, 1L), List.of(out.id, (long) out.nlink));
        reopen();
        assertEquals(List.of(file, 1L), List.of(stat(ROOT, "c").id, (long) stat(ROOT, "c").nlink));
        assertEquals(other, stat(ROOT, "a").id);
        assertEquals(Status.OK, link(ROOT, "a", d, "a"));
        assertEquals(Status.OK, rename(d, "a", ROOT, "c"));
        assertEquals(List.of(file, 0L), List.of(out.id, (long) out.nlink));
        assertEquals(List.of(other, 2L), List.of(stat(ROOT, "c").id, (long) stat(ROOT, "c").nlink));
    }

    /** POSIX: "If the old argument and the new argument resolve to the same existing file, rename() shall do nothing". */
    @Test
    void renameBetweenTwoNamesOfOneFileDoesNothing() {
        assertEquals(Status.OK, link(ROOT, "a", ROOT, "b"));
        assertEquals(Status.EXISTS, namespace.rename(ROOT, Name.of("a"), ROOT, Name.of("b"), false, out));
        assertEquals(Status.OK, rename(ROOT, "a", ROOT, "b"));
        assertEquals(0, out.id);
        assertEquals(List.of("b " + file + " 2", "a " + file + " 2", "d " + d + " 1"), list(ROOT));
    }

    @Test
    void refusals() {
        assertEquals(Status.IS_DIRECTORY, link(ROOT, "d", ROOT, "e"));
        assertEquals(Status.IS_DIRECTORY, link(ROOT, "d", d, "e"));
        assertEquals(Status.NOT_FOUND, link(ROOT, "no", ROOT, "e"));
        assertEquals(Status.EXISTS, link(ROOT, "a", ROOT, "a"));
        assertEquals(Status.EXISTS, link(ROOT, "a", ROOT, "d"));
        assertEquals(Status.INVALID_NAME, link(ROOT, "a", ROOT, ".."));
        assertEquals(Status.INVALID_NAME, link(Namespace.ROOT_PARENT_ID, "", ROOT, "r"));
        assertEquals(Status.NAME_TOO_LONG, link(ROOT, "a", ROOT, "x".repeat(256)));
        assertEquals(Status.NO_SUCH_DIRECTORY, link(ROOT, "a", file, "x"));
        assertEquals(Status.NO_SUCH_DIRECTORY, link(file, "a", ROOT, "x"));
        assertEquals(Status.OK, link(ROOT, "a", ROOT, "b"));
        assertEquals(Status.EXISTS, link(ROOT, "a", ROOT, "b"));
        assertEquals(Status.EXISTS, namespace.create(ROOT, Name.of("b"), 0644, 0, 0, out));
        assertEquals(Status.NOT_DIRECTORY, namespace.rmdir(ROOT, Name.of("b")));
        assertEquals(Status.NO_SUCH_DIRECTORY, link(ROOT, "b", file, "x"), "an inode is no directory");
        assertEquals(Status.NO_SUCH_DIRECTORY, namespace.statDirectory(file, out));
        assertEquals(Status.NOT_FOUND, namespace.stat(Namespace.ROOT_PARENT_ID, Name.of("b"), out));
        assertEquals(Status.OK, namespace.stat(Namespace.ROOT_PARENT_ID, Name.of(""), out));
        assertEquals(ROOT, out.id);
        assertEquals(2, stat(ROOT, "b").nlink);
    }

    @Test
    void forgedIdsAreStatuses() {
        long[] forged = {0, -1, Long.MIN_VALUE, Long.MAX_VALUE, file, file + 1_000_000, 1L << 48 | 1};
        assertEquals(Status.OK, link(ROOT, "a", ROOT, "b"));
        for (long id : forged) {
            assertEquals(Status.NO_SUCH_DIRECTORY, link(id, "a", ROOT, "x"), "from " + id);
            assertEquals(Status.NO_SUCH_DIRECTORY, link(ROOT, "a", id, "x"), "to " + id);
            assertEquals(Status.NO_SUCH_DIRECTORY, delete(id, "a"));
            assertEquals(Status.STALE, namespace.append(ROOT, Name.of("b"), id == file ? 0 : id, 1));
        }
        assertEquals(Status.INVALID_ARGUMENT, namespace.truncate(ROOT, Name.of("b"), -1));
        assertEquals(Status.INVALID_ARGUMENT, namespace.setTimes(ROOT, Name.of("b"), -2, 0));
        assertEquals(List.of("b " + file + " 2", "a " + file + " 2", "d " + d + " 1"), list(ROOT));
    }

    @Test
    void aFileHas65535Names() throws IOException {
        for (int i = 1; i < NAMES_MAX; i++) {
            assertEquals(Status.OK, link(ROOT, "a", d, "n" + i));
        }
        assertEquals(NAMES_MAX, out.nlink);
        assertEquals(Status.TOO_MANY_LINKS, link(ROOT, "a", d, "m"));
        assertEquals(Status.TOO_MANY_LINKS, link(d, "n7", ROOT, "m"));
        reopen();
        assertEquals(NAMES_MAX, stat(d, "n1").nlink);
        assertEquals(Status.TOO_MANY_LINKS, link(ROOT, "a", d, "m"));
        assertEquals(Status.OK, delete(ROOT, "a"));
        assertEquals(NAMES_MAX - 1, out.nlink);
        assertEquals(Status.OK, link(d, "n7", ROOT, "m"));
        assertEquals(NAMES_MAX, out.nlink);
    }

    @Test
    void aFullPoolRefusesANameAndKeepsTheFile() {
        int names = 1;
        Status status = link(ROOT, "a", d, "n1");
        for (; status == Status.OK; status = link(ROOT, "a", d, "n" + names)) {
            names++;
            if (names % 50_000 == 0) {
                assertEquals(Status.OK, namespace.create(ROOT, Name.of("other" + names), 0644, 0, 0, out));
                file = out.id;
                assertEquals(Status.OK, rename(ROOT, "other" + names, ROOT, "a"));
            }
        }
        assertEquals(Status.NO_SPACE, status);
        assertTrue(names > 100_000, "names in a pool of 64 MiB: " + names);
        int present = stat(ROOT, "a").nlink;
        assertEquals(Status.OK, delete(d, "n" + (names - 1)));
        assertEquals(present - 1, stat(ROOT, "a").nlink);
    }
}
