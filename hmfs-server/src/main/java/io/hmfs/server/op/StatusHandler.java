package io.hmfs.server.op;

import io.hmfs.server.protocol.WelcomeInfo;
import io.hmfs.server.request.Request;
import io.hmfs.wire.StatusDecoder;
import java.util.function.IntSupplier;

/** Status: the pool's state, and the server's. */
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
        request.reply().report(request.namespace().poolStatus(), info, connections.getAsInt(), uptimeMillis);
    }
}
