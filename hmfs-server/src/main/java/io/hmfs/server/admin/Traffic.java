package io.hmfs.server.admin;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** The requests of a server by operation, from its metrics: since its start, or between two looks. */
final class Traffic {
    private static final String BUCKETS = "hmfs_request_duration_seconds_bucket";
    private static final String REQUESTS = "hmfs_requests_total";

    /** Requests of one kind: how many, how many of them not OK, and how many took no longer than each bound in seconds. */
    record Kind(double requests, double failed, SortedMap<Double, Double> within) {
        /** What a share of the requests did not exceed, in seconds; within a bucket as if they lay evenly. 0 if there are none. */
        double percentile(double share) {
            // Of those that the buckets have: a request may be counted already and not be in its bucket yet.
            double wanted = within.isEmpty() ? 0 : share * within.lastEntry().getValue();
            double bound = 0;
            double before = 0;
            for (Map.Entry<Double, Double> each : within.entrySet()) {
                if (each.getValue() >= wanted && each.getValue() > before) {
                    double upper = each.getKey();
                    double part = (wanted - before) / (each.getValue() - before);
                    return Double.isInfinite(upper) ? bound : bound + (upper - bound) * part;
                }
                bound = each.getKey();
                before = each.getValue();
            }
            return 0;
        }
    }

    private final Map<String, Kind> kinds = new LinkedHashMap<>();

    /** Since the server's start. */
    static Traffic of(Exposition metrics) {
        Traffic traffic = new Traffic();
        metrics.samples(REQUESTS).stream()
                .map(sample -> label(sample, "operation"))
                .distinct()
                .forEach(operation -> traffic.kinds.put(operation, kind(metrics, operation)));
        return traffic;
    }

    private static String label(Exposition.Sample sample, String label) {
        return sample.labels().getOrDefault(label, "");
    }

    private static Kind kind(Exposition metrics, String operation) {
        double all = metrics.sum(REQUESTS, labels -> operation.equals(labels.get("operation")));
        double good = metrics.sum(
                REQUESTS, labels -> operation.equals(labels.get("operation")) && "OK".equals(labels.get("status")));
        SortedMap<Double, Double> within = new TreeMap<>();
        for (Exposition.Sample sample : metrics.samples(BUCKETS)) {
            if (label(sample, "operation").equals(operation)) {
                String bound = label(sample, "le");
                within.put(bound.equals("+Inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(bound), sample.value());
            }
        }
        return new Kind(all, all - good, within);
    }

    /** What came after an earlier look; a server that started anew in between has its own since then. */
    Traffic since(Traffic earlier) {
        boolean restarted = earlier.kinds.entrySet().stream()
                .anyMatch(
                        each -> kind(each.getKey()).requests() < each.getValue().requests());
        if (restarted) {
            return this;
        }
        Traffic between = new Traffic();
        kinds.forEach((operation, now) -> {
            Kind then = earlier.kind(operation);
            SortedMap<Double, Double> within = new TreeMap<>();
            now.within()
                    .forEach((bound, count) ->
                            within.put(bound, count - then.within().getOrDefault(bound, 0.0)));
            between.kinds.put(
                    operation, new Kind(now.requests() - then.requests(), now.failed() - then.failed(), within));
        });
        return between;
    }

    Kind kind(String operation) {
        return kinds.getOrDefault(operation, new Kind(0, 0, new TreeMap<>()));
    }

    /** Kinds with requests, the most frequent first. */
    List<String> operations() {
        return kinds.entrySet().stream()
                .filter(each -> each.getValue().requests() > 0)
                .sorted((one, other) -> Double.compare(
                        other.getValue().requests(), one.getValue().requests()))
                .map(Map.Entry::getKey)
                .toList();
    }
}
