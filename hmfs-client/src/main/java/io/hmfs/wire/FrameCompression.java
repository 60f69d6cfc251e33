package io.hmfs.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;

/**
 * Puts a reply into a {@code Compressed} one, and takes it out again (docs/adr/0189). The implementation of LZ4 that uses
 * neither native code nor {@code Unsafe}: JDKs warn of both. Not thread-safe.
 */
public final class FrameCompression {
    /** Longest reply that is taken out of a compressed one: so much is allocated on the word of a length field. */
    public static final int EXPANDED_MAX = 1 << 20;

    private static final LZ4Compressor COMPRESSOR = LZ4Factory.safeInstance().fastCompressor();
    private static final LZ4SafeDecompressor DECOMPRESSOR =
            LZ4Factory.safeInstance().safeDecompressor();
    private static final int HEAD =
            Wire.HEADER_SIZE + CompressedEncoder.BLOCK_LENGTH + CompressedEncoder.replyHeaderLength();

    private final MessageHeaderEncoder header = new MessageHeaderEncoder();
    private final CompressedEncoder encoder = new CompressedEncoder();
    private final CompressedDecoder decoder = new CompressedDecoder();
    private final WireBuffer window = new WireBuffer();
    private byte[] plain = {};
    private byte[] packed = {};

    /**
     * Puts the reply of so many bytes at {@code at} of a buffer into a compressed one in its place, if that is shorter.
     *
     * @return bytes of what is there now
     */
    public int compress(ByteBuf buffer, int at, int length, long correlationId) {
        if (length > EXPANDED_MAX) {
            return length;
        }
        int most = COMPRESSOR.maxCompressedLength(length);
        if (plain.length < length) {
            plain = new byte[length];
        }
        if (packed.length < most) {
            packed = new byte[most];
        }
        buffer.getBytes(at, plain, 0, length);
        int count = COMPRESSOR.compress(plain, 0, length, packed, 0, most);
        if (HEAD + count >= length) {
            return length;
        }
        encoder.wrapAndApplyHeader(window.wrap(buffer, at, length), 0, header)
                .correlationId(correlationId)
                .length(length)
                .putReply(packed, 0, count);
        window.release();
        return HEAD + count;
    }

    /**
     * Moves a window to the reply that a compressed one stands for.
     *
     * @param in the compressed one
     * @throws MalformedFrameException it is none, or is not as long as it says
     */
    public void expand(WireBuffer in, int blockLength, int version, WireBuffer out) {
        in.check(Wire.HEADER_SIZE, CompressedDecoder.BLOCK_LENGTH);
        decoder.wrap(in, Wire.HEADER_SIZE, blockLength, version);
        long length = decoder.length();
        int count = decoder.replyLength();
        int from = decoder.limit() + CompressedDecoder.replyHeaderLength();
        in.check(from, count);
        if (length < Wire.FRAME_MIN || length > EXPANDED_MAX) {
            throw malformed("claims to stand for " + length + " bytes");
        }
        if (packed.length < count) {
            packed = new byte[count];
        }
        in.getBytes(from, packed, 0, count);
        byte[] expanded = new byte[(int) length];
        int found;
        try {
            found = DECOMPRESSOR.decompress(packed, 0, count, expanded, 0);
        } catch (LZ4Exception noBlock) {
            throw malformed("cannot be expanded to the " + length + " bytes that it claims");
        }
        if (found != length) {
            throw malformed("stands for " + found + " bytes and claims " + length);
        }
        out.wrap(Unpooled.wrappedBuffer(expanded), 0, found);
    }

    private static MalformedFrameException malformed(String what) {
        return new MalformedFrameException("a compressed reply " + what, false);
    }
}
