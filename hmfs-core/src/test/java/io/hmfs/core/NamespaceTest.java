package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.FileType;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: each operation does what Namespace says, and a reopened pool still holds it. Method: a real mapped pool in a file, each
 * operation with its success and its refusals.
 */
final class NamespaceTest {
    private static final long ROOT = Namespace.ROOT_ID;

    @TempDir
    Path directory;

    private Path pool;
    private Namespace namespace;
    private final Attributes out = new Attributes();

    @BeforeEach
    void open() throws IOException {
        pool = directory.resolve("pool");
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        namespace = Hmfs.open(pool, OpenOptions.process());
    }

    @AfterEach
    void close() {
        namespace.close();
    }

    private void reopen() throws IOException {
        namespace.close();
        namespace = Hmfs.open(pool, OpenOptions.process());
    }

    private long mkdir(long parent, String name) {
        assertEquals(Status.OK, namespace.mkdir(parent, Name.of(name), 0755, 0, 0, out));
        return out.id;
    }

    private long create(long parent, String name) {
        assertEquals(Status.OK, namespace.create(parent, Name.of(name), 0644, 0, 0, out));
        return out.id;
    }

    private Status stat(long parent, String name) {
        return namespace.stat(parent, Name.of(name), out);
    }

    private List<String> list(long parent) {
        List<String> names = new ArrayList<>();
        ListCursor cursor = new ListCursor();
        assertEquals(Status.OK, namespace.list(parent, cursor, (name, _) -> names.add(name.toString())));
        assertTrue(cursor.atEnd());
        return names;
    }

    @Test
    void aNameThatIsTakenIsToldWithWhatHasIt() {
        Attributes first = new Attributes();
        assertEquals(Status.OK, namespace.create(ROOT, Name.of("file"), 0640, 7, 8, first));
        assertEquals(Status.OK, namespace.append(ROOT, Name.of("file"), first.id, 99));
        Attributes seen = new Attributes();
        assertEquals(Status.EXISTS, namespace.create(ROOT, Name.of("file"), 0644, 0, 0, seen));
        assertEquals(List.of(first.id, 99L, 0640L, 7L), List.of(seen.id, seen.size, (long) seen.mode, (long) seen.uid));
        assertEquals(Status.EXISTS, namespace.mkdir(ROOT, Name.of("file"), 0644, 0, 0, seen));
        assertEquals(FileType.FILE, seen.type);
        assertEquals(Status.OK, namespace.mkdir(ROOT, Name.of("directory"), 0755, 0, 0, first));
        assertEquals(Status.EXISTS, namespace.create(ROOT, Name.of("directory"), 0644, 0, 0, seen));
        assertEquals(first.id, seen.id);
        assertEquals(FileType.DIRECTORY, seen.type);
    }

    @Test
    void aCreatedFileIsThereAfterReopening() throws IOException {
        long id = create(ROOT, "a");
        assertEquals(Status.EXISTS, namespace.create(ROOT, Name.of("a"), 0644, 0, 0, out));
        reopen();
        assertEquals(Status.OK, stat(ROOT, "a"));
        assertEquals(id, out.id);
        assertEquals(0644, out.mode);
        assertEquals(List.of("a"), list(ROOT));
        assertNotEquals(id, create(ROOT, "b"));
        assertEquals(List.of("b", "a"), list(ROOT));
    }

    @Test
    void theRootCanBeSeenAndChanged() {
        assertEquals(Status.OK, namespace.statDirectory(ROOT, out));
        assertEquals(ROOT, out.id);
        assertEquals(Status.OK, namespace.chmod(Namespace.ROOT_PARENT_ID, new Name(), 0700));
        assertEquals(Status.OK, namespace.stat(Namespace.ROOT_PARENT_ID, new Name(), out));
        assertEquals(0700, out.mode);
        assertTrue(out.isDirectory());
    }

    @Test
    void directoriesNestAndOnlyEmptyOnesGo() throws IOException {
        long a = mkdir(ROOT, "a");
        long b = mkdir(a, "b");
        create(b, "f");
        assertEquals(Status.NOT_EMPTY, namespace.rmdir(ROOT, Name.of("a")));
        assertEquals(Status.NOT_EMPTY, namespace.rmdir(a, Name.of("b")));
        assertEquals(Status.IS_DIRECTORY, namespace.delete(a, Name.of("b"), out));
        assertEquals(Status.NOT_DIRECTORY, namespace.rmdir(b, Name.of("f")));
        assertEquals(Status.OK, namespace.delete(b, Name.of("f"), out));
        assertEquals(Status.NOT_FOUND, namespace.delete(b, Name.of("f"), out));
        assertEquals(Status.OK, namespace.rmdir(a, Name.of("b")));
        assertEquals(Status.NO_SUCH_DIRECTORY, namespace.create(b, Name.of("g"), 0644, 0, 0, out));
        assertEquals(Status.NO_SUCH_DIRECTORY, namespace.statDirectory(b, out));
        reopen();
        assertEquals(List.of(), list(a));
        assertEquals(Status.OK, namespace.rmdir(ROOT, Name.of("a")));
        assertEquals(List.of(), list(ROOT));
    }

    @Test
    void renameMovesReplacesAndRefusesLoops() throws IOException {
        long a = mkdir(ROOT, "a");
        long b = mkdir(a, "b");
        long f = create(a, "f");
        assertEquals(Status.OK, namespace.append(a, Name.of("f"), f, 42));
        long g = create(b, "g");
        Attributes replaced = new Attributes();
        assertEquals(Status.EXISTS, namespace.rename(a, Name.of("f"), b, Name.of("g"), false, replaced));
        assertEquals(Status.OK, namespace.rename(a, Name.of("f"), b, Name.of("g"), true, replaced));
        assertEquals(g, replaced.id);
        assertEquals(Status.NOT_FOUND, stat(a, "f"));
        assertEquals(Status.OK, stat(b, "g"));
        assertEquals(f, out.id);
        assertEquals(42, out.size);
        assertEquals(Status.LOOP, namespace.rename(ROOT, Name.of("a"), b, Name.of("x"), true, replaced));
        assertEquals(Status.LOOP, namespace.rename(ROOT, Name.of("a"), a, Name.of("x"), true, replaced));
        assertEquals(Status.OK, namespace.rename(a, Name.of("b"), ROOT, Name.of("c"), true, replaced));
        assertEquals(0, replaced.id);
        assertEquals(Status.OK, namespace.statDirectory(b, out));
        assertEquals(List.of("g"), list(b));
        assertEquals(List.of("c", "a"), list(ROOT));
        assertEquals(Status.OK, namespace.rename(ROOT, Name.of("c"), ROOT, Name.of("c"), true, replaced));
        assertEquals(Status.NOT_FOUND, namespace.rename(ROOT, Name.of("no"), ROOT, Name.of("n"), true, replaced));
        reopen();
        assertEquals(List.of("g"), list(b));
        assertEquals(Status.OK, namespace.rename(ROOT, Name.of("a"), b, Name.of("a"), true, replaced));
        assertEquals(Status.LOOP, namespace.rename(ROOT, Name.of("c"), a, Name.of("c"), true, replaced));
    }

    @Test
    void attributesChangeAndLast() throws IOException {
        long f = create(ROOT, "f");
        Name name = Name.of("f");
        assertEquals(Status.OK, namespace.chmod(ROOT, name, 0600));
        assertEquals(Status.INVALID_ARGUMENT, namespace.chmod(ROOT, name, 010000));
        int user = namespace.principalId("alice");
        assertEquals(Status.OK, namespace.chown(ROOT, name, user, Namespace.KEEP));
        assertEquals(Status.OK, namespace.append(ROOT, name, f, 100));
        assertEquals(Status.STALE, namespace.append(ROOT, name, f + 1, 200));
        assertEquals(Status.OK, namespace.append(ROOT, name, f, 50));
        assertEquals(Status.OK, stat(ROOT, "f"));
        assertEquals(100, out.size);
        assertEquals(Status.OK, namespace.truncate(ROOT, name, 7));
        assertEquals(Status.OK, namespace.setTimes(ROOT, name, 5_000_000, 6_000_000));
        reopen();
        assertEquals(Status.OK, stat(ROOT, "f"));
        assertEquals(7, out.size);
        assertEquals(0600, out.mode);
        assertEquals("alice", namespace.principalName(out.uid));
        assertEquals("root", namespace.principalName(out.gid));
        assertEquals(5_000_000, out.mtimeNanos);
        assertEquals(6_000_000, out.atimeNanos);
        assertTrue(out.ctimeNanos > 6_000_000);
        assertEquals(Status.OK, namespace.append(ROOT, name, f, 8));
        assertEquals(Status.OK, stat(ROOT, "f"));
        assertTrue(out.mtimeNanos > 6_000_000, "a write ends what setTimes said");
    }

    @Test
    void aGroupHas31Bits() throws IOException {
        int max = Integer.MAX_VALUE;
        assertEquals(Status.OK, namespace.create(ROOT, Name.of("f"), 07777, max, max - 1, out));
        assertEquals(Status.OK, namespace.mkdir(ROOT, Name.of("d"), 0, 0, 65_536, out));
        assertEquals(Status.OK, namespace.chown(ROOT, Name.of("d"), Namespace.KEEP, max));
        reopen();
        assertEquals(Status.OK, stat(ROOT, "f"));
        assertEquals(List.of(07777, max, max - 1), List.of(out.mode, out.uid, out.gid));
        assertEquals(Status.OK, stat(ROOT, "d"));
        assertEquals(List.of(0, 0, max), List.of(out.mode, out.uid, out.gid));
        assertEquals(Status.INVALID_ARGUMENT, namespace.chown(ROOT, Name.of("d"), 0, -2));
        assertEquals(Status.INVALID_ARGUMENT, namespace.create(ROOT, Name.of("g"), 0644, 0, -1, out));
    }

    /** It is kept in units of 4 µs, and must not show an earlier time than an operation before it. */
    @Test
    void theTimeOfChangeFollowsEachOperation() {
        create(ROOT, "f");
        Name name = Name.of("f");
        assertEquals(Status.OK, stat(ROOT, "f"));
        assertEquals(out.mtimeNanos, out.ctimeNanos, "a new file shows one time");
        for (int i = 0; i < 1000; i++) {
            assertEquals(Status.OK, namespace.truncate(ROOT, name, i));
            assertEquals(Status.OK, stat(ROOT, "f"));
            long written = out.mtimeNanos;
            long shown = out.ctimeNanos;
            assertTrue(shown >= written);
            assertEquals(Status.OK, namespace.chmod(ROOT, name, i));
            assertEquals(Status.OK, stat(ROOT, "f"));
            assertEquals(written, out.mtimeNanos);
            assertTrue(out.ctimeNanos >= shown && out.ctimeNanos > written, "the change came after the write");
        }
    }

    @Test
    void badNamesAreRefused() {
        assertEquals(Status.INVALID_NAME, namespace.create(ROOT, Name.of(""), 0644, 0, 0, out));
        assertEquals(Status.INVALID_NAME, namespace.create(ROOT, Name.of(".."), 0644, 0, 0, out));
        assertEquals(Status.INVALID_NAME, namespace.create(ROOT, Name.of("a/b"), 0644, 0, 0, out));
        assertEquals(Status.INVALID_NAME, namespace.create(ROOT, Name.of("a\0b"), 0644, 0, 0, out));
        assertEquals(Status.NAME_TOO_LONG, namespace.create(ROOT, Name.of("x".repeat(256)), 0644, 0, 0, out));
        assertEquals(Status.OK, namespace.create(ROOT, Name.of("x".repeat(255)), 0644, 0, 0, out));
        assertEquals(Status.OK, namespace.create(ROOT, Name.of("x".repeat(65)), 0644, 0, 0, out));
        assertEquals(Status.OK, namespace.create(ROOT, Name.of("x".repeat(64)), 0644, 0, 0, out));
        assertEquals(3, list(ROOT).size());
    }

    @Test
    void aListingResumesFromItsCursorWhateverHappensBetweenThePages() {
        for (int i = 0; i < 1000; i++) {
            create(ROOT, "f" + i);
        }
        Set<String> seen = new HashSet<>();
        ListCursor cursor = new ListCursor();
        int round = 0;
        while (!cursor.atEnd()) {
            int limit = seen.size() + 10;
            assertEquals(
                    Status.OK,
                    namespace.list(ROOT, cursor, (name, _) -> seen.size() < limit && seen.add(name.toString())));
            create(ROOT, "new" + round);
            if (!cursor.atEnd()) {
                // The entry that the cursor stands on goes away, and so does one that has been shown.
                assertEquals(Status.OK, namespace.delete(ROOT, Name.of("f" + (999 - 10 * round - 9)), out));
                cursor.at = round % 3 == 0 ? 77 : cursor.at;
            }
            round++;
        }
        for (int i = 0; i < 1000; i++) {
            assertTrue(seen.contains("f" + i), "f" + i);
        }
    }

    @Test
    void aFullPoolSaysSoAndIsUsableAfterADelete() throws IOException {
        int count = 0;
        while (namespace.create(ROOT, Name.of("f" + count), 0644, 0, 0, out) == Status.OK) {
            count++;
        }
        assertTrue(count > 100_000, "files in a pool of 64 MiB: " + count);
        assertEquals(Status.OK, stat(ROOT, "f0"));
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
        reopen();
        for (int i = 0; i < 500; i++) {
            create(ROOT, "h" + i); // at once, though no region is free and the scan has only begun
        }
    }

    @Test
    void aRenameReplacesWhatPosixLetsItReplace() throws IOException {
        long d = mkdir(ROOT, "d");
        create(d, "inside");
        long empty = mkdir(ROOT, "empty");
        mkdir(ROOT, "full");
        create(out.id, "x");
        create(ROOT, "f");
        Attributes replaced = new Attributes();
        assertEquals(Status.EXISTS, rename("d", "empty", false, replaced));
        assertEquals(Status.NOT_EMPTY, rename("d", "full", true, replaced));
        assertEquals(Status.NOT_DIRECTORY, rename("d", "f", true, replaced));
        assertEquals(Status.IS_DIRECTORY, rename("f", "empty", true, replaced));
        assertEquals(Status.IS_DIRECTORY, rename("f", "full", true, replaced));
        assertEquals(
                Status.IS_DIRECTORY,
                namespace.rename(d, Name.of("inside"), ROOT, Name.of("d"), true, replaced),
                "a file over its own directory");
        assertEquals(Status.OK, rename("d", "d", true, replaced));
        assertEquals(Status.OK, rename("d", "empty", true, replaced));
        assertEquals(empty, replaced.id);
        assertTrue(replaced.isDirectory());
        assertEquals(Status.NO_SUCH_DIRECTORY, namespace.statDirectory(empty, out));
        assertEquals(Status.NO_SUCH_DIRECTORY, namespace.create(empty, Name.of("g"), 0644, 0, 0, out));
        assertEquals(Status.NO_SUCH_DIRECTORY, namespace.list(empty, new ListCursor(), (_, _) -> true));
        reopen();
        assertEquals(Status.OK, stat(ROOT, "empty"));
        assertEquals(d, out.id);
        assertEquals(List.of("inside"), list(d));
        assertEquals(List.of("empty", "f", "full"), list(ROOT));
    }

    @Test
    void aDirectoryReplacesNoneOfItsAncestors() {
        long a = mkdir(ROOT, "a");
        long b = mkdir(a, "b");
        mkdir(b, "c");
        Attributes replaced = new Attributes();
        assertEquals(Status.NOT_EMPTY, namespace.rename(a, Name.of("b"), ROOT, Name.of("a"), true, replaced));
        assertEquals(Status.NOT_EMPTY, namespace.rename(b, Name.of("c"), ROOT, Name.of("a"), true, replaced));
        assertEquals(Status.LOOP, namespace.rename(ROOT, Name.of("a"), b, Name.of("c"), true, replaced));
        assertEquals(List.of("c"), list(b));
    }

    private Status rename(String from, String to, boolean replace, Attributes replaced) {
        return namespace.rename(ROOT, Name.of(from), ROOT, Name.of(to), replace, replaced);
    }
}
