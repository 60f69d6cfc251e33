package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.Census;
import io.hmfs.client.FileInfo;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ResultCode;
import io.hmfs.client.gc.Orphans;
import io.hmfs.client.gc.Orphans.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: exactly the objects that no file has are found and removed, by superusers only, and nothing on doubt.
 * Method: a real server with the builtin store; objects planted behind its back; a restart, safe mode, strange names, many pages.
 */
@Timeout(180)
class OrphansTest extends PlantedObjects {
    /** Hears of files and does nothing. */
    private static class Silent implements Census.Visitor {
        @Override
        public void file(long inode, long size) {}

        @Override
        public void progress(long listed, long known) {}
    }

    private static Path age(Path path, int hours) throws IOException {
        return Files.setLastModifiedTime(path, FileTime.fromMillis(System.currentTimeMillis() - hours * 3_600_000L));
    }

    @Test
    void exactlyTheObjectsOfNoFileAreFoundAndRemoved() throws IOException {
        Map<String, byte[]> live = new HashMap<>();
        for (int i = 0; i < 40; i++) {
            String path = "/tree/a" + i % 3 + "/b" + i % 5 + "/f" + i;
            byte[] data = bytes(i, i * 20_000);
            write(admin, path, data);
            live.put(path, data);
        }
        admin.symlink("/tree/link", "a0", FILE);
        List<String> before = ObjectFiles.in(fixture.dataDirectory());
        plant(GONE, 0, 100);
        plant(GONE, 7, 11);
        plant(GONE + 1, 123_456_789, 1);
        FileInfo behind = write(admin, "/behind", bytes(1, ServerFixture.BLOCK_SIZE));
        LeasedFiles.write(admin, LeasedFiles.append(admin, "/behind"), 1, 0, new byte[5]);
        admin.create("/empty", FILE);

        Seen seen = new Seen();
        Orphans found = look(options(0, false, false), seen);
        String gone = Long.toHexString(GONE);
        TreeSet<String> expected = new TreeSet<>(List.of(
                "ORPHAN " + gone + "-0 100",
                "ORPHAN " + gone + "-7 11",
                "ORPHAN " + Long.toHexString(GONE + 1) + "-123456789 1",
                "BEYOND " + Long.toHexString(behind.id()) + "-1 5"));
        assertEquals(expected, seen.names);
        assertEquals(3, found.found(Kind.ORPHAN).objects());
        assertEquals(112, found.found(Kind.ORPHAN).bytes());
        assertEquals(before.size() + 5, found.objects());
        assertEquals(40, found.files(), "39 of the tree, for one is empty, and the one with something behind");
        assertEquals(0, found.removed().objects());
        assertEquals(before.size() + 5, ObjectFiles.in(fixture.dataDirectory()).size());

        Orphans removed = look(options(0, true, false), Orphans.Listener.NONE);
        assertEquals(3, removed.removed().objects());
        assertEquals(112, removed.removed().bytes());
        TreeSet<String> left = new TreeSet<>(before);
        left.add(Long.toHexString(behind.id()) + "-0");
        left.add(Long.toHexString(behind.id()) + "-1");
        assertEquals(left, new TreeSet<>(ObjectFiles.in(fixture.dataDirectory())));
        for (Map.Entry<String, byte[]> each : live.entrySet()) {
            assertHolds(each.getKey(), each.getValue());
        }
        assertEquals(
                0,
                look(options(0, true, false), Orphans.Listener.NONE).removed().objects());
    }

    @Test
    void whatWasChangedAShortTimeAgoIsLeftAlone() throws IOException {
        write(admin, "/live", bytes(1, 10));
        Path young = age(plant(GONE, 0, 1), 23);
        Path old = age(plant(GONE, 1, 2), 25);
        Orphans orphans = look(options(24 * 3_600_000, true, false), Orphans.Listener.NONE);
        assertTrue(Files.exists(young));
        assertFalse(Files.exists(old));
        assertEquals(1, orphans.found(Kind.YOUNG).objects());
        assertEquals(1, orphans.removed().objects());
    }

    @Test
    void whatHasNoNameOfAnObjectOrLiesWhereItShouldNotIsLeftAloneAndTold() throws IOException {
        write(admin, "/live", bytes(1, 10));
        Path data = fixture.dataDirectory();
        Path right = plant(GONE, 0, 1);
        Path inner = Objects.requireNonNull(right.getParent());
        List<Path> strange = new ArrayList<>(List.of(
                data.resolve("note"),
                data.resolve("0c"), // a file with a directory's name
                data.resolve("zz/aa/7f-0"),
                inner.resolve("7f00000000zz-0"),
                inner.resolve(Long.toHexString(GONE) + "-00"),
                inner.resolve(Long.toHexString(GONE) + "--1"),
                inner.resolve(Long.toHexString(GONE) + "-1.tmp"),
                inner.resolve("0" + Long.toHexString(GONE) + "-1"),
                inner.resolve(Long.toHexString(GONE).toUpperCase(java.util.Locale.ROOT) + "-1"),
                inner.resolve(Long.toHexString(GONE + 1) + "-0"), // its directory is another one
                inner.resolve(Long.toHexString(GONE) + "-7/in"), // a directory with an object's name
                inner.resolveSibling("file")));
        TreeSet<String> expected = new TreeSet<>();
        for (Path each : strange) {
            Files.createDirectories(each.getParent());
            Files.write(each, new byte[1]);
            Path told = each.startsWith(data.resolve("zz"))
                    ? data.resolve("zz")
                    : each.endsWith("in") ? each.getParent() : each;
            expected.add("unknown " + data.relativize(told));
        }
        Seen seen = new Seen();
        look(options(0, true, false), seen);
        expected.add("ORPHAN " + Long.toHexString(GONE) + "-0 1");
        assertEquals(expected, seen.names);
        assertFalse(Files.exists(right));
        for (Path each : strange) {
            assertTrue(Files.exists(each), each.toString());
        }
    }

    @Test
    void onlyASuperuserMayAskOrRemove() throws IOException {
        plant(GONE, 0, 1);
        Census census = new Census(bob);
        String sentence = "Access denied for user bob. Superuser privilege is required";
        assertEquals(sentence, denied(() -> census.run(new Silent())));
        assertEquals(sentence, denied(() -> census.objects(Census.Objects.START)));
        assertTrue(Files.exists(object(GONE, 0)));
    }

    @Test
    void aRestartInBetweenEndsItAndNothingIsRemoved() throws IOException {
        for (int i = 0; i < 20; i++) {
            write(admin, "/d" + i + "/f", bytes(i, 10));
        }
        plant(GONE, 0, 1);
        Orphans.Listener restarts = new Orphans.Listener() {
            private boolean done;

            @Override
            public void progress(String step, long done, long of) {
                if (!this.done && of > 0) {
                    this.done = true;
                    try {
                        fixture.restart();
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                }
            }
        };
        HmfsException stale = assertThrows(HmfsException.class, () -> look(options(0, true, false), restarts));
        assertEquals(ResultCode.STALE, stale.code());
        assertEquals(21, ObjectFiles.in(fixture.dataDirectory()).size());
        assertEquals(
                1,
                look(options(0, true, false), Orphans.Listener.NONE).removed().objects());
    }

    @Test
    void nothingIsRemovedInSafeModeOrOnAnOldCensus() throws IOException {
        plant(GONE, 0, 1);
        Census census = new Census(admin);
        assertThrows(IllegalStateException.class, () -> census.remove(new long[] {GONE, 0}));
        census.run(new Silent());
        admin.setSafeMode(true);
        HmfsException safe = assertThrows(HmfsException.class, () -> census.remove(new long[] {GONE, 0}));
        assertEquals(ResultCode.SAFE_MODE, safe.code());
        admin.setSafeMode(false);
        fixture.restart();
        HmfsException stale = assertThrows(HmfsException.class, () -> census.remove(new long[] {GONE, 0}));
        assertEquals(ResultCode.STALE, stale.code());
        assertTrue(Files.exists(object(GONE, 0)));
    }

    @Test
    void ifMostInodesAreGoneNothingIsRemovedUnlessAskedTwice() throws IOException {
        write(admin, "/live", bytes(1, 10));
        plant(GONE, 0, 1);
        plant(GONE + 1, 0, 1);
        IOException refused = assertThrows(
                Orphans.MostAreGoneException.class, () -> look(options(0, true, false), Orphans.Listener.NONE));
        assertEquals("of the inodes with objects in builtin 1 live here and 2 do not", refused.getMessage());
        assertEquals(3, ObjectFiles.in(fixture.dataDirectory()).size());
        assertEquals(
                2, look(options(0, true, true), Orphans.Listener.NONE).removed().objects());
    }

    @Test
    void manyObjectsAndDirectoriesGoOverManyPages() throws IOException {
        FileInfo many = admin.create("/many", FILE);
        Path first = plant(many.id(), 0, 1);
        for (int i = 1; i < 10_000; i++) {
            Files.createFile(first.resolveSibling(Long.toHexString(many.id()) + "-" + i));
        }
        admin.append(many, 10_000L * ServerFixture.BLOCK_SIZE);
        for (int i = 0; i < 5_000; i++) {
            admin.mkdir("/dirs/d" + i, 0755, true);
        }
        List<CompletableFuture<FileInfo>> creates = new ArrayList<>();
        for (int i = 0; i < 9_000; i++) {
            creates.add(admin.createAsync("/files/f" + i, FILE));
        }
        creates.forEach(CompletableFuture::join);
        write(admin, "/dirs/d1/x", bytes(1, 10));
        for (int i = 850; i < 950; i++) { // a page of 4,096 ends here: what comes next must not get the cursor of /dirs
            write(admin, "/dirs/d" + i + "/x", bytes(1, 10));
        }
        write(admin, "/dirs/d4999/x", bytes(1, 10));
        write(admin, "/files/z", bytes(1, 10));
        plant(GONE, 0, 1);
        Seen seen = new Seen();
        Orphans orphans = look(options(0, true, false), seen);
        assertEquals(new TreeSet<>(List.of("ORPHAN " + Long.toHexString(GONE) + "-0 1")), seen.names);
        assertEquals(10_104, orphans.objects());
        assertEquals(5_005, orphans.directories(), "the root, /dirs with 5,000, /files, /home, /home/bob");
    }
}
