package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.FileInfo;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ListPage;
import io.hmfs.client.ListingCursor;
import io.hmfs.client.ResultCode;
import io.hmfs.client.TreeCursor;
import io.hmfs.client.TreePage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/**
 * Goal: the listing of a tree is what a client would find that lists each directory, in parts of any size, for users that may and up to where
 * they may. Method: trees on a real server, listed both ways by several users; restarts between two parts. How a walk is cut and goes
 * on: {@code TreeWalkTest}.
 */
class TreeListingTest extends UsersOfOneServer {
    private static final long SEED = Long.getLong("hmfs.seed", 1);
    private static final int PAGE_BYTES = 256 << 10;

    private static void refused(ResultCode code, Executable call) {
        HmfsException thrown = assertThrows(HmfsException.class, call);
        assertEquals(code, thrown.code(), thrown.getMessage());
    }

    private static FileInfo at(FileInfo entry, String path) {
        return new FileInfo(
                entry.id(),
                0,
                path,
                entry.directory(),
                entry.mode(),
                entry.owner(),
                entry.group(),
                entry.size(),
                entry.mtimeNanos(),
                entry.atimeMillis(),
                entry.ctimeMillis(),
                entry.target(),
                entry.acl(),
                entry.dense());
    }

    /** What is below a directory, by listing each. */
    private static void walk(HmfsClient client, String top, String below, Map<String, FileInfo> out)
            throws IOException {
        ListingCursor cursor = ListingCursor.START;
        while (cursor != null) {
            ListPage page = client.list((top + below).isEmpty() ? "/" : top + below, cursor, 0);
            for (FileInfo entry : page.entries()) {
                String path = below + "/" + entry.name();
                out.put(path.substring(1), at(entry, path.substring(1)));
                if (entry.directory()) {
                    walk(client, top, path, out);
                }
            }
            cursor = page.next();
        }
    }

    private final TreeMap<String, FileInfo> listed = new TreeMap<>();

    private void add(TreePage page) {
        for (FileInfo entry : page.entries()) {
            assertNull(listed.put(entry.name(), entry), () -> entry.name() + " was met twice");
            int slash = entry.name().lastIndexOf('/');
            assertTrue(
                    slash < 0 || listed.containsKey(entry.name().substring(0, slash)),
                    "a directory goes before what is in it");
        }
    }

    /** Lists it in parts of so many entries; returns how many. */
    private int list(HmfsClient client, String path, int entriesMax) throws IOException {
        listed.clear();
        int parts = 0;
        TreeCursor cursor = TreeCursor.START;
        while (cursor != null) {
            TreePage page = client.trees().list(path, cursor, entriesMax);
            assertTrue(entriesMax == 0 || page.entries().size() <= entriesMax, "more than was asked for");
            add(page);
            cursor = page.next();
            parts++;
        }
        return parts;
    }

    private void makeTree(Random random, int entries) throws IOException {
        List<String> directories = new ArrayList<>(List.of("/t"));
        admin.mkdir("/t", 0755, false);
        for (int i = 0; i < entries; i++) {
            String path = directories.get(random.nextInt(directories.size())) + "/" + i;
            switch (random.nextInt(8)) {
                case 0, 1 -> {
                    admin.mkdir(path, 0700 + random.nextInt(64), false);
                    directories.add(path);
                }
                case 2 -> admin.symlink(path, "/far/" + i, PLAIN);
                default -> admin.append(admin.create(path, PLAIN), i);
            }
        }
        admin.chown("/t/" + 0, "bob", "staff");
        admin.acls().modify("/t/" + 1, List.of("user:eve:rwx"));
    }

    @Test
    void aTreeIsListedAsItsDirectoriesAreInPartsOfAnySize() throws IOException {
        Random random = new Random(SEED);
        makeTree(random, 400);
        TreeMap<String, FileInfo> walked = new TreeMap<>();
        walk(admin, "/t", "", walked);
        assertEquals(400, walked.size());
        for (int entries : new int[] {0, 1, 2, 7, 100, 1_000_000}) {
            list(admin, "/t", entries);
            assertEquals(walked, listed, entries + " entries a part");
        }
        walked.clear();
        walk(admin, "", "", walked);
        list(admin, "/", 50);
        assertEquals(walked, listed);
    }

    @Test
    void aPartIsBoundedInBytesToo() throws IOException {
        String longName = "n".repeat(240);
        admin.mkdir("/t/" + longName + "/" + longName, 0755, true);
        for (int i = 0; i < 1_000; i++) {
            admin.create("/t/" + longName + "/" + longName + "/" + longName + i, PLAIN);
        }
        int bytes = 1_000 * 3 * 240;
        int parts = list(admin, "/t", 10_000);
        assertEquals(1_002, listed.size());
        assertTrue(parts >= 3 && parts <= 1 + 2 * bytes / PAGE_BYTES, parts + " parts");
    }

    @Test
    void whatWasMetBeforeARefusalIsToldAndThenTheDirectoryThatWasRefused() throws IOException {
        bob.mkdir("/home/bob/t/closed/inner", 0755, true);
        bob.create("/home/bob/t/closed/f", PLAIN);
        bob.chmod("/home/bob/t/closed", 0711);
        for (int i = 0; i < 10; i++) {
            bob.create("/home/bob/t/" + i, PLAIN); // newer, so it is met before
        }
        TreePage page = eve.trees().list("/home/bob/t", TreeCursor.START, 0);
        assertEquals(10, page.entries().size());
        assertTrue(page.entries().stream().noneMatch(FileInfo::directory));
        TreeCursor next = page.next();
        assertNotNull(next);
        assertEquals(
                "Permission denied: user=eve, access=READ_EXECUTE, inode=\"/home/bob/t/closed\":bob:staff:drwx--x--x",
                denied(() -> eve.trees().list("/home/bob/t", next, 0)));
        assertEquals(
                List.of("closed", "closed/f", "closed/inner"),
                bob.trees().list("/home/bob/t", next, 0).entries().stream()
                        .map(FileInfo::name)
                        .sorted()
                        .toList());
        bob.chmod("/home/bob/t", 0711);
        assertEquals(
                "Permission denied: user=eve, access=READ_EXECUTE, inode=\"/home/bob/t\":bob:staff:drwx--x--x",
                denied(() -> eve.trees().list("/home/bob/t", next, 0)));
        denied(() -> eve.trees().list("/home/bob/t", TreeCursor.START, 0));
        assertEquals(1, list(eve, "/home/bob/t/closed/inner", 0));
        assertTrue(listed.isEmpty());
    }

    @Test
    void whatIsTooDeepForOneListingIsListedFromThereOn() throws IOException {
        StringBuilder path = new StringBuilder("/t");
        for (int i = 0; i < 1_200; i++) {
            path.append("/d");
        }
        admin.mkdir(path.toString(), 0755, true);
        admin.create(path + "/f", PLAIN);
        TreeMap<String, FileInfo> walked = new TreeMap<>();
        walk(admin, "/t", "", walked);
        Set<String> found = new HashSet<>();
        @Nullable String top = "";
        int tops = 0;
        while (top != null) {
            String from = top;
            top = null;
            TreeCursor cursor = TreeCursor.START;
            while (cursor != null) {
                TreePage page = admin.trees().list("/t" + from, cursor, 100);
                page.entries().forEach(entry -> assertTrue(found.add((from + "/" + entry.name()).substring(1))));
                if (!page.apart().isEmpty()) {
                    top = from + "/" + page.apart().get(0).name();
                }
                cursor = page.next();
            }
            tops++;
        }
        assertEquals(walked.keySet(), found);
        assertEquals(2, tops);
    }

    @Test
    void aListingGoesOnAfterARestart() throws IOException {
        makeTree(new Random(SEED), 300);
        admin.chmod("/t", 0755);
        TreeMap<String, FileInfo> walked = new TreeMap<>();
        walk(admin, "/t", "", walked);
        TreeCursor cursor = TreeCursor.START;
        int part = 0;
        while (cursor != null) {
            TreePage page = admin.trees().list("/t", cursor, 40);
            add(page);
            cursor = page.next();
            if (part++ % 3 == 1) {
                fixture.restart();
            }
        }
        assertEquals(walked, listed);
    }

    /** What has been walked is in front of it, perhaps: so it would be met nowhere. */
    @Test
    void aDirectoryThatIsRenamedInTheMiddleIsNotLeftOut() throws IOException {
        admin.mkdir("/home/wide", 0755, true);
        for (int i = 0; i < 10; i++) {
            admin.create("/home/wide/" + i, PLAIN);
        }
        TreeCursor inside =
                admin.trees().list("/home/wide", TreeCursor.START, 3).next();
        assertNotNull(inside);
        TreeCursor cursor = admin.trees().list("/home", TreeCursor.START, 3).next();
        assertNotNull(cursor);
        admin.rename("/home/wide", "/home/other", false);
        refused(ResultCode.STALE, () -> admin.trees().list("/home", cursor, 3));
    }

    @Test
    void whatIsNotADirectoryIsToldAsAListingTellsIt() throws IOException {
        admin.symlink("/s", "/home", PLAIN);
        admin.create("/f", PLAIN);
        refused(ResultCode.NOT_FOUND, () -> list(admin, "/nowhere", 0));
        refused(ResultCode.NOT_DIRECTORY, () -> list(admin, "/f", 0));
        refused(ResultCode.NOT_DIRECTORY, () -> list(admin, "/f/g", 0));
        refused(ResultCode.UNRESOLVED_LINK, () -> list(admin, "/s", 0));
        refused(ResultCode.UNRESOLVED_LINK, () -> list(admin, "/s/bob", 0));
        refused(ResultCode.INVALID_ARGUMENT, () -> list(admin, "/home", -1));
        TreeCursor cursor = admin.trees().list("/", TreeCursor.START, 1).next();
        assertNotNull(cursor);
        refused(ResultCode.STALE, () -> admin.trees().list("/home", cursor, 1));
    }
}
