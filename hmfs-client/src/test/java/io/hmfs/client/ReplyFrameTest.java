package io.hmfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.wire.FailureEncoder;
import io.hmfs.wire.FrameCompression;
import io.hmfs.wire.MessageHeaderEncoder;
import io.hmfs.wire.WireBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Goal: a compressed reply is read as the one that it stands for, and stands for no other. Method: a failure with a long text. */
class ReplyFrameTest {
    private static final String TEXT = "0123456789".repeat(100);

    private final ByteBuf buffer = Unpooled.buffer(4096);
    private final FrameCompression compression = new FrameCompression();
    private final ReplyFrame reply = new ReplyFrame();

    /** A failure of so many bytes, which is the reply to the request with this id. */
    private int write(long id) {
        return new FailureEncoder()
                .wrapAndApplyHeader(new WireBuffer().wrap(buffer, 0, 4096), 0, new MessageHeaderEncoder())
                .correlationId(id)
                .code(ResultCode.NOT_FOUND.code())
                .message(TEXT)
                .limit();
    }

    private long open(int length) throws IOException {
        return reply.open(new WireBuffer().wrap(buffer, 0, length));
    }

    @Test
    void aCompressedReplyIsReadAsTheOneThatItStandsFor() throws IOException {
        int plain = write(5);
        int length = compression.compress(buffer, 0, plain, 5);
        assertTrue(length < plain);
        assertEquals(5, open(length));
        assertTrue(reply.isFailure());
        assertEquals(ResultCode.NOT_FOUND, reply.failureCode());
        assertEquals(TEXT, reply.failureMessage());
        assertEquals(6, open(write(6)), "one that is not compressed comes next");
        assertEquals(ResultCode.NOT_FOUND, reply.failureCode());
        assertEquals(TEXT, reply.failureMessage());
    }

    @Test
    void aReplyToAnotherRequestIsRefused() {
        int length = compression.compress(buffer, 0, write(5), 6);
        assertThrows(IOException.class, () -> open(length));
    }

    @Test
    void aCompressedReplyInACompressedOneIsRefused() {
        int first = compression.compress(buffer, 0, write(5), 5);
        buffer.setZero(first, 1_000); // bytes behind the block are skipped
        int second = compression.compress(buffer, 0, first + 1_000, 5);
        assertTrue(second < first + 1_000);
        assertThrows(IOException.class, () -> open(second));
    }
}
