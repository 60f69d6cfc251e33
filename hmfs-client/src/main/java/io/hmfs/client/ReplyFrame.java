package io.hmfs.client;

import io.hmfs.wire.CompressedDecoder;
import io.hmfs.wire.FailureDecoder;
import io.hmfs.wire.FrameCompression;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import java.io.IOException;

/** The frame that is being read. One object is reused for all frames of a connection. */
final class ReplyFrame {
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final FailureDecoder failure = new FailureDecoder();
    private final FrameCompression compression = new FrameCompression();
    private final WireBuffer expanded = new WireBuffer();
    private WireBuffer in = new WireBuffer();

    /** Looks at a frame's header, or at that of the reply that it stands for; returns its correlation id. */
    long open(WireBuffer frame) throws IOException {
        long id = openPlain(frame);
        if (isMessage(CompressedDecoder.TEMPLATE_ID)) {
            compression.expand(frame, blockLength(), version(), expanded);
            long inner = openPlain(expanded);
            if (inner != id || isMessage(CompressedDecoder.TEMPLATE_ID)) {
                throw new IOException("a compressed reply stands for the reply to another request");
            }
        }
        return id;
    }

    /** The same, of a frame that stands for no other: what is compressed stays so, and is no message that is expected. */
    long openPlain(WireBuffer frame) throws IOException {
        in = frame;
        header.wrap(in, 0);
        if (header.schemaId() != MessageHeaderDecoder.SCHEMA_ID) {
            throw new IOException("this is no HMFS server: schema " + header.schemaId());
        }
        return in.getLong(Wire.HEADER_SIZE, MessageHeaderDecoder.BYTE_ORDER);
    }

    /** The frame; its root block begins at {@link Wire#HEADER_SIZE}. */
    WireBuffer in() {
        return in;
    }

    /** Bytes of its root block. */
    int blockLength() {
        return header.blockLength();
    }

    /** The version of the schema that it has. */
    int version() {
        return header.version();
    }

    /** Fails unless the frame is this message. */
    void expect(int templateId) throws IOException {
        if (!isMessage(templateId)) {
            throw new IOException("unexpected reply: message " + header.templateId() + " instead of " + templateId);
        }
    }

    boolean isMessage(int templateId) {
        return header.templateId() == templateId;
    }

    boolean isFailure() {
        return isMessage(FailureDecoder.TEMPLATE_ID);
    }

    /** Of a failure, its code. */
    ResultCode failureCode() {
        failure.wrap(in, Wire.HEADER_SIZE, blockLength(), version());
        return ResultCode.of(failure.code());
    }

    /** The text of the failure that {@link #failureCode} looked at. */
    String failureMessage() {
        return failure.message();
    }

    /**
     * The bytes of the data whose length word is at {@code lengthAt}, all of which are in the frame: an array for them.
     */
    byte[] room(int lengthAt, int length) {
        in.check(lengthAt + Integer.BYTES, length);
        return new byte[length];
    }
}
