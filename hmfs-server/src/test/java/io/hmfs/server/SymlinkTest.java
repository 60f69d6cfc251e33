package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.CreateOptions;
import io.hmfs.client.FileInfo;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ListPage;
import io.hmfs.client.ListingCursor;
import io.hmfs.client.ResultCode;
import io.hmfs.client.XattrSetMode;
import io.hmfs.server.setting.ServerSetting;
import io.hmfs.wire.Wire;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/**
 * Goal: symbolic links over the wire are kept as they are made, and every request that would have to follow one says where it leads.
 * Method: several users on one real server.
 */
class SymlinkTest extends UsersOfOneServer {
    private static final CreateOptions PARENTS = new CreateOptions(0640, false, true, 0755);
    private static final CreateOptions OVERWRITE = new CreateOptions(0640, true, false, 0755);

    private static HmfsException refused(ResultCode code, Executable call) {
        HmfsException thrown = assertThrows(HmfsException.class, call);
        assertEquals(code, thrown.code(), thrown.getMessage());
        return thrown;
    }

    /** Where the request would have to go on. */
    private static String leads(Executable call) {
        return refused(ResultCode.UNRESOLVED_LINK, call).reason();
    }

    @Test
    void aLinkIsKeptAsItIsMade() throws IOException {
        FileInfo made = bob.symlink("/home/bob/l", "../ä/./x", PLAIN);
        for (FileInfo link : List.of(made, bob.stat("/home/bob/l"))) {
            assertTrue(link.symlink());
            assertFalse(link.directory());
            assertEquals("../ä/./x", link.target());
            assertEquals(9, link.size());
            assertEquals("bob:staff", link.owner() + ":" + link.group());
            assertEquals(0777, link.mode());
            assertEquals(made.id(), link.id());
        }
        assertFalse(bob.stat("/home/bob").symlink());
        refused(ResultCode.EXISTS, () -> bob.symlink("/home/bob/l", "x", PLAIN));
        refused(ResultCode.EXISTS, () -> bob.symlink("/", "x", PLAIN));
        refused(ResultCode.NOT_FOUND, () -> bob.symlink("/home/bob/none/l", "x", PLAIN));
        assertEquals("x", bob.symlink("/home/bob/made/for/l", "x", PARENTS).target());
        denied(() -> eve.symlink("/home/bob/m", "x", PLAIN));
        fixture.restart();
        try (HmfsClient again = fixture.client("bob")) {
            assertEquals("../ä/./x", again.stat("/home/bob/l").target());
        }
    }

    @Test
    void whatCannotBeATargetLeavesNothingBehind() throws IOException {
        for (String target : List.of("", "a\0b", "t".repeat(4096))) {
            HmfsException thrown =
                    refused(ResultCode.INVALID_ARGUMENT, () -> bob.symlink("/home/bob/p/l", target, PARENTS));
            assertTrue(thrown.reason().contains("1 to 4095 bytes"), thrown.reason());
        }
        assertEquals(List.of(), bob.list("/home/bob", ListingCursor.START, 0).entries());
        assertEquals(
                "t".repeat(4095),
                bob.symlink("/home/bob/l", "t".repeat(4095), PLAIN).target());
    }

    @Test
    void aLinkOnTheWaySaysWhereThePathLeads() throws IOException {
        bob.mkdir("/home/bob/d", 0755, false);
        bob.create("/home/bob/d/f", PLAIN);
        Map<String, String> targets = new TreeMap<>(Map.of(
                "relative", "d",
                "up", "../bob/d",
                "absolute", "/home/bob/d",
                "elsewhere", "hdfs://other:8020/d",
                "colon", "a:b/c"));
        for (Map.Entry<String, String> each : targets.entrySet()) {
            String path = "/home/bob/" + each.getKey();
            bob.symlink(path, each.getValue(), PLAIN);
            boolean whole = each.getKey().equals("absolute") || each.getKey().equals("elsewhere");
            String to = whole ? each.getValue() : "/home/bob/" + each.getValue();
            assertEquals(to + "/f", leads(() -> bob.stat(path + "/f")));
            assertEquals(to + "/a/b", leads(() -> bob.mkdir(path + "/a/b", 0755, true)));
            assertEquals(to + "/f", leads(() -> bob.delete(path + "/f")));
            assertEquals(to + "/f", leads(() -> bob.rename(path + "/f", "/home/bob/g", false)));
            assertEquals(to + "/f", leads(() -> bob.rename("/home/bob/d", path + "/f", false)));
            assertEquals(to + "/l", leads(() -> bob.symlink(path + "/l", "x", PARENTS)));
            assertEquals(to + "/", leads(() -> bob.stat(path + "/")));
        }
        admin.symlink("/top", "home", PLAIN);
        assertEquals("/home/bob", leads(() -> bob.stat("/top/bob")));
        assertEquals(
                "stat /top/bob: a symbolic link on the path leads elsewhere: /home/bob",
                refused(ResultCode.UNRESOLVED_LINK, () -> bob.stat("/top/bob")).getMessage());
    }

    @Test
    void aLinkAtTheEndIsFollowedByAllButWhatIsAboutNames() throws IOException {
        bob.create("/home/bob/f", PLAIN);
        bob.symlink("/home/bob/l", "f", PLAIN);
        String link = "/home/bob/l";
        List<Executable> following = List.of(
                () -> bob.open(link, true, false),
                () -> bob.list(link, ListingCursor.START, 0),
                () -> bob.create(link, PLAIN),
                () -> bob.create(link, OVERWRITE),
                () -> bob.mkdir(link, 0755, false),
                () -> bob.mkdir(link, 0755, true),
                () -> bob.chmod(link, 0600),
                () -> bob.chown(link, null, "engineers"),
                () -> bob.setTimes(link, 1, 1),
                () -> bob.truncate(link, 0),
                () -> bob.xattrs().set(link, "user.a", new byte[1], XattrSetMode.CREATE),
                () -> bob.xattrs().all(link),
                () -> bob.xattrs().list(link),
                () -> bob.xattrs().remove(link, "user.a"));
        for (Executable each : following) {
            assertEquals("/home/bob/f", leads(each));
        }
        try (HmfsClient dave = fixture.client("dave")) {
            assertEquals("/home/bob/f", leads(() -> dave.chmod(link, 0600)), "of a user that is not checked, too");
            assertEquals("/home/bob/f", leads(() -> dave.create(link, OVERWRITE)));
        }
        FileInfo before = bob.stat(link);
        bob.rename(link, "/home/bob/m", false);
        assertEquals(before.id(), bob.stat("/home/bob/m").id());
        bob.create("/home/bob/g", PLAIN);
        bob.rename("/home/bob/g", "/home/bob/m", true);
        assertFalse(bob.stat("/home/bob/m").symlink());
        bob.symlink("/home/bob/n", "f", PLAIN);
        bob.delete("/home/bob/n");
        assertEquals("f,m", names(bob.list("/home/bob", ListingCursor.START, 0)));
    }

    @Test
    void aLinkThatGoesHasNoDataThatGoesWithIt() throws IOException {
        List<Long> removed = Collections.synchronizedList(new ArrayList<>());
        bob.onRemoved((inode, size) -> removed.add(inode));
        for (String name : List.of("deleted", "replaced")) {
            bob.symlink("/home/bob/" + name, "x", PLAIN);
        }
        FileInfo file = bob.create("/home/bob/f", PLAIN);
        bob.delete("/home/bob/deleted");
        bob.rename("/home/bob/f", "/home/bob/replaced", true);
        bob.delete("/home/bob/replaced");
        assertEquals(List.of(file.id()), removed);
    }

    private static String names(ListPage page) {
        return String.join(
                ",", page.entries().stream().map(FileInfo::name).sorted().toList());
    }

    @Test
    void aUserThatMayNotWriteBesideALinkGoesOnWhereItLeads() throws IOException {
        admin.mkdir("/open", 0777, false);
        admin.symlink("/l", "/open/f", PLAIN);
        assertEquals("/open/f", leads(() -> eve.create("/l", PLAIN)));
        assertEquals("/open/f", leads(() -> eve.create("/l", OVERWRITE)));
        assertEquals("/open/f", leads(() -> eve.mkdir("/l", 0755, true)));
        assertEquals(
                "Permission denied: user=eve, access=WRITE, inode=\"/\":alice:supergroup:drwxr-xr-x",
                denied(() -> eve.create("/other", PLAIN)));
        denied(() -> eve.delete("/l"));
        admin.mkdir("/closed", 0700, false);
        admin.symlink("/closed/l", "/open/f", PLAIN);
        denied(() -> eve.stat("/closed/l"));
        denied(() -> eve.stat("/closed/l/x"));
    }

    @Test
    void requestsThatAreExecutedTogetherMeetLinksToo() throws IOException {
        bob.mkdir("/home/bob/d", 0755, false);
        for (int i = 0; i < 40; i++) {
            bob.symlink("/home/bob/l" + i, "d/f" + i, PLAIN);
        }
        List<CompletableFuture<FileInfo>> stats = new ArrayList<>();
        List<CompletableFuture<FileInfo>> creates = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            stats.add(bob.statAsync("/home/bob/l" + i));
        }
        for (int i = 0; i < 40; i++) {
            creates.add(bob.createAsync("/home/bob/" + (i % 2 == 0 ? "l" : "f") + i, PLAIN));
        }
        for (int i = 0; i < 40; i++) {
            assertEquals("d/f" + i, stats.get(i).join().target());
            CompletableFuture<FileInfo> create = creates.get(i);
            if (i % 2 != 0) {
                assertEquals("f" + i, create.join().name());
            } else {
                CompletionException thrown = assertThrows(CompletionException.class, create::join);
                assertEquals(
                        "/home/bob/d/f" + i,
                        thrown.getCause() instanceof HmfsException link ? link.reason() : "" + thrown.getCause());
            }
        }
    }

    @Test
    void aListingTellsWhereItsLinksLead() throws IOException {
        String longest = "t".repeat(4000);
        Map<String, String> expected = new TreeMap<>();
        for (int i = 0; i < 300; i++) {
            String path = "/home/bob/" + i;
            switch (i % 3) {
                case 0 -> bob.create(path, PLAIN);
                case 1 -> bob.mkdir(path, 0755, false);
                default -> bob.symlink(path, longest + i, PLAIN);
            }
            expected.put(Integer.toString(i), i % 3 == 2 ? longest + i : "");
        }
        for (int entriesMax : new int[] {0, 7}) {
            Map<String, String> found = new TreeMap<>();
            int pages = 0;
            for (ListingCursor at = ListingCursor.START; at != null; pages++) {
                ListPage page = bob.list("/home/bob", at, entriesMax);
                for (FileInfo each : page.entries()) {
                    assertEquals(null, found.put(each.name(), each.target()), each.name());
                    assertEquals(Integer.parseInt(each.name()) % 3 == 1, each.directory());
                }
                at = page.next();
            }
            assertEquals(expected, found);
            assertTrue(pages >= 2, "targets count for the length of a page: " + pages);
        }
    }

    @Test
    void aChainOfLinksIsAStatusForEachOfThem() throws IOException {
        int links = 4_000;
        for (int i = 0; i < links; i++) {
            bob.symlink("/home/bob/" + i, Integer.toString(i + 1), PLAIN);
        }
        String path = "/home/bob/0/f";
        int followed = 0;
        while (followed < links) {
            String from = path;
            path = leads(() -> bob.stat(from));
            followed++;
            assertEquals("/home/bob/" + followed + "/f", path);
        }
        String end = path;
        refused(ResultCode.NOT_FOUND, () -> bob.stat(end));
        bob.symlink("/home/bob/loop", "loop", PLAIN);
        assertEquals("/home/bob/loop/f", leads(() -> bob.stat("/home/bob/loop/f")));
        String many = "/home/bob" + "/loop".repeat(1_600);
        assertEquals(many, leads(() -> bob.stat(many)), "a path of nothing but links");
    }

    @Test
    void aPathThatIsTooLongIsNeverCutOff() throws IOException {
        String target = "t".repeat(4000);
        bob.symlink("/home/bob/l", target, PLAIN);
        String rest = "/x".repeat((Wire.PATH_MAX - 4000 - "/home/bob/".length()) / 2);
        assertEquals("/home/bob/" + target + rest, leads(() -> bob.stat("/home/bob/l" + rest)));
        refused(ResultCode.NAME_TOO_LONG, () -> bob.stat("/home/bob/l" + rest + "/x"));
        refused(ResultCode.NAME_TOO_LONG, () -> bob.create("/home/bob/l" + rest + "/x", PLAIN));
        bob.symlink("/home/bob/abs", "/" + target, PLAIN);
        refused(ResultCode.NAME_TOO_LONG, () -> bob.stat("/home/bob/abs" + rest + "/".concat("x".repeat(250))));
    }

    @Test
    void itsMakingHasItsAuditLine() throws IOException {
        Path log = directory.resolve("audit.log");
        Path pool = Files.createDirectory(directory.resolve("audited"));
        try (ServerFixture audited = new ServerFixture(
                        pool,
                        builder -> builder.set(ServerSetting.AUDIT_LOG, log)
                                .set(ServerSetting.AUDIT_LOG_SIZE, 1L << 20)
                                .set(ServerSetting.AUDIT_LOG_FILES, 2));
                HmfsClient client = audited.client()) {
            client.symlink("/l", "hdfs://other/\nx", PLAIN);
            assertThrows(HmfsException.class, () -> client.stat("/l/y"));
        }
        List<String> told = Files.readAllLines(log).stream()
                .map(line -> line.replaceAll(".*cmd=(\\w+)\tsrc=(\\S+)\tdst=(\\S+)\t.*status=(\\w+)", "$1 $2 $3 $4"))
                .toList();
        assertEquals(List.of("createSymlink /l hdfs://other/\\x0ax OK", "getfileinfo /l/y null UNRESOLVED_LINK"), told);
    }
}
