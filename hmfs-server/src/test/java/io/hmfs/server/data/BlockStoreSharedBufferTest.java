package io.hmfs.server.data;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a chunk may be written from a buffer to whose end the connection's thread still appends: the next frame lies there.
 * Method: one thread writes the first part to the store again and again while another fills the second part; both must keep
 * their bytes. The source is no pooled buffer, as when Netty's leak detector wraps it: that is the path that shared state.
 */
class BlockStoreSharedBufferTest {
    private static final int PART = 64 << 10;
    private static final int ROUNDS = 5_000;

    @TempDir
    private Path directory;

    @Test
    void writingOnePartLeavesTheOtherAlone() throws Exception {
        byte[] first = filled(1);
        byte[] second = filled(2);
        ByteBuf shared = new AdaptiveByteBufAllocator(true).directBuffer(2 * PART);
        try (BlockStore store = new BlockStore(directory, 2 * PART, 3, false)) {
            shared.writeBytes(first).writeZero(PART);
            AtomicBoolean stop = new AtomicBoolean();
            CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> writeUntil(stop, store, shared));
            ByteBuf source = Unpooled.directBuffer(PART).writeBytes(second);
            try {
                for (int round = 0; round < ROUNDS && !writer.isDone(); round++) {
                    shared.setBytes(PART, source, 0, PART);
                    assertArrayEquals(second, bytes(shared, PART), "the part that was filled");
                    assertArrayEquals(first, bytes(shared, 0), "the part that is being written");
                }
            } finally {
                stop.set(true);
                source.release();
                writer.join();
            }
            ByteBuf read = Unpooled.buffer(PART);
            assertEquals(PART, store.read(7, 0, 0, read, 0, PART));
            assertArrayEquals(first, read.array());
        } finally {
            shared.release();
        }
    }

    private static void writeUntil(AtomicBoolean stop, BlockStore store, ByteBuf shared) {
        ByteBuf slice = shared.retainedSlice(0, PART);
        try {
            do {
                store.write(7, 0, 0, 0, slice, 0, PART);
            } while (!stop.get());
        } catch (IOException e) {
            throw new AssertionError(e);
        } finally {
            slice.release();
        }
    }

    private static byte[] bytes(ByteBuf buffer, int index) {
        byte[] bytes = new byte[PART];
        buffer.getBytes(index, bytes);
        return bytes;
    }

    private static byte[] filled(int value) {
        byte[] bytes = new byte[PART];
        Arrays.fill(bytes, (byte) value);
        return bytes;
    }
}
