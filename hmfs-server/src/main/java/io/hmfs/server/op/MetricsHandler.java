package io.hmfs.server.op;

import io.hmfs.server.metrics.ServerMetrics;
import io.hmfs.server.request.Request;
import io.hmfs.wire.MetricsDecoder;

/** Metrics: the server's own, as text. */
public final class MetricsHandler implements Handler {
    private final ServerMetrics metrics;

    public MetricsHandler(ServerMetrics metrics) {
        this.metrics = metrics;
    }

    @Override
    public void execute(Request request) {
        request.checkBlock(MetricsDecoder.BLOCK_LENGTH);
        request.reply().metrics(metrics.ownText());
    }
}
