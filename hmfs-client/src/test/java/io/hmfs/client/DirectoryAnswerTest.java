package io.hmfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.wire.EntryEncoder;
import io.hmfs.wire.FailureEncoder;
import io.hmfs.wire.FrameCompression;
import io.hmfs.wire.ListManyDecoder;
import io.hmfs.wire.ListingsEncoder;
import io.hmfs.wire.MalformedFrameException;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.MessageHeaderEncoder;
import io.hmfs.wire.PageEncoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Goal: each of several directories has the answer that the server gave it, and answers that contradict each other are
 * refused as a whole.
 * Method: a page, a file, a refusal and a page that goes on, whole, forged, cut off at each byte, and with random bytes
 * in random places; the public API over a transport that a script answers.
 */
class DirectoryAnswerTest {
    private static final long SEED = Long.getLong("hmfs.seed", 1);
    private static final int MUTATIONS = 50_000;
    private static final int ANSWERS_AT =
            Wire.HEADER_SIZE + ListingsEncoder.BLOCK_LENGTH + ListingsEncoder.answersHeaderLength();
    private static final List<String> PATHS = List.of("/a", "/f", "/none", "/b", "/later");

    private final ByteBuf buffer = Unpooled.buffer(4096);
    private final FileReplies replies = new FileReplies((inode, size) -> {});
    private final MessageHeaderEncoder header = new MessageHeaderEncoder();

    private static WireBuffer window(ByteBuf buffer, int at) {
        return new WireBuffer().wrap(buffer, at, buffer.capacity() - at);
    }

    private int page(WireBuffer out, String name, long birth) {
        PageEncoder page = new PageEncoder()
                .wrapAndApplyHeader(out, 0, header)
                .correlationId(1)
                .directoryId(8)
                .cursorBirth(birth)
                .cursorAt(22)
                .cursorStart(23);
        page.entriesCount(1)
                .next()
                .kind((short) 0)
                .size(100)
                .mtimeNanos(5)
                .atimeNanos(6)
                .ctimeNanos(7)
                .inode(40)
                .name(name);
        PageEncoder.KindsEncoder kinds = page.kindsCount(1).next().mode(0640);
        kinds.flags().clear();
        kinds.owner("bob").group("staff");
        page.linksCount(0);
        return page.putNext(new byte[0], 0, 0).limit();
    }

    private int entry(WireBuffer out) {
        EntryEncoder entry = new EntryEncoder()
                .wrapAndApplyHeader(out, 0, header)
                .correlationId(1)
                .inode(9)
                .parentId(1)
                .size(3)
                .mtimeNanos(4)
                .atimeNanos(5)
                .ctimeNanos(6)
                .removedId(0)
                .removedSize(0)
                .mode(0600)
                .grant(0)
                .seal(0);
        entry.flags().clear();
        return entry.owner("bob").group("staff").target("").limit();
    }

    /** Writes a reply into the buffer, {@link #PATHS} asked for; its length. The page of /b goes on. */
    private int write() {
        int at = ANSWERS_AT;
        for (int i = 0; i < 4; i++) {
            WireBuffer out = window(buffer, at + Wire.LENGTH_SIZE);
            int length = switch (i) {
                case 0 -> page(out, "in a", -1);
                case 1 -> entry(out);
                case 2 ->
                    new FailureEncoder()
                            .wrapAndApplyHeader(out, 0, header)
                            .correlationId(1)
                            .code(ResultCode.NOT_FOUND.code())
                            .message("")
                            .limit();
                default -> page(out, "in b", 21);
            };
            buffer.setIntLE(at, length);
            at += Wire.LENGTH_SIZE + length;
        }
        new ListingsEncoder().wrapAndApplyHeader(window(buffer, 0), 0, header).correlationId(1);
        buffer.setIntLE(ANSWERS_AT - Integer.BYTES, at - ANSWERS_AT);
        return at;
    }

    private List<DirectoryAnswer> read(int length, List<String> paths) throws IOException {
        ReplyFrame reply = new ReplyFrame();
        reply.open(new WireBuffer().wrap(buffer, 0, length));
        return replies.listings(reply, paths);
    }

    @Test
    void eachDirectoryHasItsAnswer() throws IOException {
        List<DirectoryAnswer> answers = read(write(), PATHS);
        assertEquals(4, answers.size());
        ListPage first = Objects.requireNonNull(answers.get(0).page());
        assertEquals("in a", first.entries().get(0).name());
        assertNull(first.next());
        FileInfo file = Objects.requireNonNull(answers.get(1).file());
        assertEquals("f", file.name());
        assertEquals(0600, file.mode());
        HmfsException refusal = Objects.requireNonNull(answers.get(2).refusal());
        assertEquals(ResultCode.NOT_FOUND, refusal.code());
        assertTrue(String.valueOf(refusal.getMessage()).startsWith("list /none: "), refusal.getMessage());
        assertEquals(
                new ListingCursor(21, 22, 23),
                Objects.requireNonNull(answers.get(3).page()).next());
    }

    private void assertRefused(int length, List<String> paths) {
        IOException refused = assertThrows(IOException.class, () -> read(length, paths));
        assertTrue(String.valueOf(refused.getMessage()).contains("several directories"), refused.getMessage());
    }

    @Test
    void answersThatContradictEachOtherAreRefused() throws IOException {
        int length = write();
        assertRefused(length, PATHS.subList(0, 3)); // one more than was asked for
        assertEquals(4, read(length, PATHS.subList(0, 4)).size());
        buffer.setIntLE(ANSWERS_AT, buffer.getIntLE(ANSWERS_AT) + length);
        assertRefused(length, PATHS); // an answer behind all of them
        write();
        buffer.setIntLE(ANSWERS_AT, Wire.FRAME_MIN - 1);
        assertRefused(length, PATHS);
        write();
        buffer.setIntLE(ANSWERS_AT, -1);
        assertRefused(length, PATHS);
        write();
        buffer.setIntLE(ANSWERS_AT - Integer.BYTES, 0);
        assertRefused(length, PATHS); // none, and none again for ever
        write();
        buffer.setIntLE(ANSWERS_AT - Integer.BYTES, length);
        assertThrows(MalformedFrameException.class, () -> read(length, PATHS));
        write();
        page(window(buffer, ANSWERS_AT + Wire.LENGTH_SIZE), "in a", 5);
        assertRefused(length, PATHS); // it goes on, and others follow
        write();
        page(window(buffer, 0), "in a", -1);
        assertThrows(IOException.class, () -> {
            ReplyFrame reply = new ReplyFrame();
            reply.open(window(buffer, 0));
            reply.expect(ListingsEncoder.TEMPLATE_ID);
        });
    }

    /** Each could stand for a megabyte. */
    @Test
    void aCompressedAnswerIsRefused() {
        int at = ANSWERS_AT + Wire.LENGTH_SIZE;
        int plain = new FailureEncoder()
                .wrapAndApplyHeader(window(buffer, at), 0, header)
                .correlationId(1)
                .code(ResultCode.NOT_FOUND.code())
                .message("0123456789".repeat(100))
                .limit();
        int length = new FrameCompression().compress(buffer, at, plain, 1);
        assertTrue(length < plain);
        buffer.setIntLE(ANSWERS_AT, length);
        new ListingsEncoder().wrapAndApplyHeader(window(buffer, 0), 0, header).correlationId(1);
        buffer.setIntLE(ANSWERS_AT - Integer.BYTES, Wire.LENGTH_SIZE + length);
        IOException refused = assertThrows(IOException.class, () -> read(at + length, PATHS));
        assertTrue(String.valueOf(refused.getMessage()).startsWith("unexpected reply"), refused.getMessage());
    }

    @Test
    void answersThatAreCutOffAreRefused() {
        int limit = write();
        for (int length = Wire.FRAME_MIN; length < limit; length++) {
            int cut = length;
            assertThrows(MalformedFrameException.class, () -> read(cut, PATHS), () -> cut + " bytes of " + limit);
        }
    }

    @Test
    void answersOfAnyBytesAreRefusedOrCanBeRead() {
        Random random = new Random(SEED);
        int refused = 0;
        for (int i = 0; i < MUTATIONS; i++) {
            int limit = write();
            for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
                int at = ANSWERS_AT - Integer.BYTES + random.nextInt(limit - ANSWERS_AT);
                if (random.nextBoolean()) {
                    buffer.setByte(at, random.nextInt(256));
                } else {
                    buffer.setIntLE(at, random.nextBoolean() ? -1 : random.nextInt(80));
                }
            }
            try {
                List<DirectoryAnswer> answers = read(limit, PATHS);
                assertTrue(!answers.isEmpty() && answers.size() <= PATHS.size());
                answers.forEach(each -> {
                    ListPage page = each.page();
                    if (page != null) {
                        page.entries();
                    }
                });
            } catch (IOException | MalformedFrameException malformed) {
                refused++;
            }
        }
        assertTrue(refused > MUTATIONS / 4 && refused < MUTATIONS, refused + " of " + MUTATIONS + " refused");
    }

    @Test
    void aRequestHasItsPathsInTheirOrder() throws IOException {
        ScriptedTransport transport = new ScriptedTransport((request, head, reply) -> {
            int length = write();
            reply.putBytes(0, copy(length), 0, length);
            return length;
        });
        try (HmfsClient client = transport.client()) {
            client.listMany(PATHS, new ListingCursor(1, 2, 3), 77);
            ListManyDecoder asked =
                    new ListManyDecoder().wrapAndApplyHeader(transport.request(), 0, new MessageHeaderDecoder());
            assertEquals(1, asked.cursorBirth());
            assertEquals(2, asked.cursorAt());
            assertEquals(3, asked.cursorStart());
            assertEquals(77, asked.entriesMax());
            byte[] paths = new byte[asked.pathsLength()];
            asked.getPaths(paths, 0, paths.length);
            ByteBuf texts = Unpooled.wrappedBuffer(paths);
            for (String path : PATHS) {
                assertEquals(path, texts.readCharSequence(texts.readUnsignedShortLE(), StandardCharsets.UTF_8));
            }
            assertEquals(0, texts.readableBytes());
        }
    }

    private byte[] copy(int length) {
        byte[] bytes = new byte[length];
        buffer.getBytes(0, bytes);
        return bytes;
    }

    @Test
    void whatNoRequestCanAskForIsRefusedHere() throws IOException {
        ScriptedTransport transport = new ScriptedTransport(ScriptedAnswers::done);
        try (HmfsClient client = transport.client()) {
            for (List<String> paths : List.of(
                    List.<String>of(), List.of("relative"), Collections.nCopies(HmfsClient.LIST_MANY_MAX + 1, "/a"))) {
                assertThrows(HmfsException.class, () -> client.listMany(paths, ListingCursor.START, 0));
            }
            assertThrows(HmfsException.class, () -> client.listMany(PATHS, ListingCursor.START, -1));
        }
    }
}
