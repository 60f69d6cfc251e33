package io.hmfs.server.listing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ListDetail;
import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.Namespace;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Change;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.core.type.XattrMode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a page that is found is what the namespace would list at that moment, whatever was changed and by which thread; the cache stays within
 * its bound. Method: pages of text on a real pool, made in the order of a request's: looked for, listed, kept.
 */
class ListingCacheTest {
    private static final int FILES = PageLookup.ENTRIES_MIN;
    private static final int ALL = 1_000;

    @TempDir
    private Path directory;

    private final DirectoryVersions versions = new DirectoryVersions();
    private final Attributes out = new Attributes();
    private ServerNamespace namespace;
    private ListingCache cache;
    private PageLookup lookup;
    private Runnable atFirst = () -> {}; // run when the first entry of a page was shown
    private Runnable beforeDirectories = () -> {}; // run when the page has the times of a directory

    @BeforeEach
    void open() throws IOException {
        Path pool = directory.resolve("p");
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        namespace = new VersionedNamespace(
                Hmfs.openForServer(pool, OpenOptions.process()), versions, new Exports(0, versions, System::nanoTime));
        cacheOf(1 << 20);
    }

    @AfterEach
    void close() {
        namespace.close();
    }

    private void cacheOf(long bytes) {
        cache = new ListingCache(bytes, versions);
        lookup = new PageLookup(cache);
    }

    private long mkdir(long parent, String name) {
        assertEquals(Status.OK, namespace.mkdir(parent, Name.of(name), 0755, 1, 1, out));
        return out.id;
    }

    private long create(long parent, String name) {
        assertEquals(Status.OK, namespace.create(parent, Name.of(name), 0644, 1, 1, out));
        return out.id;
    }

    private long filled(String name) {
        long id = mkdir(Namespace.ROOT_ID, name);
        for (int i = 0; i < FILES; i++) {
            create(id, "f" + i);
        }
        return id;
    }

    private static void write(StringBuilder page, Name name, Attributes entry) {
        page.append(name)
                .append(' ')
                .append(entry.type)
                .append(' ')
                .append(entry.mode)
                .append(' ')
                .append(entry.uid);
        page.append(' ')
                .append(entry.gid)
                .append(' ')
                .append(entry.size)
                .append(' ')
                .append(entry.mtimeNanos);
        page.append(' ')
                .append(entry.ctimeNanos)
                .append(' ')
                .append(entry.hasAcl)
                .append('\n');
    }

    private String listed(long parent) {
        StringBuilder page = new StringBuilder();
        namespace.list(parent, new ListCursor(), (name, entry) -> {
            write(page, name, entry);
            return true;
        });
        return page.toString();
    }

    /** As a request does: the page that is kept, or else one that is made. */
    private String page(PageLookup with, long parent, ListCursor cursor, int entriesMax) {
        byte[] kept = with.find(parent, cursor, ListDetail.ALL, entriesMax, 1);
        if (kept != null) {
            return new String(kept, StandardCharsets.UTF_8);
        }
        StringBuilder page = new StringBuilder();
        int[] count = {0};
        namespace.list(parent, cursor, (name, entry) -> {
            if (entry.isDirectory()) {
                beforeDirectories.run();
            }
            with.show(namespace, entry);
            if (count[0] == 0) {
                atFirst.run();
            }
            if (count[0] == entriesMax) {
                return false;
            }
            count[0]++;
            write(page, name, entry);
            return true;
        });
        if (with.isWanted(count[0])) {
            with.keep(page.toString().getBytes(StandardCharsets.UTF_8), count[0], cursor);
        }
        return page.toString();
    }

    /** Lists the directory, and sees that it is as the namespace says; whether it was kept. */
    private boolean look(long parent) {
        long hits = cache.hits();
        assertEquals(listed(parent), page(lookup, parent, new ListCursor(), ALL));
        return cache.hits() > hits;
    }

    private void keep(long parent) {
        look(parent);
        look(parent);
        assertTrue(look(parent), "asked for a third time, it is kept");
    }

    private void neverKept(long parent) {
        for (int i = 0; i < 3; i++) {
            assertFalse(look(parent));
        }
    }

    @Test
    void aPageIsKeptWhenItIsAskedForASecondTime() {
        long parent = filled("d");
        assertFalse(look(parent));
        assertEquals(0, cache.bytes(), "a walk over everything displaces nothing");
        assertFalse(look(parent));
        assertTrue(cache.bytes() > 0);
        assertTrue(look(parent));
        assertEquals(1, cache.hits());
        assertEquals(2, cache.misses());
        assertEquals(FILES, lookup.entries());
    }

    @Test
    void aShortPageIsNotKept() {
        long parent = filled("d");
        namespace.delete(parent, Name.of("f0"), out);
        neverKept(parent);
    }

    @Test
    void eachPageGoesOnWhereItDid() {
        long parent = filled("d");
        for (int i = 0; i < FILES; i++) {
            create(parent, "g" + i);
        }
        for (int round = 0; round < 3; round++) {
            ListCursor cursor = new ListCursor();
            String first = page(lookup, parent, cursor, FILES);
            assertEquals(listed(parent), first + page(lookup, parent, cursor, FILES));
        }
        assertEquals(2, cache.hits());
        assertFalse(look(parent), "asked for otherwise");
    }

    private boolean isFound(long parent, ListDetail detail, int entriesMax, int bytesMax) {
        return lookup.find(parent, new ListCursor(), detail, entriesMax, bytesMax) != null;
    }

    @Test
    void aPageWithTheEndIsForAllThatAllowMoreThanItHas() {
        long parent = filled("d");
        keep(parent);
        int length = listed(parent).length();
        assertTrue(isFound(parent, ListDetail.ALL, FILES + 1, length + 1));
        assertFalse(isFound(parent, ListDetail.ALL, FILES, length + 1));
        assertFalse(isFound(parent, ListDetail.ALL, FILES + 1, length));
        assertFalse(isFound(parent, ListDetail.NAMES, FILES + 1, length + 1));
    }

    @Test
    void aPageThatGoesOnIsOnlyForItsOwnBounds() {
        long parent = filled("d");
        create(parent, "more");
        for (int round = 0; round < 2; round++) {
            page(lookup, parent, new ListCursor(), FILES);
        }
        assertTrue(isFound(parent, ListDetail.ALL, FILES, 1));
        assertFalse(isFound(parent, ListDetail.ALL, ALL, 1 << 20));
    }

    private interface Deed {
        Status of(long parent, long file);
    }

    private Map<String, Deed> deeds() {
        Map<String, Deed> deeds = new LinkedHashMap<>();
        Name f = Name.of("f3");
        Name n = Name.of("n");
        long root = Namespace.ROOT_ID;
        deeds.put("create", (in, _) -> namespace.create(in, n, 0644, 1, 1, out));
        deeds.put("mkdir", (in, _) -> namespace.mkdir(in, n, 0755, 1, 1, out));
        deeds.put("symlink", (in, _) -> namespace.symlink(in, n, new byte[] {'x'}, 1, 1, out));
        deeds.put("link", (in, _) -> namespace.link(in, f, root, n, out));
        deeds.put("delete", (in, _) -> namespace.delete(in, f, out));
        deeds.put("rename within", (in, _) -> namespace.rename(in, f, in, n, false, out));
        deeds.put("rename over", (in, _) -> namespace.rename(in, f, in, Name.of("f4"), true, out));
        deeds.put("rename out", (in, _) -> namespace.rename(in, f, root, n, false, out));
        deeds.put("rename in", (in, _) -> namespace.rename(root, Name.of("other"), in, n, false, out));
        deeds.put("append", (in, file) -> namespace.append(in, f, file, 5));
        deeds.put("truncate", (in, _) -> namespace.truncate(in, f, 0));
        deeds.put("chmod", (in, _) -> namespace.chmod(in, f, 0600));
        deeds.put("chown", (in, _) -> namespace.chown(in, f, 7, 7));
        deeds.put("setTimes", (in, _) -> namespace.setTimes(in, f, 1_000, 1_000));
        deeds.put(
                "setXattr",
                (in, _) -> namespace.setXattr(in, f, Name.of("user.a"), new byte[1], XattrMode.CREATE, Change.NONE));
        deeds.put(
                "changeAcl",
                (in, _) -> namespace.changeAcl(
                        in,
                        f,
                        object -> {
                            object.mode = 0640;
                            return Status.OK;
                        },
                        Change.NONE));
        return deeds;
    }

    @TestFactory
    List<DynamicTest> noChangeLeavesAStalePage() {
        create(Namespace.ROOT_ID, "other");
        List<DynamicTest> tests = new ArrayList<>();
        deeds().forEach((name, deed) -> tests.add(DynamicTest.dynamicTest(name, () -> {
            long parent = filled(name);
            assertEquals(Status.OK, namespace.stat(parent, Name.of("f3"), out));
            long file = out.id;
            keep(parent);
            assertEquals(Status.OK, deed.of(parent, file));
            assertFalse(look(parent), "still kept");
            look(parent);
            look(parent);
            namespace.delete(Namespace.ROOT_ID, Name.of("n"), out);
        })));
        return tests;
    }

    @Test
    void whatHasChangedBackIsNotKeptEither() {
        long parent = filled("d");
        keep(parent);
        create(parent, "n");
        namespace.delete(parent, Name.of("n"), out);
        assertFalse(look(parent));
    }

    @Test
    void theTimesOfADirectoryInItChangeWithWhatIsInThat() {
        long parent = filled("d");
        long below = mkdir(parent, "below");
        keep(parent);
        create(below, "f");
        assertFalse(look(parent));
        keep(parent);
        mkdir(parent, "more");
        keep(parent);
    }

    @Test
    void whatHasSeveralNamesIsNotKept() {
        long parent = filled("d");
        keep(parent);
        assertEquals(Status.OK, namespace.link(parent, Name.of("f1"), Namespace.ROOT_ID, Name.of("other"), out));
        neverKept(parent); // it may change under its other name
        namespace.delete(Namespace.ROOT_ID, Name.of("other"), out);
        neverKept(parent); // that change may not have ended, and steps the time of the file on
        namespace.delete(parent, Name.of("f1"), out);
        create(parent, "f1");
        keep(parent);
    }

    @Test
    void aDirectoryThatIsGoneIsNotFound() {
        long parent = filled("d");
        keep(parent);
        for (int i = 0; i < FILES; i++) {
            namespace.delete(parent, Name.of("f" + i), out);
        }
        assertEquals(Status.OK, namespace.rmdir(Namespace.ROOT_ID, Name.of("d")));
        assertNull(lookup.find(parent, new ListCursor(), ListDetail.ALL, ALL, 1));
    }

    @Test
    void whatChangesWhileThePageIsMadeKeepsNothing() {
        long parent = filled("d");
        long below = mkdir(parent, "below");
        look(parent);
        atFirst = () -> create(parent, "n");
        page(lookup, parent, new ListCursor(), ALL);
        atFirst = () -> {};
        assertEquals(0, cache.bytes());
        namespace.delete(parent, Name.of("n"), out);
        keep(parent);
        cacheOf(1 << 20);
        look(parent);
        atFirst = () -> create(below, "n"); // which is shown first, as the newest: as it was before that
        page(lookup, parent, new ListCursor(), ALL);
        atFirst = () -> {};
        assertFalse(look(parent));
    }

    @Test
    void timesOfADirectoryThatAreOverWhenItsVersionIsReadKeepNothing() {
        long parent = filled("d");
        long below = mkdir(parent, "below");
        look(parent);
        beforeDirectories = () -> create(below, "n");
        page(lookup, parent, new ListCursor(), ALL);
        beforeDirectories = () -> {};
        assertEquals(0, cache.bytes());
        keep(parent);
    }

    @Test
    void whileAChangeIsUnderWayNothingIsKept() {
        long parent = filled("d");
        look(parent);
        versions.begin(parent);
        neverKept(parent);
        versions.end(parent);
        keep(parent);
        long below = mkdir(parent, "below");
        look(parent);
        versions.begin(below);
        neverKept(parent);
        versions.end(below);
        keep(parent);
    }

    @Test
    void thoseThatWereNotAskedForTheLongestMakeRoom() {
        List<Long> parents = new ArrayList<>();
        long bytesOfOne = 0;
        for (int i = 0; i < 4; i++) {
            parents.add(filled("d" + i));
            look(parents.get(i));
            look(parents.get(i));
            bytesOfOne = Math.max(bytesOfOne, cache.bytes() / (i + 1) + 1);
        }
        cacheOf(3 * bytesOfOne);
        for (long each : parents.subList(0, 3)) {
            keep(each);
        }
        assertTrue(look(parents.get(0)));
        look(parents.get(3));
        look(parents.get(3));
        assertTrue(look(parents.get(3)));
        assertTrue(cache.bytes() <= 3 * bytesOfOne);
        assertTrue(look(parents.get(0)));
        assertTrue(look(parents.get(2)));
        assertFalse(look(parents.get(1)));
        cacheOf(bytesOfOne / 2);
        look(parents.get(0));
        look(parents.get(0));
        assertEquals(0, cache.bytes(), "a page that is too long for it");
        cacheOf(0);
        neverKept(parents.get(0));
        assertEquals(0, cache.misses(), "switched off");
    }

    /** Each file's size only grows, and a size that was reported before a listing began is in it, or a greater one. */
    @Test
    void besideThreadsThatChangeNoPageIsOlderThanItsListing() throws Exception {
        int rounds = 20_000;
        long parent = filled("d");
        long[] ids = new long[2];
        AtomicLong[] reported = {new AtomicLong(), new AtomicLong()};
        List<CompletableFuture<Void>> threads = new ArrayList<>();
        for (int i = 0; i < ids.length; i++) {
            assertEquals(Status.OK, namespace.stat(parent, Name.of("f" + i), out));
            ids[i] = out.id;
        }
        for (int i = 0; i < ids.length; i++) {
            int number = i;
            threads.add(CompletableFuture.runAsync(() -> grow(parent, number, ids[number], reported[number], rounds)));
        }
        CompletableFuture<?> all = CompletableFuture.allOf(threads.toArray(CompletableFuture[]::new));
        int hits = 0;
        while (!all.isDone() || hits == 0) {
            long[] before = {reported[0].get(), reported[1].get()};
            long hitsBefore = cache.hits();
            String page = page(lookup, parent, new ListCursor(), ALL);
            hits += cache.hits() > hitsBefore ? 1 : 0;
            for (int i = 0; i < ids.length; i++) {
                assertTrue(size(page, i) >= before[i], page);
            }
        }
        all.get();
        look(parent);
    }

    private void grow(long parent, int number, long id, AtomicLong reported, int rounds) {
        Name name = Name.of("f" + number);
        for (int size = 1; size <= rounds; size++) {
            assertEquals(Status.OK, namespace.append(parent, name, id, size));
            reported.set(size);
            if (size % 64 == 0) {
                LockSupport.parkNanos(1_000); // so that a page is asked for more than once now and then
            }
        }
    }

    private static long size(String page, int number) {
        String[] line = page.lines()
                .map(each -> each.split(" ", -1))
                .filter(words -> words[0].equals("f" + number))
                .findAny()
                .orElseThrow();
        return Long.parseLong(line[5]);
    }

    @Test
    void whatIsNotKeptIsLookedForWithoutTheLock() throws Exception {
        long parent = mkdir(Namespace.ROOT_ID, "small");
        create(parent, "f");
        ListingCache held = cache;
        synchronized (held) {
            CompletableFuture<String> other =
                    CompletableFuture.supplyAsync(() -> page(new PageLookup(held), parent, new ListCursor(), ALL));
            assertEquals(listed(parent), other.get(60, TimeUnit.SECONDS));
        }
    }
}
