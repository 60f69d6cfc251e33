package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.Census;
import io.hmfs.client.CreateOptions;
import io.hmfs.client.FileInfo;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ResultCode;
import io.hmfs.client.gc.BuiltinObjects;
import io.hmfs.client.gc.ObjectStore;
import io.hmfs.client.gc.Orphans;
import io.hmfs.client.gc.Orphans.Kind;
import io.hmfs.client.gc.StoredObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: exactly the objects that no file has are found, whatever goes on meanwhile, and nothing else is ever removed.
 * Method: a real server with the builtin store; objects planted behind its back; threads that write, move, replace and delete while
 * orphans are being removed, and every file that is left read in the end.
 */
@Timeout(180)
class OrphansTest extends UsersOfOneServer {
    private static final long GONE = 0x7F00_0000_0000L; // inodes that no pool of this size has leased
    private static final CreateOptions FILE = new CreateOptions(0640, true, true, 0755);

    /** What was found, by kind and name. */
    private static final class Seen implements Orphans.Listener {
        final TreeSet<String> names = new TreeSet<>();

        @Override
        public void found(Kind kind, StoredObject object) {
            names.add(kind + " " + object.name() + " " + object.bytes());
        }

        @Override
        public void unknown(String name) {
            names.add("unknown " + name);
        }
    }

    private static FileInfo write(HmfsClient client, String path, byte[] data) throws IOException {
        FileInfo file = client.create(path, FILE);
        for (int at = 0; at < data.length; at += ServerFixture.BLOCK_SIZE) {
            int length = Math.min(ServerFixture.BLOCK_SIZE, data.length - at);
            client.writeBlock(file.id(), at / ServerFixture.BLOCK_SIZE, 0, data, at, length);
        }
        client.append(file, data.length);
        return file;
    }

    private static byte[] bytes(long seed, int length) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    /** Where docs/wire.md says that it lies. */
    private Path object(long inode, long block) {
        long hash = inode * 0x9E3779B97F4A7C15L;
        return fixture.dataDirectory()
                .resolve(String.format("%02x", hash >>> 56))
                .resolve(String.format("%02x", hash >>> 48 & 0xFF))
                .resolve(Long.toHexString(inode) + "-" + block);
    }

    private Path plant(long inode, long block, int length) throws IOException {
        Path path = object(inode, block);
        Files.createDirectories(path.getParent());
        return Files.write(path, new byte[length]);
    }

    private static Path age(Path path, int hours) throws IOException {
        return Files.setLastModifiedTime(path, FileTime.fromMillis(System.currentTimeMillis() - hours * 3_600_000L));
    }

    private static Orphans.Options options(int olderThanMillis, boolean delete, boolean most) {
        return new Orphans.Options(olderThanMillis, delete, false, most);
    }

    private Orphans look(Orphans.Options options, Orphans.Listener listener) throws IOException {
        Census census = new Census(admin);
        try (ObjectStore store = new BuiltinObjects(census)) {
            Orphans orphans = new Orphans(census, store, options, listener);
            orphans.run();
            return orphans;
        }
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
        admin.writeBlock(behind.id(), 1, 0, new byte[5], 0, 5);
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

    private void assertHolds(String path, byte[] data) throws IOException {
        FileInfo file = admin.stat(path);
        assertEquals(data.length, file.size(), path);
        for (int at = 0; at < data.length; at += ServerFixture.BLOCK_SIZE) {
            int length = Math.min(ServerFixture.BLOCK_SIZE, data.length - at);
            byte[] read = new byte[length];
            long block = at / ServerFixture.BLOCK_SIZE;
            assertEquals(length, admin.readBlock(file.id(), block, 0, read, 0, length), path + " has lost a block");
            byte[] wanted = java.util.Arrays.copyOfRange(data, at, at + length);
            assertArrayEquals(wanted, read, path);
        }
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

    /** Hears of files and does nothing. */
    private static class Silent implements Census.Visitor {
        @Override
        public void file(long inode, long size) {}

        @Override
        public void progress(long listed, long known) {}
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

    @Test
    void filesOfATreeThatIsBeingRemovedBelongToTheReaper() throws Exception {
        for (int i = 0; i < 300; i++) {
            write(admin, "/tree/f" + i, bytes(i, 10));
            write(admin, "/left/d" + i % 10 + "/f" + i, bytes(i, 10));
        }
        List<CompletableFuture<FileInfo>> creates = new ArrayList<>();
        for (int i = 0; i < 60_000; i++) { // what was made last goes first
            creates.add(admin.createAsync("/tree/late" + i, FILE));
        }
        creates.forEach(CompletableFuture::join);
        admin.trees().remove("/tree");
        for (int i = 0; i < 100; i++) {
            var unused = admin.deleteAsync("/left/d" + i % 10 + "/f" + i);
        }
        Orphans orphans = look(options(0, true, false), Orphans.Listener.NONE);
        assertEquals(0, orphans.found(Kind.ORPHAN).objects());
        for (int i = 100; i < 300; i++) {
            assertHolds("/left/d" + i % 10 + "/f" + i, bytes(i, 10));
        }
    }

    @Test
    void whatTheReaperCouldNotRemoveIsLeftToIt() throws Exception {
        write(admin, "/live", bytes(1, 10));
        FileInfo file = write(admin, "/going", bytes(2, 3 * ServerFixture.BLOCK_SIZE));
        Path second = object(file.id(), 1);
        Files.delete(second);
        Files.createDirectories(second.resolve("in the way"));
        admin.delete("/going");
        Await.until("the first object goes", () -> !Files.exists(object(file.id(), 0)));
        Orphans orphans = look(options(0, true, false), Orphans.Listener.NONE);
        assertEquals(0, orphans.found(Kind.ORPHAN).objects());
        assertTrue(Files.exists(object(file.id(), 2)));
    }

    /** The property: under everything that moves, replaces and removes, the files that stay keep all their data. */
    @Test
    void whateverGoesOnMeanwhileNothingOfALiveFileIsRemoved() throws Exception {
        AtomicBoolean ended = new AtomicBoolean();
        Map<String, byte[]> kept = new ConcurrentHashMap<>();
        int planted = 0;
        for (int round = 0; round < 30; round++) {
            write(admin, "/base/d" + round + "/f", bytes(round, 50));
        }
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                int number = i;
                all.add(threads.submit((Callable<Void>) () -> work(number, ended, kept)));
            }
            all.add(threads.submit((Callable<Void>) () -> shuffle(ended)));
            long until = System.nanoTime() + 8_000_000_000L;
            int runs = 0;
            try {
                while (System.nanoTime() < until || runs < 5) {
                    plant(GONE + planted++, 0, 1);
                    Orphans orphans = look(options(0, true, false), Orphans.Listener.NONE);
                    assertEquals(1, orphans.removed().objects(), "orphans removed where one was planted");
                    runs++;
                }
            } finally {
                ended.set(true);
            }
            for (Future<?> each : all) {
                each.get();
            }
        }
        assertTrue(kept.size() > 20, kept.size() + " files kept");
        for (Map.Entry<String, byte[]> each : kept.entrySet()) {
            assertHolds(each.getKey(), each.getValue());
        }
        int bases = 0;
        for (var entry : admin.list("/base", io.hmfs.client.ListCursor.START, 0).entries()) {
            int round = Integer.parseInt(entry.name().substring(1));
            assertHolds("/base/" + entry.name() + "/f", bytes(round, 50));
            bases++;
        }
        for (var entry :
                admin.list("/other", io.hmfs.client.ListCursor.START, 0).entries()) {
            int round = Integer.parseInt(entry.name().substring(1));
            assertHolds("/other/" + entry.name() + "/f", bytes(round, 50));
            bases++;
        }
        assertEquals(30, bases);
    }

    /** Moves directories from one place to the other and back, so that a walk by paths would miss what is in them. */
    private Void shuffle(AtomicBoolean ended) throws IOException {
        Random random = new Random(9);
        try (HmfsClient client = fixture.client()) {
            client.mkdir("/other", 0755, true);
            boolean[] there = new boolean[30];
            while (!ended.get()) {
                int i = random.nextInt(30);
                String from = (there[i] ? "/other/d" : "/base/d") + i;
                String to = (there[i] ? "/base/d" : "/other/d") + i;
                client.rename(from, to, false);
                there[i] = !there[i];
            }
        }
        return null;
    }

    private Void work(int number, AtomicBoolean ended, Map<String, byte[]> kept) throws IOException {
        Random random = new Random(number);
        try (HmfsClient client = fixture.client()) {
            client.mkdir("/w" + number + "/in", 0755, true);
            for (int i = 0; !ended.get(); i++) {
                String base = "/w" + number;
                String path = base + "/in/f" + i;
                byte[] data = bytes(i, random.nextInt(2_000) + 1);
                write(client, path, data);
                switch (random.nextInt(6)) {
                    case 0 -> client.delete(path);
                    case 1 -> {
                        client.rename(path, base + "/moved" + i, false);
                        kept.put(base + "/moved" + i, data);
                    }
                    case 2 -> {
                        client.rename(path, base + "/replaced", true);
                        kept.put(base + "/replaced", data);
                    }
                    case 3 -> {
                        write(client, base + "/tree" + i + "/x/f", data);
                        client.trees().remove(base + "/tree" + i);
                        kept.put(path, data);
                    }
                    case 4 -> {
                        client.rename(base + "/in", base + "/elsewhere", false);
                        client.mkdir(base + "/new", 0755, false);
                        client.rename(base + "/elsewhere", base + "/in", false);
                        client.rmdir(base + "/new");
                        kept.put(path, data);
                    }
                    default -> kept.put(path, data);
                }
            }
        }
        return null;
    }
}
