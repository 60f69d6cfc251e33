package io.hmfs.server.transport.netty;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledHeapByteBuf;

/** Buffers on the heap, their bytes counted, and watched by Netty's leak detector. For one thread. */
final class CountingAllocator extends AbstractByteBufAllocator {
    private long live;
    private long peak;

    /** Bytes of all buffers that were not released. */
    long live() {
        return live;
    }

    /** The most of them at any moment since {@link #forget}. */
    long peak() {
        return peak;
    }

    void forget() {
        peak = live;
    }

    private void count(int bytes) {
        live += bytes;
        peak = Math.max(peak, live);
    }

    private final class Counted extends UnpooledHeapByteBuf {
        Counted(int initialCapacity, int maxCapacity) {
            super(CountingAllocator.this, initialCapacity, maxCapacity);
        }

        @Override
        protected byte[] allocateArray(int initialCapacity) {
            count(initialCapacity);
            return super.allocateArray(initialCapacity);
        }

        @Override
        protected void freeArray(byte[] array) {
            count(-array.length);
            super.freeArray(array);
        }
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
        return toLeakAwareBuffer(new Counted(initialCapacity, maxCapacity));
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
        return newHeapBuffer(initialCapacity, maxCapacity);
    }

    @Override
    public boolean isDirectBufferPooled() {
        return false;
    }
}
