package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hmfs.client.FileInfo;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ListingCursor;
import io.hmfs.client.ResultCode;
import io.hmfs.client.TreeSummary;
import io.hmfs.core.Hmfs;
import io.hmfs.core.Namespace;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/**
 * Goal: what is asked of the server about whole trees is what a client would find that looks at each entry, for users that may.
 * Method: several users on one real server. How a walk is cut and goes on: {@code TreeWalkTest}; all bits: {@link PermissionTableTest}.
 */
class TreesTest extends UsersOfOneServer {
    private static void refused(ResultCode code, Executable call) {
        HmfsException thrown = assertThrows(HmfsException.class, call);
        assertEquals(code, thrown.code(), thrown.getMessage());
    }

    private FileInfo file(String path, long size) throws IOException {
        FileInfo file = admin.create(path, PLAIN);
        admin.append(file, size);
        return file;
    }

    @Test
    void aTreeIsSummedUpWithItsTop() throws IOException {
        admin.mkdir("/t/a/b", 0755, true);
        admin.mkdir("/t/c", 0755, true);
        file("/t/f", 5);
        file("/t/a/f", 70);
        file("/t/a/b/f", 900);
        admin.symlink("/t/a/b/s", "/far/away", PLAIN);
        assertEquals(new TreeSummary(975, 4, 4), admin.trees().summary("/t"));
        assertEquals(new TreeSummary(900, 2, 1), admin.trees().summary("/t/a/b"));
        assertEquals(new TreeSummary(0, 0, 1), admin.trees().summary("/t/c"));
        assertEquals(new TreeSummary(70, 1, 0), admin.trees().summary("/t/a/f"));
        assertEquals(new TreeSummary(975, 4, 7), admin.trees().summary("/"), "with /home/bob and the root");
        assertEquals(new TreeSummary(975, 4, 4), bob.trees().summary("/t"));
    }

    private List<String> objects() throws IOException {
        return ObjectFiles.in(fixture.dataDirectory());
    }

    /** A file of ten bytes with their object. */
    private void data(String path) throws IOException {
        LeasedFiles.of(admin, path, PLAIN, new byte[10]);
    }

    @Test
    void aTreeIsRemovedInOneStepAndItsDataBehindIt() throws Exception {
        admin.mkdir("/t/a/b", 0755, true);
        data("/t/f");
        data("/t/a/b/f");
        data("/kept");
        FileInfo open = admin.stat("/t/a/b/f");
        admin.trees().remove("/t");
        refused(ResultCode.NOT_FOUND, () -> admin.stat("/t"));
        refused(ResultCode.NOT_FOUND, () -> admin.stat("/t/a/b/f"));
        refused(ResultCode.STALE, () -> admin.append(open, 20));
        assertEquals(new TreeSummary(10, 1, 3), admin.trees().summary("/"));
        assertEquals(2, admin.list("/", ListingCursor.START, 0).entries().size());
        Await.until("the data of one file", () -> objects().size() == 1);
        admin.mkdir("/t", 0755, false);
        admin.trees().remove("/t");
        refused(ResultCode.NOT_FOUND, () -> admin.trees().remove("/t"));
        refused(ResultCode.NOT_DIRECTORY, () -> admin.trees().remove("/kept"));
        refused(ResultCode.IS_ROOT, () -> admin.trees().remove("/"));
    }

    /** What a crash leaves between the step and the end of what follows it. */
    @Test
    void whatIsLeftOfARemovedTreeGoesAfterTheNextStart() throws Exception {
        admin.mkdir("/t/a", 0755, true);
        data("/t/a/f");
        data("/t/a/g");
        data("/kept");
        fixture.server().close();
        try (ServerNamespace namespace = Hmfs.openForServer(fixture.pool, OpenOptions.process())) {
            Attributes orphans = new Attributes();
            assertEquals(Status.OK, namespace.orphans(true, orphans));
            assertEquals(
                    Status.OK,
                    namespace.rename(
                            Namespace.ROOT_ID, Name.of("t"), orphans.id, Name.of("1"), false, new Attributes()));
        }
        fixture.restart();
        refused(ResultCode.NOT_FOUND, () -> admin.stat("/t"));
        Await.until("the data of one file", () -> objects().size() == 1);
    }

    @Test
    void onlyAUserThatMayRemoveAllOfItRemovesAnyOfIt() throws IOException {
        bob.mkdir("/home/bob/t/a", 0777, true);
        bob.create("/home/bob/t/f", PLAIN);
        bob.chmod("/home/bob/t/a", 0777);
        eve.mkdir("/home/bob/t/a/eves", 0755, false);
        eve.create("/home/bob/t/a/eves/f", PLAIN);
        assertEquals(
                "Permission denied: user=bob, access=ALL, inode=\"/home/bob/t/a/eves\":eve:staff:drwxr-xr-x",
                denied(() -> bob.trees().remove("/home/bob/t")));
        assertEquals(new TreeSummary(0, 2, 3), admin.trees().summary("/home/bob/t"));
        eve.delete("/home/bob/t/a/eves/f"); // an empty one is no obstacle
        bob.chmod("/home/bob/t/a", 01777);
        eve.create("/home/bob/t/a/g", PLAIN);
        bob.trees().remove("/home/bob/t"); // the sticky directory is bob's own
        bob.mkdir("/home/bob/u", 0777, false);
        bob.chmod("/home/bob/u", 0777);
        eve.mkdir("/home/bob/u/sticky", 0777, false);
        eve.chmod("/home/bob/u/sticky", 01777);
        eve.create("/home/bob/u/sticky/f", PLAIN);
        assertEquals(
                "Permission denied by sticky bit: user=bob, path=\"/home/bob/u/sticky/f\":eve:staff:-rw-r-----,"
                        + " parent=\"/home/bob/u/sticky\":eve:staff:drwxrwxrwt",
                denied(() -> bob.trees().remove("/home/bob/u")));
        assertEquals(new TreeSummary(0, 1, 2), admin.trees().summary("/home/bob/u"));
        assertEquals(
                "Permission denied: user=eve, access=WRITE, inode=\"/home/bob\":bob:staff:drwxr-xr-x",
                denied(() -> eve.trees().remove("/home/bob/u")));
    }

    @Test
    void moreThanOneAnswerTells() throws IOException {
        admin.mkdir("/t", 0755, false);
        List<CompletableFuture<FileInfo>> made = new ArrayList<>();
        for (int i = 0; i < 30_000; i++) {
            made.add(admin.createAsync("/t/" + i, PLAIN));
            if (made.size() == 500) {
                CompletableFuture.allOf(made.toArray(new CompletableFuture<?>[0]))
                        .join();
                made.clear();
            }
        }
        assertEquals(new TreeSummary(0, 30_000, 1), admin.trees().summary("/t"));
        assertEquals(new TreeSummary(0, 30_000, 4), bob.trees().summary("/"));
    }

    @Test
    void whatIsNotATreeIsToldAsStatTellsIt() throws IOException {
        admin.symlink("/s", "/home", PLAIN);
        file("/f", 1);
        refused(ResultCode.NOT_FOUND, () -> admin.trees().summary("/nowhere"));
        refused(ResultCode.NOT_DIRECTORY, () -> admin.trees().summary("/f/g"));
        assertEquals(new TreeSummary(0, 1, 0), admin.trees().summary("/s"), "as in HDFS, the link itself");
        refused(ResultCode.UNRESOLVED_LINK, () -> admin.trees().summary("/s/bob"));
    }

    @Test
    void aDirectoryBelowThatMayNotBeReadIsNamed() throws IOException {
        bob.mkdir("/home/bob/a/b/c", 0755, true);
        bob.chmod("/home/bob/a/b", 0711);
        assertEquals(
                "Permission denied: user=eve, access=READ_EXECUTE, inode=\"/home/bob/a/b\":bob:staff:drwx--x--x",
                denied(() -> eve.trees().summary("/home/bob")));
        assertEquals(new TreeSummary(0, 0, 1), eve.trees().summary("/home/bob/a/b/c"));
        bob.chmod("/home/bob/a/b", 0755);
        assertEquals(new TreeSummary(0, 0, 4), eve.trees().summary("/home/bob"));
    }
}
