package io.hmfs.server.op;

import io.hmfs.core.PoolStatus;
import io.hmfs.server.protocol.WelcomeInfo;
import io.hmfs.server.request.Request;
import io.hmfs.wire.StatusDecoder;
import java.util.function.IntSupplier;

/** Status: the pool's state, and the server's; to superusers also where the pool is. */
public final class StatusHandler implements Handler {
    private final WelcomeInfo info;
    private final IntSupplier connections;
    private final long startNanos;

    /** {@code startNanos}: when the server started, by {@link System#nanoTime}. */
    public StatusHandler(WelcomeInfo info, IntSupplier connections, long startNanos) {
        this.info = info;
        this.connections = connections;
        this.startNanos = startNanos;
    }

    @Override
    public void execute(Request request) {
        request.checkBlock(StatusDecoder.BLOCK_LENGTH);
        long uptimeMillis = (System.nanoTime() - startNanos) / 1_000_000;
        PoolStatus pool = request.namespace().poolStatus();
        String path = request.access().isLimited() ? "" : pool.path(); // other users are told nothing of the machine
        request.reply().report(pool, path, info, connections.getAsInt(), uptimeMillis);
    }
}
