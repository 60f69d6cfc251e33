package io.hmfs.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteOrder;

/**
 * A window on a Netty buffer, in the shape that the generated codecs call: no copy, no allocation, little-endian only. A reader's
 * window ends with its frame, so that a lying length field is a {@link MalformedFrameException} and never a look at the next
 * frame. Not thread-safe.
 */
public final class WireBuffer {
    static final byte[] NO_BYTES = {};

    private ByteBuf buffer = Unpooled.EMPTY_BUFFER;
    private int start;
    private int length;

    /** Moves the window onto {@code count} bytes of a buffer, which must stay alive while the window is used. */
    public WireBuffer wrap(ByteBuf newBuffer, int newStart, int count) {
        buffer = newBuffer;
        start = newStart;
        length = count;
        return this;
    }

    /** Moves the window onto a part of another one. */
    public void wrap(WireBuffer other, int index, int count) {
        wrap(other.buffer, other.at(index, count), count);
    }

    /** Lets go of the buffer. */
    public void release() {
        wrap(Unpooled.EMPTY_BUFFER, 0, 0);
    }

    public int length() {
        return length;
    }

    /** The Netty buffer below; a position of this window is {@link #start} higher there. */
    public ByteBuf buffer() {
        return buffer;
    }

    public int start() {
        return start;
    }

    /** Fails unless {@code count} bytes from {@code index} are inside the window. */
    public void check(int index, int count) {
        at(index, count);
    }

    public byte getByte(int index) {
        return buffer.getByte(at(index, 1));
    }

    public short getShort(int index, ByteOrder order) {
        return buffer.getShortLE(at(index, 2));
    }

    public int getInt(int index, ByteOrder order) {
        return buffer.getIntLE(at(index, 4));
    }

    public long getLong(int index, ByteOrder order) {
        return buffer.getLongLE(at(index, 8));
    }

    public void getBytes(int index, byte[] target, int offset, int count) {
        buffer.getBytes(at(index, count), target, offset, count);
    }

    public void getBytes(int index, WireBuffer target, int offset, int count) {
        buffer.getBytes(at(index, count), target.buffer, target.at(offset, count), count);
    }

    public void putByte(int index, byte value) {
        buffer.setByte(at(index, 1), value);
    }

    public void putShort(int index, short value, ByteOrder order) {
        buffer.setShortLE(at(index, 2), value);
    }

    public void putInt(int index, int value, ByteOrder order) {
        buffer.setIntLE(at(index, 4), value);
    }

    public void putLong(int index, long value, ByteOrder order) {
        buffer.setLongLE(at(index, 8), value);
    }

    public void putBytes(int index, byte[] source, int offset, int count) {
        buffer.setBytes(at(index, count), source, offset, count);
    }

    public void putBytes(int index, WireBuffer source, int offset, int count) {
        buffer.setBytes(at(index, count), source.buffer, source.at(offset, count), count);
    }

    private int at(int index, int count) {
        if ((index | count) < 0 || index > length - count) {
            throw new MalformedFrameException(
                    "a field of " + count + " bytes at " + index + " does not fit into " + length + " bytes", false);
        }
        return start + index;
    }
}
