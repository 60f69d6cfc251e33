package io.hmfs.server.transport.netty;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** A message of RDMA as docs/wire.md says it, or what should have been one. Knows nothing of the product's code. */
final class FuzzMessage {
    static final int MESSAGE_MAX = 4096;
    static final int HEADER = 8;
    static final int CREDITS = 16;
    static final int GIVE_AT = 8;
    static final int PIECES = 16;
    static final int PIECE_BYTES = 64 << 10;
    static final int ALL_PIECES = (1 << PIECES) - 1;

    static final int BYTES = 0;
    static final int CREDITS_ONLY = 1;
    static final int LAST = 2;
    static final int WINDOWS = 3;
    static final int LONG = 4;
    static final int LONG_BODY = 8;
    static final int WINDOWS_BODY = 24;

    private final byte[] bytes;

    FuzzMessage(byte[] bytes) {
        this.bytes = bytes;
    }

    byte[] bytes() {
        return bytes;
    }

    /** What a request for a connection says. */
    static byte[] greeting() {
        return ByteBuffer.allocate(16)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(0x414D_4452_5346_4D48L)
                .putInt(2)
                .putShort((short) CREDITS)
                .putShort((short) MESSAGE_MAX)
                .array();
    }

    static FuzzMessage of(int credits, int pieces, int kind, byte[] body) {
        return new FuzzMessage(ByteBuffer.allocate(HEADER + body.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putShort((short) credits)
                .putShort((short) pieces)
                .putInt(kind)
                .put(body)
                .array());
    }

    static byte[] longBody(int number, int filled) {
        return ByteBuffer.allocate(LONG_BODY)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(number)
                .putInt(filled)
                .array();
    }

    static byte[] windowsBody(long writeAddress, int writeKey, long readAddress, int readKey) {
        return ByteBuffer.allocate(WINDOWS_BODY)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(writeAddress)
                .putLong(readAddress)
                .putInt(writeKey)
                .putInt(readKey)
                .array();
    }

    private ByteBuffer view() {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    int credits() {
        return Short.toUnsignedInt(view().getShort(0));
    }

    int pieces() {
        return Short.toUnsignedInt(view().getShort(2));
    }

    /** -1: there is no whole header. */
    int kind() {
        return bytes.length < HEADER ? -1 : view().getInt(4);
    }

    byte[] body() {
        return Arrays.copyOfRange(bytes, HEADER, bytes.length);
    }

    /** Of a long part. */
    int number() {
        return view().getInt(HEADER);
    }

    /** Of a long part: bytes in its piece. */
    int filled() {
        return view().getInt(HEADER + 4);
    }

    boolean takesCredit() {
        return kind() == BYTES || kind() == WINDOWS || kind() == LONG;
    }

    /** Whether it can be a message at all, whatever was said before. */
    boolean isWellFormed() {
        int body = bytes.length - HEADER;
        return switch (kind()) {
            case BYTES -> body > 0 && bytes.length <= MESSAGE_MAX;
            case CREDITS_ONLY, LAST -> body == 0;
            case WINDOWS -> body == WINDOWS_BODY;
            case LONG ->
                body == LONG_BODY && number() >= 0 && number() < PIECES && filled() > 0 && filled() <= PIECE_BYTES;
            default -> false;
        };
    }
}
