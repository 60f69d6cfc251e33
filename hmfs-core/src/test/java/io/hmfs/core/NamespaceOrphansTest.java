package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Bytes;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.StatBatch;
import io.hmfs.core.type.Status;
import io.hmfs.core.type.XattrMode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Goal: the directory of orphans is one like any other, except that only its id leads to it; and an operation that finds the pool full
 * asks the helper for room. Method: a pool in simulated memory, all operations, a second start. Losses of power: {@link NamespaceCrashTest}.
 */
final class NamespaceOrphansTest {
    private static final long ROOT = Namespace.ROOT_ID;

    private final SimPoolFile file = new SimPoolFile(16 << 10, 12);
    private final PoolNamespace namespace = FreshPool.open(file);
    private final Attributes out = new Attributes();

    private List<String> names(ServerNamespace of, long directory) {
        List<String> names = new ArrayList<>();
        assertEquals(Status.OK, of.list(directory, new ListCursor(), (name, _) -> names.add(name.toString())));
        return names;
    }

    private long made() {
        assertEquals(Status.OK, namespace.orphans(true, out));
        return out.id;
    }

    private long mkdir(long parent, String name) {
        assertEquals(Status.OK, namespace.mkdir(parent, Name.of(name), 0755, 0, 0, out));
        return out.id;
    }

    @Test
    void itIsMadeOnceAndStaysOverAStart() {
        assertEquals(Status.NOT_FOUND, namespace.orphans(false, out));
        long id = made();
        assertEquals(id, made());
        assertEquals(Status.OK, namespace.orphans(false, out));
        assertEquals(0700, out.mode);
        namespace.close();
        PoolNamespace again = new PoolNamespace("sim", file, false);
        assertEquals(Status.OK, again.orphans(false, out));
        assertEquals(id, out.id);
        assertEquals(List.of(), again.problems());
    }

    @Test
    void noListingShowsItAndTheRestOfTheRootShows() {
        mkdir(ROOT, "before");
        made();
        mkdir(ROOT, "after");
        assertEquals(List.of("after", "before"), names(namespace, ROOT));
        ListCursor cursor = new ListCursor();
        List<String> one = new ArrayList<>();
        while (!cursor.atEnd()) {
            int already = one.size();
            namespace.list(ROOT, cursor, (name, _) -> one.size() == already && one.add(name.toString()));
        }
        assertEquals(List.of("after", "before"), one);
    }

    @Test
    void noNameOfACallerReachesIt() {
        long id = made();
        Name name = Name.orphans();
        long d = mkdir(ROOT, "d");
        assertEquals(Status.INVALID_NAME, namespace.create(ROOT, name, 0644, 0, 0, out));
        assertEquals(Status.INVALID_NAME, namespace.mkdir(ROOT, name, 0755, 0, 0, out));
        assertEquals(Status.INVALID_NAME, namespace.symlink(ROOT, name, new byte[] {1}, 0, 0, out));
        assertEquals(Status.INVALID_NAME, namespace.delete(ROOT, name, out));
        assertEquals(Status.INVALID_NAME, namespace.rmdir(ROOT, name));
        assertEquals(Status.INVALID_NAME, namespace.rename(ROOT, name, ROOT, Name.of("mine"), true, out));
        assertEquals(Status.INVALID_NAME, namespace.rename(ROOT, Name.of("d"), ROOT, name, true, out));
        assertEquals(Status.INVALID_NAME, namespace.mkdir(d, name, 0755, 0, 0, out), "nor is there another one");
        looksInVain(name);
        assertEquals(id, made());
        assertEquals(List.of(), namespace.problems());
    }

    private void looksInVain(Name name) {
        Name attribute = Name.of("user.a");
        Bytes bytes = new Bytes();
        assertEquals(Status.NOT_FOUND, namespace.stat(ROOT, name, out));
        StatBatch batch = new StatBatch(1);
        batch.add(ROOT, name);
        namespace.statAll(batch);
        assertEquals(Status.NOT_FOUND, batch.status(0));
        assertEquals(Status.NOT_FOUND, namespace.chmod(ROOT, name, 0777));
        assertEquals(Status.NOT_FOUND, namespace.chown(ROOT, name, 7, 7));
        assertEquals(Status.NOT_FOUND, namespace.setTimes(ROOT, name, 5, 5));
        assertEquals(Status.NOT_FOUND, namespace.truncate(ROOT, name, 0));
        assertEquals(Status.NOT_FOUND, namespace.append(ROOT, name, out.id, 5));
        assertEquals(Status.NOT_FOUND, namespace.setXattr(ROOT, name, attribute, new byte[1], XattrMode.CREATE));
        assertEquals(Status.NOT_FOUND, namespace.getXattr(ROOT, name, attribute, bytes));
        assertEquals(Status.NOT_FOUND, namespace.listXattrs(ROOT, name, new ArrayList<>()));
        assertEquals(Status.NOT_FOUND, namespace.removeXattr(ROOT, name, attribute));
        assertEquals(Status.NOT_FOUND, namespace.changeAcl(ROOT, name, _ -> Status.OK));
        assertEquals(Status.NOT_FOUND, namespace.readlink(ROOT, name, bytes));
        assertEquals(Status.OK, namespace.orphans(false, out));
        assertEquals(0700, out.mode);
        assertEquals(0, out.uid);
    }

    @Test
    void whatIsMovedThereHasLeftTheTreeWithAllBelow() {
        long orphans = made();
        long d = mkdir(ROOT, "d");
        long inner = mkdir(d, "inner");
        assertEquals(Status.OK, namespace.create(inner, Name.of("f"), 0644, 0, 0, out));
        assertEquals(Status.OK, namespace.rename(ROOT, Name.of("d"), orphans, Name.of("1"), false, out));
        assertEquals(List.of(), names(namespace, ROOT));
        assertEquals(List.of("1"), names(namespace, orphans));
        StringBuilder path = new StringBuilder();
        assertEquals(Status.OK, namespace.path(inner, path));
        assertEquals("//removed/1/inner", path.toString());
        assertEquals(List.of(), namespace.problems());
        assertEquals(Status.OK, namespace.delete(inner, Name.of("f"), out));
        assertEquals(Status.OK, namespace.rmdir(d, Name.of("inner")));
        assertEquals(Status.OK, namespace.rmdir(orphans, Name.of("1")));
        assertEquals(List.of(), names(namespace, orphans));
        assertEquals(List.of(), namespace.problems());
    }

    @Test
    void aCreateThatFindsThePoolFullAsksForRoom() {
        long d = mkdir(ROOT, "d");
        int count = 0;
        while (namespace.create(d, Name.of("f" + count), 0644, 0, 0, out) == Status.OK) {
            count++;
        }
        assertNotEquals(0, count);
        assertEquals(Status.NO_SPACE, namespace.create(ROOT, Name.of("new"), 0644, 0, 0, out));
        List<Status> removed = new ArrayList<>();
        namespace.whenFull(() -> {
            removed.add(namespace.delete(d, Name.of("f0"), new Attributes()));
            return true;
        });
        assertEquals(Status.OK, namespace.create(ROOT, Name.of("new"), 0644, 0, 0, out));
        assertEquals(List.of(Status.OK), removed);
    }
}
