package io.hmfs.server.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ResultCode;
import io.hmfs.server.pipeline.HandlerRig;
import io.hmfs.wire.CompressedDecoder;
import io.hmfs.wire.FrameCompression;
import io.hmfs.wire.ListEncoder;
import io.hmfs.wire.ListManyEncoder;
import io.hmfs.wire.ListTreeEncoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.MetricsEncoder;
import io.hmfs.wire.MetricsReportDecoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a long page of a listing goes compressed, and stands for what goes otherwise; all else goes as it is.
 * Method: the same requests with and without, to a session that compresses from a number of bytes on.
 */
class ListCompressionTest {
    private static final byte[] NOTHING = {};
    private static final byte[] PATHS = {2, 0, '/', 'd', 2, 0, '/', 'd'};

    @TempDir
    private Path directory;

    private HandlerRig rig;

    @BeforeEach
    void open() throws IOException {
        rig = new HandlerRig(directory);
        long id = rig.mkdir("d", 0755);
        for (int i = 0; i < 200; i++) {
            rig.create(id, "part-" + i, 0644);
        }
        rig.mkdir("closed", 0700);
    }

    @AfterEach
    void close() throws IOException {
        rig.close();
    }

    private static HandlerRig.Message list(String path) {
        return (out, header) -> new ListEncoder()
                .wrapAndApplyHeader(out, 0, header)
                .correlationId(9)
                .baseId(Wire.ROOT_ID)
                .cursorBirth(0)
                .cursorAt(0)
                .cursorStart(0)
                .entriesMax(0)
                .bytesMax(0)
                .detail((short) 0)
                .behind(0)
                .path(path)
                .prefix("")
                .suffix("")
                .limit();
    }

    private static final HandlerRig.Message LIST_TREE = (out, header) -> new ListTreeEncoder()
            .wrapAndApplyHeader(out, 0, header)
            .correlationId(9)
            .baseId(Wire.ROOT_ID)
            .entriesMax(0)
            .bytesMax(0)
            .detail((short) 0)
            .path("/d")
            .putFrom(NOTHING, 0, 0)
            .limit();

    private static final HandlerRig.Message LIST_MANY = (out, header) -> new ListManyEncoder()
            .wrapAndApplyHeader(out, 0, header)
            .correlationId(9)
            .baseId(Wire.ROOT_ID)
            .cursorBirth(0)
            .cursorAt(0)
            .cursorStart(0)
            .entriesMax(0)
            .bytesMax(0)
            .detail((short) 0)
            .putPaths(PATHS, 0, PATHS.length)
            .limit();

    private static byte[] bytes(WireBuffer frame) {
        byte[] bytes = new byte[frame.length()];
        frame.getBytes(0, bytes, 0, bytes.length);
        return bytes;
    }

    @Test
    void aLongPageIsCompressedAndStandsForItself() {
        for (HandlerRig.Message message : List.of(list("/d"), LIST_TREE, LIST_MANY)) {
            rig.compressFrom(Integer.MAX_VALUE);
            byte[] plain = bytes(rig.ask(HandlerRig.USER, message));
            rig.compressFrom(plain.length);
            WireBuffer compressed = rig.ask(HandlerRig.USER, message);
            assertEquals(CompressedDecoder.TEMPLATE_ID, rig.template(compressed));
            assertTrue(2 * compressed.length() < plain.length, compressed.length() + " bytes of " + plain.length);
            assertEquals(9, compressed.getLong(Wire.HEADER_SIZE, MessageHeaderDecoder.BYTE_ORDER));
            MessageHeaderDecoder header = new MessageHeaderDecoder().wrap(compressed, 0);
            WireBuffer expanded = new WireBuffer();
            new FrameCompression().expand(compressed, header.blockLength(), header.version(), expanded);
            assertArrayEquals(plain, bytes(expanded));
            rig.compressFrom(plain.length + 1);
            assertArrayEquals(plain, bytes(rig.ask(HandlerRig.USER, message)));
        }
    }

    @Test
    void whatIsNoPageGoesAsItIs() {
        rig.compressFrom(1);
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, list("/closed")));
        HandlerRig.Message metrics = (out, header) -> new MetricsEncoder()
                .wrapAndApplyHeader(out, 0, header)
                .correlationId(9)
                .limit();
        WireBuffer text = rig.ask(HandlerRig.USER, metrics);
        assertEquals(MetricsReportDecoder.TEMPLATE_ID, rig.template(text));
        assertTrue(text.length() > 1_000, "it is long, and could be compressed");
    }
}
