package io.hmfs.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;

/**
 * Cuts a byte stream into frames without copying them: bytes are copied only when a frame is spread over several reads,
 * and then into one buffer that has room for the whole frame. Not thread-safe.
 */
public final class FrameAssembler {
    /** Largest buffer allocated on the word of a length field alone; longer frames grow with what really arrives. */
    private static final int TRUSTED = 1 << 20;

    /** Bytes that {@link #room} has until a frame is longer. */
    private static final int ROOM = 64 << 10;

    /** Bytes of a larger room that are kept for the frames to come: who reads a file gets many long ones. */
    private static final int KEPT_MAX = 1 << 20;

    private final ByteBufAllocator allocator;
    private int frameMax;
    private ByteBuf pending = Unpooled.EMPTY_BUFFER;
    private int offset;
    private int length;

    public FrameAssembler(ByteBufAllocator allocator, int frameMax) {
        this.allocator = allocator;
        this.frameMax = frameMax;
    }

    /** Sets the longest frame taken from now on, without its length word. */
    public void frameMax(int bytes) {
        frameMax = bytes;
    }

    /** Takes bytes from the stream, and their ownership. Frames found before are no longer valid. */
    public void add(ByteBuf data) {
        if (!pending.isReadable()) {
            pending.release();
            pending = data;
            return;
        }
        try {
            if (pending.maxFastWritableBytes() < data.readableBytes() || pending.isReadOnly()) {
                grow(data.readableBytes());
            }
            pending.writeBytes(data);
        } finally {
            data.release();
        }
    }

    /**
     * The buffer to write the next bytes of the stream into, instead of {@link #add}: with the rest of a frame that has
     * begun, or empty. It stays the assembler's, and nobody else may keep it. Frames found before are no longer valid.
     */
    public ByteBuf room() {
        if (!pending.isReadable()) {
            if (pending.capacity() >= ROOM && pending.capacity() <= KEPT_MAX) {
                return pending.clear();
            }
            pending.release();
            pending = allocator.directBuffer(ROOM, ROOM);
        } else if (!pending.isWritable()) {
            if (pending.readerIndex() > 0 && partial() <= pending.capacity()) {
                pending.discardReadBytes();
            } else {
                grow(ROOM);
            }
        }
        return pending;
    }

    private void grow(int more) {
        int held = pending.readableBytes();
        int frame = held >= Wire.LENGTH_SIZE ? pending.getIntLE(pending.readerIndex()) + Wire.LENGTH_SIZE : 0;
        int doubled = Math.max(2 * held, TRUSTED);
        int room = Math.max(
                held + more, frame > held ? Math.min(frame, doubled) : 2 * held); // no more than the frame needs
        ByteBuf larger = allocator.buffer(room);
        larger.writeBytes(pending);
        pending.release();
        pending = larger;
    }

    /**
     * Steps to the next whole frame, which then is {@link #length} bytes of {@link #buffer} from {@link #offset}, the
     * length word left out. False: more bytes are needed. Throws when the length cannot be; the stream is then
     * unusable.
     */
    public boolean next() {
        if (pending.readableBytes() < Wire.LENGTH_SIZE) {
            return false;
        }
        int at = pending.readerIndex();
        int size = pending.getIntLE(at);
        if (size < Wire.FRAME_MIN || size > frameMax) {
            boolean oversized = size < 0 || size > frameMax;
            throw new MalformedFrameException(
                    "a frame of " + Integer.toUnsignedString(size) + " bytes; frames have " + Wire.FRAME_MIN + " to "
                            + frameMax,
                    oversized);
        }
        if (pending.readableBytes() - Wire.LENGTH_SIZE < size) {
            return false;
        }
        offset = at + Wire.LENGTH_SIZE;
        length = size;
        pending.readerIndex(offset + size);
        return true;
    }

    /** The buffer that holds the current frame; valid until the next {@link #add}, {@link #trim} or {@link #close}. */
    public ByteBuf buffer() {
        return pending;
    }

    public int offset() {
        return offset;
    }

    public int length() {
        return length;
    }

    /** Whether bytes of an unfinished frame are held. */
    public boolean unfinished() {
        return pending.isReadable();
    }

    /** Bytes that are held and were not cut into frames yet. */
    public int held() {
        return pending.readableBytes();
    }

    /** Bytes of memory that what is held takes. */
    public int memory() {
        return pending.isReadable() ? pending.capacity() : 0;
    }

    /** Bytes of the frame that has come in part, with its length word, as far as that is known; 0 if a whole one is held, or nothing. */
    public int partial() {
        int held = pending.readableBytes();
        if (held < Wire.LENGTH_SIZE) {
            return held;
        }
        int frame = pending.getIntLE(pending.readerIndex()) + Wire.LENGTH_SIZE;
        return frame > held ? frame : 0;
    }

    /**
     * Lets go of the buffer if all of it was consumed, or if others have it, too, as memory of a device that waits to be used
     * again: then what is left is copied. To be called after a batch.
     */
    public void trim() {
        if (!pending.isReadable()) {
            close();
        } else if (pending.refCnt() > 1) {
            grow(0);
        }
    }

    /** Lets go of everything. */
    public void close() {
        ByteBuf old = pending;
        pending = Unpooled.EMPTY_BUFFER;
        old.release();
    }
}
