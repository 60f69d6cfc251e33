package io.hmfs.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * A window on a Netty buffer, in the shape that the generated codecs call: no copy, no allocation, little-endian only.
 * A reader's window ends with its frame, so that a lying length field is a {@link MalformedFrameException} and never a
 * look at the next frame. Not thread-safe.
 */
public final class WireBuffer {
    static final byte[] NO_BYTES = {};

    /** Texts and paths are no longer; data of files is. */
    private static final int WORDS_MAX = 8 << 10;

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN)
            .withInvokeExactBehavior();

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

    /**
     * What is not long is copied by words and not by the buffer's own copy: on a direct buffer that makes an object,
     * which not every compilation removes (I7).
     */
    public void getBytes(int index, byte[] target, int offset, int count) {
        Objects.checkFromIndexSize(offset, count, target.length);
        int from = at(index, count);
        if (count > WORDS_MAX) {
            buffer.getBytes(from, target, offset, count);
            return;
        }
        int done = 0;
        for (; done + Long.BYTES <= count; done += Long.BYTES) {
            LONG.set(target, offset + done, buffer.getLongLE(from + done));
        }
        for (; done < count; done++) {
            target[offset + done] = buffer.getByte(from + done);
        }
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
