package io.hmfs.client.transport.rdma;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The memory of the messages of all connections that one {@link Verbs} has: a few regions, cut into one block for each connection, which is given back
 * when the connection has ended. Each region is as long as all before it together, up to a bound: a client has one connection, a server many. Of one
 * thread at a time.
 */
public final class MessageMemory {
    /** Bytes of the longest message. */
    static final int MESSAGE_MAX = 4096;

    /** Messages of a block that can be received at once, and as many that can be on their way out. */
    static final int SLOTS = 20;

    /** Bytes of a connection's block: the messages that come, and behind them those that go. */
    static final int BLOCK_BYTES = 2 * SLOTS * MESSAGE_MAX;

    private static final int REGION_BLOCKS_MAX = 32;

    private final Verbs verbs;
    private final ArrayDeque<Block> free = new ArrayDeque<>();
    private final List<Block> lent =
            new ArrayList<>(); // their connections have ended, but not all have let go of what came

    private int blocks; // of all regions

    public MessageMemory(Verbs verbs) {
        this.verbs = verbs;
    }

    /** A connection's part of a region. */
    static final class Block {
        final Verbs.Memory memory;
        private final int start;
        final ByteBuffer bytes; // of the region; little-endian
        private final ByteBuf[] arrivals = new ByteBuf[SLOTS]; // one for each receive, never freed

        Block(Verbs.Memory memory, int start) {
            this.memory = memory;
            this.start = start;
            bytes = memory.bytes().duplicate().order(ByteOrder.LITTLE_ENDIAN);
            for (int slot = 0; slot < arrivals.length; slot++) {
                arrivals[slot] = Unpooled.wrappedBuffer(bytes.slice(receiveAt(slot), MESSAGE_MAX));
            }
        }

        /** Where in the region a receive's message begins. */
        int receiveAt(int slot) {
            return start + slot * MESSAGE_MAX;
        }

        /** Where in the region a send's message begins. */
        int sendAt(int slot) {
            return start + (SLOTS + slot) * MESSAGE_MAX;
        }

        /** What has come into a receive, to be lent to others by {@code retain}. */
        ByteBuf arrival(int slot) {
            return arrivals[slot];
        }

        /** Whether what has come there is with others. */
        boolean isLent(int slot) {
            return arrivals[slot].refCnt() > 1;
        }

        private boolean isLent() {
            for (int slot = 0; slot < arrivals.length; slot++) {
                if (isLent(slot)) {
                    return true;
                }
            }
            return false;
        }
    }

    Block take() {
        for (int i = lent.size() - 1; i >= 0; i--) {
            if (!lent.get(i).isLent()) {
                free.push(lent.remove(i));
            }
        }
        if (free.isEmpty()) {
            int more = Math.min(Math.max(blocks, 1), REGION_BLOCKS_MAX);
            Verbs.Memory region = verbs.register(ByteBuffer.allocateDirect(more * BLOCK_BYTES), Verbs.Remote.NOTHING);
            for (int i = 0; i < more; i++) {
                free.add(new Block(region, i * BLOCK_BYTES));
            }
            blocks += more;
        }
        return free.remove();
    }

    /** The block's queue pair is closed. */
    void give(Block block) {
        if (block.isLent()) {
            lent.add(block);
        } else {
            free.push(block);
        }
    }
}
