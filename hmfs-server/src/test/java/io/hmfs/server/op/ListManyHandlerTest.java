package io.hmfs.server.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ResultCode;
import io.hmfs.core.Namespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.pipeline.HandlerRig;
import io.hmfs.wire.EntryDecoder;
import io.hmfs.wire.ListManyEncoder;
import io.hmfs.wire.ListingsDecoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.PageDecoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: one request lists several directories in their order, each with the outcome that it has alone, and its reply is
 * bounded.
 * Method: a small tree; the answers are taken out of the reply by their lengths.
 */
class ListManyHandlerTest {
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

    private static byte[] texts(List<String> paths) {
        ByteBuffer out = ByteBuffer.allocate(60_000).order(ByteOrder.LITTLE_ENDIAN);
        for (String path : paths) {
            byte[] utf8 = path.getBytes(StandardCharsets.UTF_8);
            out.putShort((short) utf8.length).put(utf8);
        }
        byte[] texts = new byte[out.position()];
        out.get(0, texts);
        return texts;
    }

    private static HandlerRig.Message list(@Nullable PageDecoder from, int entriesMax, int bytesMax, byte[] paths) {
        return (out, header) -> new ListManyEncoder()
                .wrapAndApplyHeader(out, 0, header)
                .correlationId(1)
                .baseId(Wire.ROOT_ID)
                .cursorBirth(from == null ? 0 : from.cursorBirth())
                .cursorAt(from == null ? 0 : from.cursorAt())
                .cursorStart(from == null ? 0 : from.cursorStart())
                .entriesMax(entriesMax)
                .bytesMax(bytesMax)
                .detail((short) 0)
                .putPaths(paths, 0, paths.length)
                .limit();
    }

    private static HandlerRig.Message list(int entriesMax, String... paths) {
        return list(null, entriesMax, 0, texts(List.of(paths)));
    }

    /** The answers of a reply, each a frame of its own. */
    private List<WireBuffer> answers(String user, HandlerRig.Message message) {
        WireBuffer reply = rig.ask(user, message);
        assertEquals(ListingsDecoder.TEMPLATE_ID, rig.template(reply));
        ListingsDecoder listings = new ListingsDecoder().wrapAndApplyHeader(reply, 0, new MessageHeaderDecoder());
        assertEquals(1, listings.correlationId());
        int at = listings.limit() + ListingsDecoder.answersHeaderLength();
        int end = at + listings.answersLength();
        assertEquals(reply.length(), end);
        List<WireBuffer> answers = new ArrayList<>();
        while (at < end) {
            int length = reply.getInt(at, ByteOrder.LITTLE_ENDIAN);
            WireBuffer answer = new WireBuffer();
            answer.wrap(reply, at + Wire.LENGTH_SIZE, length);
            answers.add(answer);
            at += Wire.LENGTH_SIZE + length;
        }
        return answers;
    }

    private static PageDecoder page(WireBuffer answer) {
        return new PageDecoder().wrapAndApplyHeader(answer, 0, new MessageHeaderDecoder());
    }

    private List<String> names(WireBuffer answer) {
        assertEquals(PageDecoder.TEMPLATE_ID, rig.template(answer));
        List<String> names = new ArrayList<>();
        PageDecoder.EntriesDecoder entries = page(answer).entries();
        while (entries.hasNext()) {
            names.add(entries.next().name());
        }
        return names;
    }

    private void fill(String name, int files) {
        long id = rig.mkdir(name, 0755);
        for (int i = 0; i < files; i++) {
            rig.create(id, name + i, 0644);
        }
    }

    @Test
    void eachDirectoryHasItsOwnOutcome() {
        fill("a", 2);
        fill("b", 0);
        rig.mkdir("closed", 0711);
        long file = rig.create(Namespace.ROOT_ID, "file", 0640);
        assertEquals(
                Status.OK,
                rig.namespace()
                        .symlink(
                                Namespace.ROOT_ID,
                                Name.of("link"),
                                "/a".getBytes(StandardCharsets.UTF_8),
                                0,
                                0,
                                new Attributes()));
        List<WireBuffer> answers = answers(
                HandlerRig.USER,
                list(
                        0,
                        "/a",
                        "/none",
                        "/closed",
                        "/file",
                        "/file/x",
                        "/link",
                        "/link/a0",
                        "/b",
                        "/a",
                        "/a/" + "n".repeat(8190)));
        assertEquals(List.of("a1", "a0"), names(answers.get(0)));
        assertEquals(ResultCode.NOT_FOUND, rig.outcome(answers.get(1)));
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(answers.get(2)));
        assertEquals(EntryDecoder.TEMPLATE_ID, rig.template(answers.get(3)));
        EntryDecoder entry = new EntryDecoder().wrapAndApplyHeader(answers.get(3), 0, new MessageHeaderDecoder());
        assertEquals(file, entry.inode());
        assertEquals(0640, entry.mode());
        assertEquals(ResultCode.NOT_DIRECTORY, rig.outcome(answers.get(4)));
        assertEquals(ResultCode.UNRESOLVED_LINK, rig.outcome(answers.get(5)));
        assertEquals(ResultCode.UNRESOLVED_LINK, rig.outcome(answers.get(6)));
        assertEquals(List.of(), names(answers.get(7)));
        assertEquals(List.of("a1", "a0"), names(answers.get(8)));
        assertEquals(ResultCode.NAME_TOO_LONG, rig.outcome(answers.get(9)));
        assertEquals(10, answers.size());
    }

    @Test
    void itEndsWithADirectoryThatGoesOnAndTheNextRequestGoesOnThere() {
        fill("a", 2);
        fill("b", 3);
        fill("c", 1);
        byte[] all = texts(List.of("/a", "/b", "/c"));
        List<WireBuffer> first = answers(HandlerRig.ROOT, list(null, 4, 0, all));
        assertEquals(2, first.size());
        assertEquals(List.of("a1", "a0"), names(first.get(0)));
        assertEquals(List.of("b2", "b1"), names(first.get(1)));
        assertEquals(-1, page(first.get(0)).cursorBirth());
        PageDecoder next = page(first.get(1));
        assertTrue(next.cursorBirth() > 0);
        List<WireBuffer> second = answers(HandlerRig.ROOT, list(next, 4, 0, texts(List.of("/b", "/c"))));
        assertEquals(2, second.size());
        assertEquals(List.of("b0"), names(second.get(0)));
        assertEquals(List.of("c0"), names(second.get(1)));
    }

    /** A page may end before it has as many entries as it could. */
    @Test
    void noDirectoryIsAnsweredBehindOneThatGoesOn() {
        long id = rig.mkdir("many", 0755);
        for (int i = 0; i < EntryKinds.MAX + 10; i++) {
            rig.create(id, "f" + i, i); // each has a mode of its own
        }
        fill("a", 1);
        List<WireBuffer> answers = answers(HandlerRig.ROOT, list(0, "/many", "/a"));
        assertEquals(1, answers.size());
        assertEquals(EntryKinds.MAX, names(answers.get(0)).size());
    }

    @Test
    void whatHasNoEntriesCountsAsOne() {
        fill("a", 0);
        assertEquals(
                3,
                answers(HandlerRig.ROOT, list(3, "/a", "/none", "/a", "/none", "/a"))
                        .size());
    }

    @Test
    void itHasNoMoreBytesThanWereAskedForAndOneMorePage() {
        fill("a", 90);
        byte[] paths = texts(Collections.nCopies(40, "/a"));
        int one =
                rig.ask(HandlerRig.ROOT, list(null, 0, 0, texts(List.of("/a")))).length();
        int all = rig.ask(HandlerRig.ROOT, list(null, 0, 20_000, paths)).length();
        assertTrue(all >= 20_000 && all < 20_000 + one, all + " bytes; one page has " + one);
    }

    @Test
    void aReplyThatListsManyIsBoundedWhateverIsAskedFor() {
        fill("a", 100);
        byte[] paths = texts(Collections.nCopies(Wire.LIST_MANY_MAX, "/a"));
        WireBuffer reply = rig.ask(HandlerRig.ROOT, list(null, -1, -1, paths)); // 2^32 - 1 of both
        assertTrue(reply.length() < 300_000, "bytes: " + reply.length());
        assertEquals(
                10, answers(HandlerRig.ROOT, list(null, 0, 0, paths)).size(), "1,000 entries unless told otherwise");
    }

    @Test
    void tooManyPathsOrSomeThatReachTooFarAreRefusedAndLeaveNothing() {
        fill("a", 1);
        byte[] many = texts(Collections.nCopies(Wire.LIST_MANY_MAX + 1, "/a"));
        assertEquals(ResultCode.INVALID_ARGUMENT, rig.outcome(HandlerRig.ROOT, list(null, 0, 0, many)));
        byte[] longer = texts(List.of("/a", "/a"));
        longer[4]++;
        assertEquals(ResultCode.BAD_REQUEST, rig.outcome(HandlerRig.ROOT, list(null, 0, 0, longer)));
        assertEquals(ResultCode.BAD_REQUEST, rig.outcome(HandlerRig.ROOT, list(null, 0, 0, new byte[] {2, 0, 'a'})));
        assertEquals(ResultCode.BAD_REQUEST, rig.outcome(HandlerRig.ROOT, list(null, 0, 0, new byte[] {2})));
        assertEquals(0, answers(HandlerRig.ROOT, list(null, 0, 0, new byte[0])).size());
        assertEquals(1, answers(HandlerRig.ROOT, list(0, "/a")).size());
    }
}
