package io.hmfs.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/**
 * Goal: the bytes on the wire are those of docs/wire.md, in this release and in every later one.
 * Method: golden bytes of messages that use every kind of field; lengths that lie must not leave the frame.
 */
class CodecTest {
    private final ByteBuf buffer = Unpooled.buffer(512);
    private final WireBuffer window =
            new WireBuffer().wrap(buffer, 3, 500); // not aligned, as frames in a batch are not
    private final MessageHeaderEncoder header = new MessageHeaderEncoder();

    private String hex(int limit) {
        byte[] bytes = new byte[limit];
        window.getBytes(0, bytes, 0, limit);
        return HexFormat.of().formatHex(bytes);
    }

    @Test
    void helloHasItsGoldenBytes() {
        HelloEncoder hello = new HelloEncoder()
                .wrapAndApplyHeader(window, 0, header)
                .correlationId(0)
                .magic(Wire.MAGIC)
                .protocolVersion(1);
        hello.clusterId().high(0x1122334455667788L).low(0x99AABBCCDDEEFF00L);
        int limit = hello.clientId(0x0102030405060708L)
                .authMethod(Wire.AUTH_SIMPLE)
                .oldestSequence(6)
                .nextSequence(9)
                .user("bob")
                .putToken(new byte[0], 0, 0)
                .realUser("amy")
                .limit();
        assertEquals(
                "3d000100e2220100" // block length 61, template 1, schema 8930, version 1
                        + "0000000000000000" // correlation id
                        + "010a484d46530d0a" // magic: 1, "\nHMFS\r\n"
                        + "01000000" // protocol version
                        + "8877665544332211" + "00ffeeddccbbaa99" // cluster id
                        + "0807060504030201" // client id
                        + "01" // authentication: simple
                        + "0600000000000000" + "0900000000000000" // oldest sequence, next one
                        + "0300" + "626f62" // user
                        + "0000" // token
                        + "0300" + "616d79", // real user
                hex(limit));
    }

    @Test
    void statIsTheExampleOfTheDocumentation() {
        int limit = new StatEncoder()
                .wrapAndApplyHeader(window, 0, header)
                .correlationId(5)
                .baseId(Wire.ROOT_ID)
                .path("/a")
                .limit();
        assertEquals(0x1c, limit);
        assertEquals("10000a00e2220100" + "0500000000000000" + "0100000000000000" + "02002f61", hex(limit));
    }

    @Test
    void createHasItsGoldenBytes() {
        CreateEncoder create = new CreateEncoder()
                .wrapAndApplyHeader(window, 0, header)
                .correlationId(0x20001)
                .clientId(2)
                .sequence(3)
                .baseId(Wire.ROOT_ID)
                .mode(0644)
                .parentMode(0755)
                .unmaskedMode(0666)
                .expectedInode(7)
                .expectedMtimeNanos(8)
                .expectedSize(9)
                .lease(10);
        create.flags().clear().overwrite(true).createParents(true);
        int limit = create.path("/ä").limit();
        assertEquals(
                "47001400e2220100" // block length 71, template 20, schema 8930, version 1
                        + "0100020000000000" + "0200000000000000" + "0300000000000000" + "0100000000000000"
                        + "a401" + "ed01" + "03" + "b601" // mode, parent mode, flags, unmasked mode
                        + "0700000000000000" + "0800000000000000" + "0900000000000000" + "0a00000000000000"
                        + "0300" + "2fc3a4", // path
                hex(limit));
    }

    @Test
    void anAclHasItsGoldenBytes() {
        int limit = new ModifyAclEncoder()
                .wrapAndApplyHeader(window, 0, header)
                .correlationId(1)
                .clientId(2)
                .sequence(3)
                .baseId(Wire.ROOT_ID)
                .path("/")
                .entries("user:a:r--\0other::---")
                .limit();
        assertEquals(
                "20002100e2220100" // block length 32, template 33
                        + "0100000000000000" + "0200000000000000" + "0300000000000000" + "0100000000000000"
                        + "01002f" + "1500" + "757365723a613a722d2d" + "00" + "6f746865723a3a2d2d2d",
                hex(limit));
    }

    @Test
    void pageHasItsGoldenBytesAndIsReadBack() {
        PageEncoder page = new PageEncoder()
                .wrapAndApplyHeader(window, 0, header)
                .correlationId(1)
                .directoryId(2)
                .cursorBirth(-1)
                .cursorAt(0)
                .cursorStart(9);
        PageEncoder.EntriesEncoder entries = page.entriesCount(100);
        entries.next()
                .kind((short) 0)
                .size(4)
                .mtimeNanos(5)
                .atimeNanos(6)
                .ctimeNanos(7)
                .inode(3)
                .name("d");
        entries.resetCountToIndex();
        PageEncoder.KindsEncoder kind = page.kindsCount(1).next().mode(0600);
        kind.flags().clear().directory(true);
        kind.owner("o").group("g");
        page.linksCount(1).next().target("t");
        int limit = page.putNext(new byte[] {5}, 0, 1).limit();
        assertEquals(
                "28006700e2220100" + "0100000000000000" + "0200000000000000" + "ffffffffffffffff" + "0000000000000000"
                        + "0900000000000000"
                        + "29000100" // each entry's block 41, one entry
                        + "00" + "0400000000000000" + "0500000000000000" + "0600000000000000"
                        + "0700000000000000" + "0300000000000000" + "010064"
                        + "03000100" + "8001" + "01" + "01006f" + "010067" // one kind of entries
                        + "00000100" + "010074" // one symbolic link, and where it leads
                        + "01000000" + "05", // where the listing of a tree goes on
                hex(limit));
        PageDecoder read = new PageDecoder().wrapAndApplyHeader(window, 0, new MessageHeaderDecoder());
        PageDecoder.EntriesDecoder each = read.entries().next();
        assertEquals(0, each.kind());
        assertEquals(3, each.inode());
        assertEquals(7, each.ctimeNanos());
        assertEquals("d", each.name());
        PageDecoder.KindsDecoder shared = read.kinds().next();
        assertEquals(0600, shared.mode());
        assertEquals("o", shared.owner());
        assertEquals("g", shared.group());
        assertEquals("t", read.links().next().target());
    }

    @Test
    void everyMessageBeginsWithItsCorrelationId() {
        assertEquals(0, StatDecoder.correlationIdEncodingOffset());
        assertEquals(0, HelloDecoder.correlationIdEncodingOffset());
        assertEquals(0, WriteBlockDecoder.correlationIdEncodingOffset());
        assertEquals(0, FailureDecoder.correlationIdEncodingOffset());
        assertEquals(8, HelloDecoder.magicEncodingOffset());
        assertEquals(16, HelloDecoder.protocolVersionEncodingOffset());
    }

    @Test
    void lengthThatReachesBehindTheFrameIsMalformed() {
        int limit = new StatEncoder()
                .wrapAndApplyHeader(window, 0, header)
                .correlationId(1)
                .baseId(1)
                .path("/abc")
                .limit();
        buffer.setShortLE(3 + limit - 6, 5); // one more than there is
        WireBuffer frame = new WireBuffer().wrap(buffer, 3, limit);
        StatDecoder stat = new StatDecoder().wrapAndApplyHeader(frame, 0, new MessageHeaderDecoder());
        assertThrows(MalformedFrameException.class, stat::path);
        assertThrows(MalformedFrameException.class, () -> frame.getLong(limit - 7, MessageHeaderDecoder.BYTE_ORDER));
        assertThrows(MalformedFrameException.class, () -> frame.getByte(-1));
        assertThrows(MalformedFrameException.class, () -> frame.check(1, Integer.MAX_VALUE));
    }

    @Test
    void windowsOverlapNothingElse() {
        buffer.setBytes(0, new byte[512]);
        byte[] text = "text".getBytes(StandardCharsets.UTF_8);
        window.putBytes(0, text, 0, 4);
        WireBuffer part = new WireBuffer();
        part.wrap(window, 1, 2);
        assertEquals('e', part.getByte(0));
        assertThrows(MalformedFrameException.class, () -> part.getByte(2));
        window.putBytes(10, part, 0, 2);
        assertEquals(0x7865, window.getShort(10, java.nio.ByteOrder.LITTLE_ENDIAN)); // "ex"
        assertEquals(0, buffer.getByte(2));
    }
}
