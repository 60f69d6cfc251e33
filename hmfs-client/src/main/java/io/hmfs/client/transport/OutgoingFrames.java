package io.hmfs.client.transport;

import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** Frames that a link is to send, one behind the other behind their length words, in buffers of some size. */
public final class OutgoingFrames {
    private static final int BATCH_BYTES = 64 << 10; // another buffer is begun when more has gathered
    private static final int INITIAL = 4 << 10;

    private final ByteBufAllocator allocator;
    private final WireBuffer window = new WireBuffer();
    private final ArrayDeque<ByteBuf> full = new ArrayDeque<>(); // to be sent before the last
    private @Nullable ByteBuf last;

    /** Buffers come from the allocator. */
    public OutgoingFrames(ByteBufAllocator allocator) {
        this.allocator = allocator;
    }

    /** As {@link Transport.Link#begin}. */
    public WireBuffer begin(int bound) {
        int bytes = Wire.LENGTH_SIZE + bound;
        ByteBuf buffer = last;
        if (buffer != null && buffer.isReadable() && buffer.readableBytes() + bytes > BATCH_BYTES) {
            full.add(buffer);
            buffer = null;
        }
        if (buffer == null) {
            buffer = allocator.directBuffer(Math.max(bytes, INITIAL));
            last = buffer;
        }
        buffer.ensureWritable(bytes);
        return window.wrap(buffer, buffer.writerIndex() + Wire.LENGTH_SIZE, bound);
    }

    /** As {@link Transport.Link#end}. */
    public void end(int length) {
        ByteBuf buffer = window.buffer();
        int begin = buffer.writerIndex();
        buffer.setIntLE(begin, length).writerIndex(begin + Wire.LENGTH_SIZE + length);
        window.release();
    }

    /** As {@link Transport.Link#drop}. */
    public void drop() {
        window.release();
    }

    /** The bytes that are to be sent next, to be read from this buffer, which stays here; null: there are none. */
    public @Nullable ByteBuf next() {
        ByteBuf first = full.peek();
        if (first != null) {
            return first;
        }
        ByteBuf buffer = last;
        return buffer != null && buffer.isReadable() ? buffer : null;
    }

    /** All that {@link #next} gave has been read. */
    public void sent() {
        ByteBuf first = full.poll();
        ByteBuf buffer = last;
        if (first != null) {
            first.release();
        } else if (buffer != null) {
            buffer.clear();
            if (buffer.capacity() > BATCH_BYTES) {
                last = null;
                buffer.release();
            }
        }
    }

    /** What {@link #next} gives, with its ownership. */
    public @Nullable ByteBuf take() {
        ByteBuf first = full.poll();
        if (first != null) {
            return first;
        }
        ByteBuf buffer = next();
        if (buffer != null) {
            last = null;
        }
        return buffer;
    }

    /** Drops all. */
    public void close() {
        for (ByteBuf buffer = full.poll(); buffer != null; buffer = full.poll()) {
            buffer.release();
        }
        ByteBuf buffer = last;
        if (buffer != null) {
            last = null;
            buffer.release();
        }
    }
}
