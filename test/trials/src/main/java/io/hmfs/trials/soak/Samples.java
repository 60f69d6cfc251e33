package io.hmfs.trials.soak;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** What was seen of each gauge, and when; a third of the time is looked at by itself. Not thread-safe. */
public final class Samples {
    private record Seen(double seconds, double value) {}

    private final Map<Gauge, List<Seen>> seen = new EnumMap<>(Gauge.class);

    /** Takes one look, so many seconds after the beginning. */
    public void add(Gauge gauge, double seconds, double value) {
        seen.computeIfAbsent(gauge, _ -> new ArrayList<>()).add(new Seen(seconds, value));
    }

    /** What was seen after {@code from} and until {@code to}. */
    public List<Double> within(Gauge gauge, double from, double to) {
        return seen.getOrDefault(gauge, List.of()).stream()
                .filter(each -> each.seconds > from && each.seconds <= to)
                .map(Seen::value)
                .toList();
    }

    /** All of a gauge, in its order. */
    public List<Double> all(Gauge gauge) {
        return within(gauge, Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY);
    }
}
