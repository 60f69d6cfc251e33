package io.hmfs.server.transport.netty;

import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.wire.Wire;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/**
 * What docs/wire.md says must become of the bytes of one connection: which frames they are, which of these are requests, and whether
 * the connection ends. Knows the schema and nothing of the server's code.
 */
final class StreamModel {
    private static final int HELLO_MAX = 1024;
    private static final long SEQUENCE_MAX = 1L << 60;
    private static final int CHANGES_FIRST = 20;
    private static final int CHANGES_LAST = 39;

    /** What a frame is. */
    enum Kind {
        WELCOME,
        /** Is answered with a failure and has no effect. */
        MALFORMED,
        REQUEST
    }

    /** A frame without its length word. */
    static final class Frame {
        private final Kind kind;
        private final long correlationId;
        private final byte[] bytes;

        private Frame(Kind kind, long correlationId, byte[] bytes) {
            this.kind = kind;
            this.correlationId = correlationId;
            this.bytes = bytes;
        }

        Kind kind() {
            return kind;
        }

        long correlationId() {
            return correlationId;
        }

        byte[] bytes() {
            return bytes;
        }

        int template() {
            return WireSchema.templateOf(bytes);
        }
    }

    final List<Frame> frames = new ArrayList<>();

    /** If the client numbers its changes: its id, and the first number that it has not used. */
    private long clientId;

    private long nextSequence;

    /** The user that the handshake names; empty if the handshake fails. */
    String user = "";

    /** Whether one more failure follows, and then the end. */
    boolean ends;

    /** Whether bytes follow the last whole frame. */
    boolean isCutOff;

    /** {@code frameMax} holds after the handshake. */
    StreamModel(byte[] stream, UUID cluster, int frameMax) {
        ByteBuffer in = ByteBuffer.wrap(stream).order(ByteOrder.LITTLE_ENDIAN);
        while (!ends && in.remaining() >= Wire.LENGTH_SIZE) {
            int length = in.getInt();
            if (length < Wire.FRAME_MIN || length > (frames.isEmpty() ? HELLO_MAX : frameMax)) {
                ends = true;
            } else if (in.remaining() < length) {
                isCutOff = true;
                return;
            } else {
                byte[] frame = new byte[length];
                in.get(frame);
                take(frame, cluster);
            }
        }
        isCutOff = in.hasRemaining();
    }

    /** What of it is no request. */
    long malformed() {
        return frames.stream().filter(frame -> frame.kind() == Kind.MALFORMED).count() + (ends ? 1 : 0);
    }

    /** How many frames are whole in the first bytes of the stream. */
    int framesIn(int bytes) {
        int whole = 0;
        long at = 0;
        for (Frame frame : frames) {
            at += Wire.LENGTH_SIZE + frame.bytes.length;
            whole += at <= bytes ? 1 : 0;
        }
        return whole;
    }

    /** Whether another frame has its correlation id too: which reply is whose? */
    boolean isAmbiguous(Frame frame) {
        return frames.stream()
                        .filter(other -> other.correlationId() == frame.correlationId())
                        .count()
                > 1;
    }

    private void take(byte[] frame, UUID cluster) {
        long correlationId =
                ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN).getLong(Wire.HEADER_SIZE);
        if (WireSchema.word(frame, 4) != WireSchema.ID) {
            ends = true;
        } else if (!frames.isEmpty()) {
            int version = WireSchema.versionOf(frame);
            boolean request = version >= 1
                    && version <= WireSchema.VERSION
                    && WireSchema.templateOf(frame) != WireSchema.HELLO
                    && WireSchema.templateOf(frame) != WireSchema.RESPONSE
                    && WireSchema.INSTANCE.isWhole(frame)
                    && isNumberedWell(frame);
            frames.add(new Frame(request ? Kind.REQUEST : Kind.MALFORMED, correlationId, frame));
        } else if (isWelcome(frame, cluster)) {
            frames.add(new Frame(Kind.WELCOME, correlationId, frame));
        } else {
            ends = true;
        }
    }

    /** Whether a change, of a client that numbers them, is its own and none that it may have sent before. */
    private boolean isNumberedWell(byte[] frame) {
        int template = WireSchema.templateOf(frame);
        if (nextSequence == 0 || template < CHANGES_FIRST || template > CHANGES_LAST) {
            return true;
        }
        ByteBuffer in = ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN);
        in.position(Wire.HEADER_SIZE + Long.BYTES);
        boolean own = in.getLong() == clientId;
        long sequence = in.getLong();
        return own && sequence >= nextSequence && sequence <= SEQUENCE_MAX;
    }

    private boolean isWelcome(byte[] frame, UUID cluster) {
        int version = WireSchema.versionOf(frame);
        if (WireSchema.templateOf(frame) != WireSchema.HELLO
                || version == 0
                || version > WireSchema.VERSION
                || !WireSchema.INSTANCE.isWhole(frame)) {
            return false;
        }
        ByteBuffer in = ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN);
        int block = WireSchema.word(frame, 0);
        in.position(Wire.HEADER_SIZE + Long.BYTES);
        boolean ours = in.getLong() == Wire.MAGIC && in.getInt() == Wire.PROTOCOL_VERSION;
        UUID wanted = new UUID(in.getLong(), in.getLong());
        clientId = in.getLong();
        boolean simple = in.get() == Wire.AUTH_SIMPLE;
        long oldest = in.getLong();
        nextSequence = in.getLong();
        boolean numbered = oldest >= 0 && oldest <= nextSequence && nextSequence <= SEQUENCE_MAX;
        boolean here = wanted.equals(new UUID(0, 0)) || wanted.equals(cluster);
        int at = Wire.HEADER_SIZE + block;
        byte[] user = text(frame, at);
        int token = at + Short.BYTES + user.length;
        byte[] realUser = text(frame, token + Short.BYTES + WireSchema.word(frame, token));
        boolean alone = realUser.length == 0 || Arrays.equals(realUser, user); // the server knows no proxies
        Name name = new Name();
        name.set(user, 0, user.length);
        boolean welcome = ours && here && simple && numbered && alone && name.check() == Status.OK;
        this.user = welcome ? name.toString() : "";
        return welcome;
    }

    private static byte[] text(byte[] frame, int at) {
        return Arrays.copyOfRange(frame, at + Short.BYTES, at + Short.BYTES + WireSchema.word(frame, at));
    }
}
