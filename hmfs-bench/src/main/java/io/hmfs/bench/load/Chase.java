package io.hmfs.bench.load;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.LongConsumer;

/** Dependent random reads of a pool's own memory: where the next one goes is known when the last one has come. */
final class Chase implements AutoCloseable {
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();
    private static final long SCATTER = 0x9E3779B97F4A7C15L;
    private static final long PAGE = 4096;
    private static final long RESERVED = 5; // of a pool sized for a fourth more than is in it, a fifth is unused

    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory;
    private final long words;
    private long last;

    Chase(Path pool) throws IOException {
        try (FileChannel channel = FileChannel.open(pool, StandardOpenOption.READ)) {
            this.memory = channel.map(MapMode.READ_ONLY, 0, channel.size(), arena);
            this.words = (channel.size() - channel.size() / RESERVED) >>> 3;
            for (long at = 0; at < words << 3; at += PAGE) {
                last += (long) WORD.get(memory, at); // the first touch of a page is not what is measured
            }
        }
    }

    LongConsumer reader() {
        return i -> {
            long at = Math.unsignedMultiplyHigh((last + i + 1) * SCATTER, words) << 3;
            last = (long) WORD.get(memory, at);
        };
    }

    @Override
    public void close() {
        arena.close();
    }
}
