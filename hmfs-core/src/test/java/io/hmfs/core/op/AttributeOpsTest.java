package io.hmfs.core.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.Namespace;
import io.hmfs.core.type.AppendBatch;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Goal: changes of mode, owner, size and times show at once and after a reopening, in the order in which they were made. Method: a
 * mapped pool, each operation with its success and its refusals.
 */
final class AttributeOpsTest extends MappedPool {
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

    /** What is missing of a dense file was lost; so a file must not be taken for one of which a byte was not written. */
    @Test
    void aFileIsDenseAsLongAsItGrowsByWhatWasWritten() throws IOException {
        long f = create(ROOT, "f");
        assertShows(0, false);
        write(f, 0, 100);
        assertShows(100, true);
        write(f, 50, 120); // from below the size
        assertShows(120, true);
        write(f, AppendBatch.UNKNOWN, 80); // changes no size
        assertShows(120, true);
        assertEquals(Status.OK, namespace.append(ROOT, Name.of("f"), f, 110));
        assertShows(120, true);
        assertEquals(Status.OK, namespace.truncate(ROOT, Name.of("f"), 60));
        assertShows(60, true);
        reopen();
        assertShows(60, true);
        assertEquals(Status.OK, namespace.chmod(ROOT, Name.of("f"), 0600));
        assertEquals(Status.OK, namespace.setTimes(ROOT, Name.of("f"), 5, 6));
        assertShows(60, true);
        write(f, 61, 70); // there is a byte between
        assertShows(70, false);
        write(f, 0, 80);
        assertShows(80, false); // of what was there before nothing is known
        assertEquals(Status.OK, namespace.truncate(ROOT, Name.of("f"), 5));
        assertShows(5, false);
        assertEquals(Status.OK, namespace.truncate(ROOT, Name.of("f"), 0));
        write(f, 0, 10);
        assertShows(10, true);
        assertEquals(Status.OK, namespace.truncate(ROOT, Name.of("f"), 11));
        assertShows(11, false);
        assertEquals(Status.OK, namespace.truncate(ROOT, Name.of("f"), 0));
        assertEquals(Status.OK, namespace.append(ROOT, Name.of("f"), f, 10));
        assertShows(10, false);
    }

    @Test
    void aFileIsDenseUnderAnyName() throws IOException {
        long f = create(ROOT, "g");
        mkdir(ROOT, "d");
        assertEquals(Status.OK, namespace.rename(ROOT, Name.of("g"), out.id, Name.of("g"), false, out));
        assertEquals(Status.OK, stat(ROOT, "d"));
        assertEquals(Status.OK, namespace.rename(out.id, Name.of("g"), ROOT, Name.of("f"), false, out));
        write(f, 0, 100);
        assertEquals(Status.OK, stat(ROOT, "d"));
        assertEquals(Status.OK, namespace.rename(ROOT, Name.of("f"), out.id, Name.of("g"), false, out));
        assertEquals(Status.OK, stat(ROOT, "d"));
        assertEquals(Status.OK, namespace.link(out.id, Name.of("g"), ROOT, Name.of("f"), out));
        assertShows(100, true);
        write(f, 100, 200);
        assertShows(200, true);
        write(f, 300, 400);
        assertShows(400, false);
    }

    @Test
    void aSizeHas62Bits() throws IOException {
        long most = (1L << 62) - 1;
        long f = create(ROOT, "f");
        write(f, 0, most);
        reopen();
        assertShows(most, true);
        AppendBatch batch = new AppendBatch(1);
        batch.add(ROOT, Name.of("f"), f, most + 1, 0);
        namespace.appendAll(batch);
        assertEquals(Status.INVALID_ARGUMENT, batch.status(0));
        assertEquals(Status.INVALID_ARGUMENT, namespace.append(ROOT, Name.of("f"), f, most + 1));
        assertEquals(Status.INVALID_ARGUMENT, namespace.truncate(ROOT, Name.of("f"), most + 1));
        assertShows(most, true);
    }

    private void write(long id, long from, long size) {
        AppendBatch batch = new AppendBatch(1);
        batch.add(ROOT, Name.of("f"), id, size, from);
        namespace.appendAll(batch);
        assertEquals(Status.OK, batch.status(0));
    }

    private void assertShows(long size, boolean isDense) {
        assertEquals(Status.OK, stat(ROOT, "f"));
        assertEquals(size, out.size);
        assertEquals(isDense, out.dense);
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
}
