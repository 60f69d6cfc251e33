package io.hmfs.server.transport;

import io.hmfs.client.ResultCode;
import io.hmfs.wire.FailureEncoder;
import io.hmfs.wire.MessageHeaderEncoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/** A failure that is about the connection, not about one request: correlation id 0. For transports; no hot path. */
public final class ProtocolError {
    private static final int FIXED_MAX = 64;

    private ProtocolError() {}

    /** The last frame before a clean stop: by this the client knows that what has no reply was not executed. */
    public static void dismiss(ReplyTarget target) {
        write(
                target,
                ResultCode.SHUTTING_DOWN,
                "the server stops, and has executed nothing of this connection that it did not answer");
    }

    public static void write(ReplyTarget target, ResultCode code, String message) {
        byte[] text = message.getBytes(StandardCharsets.UTF_8);
        int bound = FIXED_MAX + text.length;
        ByteBuf buffer = target.room(Wire.LENGTH_SIZE + bound);
        int begin = buffer.writerIndex();
        WireBuffer out = new WireBuffer().wrap(buffer, begin + Wire.LENGTH_SIZE, bound);
        int length = new FailureEncoder()
                .wrapAndApplyHeader(out, 0, new MessageHeaderEncoder())
                .correlationId(0)
                .code(code.code())
                .putMessage(text, 0, text.length)
                .limit();
        buffer.setIntLE(begin, length);
        buffer.writerIndex(begin + Wire.LENGTH_SIZE + length);
    }
}
