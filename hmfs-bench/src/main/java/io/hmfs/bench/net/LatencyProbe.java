package io.hmfs.bench.net;

import io.hmfs.bench.load.ClosedLoop;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Latency with one request in flight, in microseconds: the median is measured, and the p99 is that of the last measurement. */
final class LatencyProbe {
    private interface Measurement {
        ClosedLoop.Latency run() throws InterruptedException;
    }

    private final Measurement measurement;
    private double p99Nanos;

    private LatencyProbe(Measurement measurement) {
        this.measurement = measurement;
    }

    /** Of requests each of which is started by the answer to the one before. */
    static LatencyProbe chained(Supplier<? extends CompletableFuture<?>> request, long nanos) {
        return new LatencyProbe(() -> ClosedLoop.latency(request, nanos));
    }

    /** Of calls that return with their answer, as Hadoop's API makes them. */
    static LatencyProbe blocking(Callable<?> call, long nanos) {
        return new LatencyProbe(() -> ClosedLoop.blockingLatency(call, nanos));
    }

    double median() throws InterruptedException {
        ClosedLoop.Latency latency = measurement.run();
        p99Nanos = latency.p99Nanos();
        return latency.medianNanos() / 1e3;
    }

    double p99() {
        return p99Nanos / 1e3;
    }
}
