package io.hmfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.wire.MalformedFrameException;
import io.hmfs.wire.MessageHeaderEncoder;
import io.hmfs.wire.PageEncoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Goal: a page says what the server wrote, and one that contradicts itself is refused as a whole, so that reading its
 * entries cannot fail. Method: a page of three entries, whole, with each of its parts forged, cut off at each byte, and
 * with random bytes in random places.
 */
class PageBodyTest {
    private static final long SEED = Long.getLong("hmfs.seed", 1);
    private static final int MUTATIONS = 50_000;
    private static final int ENTRIES_AT =
            Wire.HEADER_SIZE + PageEncoder.BLOCK_LENGTH + PageEncoder.EntriesEncoder.HEADER_SIZE;
    private static final int BLOCK = ListDetail.ALL.blockLength();

    private final ByteBuf buffer = Unpooled.buffer(4096);
    private final FileReplies replies = new FileReplies((inode, size) -> {});

    private int write() {
        PageEncoder page = new PageEncoder()
                .wrapAndApplyHeader(new WireBuffer().wrap(buffer, 0, 4096), 0, new MessageHeaderEncoder())
                .correlationId(1)
                .directoryId(8)
                .cursorBirth(21)
                .cursorAt(22)
                .cursorStart(23);
        PageEncoder.EntriesEncoder entries = page.entriesCount(3);
        for (int i = 0; i < 3; i++) {
            entries.next()
                    .kind((short) (i == 1 ? 1 : 0))
                    .size(100 + i)
                    .mtimeNanos(5_000_000 + i)
                    .atimeNanos(6_000_000 + i)
                    .ctimeNanos(7_000_000 + i)
                    .inode(40 + i)
                    .name("näme" + i);
        }
        PageEncoder.KindsEncoder kinds = page.kindsCount(2);
        kinds.next().mode(0640).flags().clear().acl(true);
        kinds.owner("bob").group("staff");
        kinds.next().mode(0777).flags().clear().symlink(true);
        kinds.owner("amy").group("wheel");
        page.linksCount(1).next().target("../to");
        return page.putNext(new byte[0], 0, 0).limit();
    }

    private ListPage read(int length) throws IOException {
        ReplyFrame reply = new ReplyFrame();
        reply.open(new WireBuffer().wrap(buffer, 0, length));
        return replies.page(reply);
    }

    private String refusal(int length) {
        return String.valueOf(
                assertThrows(IOException.class, () -> read(length)).getMessage());
    }

    @Test
    void anEntryHasItsFieldsAndThoseOfItsKind() throws IOException {
        ListPage page = read(write());
        assertEquals(3, page.size());
        assertEquals(
                List.of(
                        new FileInfo(
                                40, 8, "näme0", false, 0640, "bob", "staff", 100, 5_000_000, 6, 7, "", true, false),
                        new FileInfo(
                                41, 8, "näme1", false, 0777, "amy", "wheel", 101, 5_000_001, 6, 7, "../to", false,
                                false),
                        new FileInfo(
                                42, 8, "näme2", false, 0640, "bob", "staff", 102, 5_000_002, 6, 7, "", true, false)),
                page.entries());
        PageEntries entries = page.read();
        assertTrue(entries.next());
        assertTrue(entries.next());
        assertTrue(entries.next());
        assertFalse(entries.next());
        assertEquals("näme2", entries.name(), "it stays on the last one");
    }

    @Test
    void whatWasNotAskedForIsZeroOrEmpty() throws IOException {
        for (ListDetail detail : new ListDetail[] {ListDetail.NAMES, ListDetail.TIMES}) {
            int block = detail.blockLength();
            int limit = write();
            ByteBuf whole = buffer.copy(0, limit);
            int to = ENTRIES_AT;
            int from = ENTRIES_AT;
            for (int i = 0; i < 3; i++) { // the fields behind the block are taken out
                int rest = Short.BYTES + whole.getShortLE(from + BLOCK);
                buffer.setBytes(to, whole, from, block);
                buffer.setBytes(to + block, whole, from + BLOCK, rest);
                from += BLOCK + rest;
                to += block + rest;
            }
            buffer.setBytes(to, whole, from, limit - from);
            buffer.setShortLE(ENTRIES_AT - 4, block);
            FileInfo first = read(to + limit - from).entries().get(0);
            boolean times = detail == ListDetail.TIMES;
            assertEquals(
                    new FileInfo(
                            0,
                            8,
                            "näme0",
                            false,
                            0640,
                            "bob",
                            "staff",
                            times ? 100 : 0,
                            times ? 5_000_000 : 0,
                            times ? 6 : 0,
                            times ? 7 : 0,
                            "",
                            true,
                            false),
                    first);
        }
    }

    @Test
    void aPageThatContradictsItselfIsRefused() {
        int limit = write();
        buffer.setByte(ENTRIES_AT, 2);
        assertEquals("malformed page of a listing: an entry of kind 2, where there are 2", refusal(limit));
        write();
        buffer.setByte(ENTRIES_AT, 1);
        assertEquals("malformed page of a listing: targets for 1 symbolic links, where there are 2", refusal(limit));
        write();
        buffer.setShortLE(ENTRIES_AT + BLOCK, 0);
        assertEquals("malformed page of a listing: an entry without a name", refusal(limit));
        write();
        buffer.setShortLE(ENTRIES_AT - 4, 0);
        assertEquals("malformed page of a listing: entries of no bytes", refusal(limit));
        write();
        buffer.setShortLE(ENTRIES_AT + BLOCK, 0xFFFF);
        assertThrows(MalformedFrameException.class, () -> read(limit), "a name that reaches behind the frame");
        write();
        buffer.setShortLE(ENTRIES_AT - 2, 0xFFFF);
        assertThrows(MalformedFrameException.class, () -> read(limit), "more entries than there are");
    }

    @Test
    void aPageThatIsCutOffIsRefused() {
        int limit = write() - PageEncoder.nextHeaderLength(); // which only the listing of a tree reads
        for (int length = Wire.HEADER_SIZE + Long.BYTES; length < limit; length++) {
            int cut = length;
            assertThrows(MalformedFrameException.class, () -> read(cut), () -> cut + " bytes of " + limit);
        }
    }

    @Test
    void aPageOfAnyBytesIsRefusedOrCanBeReadToItsEnd() {
        Random random = new Random(SEED);
        int refused = 0;
        for (int i = 0; i < MUTATIONS; i++) {
            int limit = write();
            for (int changes = 1 + random.nextInt(3); changes > 0; changes--) {
                int at = ENTRIES_AT - 4 + random.nextInt(limit - ENTRIES_AT + 4);
                if (random.nextBoolean()) {
                    buffer.setByte(at, random.nextInt(256));
                } else {
                    buffer.setShortLE(at, random.nextBoolean() ? 0xFFFF : random.nextInt(8));
                }
            }
            ListPage page;
            try {
                page = read(limit);
            } catch (IOException | MalformedFrameException malformed) {
                refused++;
                continue;
            }
            page.entries().forEach(each -> assertFalse(each.name().isEmpty()));
        }
        assertTrue(refused > MUTATIONS / 4 && refused < MUTATIONS, refused + " of " + MUTATIONS + " refused");
    }
}
