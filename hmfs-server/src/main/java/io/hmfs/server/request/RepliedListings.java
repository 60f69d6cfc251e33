package io.hmfs.server.request;

import io.hmfs.client.ResultCode;
import io.hmfs.wire.FailureDecoder;
import io.hmfs.wire.ListingsDecoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.Wire;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** What became of each directory of a {@code ListMany}, read from the reply. Not thread-safe. */
public final class RepliedListings {
    private static final int HEAD =
            Wire.LENGTH_SIZE + Wire.HEADER_SIZE + ListingsDecoder.BLOCK_LENGTH + ListingsDecoder.answersHeaderLength();
    private static final int TEMPLATE_AT = Wire.LENGTH_SIZE + MessageHeaderDecoder.templateIdEncodingOffset();
    private static final int CODE_AT = Wire.LENGTH_SIZE + Wire.HEADER_SIZE + FailureDecoder.codeEncodingOffset();

    private ByteBuf buffer = Unpooled.EMPTY_BUFFER;
    private int at;

    /** Goes to the beginning of the reply that was closed last. Returns how many answers it has. */
    public int open(Reply reply) {
        buffer = reply.buffer();
        int begin = reply.frameAt() + HEAD;
        int end = reply.frameAt() + reply.frameLength();
        int count = 0;
        for (at = begin; at < end; at += Wire.LENGTH_SIZE + buffer.getIntLE(at)) {
            count++;
        }
        at = begin;
        return count;
    }

    /** The outcome of the next one. */
    public ResultCode next() {
        int answer = at;
        at += Wire.LENGTH_SIZE + buffer.getIntLE(answer);
        return buffer.getShortLE(answer + TEMPLATE_AT) == FailureDecoder.TEMPLATE_ID
                ? ResultCode.of(buffer.getShortLE(answer + CODE_AT))
                : ResultCode.OK;
    }
}
