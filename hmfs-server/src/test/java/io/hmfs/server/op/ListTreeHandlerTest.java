package io.hmfs.server.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ResultCode;
import io.hmfs.core.Namespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.pipeline.HandlerRig;
import io.hmfs.wire.ListTreeEncoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.PageDecoder;
import io.hmfs.wire.Wire;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a tree's listing tells each entry below a directory once, page by page, and ends where the user may not enter. Method: a small tree,
 * in pages of one entry and in one page.
 */
class ListTreeHandlerTest {
    private static final byte[] NOTHING = {};

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

    private static HandlerRig.Message list(String path, long entriesMax, byte[] from) {
        return (out, header) -> new ListTreeEncoder()
                .wrapAndApplyHeader(out, 0, header)
                .correlationId(1)
                .baseId(Wire.ROOT_ID)
                .entriesMax(entriesMax)
                .bytesMax(0)
                .detail((short) 0)
                .path(path)
                .putFrom(from, 0, from.length)
                .limit();
    }

    /** Adds the names of a page; where the next one begins. */
    private byte[] page(String user, String path, long entriesMax, byte[] from, List<String> names) {
        PageDecoder page = new PageDecoder()
                .wrapAndApplyHeader(rig.ask(user, list(path, entriesMax, from)), 0, new MessageHeaderDecoder());
        PageDecoder.EntriesDecoder entries = page.entries();
        while (entries.hasNext()) {
            names.add(entries.next().name());
        }
        PageDecoder.KindsDecoder kinds = page.kinds();
        while (kinds.hasNext()) {
            kinds.next().skipOwner();
            kinds.skipGroup();
        }
        assertEquals(0, page.links().count());
        byte[] next = new byte[page.nextLength()];
        page.getNext(next, 0, next.length);
        return next;
    }

    private long makeTree() {
        long top = rig.mkdir("d", 0755);
        Attributes inner = new Attributes();
        assertEquals(Status.OK, rig.namespace().mkdir(top, Name.of("inner"), 0755, 0, 0, inner));
        rig.create(inner.id, "f", 0644);
        rig.create(inner.id, "g", 0644);
        rig.create(top, "h", 0644);
        return top;
    }

    /** Such a request is executed on another thread, and asks the connection all the same. */
    @Test
    void pagesAreShortWhileMemoryForRepliesIsScarce() {
        long top = rig.mkdir("d", 0755);
        for (int i = 0; i < 300; i++) {
            rig.create(top, "n".repeat(100) + i, 0644);
        }
        rig.scarceReplies(true);
        int shortPage = rig.ask(HandlerRig.USER, list("/d", 0, NOTHING)).length();
        assertTrue(shortPage < 5 << 10, shortPage + " bytes");
        rig.scarceReplies(false);
        int page = rig.ask(HandlerRig.USER, list("/d", 0, NOTHING)).length();
        assertTrue(page > 30 << 10, page + " bytes");
    }

    @Test
    void eachEntryIsToldOnceInOnePageAndInMany() {
        makeTree();
        Set<String> made = Set.of("inner", "inner/f", "inner/g", "h");
        List<String> told = new ArrayList<>();
        assertEquals(0, page(HandlerRig.USER, "/d", 0, NOTHING, told).length);
        assertEquals(made.size(), told.size());
        assertEquals(made, Set.copyOf(told));
        told.clear();
        int pages = 0;
        byte[] from = NOTHING;
        do {
            from = page(HandlerRig.USER, "/d", 1, from, told);
            pages++;
        } while (from.length > 0 && pages < 100);
        assertEquals(made.size(), told.size());
        assertEquals(made, Set.copyOf(told));
        assertTrue(pages >= made.size());
    }

    @Test
    void aDirectoryThatMayNotBeReadEndsThePageAndTheNextBeginsWithTheRefusal() {
        long top = makeTree();
        assertEquals(Status.OK, rig.namespace().chmod(top, Name.of("inner"), 0711));
        List<String> told = new ArrayList<>();
        byte[] next = page(HandlerRig.USER, "/d", 0, NOTHING, told);
        assertEquals(List.of("h"), told);
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, list("/d", 0, next)));
    }

    @Test
    void whatIsNoDirectoryOrGoesOnNowhereIsRefused() {
        makeTree();
        assertEquals(ResultCode.NOT_DIRECTORY, rig.outcome(HandlerRig.USER, list("/d/h", 0, NOTHING)));
        assertEquals(ResultCode.NOT_FOUND, rig.outcome(HandlerRig.USER, list("/none", 0, NOTHING)));
        assertEquals(ResultCode.INVALID_ARGUMENT, rig.outcome(HandlerRig.USER, list("/d", 0, new byte[] {1})));
        assertEquals(Status.OK, rig.namespace().chmod(Namespace.ROOT_ID, Name.of("d"), 0711));
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, list("/d", 0, NOTHING)));
        assertEquals(ResultCode.OK, rig.outcome(HandlerRig.ROOT, list("/d", 0, NOTHING)));
    }
}
