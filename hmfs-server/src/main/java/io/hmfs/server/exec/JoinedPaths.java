package io.hmfs.server.exec;

import io.hmfs.wire.WireBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** What is told of requests that have joined, when they are answered: their frames are gone then. Kept over batches, so that it needs no new memory. */
final class JoinedPaths {
    private final ByteBuf paths = Unpooled.buffer(16 << 10); // one behind the other, by number
    private final WireBuffer window = new WireBuffer();
    private final long[] arrivals;
    private final long[] bases;
    private final int[] ends;

    JoinedPaths(int count) {
        arrivals = new long[count];
        bases = new long[count];
        ends = new int[count];
    }

    /** Where the path of the next request, which has this number, is to be appended. */
    ByteBuf next(int number) {
        return paths.writerIndex(begin(number));
    }

    /** It has been. */
    void added(int number, long base, long arrivedNanos) {
        ends[number] = paths.writerIndex();
        bases[number] = base;
        arrivals[number] = arrivedNanos;
    }

    /** All paths. */
    WireBuffer window() {
        return window.wrap(paths, 0, paths.writerIndex());
    }

    int begin(int number) {
        return number == 0 ? 0 : ends[number - 1];
    }

    int length(int number) {
        return ends[number] - begin(number);
    }

    /** Where a path begins. */
    long base(int number) {
        return bases[number];
    }

    long arrivedNanos(int number) {
        return arrivals[number];
    }
}
