package io.hmfs.server.metrics;

import io.hmfs.client.ResultCode;
import io.hmfs.server.protocol.RequestKind;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;

/** Requests by operation and outcome, and their latencies, from the meters. Operations without a request do not show. */
final class RequestCollector implements MultiCollector {
    private static final double NANOS = 1e9;
    private static final double[] BOUNDS = bounds();

    private final Meters meters;

    RequestCollector(Meters meters) {
        this.meters = meters;
    }

    private static double[] bounds() {
        double[] bounds = new double[WorkerMeter.BUCKETS];
        for (int i = 0; i < bounds.length - 1; i++) {
            bounds[i] = WorkerMeter.bound(i) / NANOS;
        }
        bounds[bounds.length - 1] = Double.POSITIVE_INFINITY;
        return bounds;
    }

    @Override
    public MetricSnapshots collect() {
        CounterSnapshot.Builder requests =
                CounterSnapshot.builder().name("hmfs_requests").help("Requests answered, by operation and status");
        HistogramSnapshot.Builder durations = HistogramSnapshot.builder()
                .name("hmfs_request_duration_seconds")
                .help("Time from a request's arrival at its thread, or in the disk's queue, to its reply");
        for (int i = 0; i < RequestKind.count(); i++) {
            add(RequestKind.of(i), requests, durations);
        }
        return new MetricSnapshots(requests.build(), durations.build());
    }

    private void add(RequestKind operation, CounterSnapshot.Builder requests, HistogramSnapshot.Builder durations) {
        boolean any = false;
        for (ResultCode outcome : ResultCode.values()) {
            long count = meters.requests(operation, outcome);
            if (count > 0) {
                any = true;
                requests.dataPoint(CounterSnapshot.CounterDataPointSnapshot.builder()
                        .labels(Labels.of("operation", operation.label(), "status", outcome.name()))
                        .value((double) count)
                        .build());
            }
        }
        if (any) {
            durations.dataPoint(HistogramSnapshot.HistogramDataPointSnapshot.builder()
                    .labels(Labels.of("operation", operation.label()))
                    .classicHistogramBuckets(ClassicHistogramBuckets.of(BOUNDS, meters.buckets(operation)))
                    .sum(meters.nanos(operation) / NANOS)
                    .build());
        }
    }
}
