package io.hmfs.server.transport.netty;

import io.hmfs.client.ResultCode;
import io.hmfs.wire.FailureDecoder;
import io.hmfs.wire.Wire;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;

/**
 * What a peer has read so far, in the pieces in which it came: a session reads tens of megabytes, in a heap of 128, and
 * one array would be copied to grow.
 */
final class FuzzReplies {
    private final List<byte[]> pieces = new ArrayList<>();

    /** A reply: Failure's code, or -1. */
    record Reply(long correlationId, int template, int code) {
        boolean isFailure() {
            return template == FailureDecoder.TEMPLATE_ID;
        }

        @Override
        public String toString() {
            return isFailure() ? String.valueOf(ResultCode.of(code)) : "message " + template;
        }
    }

    void add(byte[] piece) {
        pieces.add(piece);
    }

    /** The replies that are whole. */
    List<Reply> all() {
        return in(bytes());
    }

    /** The same, and forgets them. */
    List<Reply> take() {
        List<Reply> replies = all();
        pieces.clear();
        return replies;
    }

    /** All bytes, which are forgotten. */
    byte[] takeBytes() {
        ByteBuf all = bytes();
        byte[] bytes = new byte[all.readableBytes()];
        all.readBytes(bytes);
        pieces.clear();
        return bytes;
    }

    private ByteBuf bytes() {
        return Unpooled.wrappedBuffer(Integer.MAX_VALUE, pieces.toArray(byte[][]::new));
    }

    /** The replies that are whole in these bytes. */
    static List<Reply> in(byte[] bytes) {
        return in(Unpooled.wrappedBuffer(bytes));
    }

    private static List<Reply> in(ByteBuf bytes) {
        List<Reply> replies = new ArrayList<>();
        while (bytes.readableBytes() >= Wire.LENGTH_SIZE) {
            int length = bytes.readIntLE();
            if (length > bytes.readableBytes()) {
                break;
            }
            int at = bytes.readerIndex();
            int template = bytes.getUnsignedShortLE(at + 2);
            int code = template == FailureDecoder.TEMPLATE_ID
                    ? bytes.getUnsignedShortLE(at + Wire.HEADER_SIZE + FailureDecoder.codeEncodingOffset())
                    : -1;
            replies.add(new Reply(bytes.getLongLE(at + Wire.HEADER_SIZE), template, code));
            bytes.skipBytes(length);
        }
        return replies;
    }
}
