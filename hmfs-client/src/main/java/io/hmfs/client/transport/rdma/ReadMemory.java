package io.hmfs.client.transport.rdma;

import io.hmfs.wire.StatRecord;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** Where a client's connections read records of their servers to: places for so many reads at a time. Of one thread at a time. */
final class ReadMemory {
    /** Reads that are under way, of all connections. Each of them may be one connection's, beside its sends. */
    static final int MOST = 16;

    private final Verbs verbs;
    private final ArrayDeque<Integer> free = new ArrayDeque<>(MOST);
    private Verbs.@Nullable Memory memory;

    ReadMemory(Verbs verbs) {
        this.verbs = verbs;
        for (int place = 0; place < MOST; place++) {
            free.add(place);
        }
    }

    Verbs.Memory memory() {
        Verbs.Memory made = memory;
        if (made == null) {
            made = verbs.register(ByteBuffer.allocateDirect(MOST * StatRecord.BYTES), Verbs.Remote.NOTHING);
            memory = made;
        }
        return made;
    }

    /** A place; -1: there is none. */
    int take() {
        return free.isEmpty() ? -1 : free.pop();
    }

    /** Nothing is read into the place any more. */
    void give(int place) {
        free.push(place);
    }

    /** Where a place begins. */
    static int startOf(int place) {
        return place * StatRecord.BYTES;
    }
}
