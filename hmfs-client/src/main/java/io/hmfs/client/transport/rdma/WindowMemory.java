package io.hmfs.client.transport.rdma;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The windows of a client's connections, for those that have much to say or to hear: at most {@link #MOST} at a time, the
 * others do with messages. A window is registered for one connection, and its key ends with that. Of one thread at a time.
 */
final class WindowMemory {
    /** Windows at a time: two for a connection. */
    static final int MOST = 64;

    private final Verbs verbs;
    private final ArrayDeque<ByteBuffer> free = new ArrayDeque<>();
    private final List<Window> lent = new ArrayList<>(); // their connections have ended, but what came is with others
    private int used; // and lent

    WindowMemory(Verbs verbs) {
        this.verbs = verbs;
    }

    /** A window, or null. */
    @Nullable
    Window take(Verbs.Remote remote) {
        for (int i = lent.size() - 1; i >= 0; i--) {
            if (!lent.get(i).isLent()) {
                free(lent.remove(i));
            }
        }
        if (used == MOST) {
            return null;
        }
        used++;
        ByteBuffer bytes = free.isEmpty() ? ByteBuffer.allocateDirect(LongParts.WINDOW_BYTES) : free.pop();
        return new Window(verbs.register(bytes, remote));
    }

    /** The window's queue pair is closed. */
    void give(Window window) {
        verbs.deregister(window.memory);
        if (window.isLent()) {
            lent.add(window);
        } else {
            free(window);
        }
    }

    private void free(Window window) {
        used--;
        free.push(window.memory.bytes());
    }
}
