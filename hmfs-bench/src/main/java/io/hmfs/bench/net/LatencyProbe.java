package io.hmfs.bench.net;

import io.hmfs.bench.load.ClosedLoop;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Latency with one request in flight, in microseconds: the median is measured, and the p99 is that of the last measurement. */
final class LatencyProbe {
    private final Supplier<? extends CompletableFuture<?>> request;
    private final boolean blocking;
    private final long nanos;
    private double p99Nanos;

    /** {@code blocking}: as a thread sees it that waits for each answer; else the answer itself starts the next request. */
    LatencyProbe(Supplier<? extends CompletableFuture<?>> request, boolean blocking, long nanos) {
        this.request = request;
        this.blocking = blocking;
        this.nanos = nanos;
    }

    double median() throws InterruptedException {
        ClosedLoop.Latency latency =
                blocking ? ClosedLoop.blockingLatency(request, nanos) : ClosedLoop.latency(request, nanos);
        p99Nanos = latency.p99Nanos();
        return latency.medianNanos() / 1e3;
    }

    double p99() {
        return p99Nanos / 1e3;
    }
}
