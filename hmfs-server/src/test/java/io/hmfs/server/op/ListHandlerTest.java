package io.hmfs.server.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ListDetail;
import io.hmfs.client.ResultCode;
import io.hmfs.core.Namespace;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.ListVisitor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.pipeline.HandlerRig;
import io.hmfs.wire.ListEncoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.PageDecoder;
import io.hmfs.wire.Wire;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: a listing tells each entry once, page by page, to users that may read the directory. Method: pages of two entries. */
class ListHandlerTest {
    @TempDir
    private Path directory;

    private HandlerRig rig;

    @BeforeEach
    void open() throws IOException {
        rig = new HandlerRig(directory);
    }

    @AfterEach
    void close() throws IOException {
        rig.close();
    }

    private static HandlerRig.Message list(String path, long birth, long at, long start) {
        return list(path, birth, at, start, 2, 0);
    }

    private static HandlerRig.Message list(String path, long birth, long at, long start, int entriesMax, int detail) {
        return list(path, birth, at, start, entriesMax, detail, "", "");
    }

    private static HandlerRig.Message list(
            String path, long birth, long at, long start, int entriesMax, int detail, String prefix, String suffix) {
        return list(path, birth, at, start, entriesMax, detail, prefix, suffix, 1, 0);
    }

    private static HandlerRig.Message list(
            String path,
            long birth,
            long at,
            long start,
            int entriesMax,
            int detail,
            String prefix,
            String suffix,
            long id,
            long behind) {
        return (out, header) -> new ListEncoder()
                .wrapAndApplyHeader(out, 0, header)
                .correlationId(id)
                .baseId(Wire.ROOT_ID)
                .cursorBirth(birth)
                .cursorAt(at)
                .cursorStart(start)
                .entriesMax(entriesMax)
                .bytesMax(0)
                .detail((short) detail)
                .behind(behind)
                .path(path)
                .prefix(prefix)
                .suffix(suffix)
                .limit();
    }

    @Test
    void pagesAreShortWhileMemoryForRepliesIsScarce() {
        long parent = rig.mkdir("d", 0755);
        for (int i = 0; i < 1_000; i++) {
            rig.create(parent, "n".repeat(100) + i, 0644);
        }
        rig.scarceReplies(true);
        int shortPage = rig.ask(HandlerRig.USER, list("/d", 0, 0, 0, 0, 0)).length();
        assertTrue(shortPage > 3 << 10 && shortPage < 5 << 10, shortPage + " bytes");
        rig.scarceReplies(false);
        int page = rig.ask(HandlerRig.USER, list("/d", 0, 0, 0, 0, 0)).length();
        assertTrue(page > 100 << 10, page + " bytes");
    }

    @Test
    void eachEntryIsToldOnceOverPages() {
        long parent = rig.mkdir("d", 0755);
        Set<String> made = Set.of("a", "b", "c", "e", "f");
        made.forEach(name -> rig.create(parent, name, 0644));
        Set<String> told = new HashSet<>();
        long birth = 0;
        long at = 0;
        long start = 0;
        for (int pages = 0; birth != -1; pages++) {
            PageDecoder page = new PageDecoder()
                    .wrapAndApplyHeader(
                            rig.ask(HandlerRig.USER, list("/d", birth, at, start)), 0, new MessageHeaderDecoder());
            birth = page.cursorBirth();
            at = page.cursorAt();
            start = page.cursorStart();
            PageDecoder.EntriesDecoder entries = page.entries();
            while (entries.hasNext()) {
                assertEquals(true, told.add(entries.next().name()));
            }
            assertEquals(true, pages < made.size());
        }
        assertEquals(made, told);
    }

    private static HandlerRig.Message behind(String path, long id, long before) {
        return list(path, 0, 0, 0, 2, 0, "", "", id, before);
    }

    @Test
    void aPageGoesOnBehindTheRequestForTheOneBefore() {
        long parent = rig.mkdir("d", 0755);
        List<String> made = List.of("a", "b", "c", "e", "f");
        made.forEach(name -> rig.create(parent, name, 0644));
        List<String> told = new ArrayList<>();
        for (int id = 10; id < 14; id++) {
            PageDecoder page = page(behind("/d", id, id == 10 ? 0 : id - 1));
            PageDecoder.EntriesDecoder entries = page.entries();
            while (entries.hasNext()) {
                told.add(entries.next().name());
            }
            assertEquals(id >= 12, page.cursorBirth() == -1, "the third page is the last, and behind it comes none");
        }
        assertEquals(made.reversed(), told);
    }

    @Test
    void behindTheEndNothingIsWalked() throws IOException {
        AtomicInteger walks = new AtomicInteger();
        try (HandlerRig counted =
                new HandlerRig(Files.createDirectory(directory.resolve("counted")), all -> counting(all, walks))) {
            counted.create(counted.mkdir("d", 0755), "a", 0644);
            assertEquals(ResultCode.OK, counted.outcome(HandlerRig.ROOT, list("/d", 0, 0, 0)));
            assertEquals(1, walks.get());
            assertEquals(ResultCode.OK, counted.outcome(HandlerRig.ROOT, list("/d", -1, 0, 0)));
            assertEquals(1, walks.get());
        }
    }

    /** The namespace, with its walks over directories counted. */
    private static ServerNamespace counting(ServerNamespace namespace, AtomicInteger walks) {
        return (ServerNamespace) Proxy.newProxyInstance(
                ServerNamespace.class.getClassLoader(),
                new Class<?>[] {ServerNamespace.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("list")) {
                        walks.incrementAndGet();
                    }
                    return method.invoke(namespace, arguments);
                });
    }

    @Test
    void aPageDoesNotGoOnBehindARequestThatIsNotKnown() {
        long parent = rig.mkdir("d", 0755);
        List.of("a", "b", "c").forEach(name -> rig.create(parent, name, 0644));
        rig.mkdir("small", 0755);
        rig.mkdir("closed", 0711);
        assertEquals(ResultCode.STALE, rig.outcome(HandlerRig.ROOT, behind("/d", 10, 9)), "never came");
        assertEquals(ResultCode.OK, rig.outcome(HandlerRig.ROOT, behind("/d", 11, 0)));
        assertEquals(ResultCode.STALE, rig.outcome(HandlerRig.USER, behind("/d", 12, 11)), "of another connection");
        assertEquals(ResultCode.OK, rig.outcome(HandlerRig.ROOT, behind("/d", 13, 11)));
        assertEquals(ResultCode.STALE, rig.outcome(HandlerRig.ROOT, behind("/d", 14, 11)), "used already");
        assertEquals(ResultCode.OK, rig.outcome(HandlerRig.ROOT, behind("/small", 15, 0)));
        assertEquals(ResultCode.STALE, rig.outcome(HandlerRig.ROOT, behind("/small", 16, 15)), "all in one page");
        assertEquals(ResultCode.OK, rig.outcome(HandlerRig.USER, behind("/d", 17, 0)));
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, behind("/closed", 18, 17)));
        assertEquals(ResultCode.STALE, rig.outcome(HandlerRig.USER, behind("/d", 19, 18)), "was refused itself");
    }

    @Test
    void whatIsNoDirectoryOrMayNotBeReadIsRefused() {
        rig.create(Namespace.ROOT_ID, "f", 0644);
        rig.mkdir("closed", 0711);
        assertEquals(ResultCode.NOT_DIRECTORY, rig.outcome(HandlerRig.USER, list("/f", 0, 0, 0)));
        assertEquals(ResultCode.NOT_FOUND, rig.outcome(HandlerRig.USER, list("/none", 0, 0, 0)));
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, list("/closed", 0, 0, 0)));
        assertEquals(ResultCode.OK, rig.outcome(HandlerRig.ROOT, list("/closed", 0, 0, 0)));
    }

    private PageDecoder page(HandlerRig.Message list) {
        return new PageDecoder().wrapAndApplyHeader(rig.ask(HandlerRig.ROOT, list), 0, new MessageHeaderDecoder());
    }

    @Test
    void anEntryHasWhatWasAskedForAndNoMore() {
        long parent = rig.mkdir("d", 0755);
        rig.create(parent, "file", 0640);
        assertEquals(Status.OK, rig.namespace().mkdir(parent, Name.of("inner"), 0751, 0, 0, new Attributes()));
        Attributes file = new Attributes();
        assertEquals(Status.OK, rig.namespace().stat(parent, Name.of("file"), file));
        for (ListDetail detail : ListDetail.values()) {
            PageDecoder page = page(list("/d", 0, 0, 0, 0, detail.code()));
            PageDecoder.EntriesDecoder entries = page.entries();
            assertEquals(detail.blockLength(), entries.actingBlockLength());
            assertEquals(2, entries.count());
            assertEquals("inner", entries.next().name(), "the newest is first");
            assertEquals(1, entries.next().kind());
            if (detail != ListDetail.NAMES) {
                assertEquals(file.mtimeNanos, entries.mtimeNanos());
                assertEquals(file.ctimeNanos, entries.ctimeNanos());
                assertEquals(file.size, entries.size());
            }
            if (detail == ListDetail.ALL) {
                assertEquals(file.id, entries.inode());
            }
            assertEquals("file", entries.name());
            PageDecoder.KindsDecoder kinds = page.kinds();
            assertEquals(2, kinds.count());
            boolean all = detail == ListDetail.ALL;
            assertEquals(all ? 0751 : 0, kinds.next().mode());
            assertTrue(kinds.flags().directory());
            assertEquals(!all, kinds.owner().isEmpty());
            assertEquals(!all, kinds.group().isEmpty());
            assertEquals(all ? 0640 : 0, kinds.next().mode());
            assertFalse(kinds.flags().directory());
        }
        assertEquals(ResultCode.INVALID_ARGUMENT, rig.outcome(HandlerRig.ROOT, list("/d", 0, 0, 0, 0, 3)));
    }

    @Test
    void aPageEndsWhenItsDictionaryIsFull() {
        long parent = rig.mkdir("d", 0755);
        int entries = EntryKinds.MAX + 10;
        for (int i = 0; i < entries; i++) {
            rig.create(parent, "f" + i, i); // each has a mode of its own
        }
        PageDecoder first = page(list("/d", 0, 0, 0, 0, 0));
        assertEquals(EntryKinds.MAX, first.entries().count());
        PageDecoder second = page(list("/d", first.cursorBirth(), first.cursorAt(), first.cursorStart(), 0, 0));
        assertEquals(10, second.entries().count());
        assertEquals(-1, second.cursorBirth());
        PageDecoder names = page(list("/d", 0, 0, 0, 0, ListDetail.NAMES.code()));
        assertEquals(entries, names.entries().count(), "where modes are not asked for, they are no kinds");
    }

    private Set<String> names(String prefix, String suffix) {
        PageDecoder page = page(list("/d", 0, 0, 0, 0, 0, prefix, suffix));
        assertEquals(-1, page.cursorBirth());
        Set<String> names = new HashSet<>();
        PageDecoder.EntriesDecoder entries = page.entries();
        while (entries.hasNext()) {
            assertTrue(names.add(entries.next().name()));
        }
        return names;
    }

    @Test
    void aFilterLeavesWhatBeginsAndEndsAsAsked() {
        long parent = rig.mkdir("d", 0755);
        for (String name : List.of("a", "ab", "aba", "abba", "b", "ba", "ä", "äb")) {
            rig.create(parent, name, 0644);
        }
        assertEquals(Set.of("a", "ab", "aba", "abba"), names("a", ""));
        assertEquals(Set.of("a", "aba", "abba", "ba"), names("", "a"));
        assertEquals(Set.of("aba", "abba"), names("ab", "ba"));
        assertEquals(Set.of("ab"), names("ab", "ab"));
        assertEquals(Set.of("ä", "äb"), names("ä", ""));
        assertEquals(Set.of(), names("abbab", ""));
        assertEquals(8, names("", "").size());
        assertEquals(Set.of(), names("x".repeat(255), "x".repeat(255)));
        assertEquals(
                ResultCode.INVALID_ARGUMENT,
                rig.outcome(HandlerRig.ROOT, list("/d", 0, 0, 0, 0, 0, "x".repeat(256), "")));
        assertEquals(
                ResultCode.INVALID_ARGUMENT,
                rig.outcome(HandlerRig.ROOT, list("/d", 0, 0, 0, 0, 0, "", "x".repeat(256))));
    }

    @Test
    void aFilterThatLeavesOutNearlyAllDoesNotKeepTheEventLoop() {
        long parent = rig.mkdir("d", 0755);
        rig.create(parent, "found", 0644); // the oldest, which comes last
        for (int i = 0; i < EntryPage.ENTRIES_MAX + 10; i++) {
            rig.create(parent, "f" + i, 0644);
        }
        PageDecoder first = page(list("/d", 0, 0, 0, 0, 0, "found", ""));
        assertEquals(0, first.entries().count(), "it has looked at as many as one request may");
        PageDecoder second =
                page(list("/d", first.cursorBirth(), first.cursorAt(), first.cursorStart(), 0, 0, "found", ""));
        assertEquals("found", second.entries().next().name());
        assertEquals(-1, second.cursorBirth());
    }

    /** A cursor that names no entry is looked for from the list's head on: not by the thread that serves the connections. */
    @Test
    void aForgedCursorCostsTheEventLoopNoLongWalk() {
        long parent = rig.mkdir("d", 0755);
        for (int i = 0; i < 2 * ListVisitor.NODES; i++) {
            rig.create(parent, "f" + i, 0644);
        }
        int before = rig.offloaded();
        PageDecoder page = new PageDecoder()
                .wrapAndApplyHeader(rig.ask(HandlerRig.USER, list("/d", 1, 0, 0)), 0, new MessageHeaderDecoder());
        assertEquals(before + 1, rig.offloaded());
        assertEquals(-1, page.cursorBirth(), "nothing was born before that");
    }
}
