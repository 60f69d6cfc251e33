package io.hmfs.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Goal: what was compressed comes out as it was; what lies about its length or is no block is refused, and no claim
 * allocates more than its bound.
 * Method: frames of texts and of noise, whole, forged, cut off at each byte, and with random bytes in random places.
 */
class FrameCompressionTest {
    private static final long SEED = Long.getLong("hmfs.seed", 1);
    private static final int MUTATIONS = 5_000;
    private static final int LENGTH = 5_000;
    private static final long ID = 77;
    private static final int LENGTH_AT = Wire.HEADER_SIZE + CompressedDecoder.lengthEncodingOffset();
    private static final int REPLY_AT = Wire.HEADER_SIZE + CompressedEncoder.BLOCK_LENGTH;
    private static final int AT = 3; // frames begin anywhere in a buffer

    private final FrameCompression compression = new FrameCompression();
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();

    /** A frame that has something to compress, or nothing. */
    private static byte[] frame(int length, boolean compressible) {
        byte[] frame = new byte[length];
        new Random(length).nextBytes(frame);
        if (compressible) {
            for (int i = 0; i < length; i++) {
                frame[i] = (byte) (i % 8 == 0 ? i >> 3 : i % 8);
            }
        }
        return frame;
    }

    private static ByteBuf buffer(byte[] frame) {
        return Unpooled.directBuffer(AT + frame.length).writeZero(AT).writeBytes(frame);
    }

    private WireBuffer expand(ByteBuf buffer, int length) {
        WireBuffer in = new WireBuffer().wrap(buffer, AT, length);
        header.wrap(in, 0);
        assertEquals(CompressedDecoder.TEMPLATE_ID, header.templateId());
        WireBuffer out = new WireBuffer();
        compression.expand(in, header.blockLength(), header.version(), out);
        return out;
    }

    private static byte[] bytes(WireBuffer window) {
        byte[] bytes = new byte[window.length()];
        window.getBytes(0, bytes, 0, bytes.length);
        return bytes;
    }

    @Test
    void whatWasCompressedComesOutAsItWas() {
        for (int length : new int[] {100, LENGTH, 70_000, 300_000, FrameCompression.EXPANDED_MAX}) {
            byte[] frame = frame(length, true);
            ByteBuf buffer = buffer(frame);
            int compressed = compression.compress(buffer, AT, length, ID);
            assertTrue(compressed < length, compressed + " bytes of " + length);
            assertEquals(ID, buffer.getLongLE(AT + Wire.HEADER_SIZE));
            assertArrayEquals(frame, bytes(expand(buffer, compressed)));
            buffer.release();
        }
    }

    @Test
    void whatWouldNotBeShorterStays() {
        for (int length : new int[] {Wire.FRAME_MIN, LENGTH, FrameCompression.EXPANDED_MAX + 1}) {
            byte[] frame = frame(length, length > FrameCompression.EXPANDED_MAX);
            ByteBuf buffer = buffer(frame);
            assertEquals(length, compression.compress(buffer, AT, length, ID));
            byte[] after = new byte[length];
            buffer.getBytes(AT, after);
            assertArrayEquals(frame, after);
            buffer.release();
        }
    }

    private int compressed(ByteBuf buffer) {
        buffer.setBytes(AT, frame(LENGTH, true));
        return compression.compress(buffer, AT, LENGTH, ID);
    }

    private void assertRefused(ByteBuf buffer, int length, String because) {
        String message = String.valueOf(assertThrows(MalformedFrameException.class, () -> expand(buffer, length))
                .getMessage());
        assertTrue(message.contains(because), message);
    }

    @Test
    void aLengthThatIsALieIsRefused() {
        ByteBuf buffer = buffer(frame(LENGTH, true));
        int length = compressed(buffer);
        for (int claimed :
                new int[] {0, Wire.FRAME_MIN - 1, FrameCompression.EXPANDED_MAX + 1, -1, Integer.MIN_VALUE}) {
            buffer.setIntLE(AT + LENGTH_AT, claimed);
            assertRefused(buffer, length, "claims to stand for");
        }
        for (int claimed : new int[] {Wire.FRAME_MIN, LENGTH - 1}) {
            buffer.setIntLE(AT + LENGTH_AT, claimed);
            assertRefused(buffer, length, "cannot be expanded");
        }
        for (int claimed : new int[] {LENGTH + 1, FrameCompression.EXPANDED_MAX}) {
            buffer.setIntLE(AT + LENGTH_AT, claimed);
            assertRefused(buffer, length, "stands for " + LENGTH);
        }
        compressed(buffer);
        buffer.setIntLE(AT + REPLY_AT, length);
        assertRefused(buffer, length, "does not fit");
        buffer.release();
    }

    @Test
    void oneThatIsCutOffIsRefused() {
        ByteBuf buffer = buffer(frame(LENGTH, true));
        int whole = compressed(buffer);
        for (int length = Wire.HEADER_SIZE; length < whole; length++) {
            int cut = length;
            assertThrows(MalformedFrameException.class, () -> expand(buffer, cut), () -> cut + " of " + whole);
        }
        for (int count = 0; count < whole - REPLY_AT - Integer.BYTES; count++) { // the block itself, in a whole frame
            buffer.setIntLE(AT + REPLY_AT, count);
            assertThrows(MalformedFrameException.class, () -> expand(buffer, whole));
        }
        buffer.release();
    }

    @Test
    void anyBytesAreRefusedOrComeOutWithTheLengthThatTheyClaim() {
        Random random = new Random(SEED);
        ByteBuf buffer = buffer(frame(LENGTH, true));
        int refused = 0;
        for (int i = 0; i < MUTATIONS; i++) {
            int length = compressed(buffer);
            for (int changes = 1 + random.nextInt(4); changes > 0; changes--) {
                buffer.setByte(AT + LENGTH_AT + random.nextInt(length - LENGTH_AT), random.nextInt(256));
            }
            try {
                assertEquals(
                        buffer.getIntLE(AT + LENGTH_AT), expand(buffer, length).length());
            } catch (MalformedFrameException malformed) {
                refused++;
            }
        }
        assertTrue(refused > MUTATIONS / 10 && refused < MUTATIONS, refused + " of " + MUTATIONS + " refused");
        buffer.release();
    }
}
