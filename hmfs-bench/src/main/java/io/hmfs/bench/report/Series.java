package io.hmfs.bench.report;

import java.util.ArrayList;
import java.util.List;

/**
 * What one subject did in each round, in the order of the rounds: rounds of two subjects that ran in turn can be compared pair by
 * pair, so that a slow spell of the machine hits both sides of a ratio.
 *
 * @param name what was measured
 * @param subject whose figures these are
 * @param unit unit of the figures
 * @param rounds at least one figure
 */
public record Series(String name, String subject, String unit, List<Double> rounds) {
    public Series {
        if (rounds.isEmpty()) {
            throw new IllegalArgumentException(name + " of " + subject + " has no rounds");
        }
        rounds = List.copyOf(rounds);
    }

    /** Median, least and greatest. */
    public Result result() {
        List<Double> sorted = rounds.stream().sorted().toList();
        int middle = sorted.size() / 2;
        double median = sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
        return new Result(name, subject, unit, median, sorted.getFirst(), sorted.getLast());
    }

    /** This series divided by a peer's, round by round; named {@code name/peer}. */
    public Series dividedBy(Series peer) {
        if (!unit.equals(peer.unit) || rounds.size() != peer.rounds.size()) {
            throw new IllegalArgumentException("no ratio of " + rounds.size() + " rounds in " + unit + " to "
                    + peer.rounds.size() + " in " + peer.unit);
        }
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < rounds.size(); i++) {
            ratios.add(rounds.get(i) / peer.rounds.get(i));
        }
        return new Series(name + "/" + peer.subject, subject, Result.RATIO, ratios);
    }
}
