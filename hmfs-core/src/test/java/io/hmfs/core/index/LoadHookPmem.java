package io.hmfs.core.index;

import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.Pmem;
import java.util.function.LongConsumer;

/** Memory that tells a test of each ordered load before it happens, so that another thread's work can be put right there. */
final class LoadHookPmem extends Pmem {
    private final Pmem memory;
    LongConsumer beforeLoad = at -> {};

    LoadHookPmem(Pmem memory) {
        this.memory = memory;
    }

    @Override
    public long getAcquire(long at) {
        beforeLoad.accept(at);
        return memory.getAcquire(at);
    }

    @Override
    public long size() {
        return memory.size();
    }

    @Override
    public Persistence persistence() {
        return memory.persistence();
    }

    @Override
    public long get(long at) {
        return memory.get(at);
    }

    @Override
    public void set(long at, long value) {
        memory.set(at, value);
    }

    @Override
    public void setRelease(long at, long value) {
        memory.setRelease(at, value);
    }

    @Override
    public boolean cas8(long at, long expected, long value) {
        return memory.cas8(at, expected, value);
    }

    @Override
    public boolean cas16(long at, long expectedLow, long expectedHigh, long low, long high) {
        return memory.cas16(at, expectedLow, expectedHigh, low, high);
    }

    @Override
    public void copyIn(byte[] source, int offset, long at, int count) {
        memory.copyIn(source, offset, at, count);
    }

    @Override
    public void copyOut(long at, byte[] target, int offset, int count) {
        memory.copyOut(at, target, offset, count);
    }

    @Override
    public void zero(long at, long count) {
        memory.zero(at, count);
    }

    @Override
    public void writeBack(long at, long count) {
        memory.writeBack(at, count);
    }

    @Override
    public void fence() {
        memory.fence();
    }
}
