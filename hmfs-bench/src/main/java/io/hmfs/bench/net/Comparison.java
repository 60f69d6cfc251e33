package io.hmfs.bench.net;

import io.hmfs.bench.report.Lines;
import io.hmfs.bench.report.Result;
import io.hmfs.bench.report.Series;
import io.hmfs.bench.report.Target;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One figure of two sides that are measured in turns, round by round; the report shows both and their ratio, {@code name/peer}.
 *
 * @param name what is measured
 * @param unit unit of the figures
 * @param target what the ratio is to reach, or null
 */
record Comparison(
        String name,
        String unit,
        Side ours,
        Side peer,
        @Nullable Target target) {
    /** Takes the figure of one round. */
    @FunctionalInterface
    interface Probe {
        double run() throws IOException, InterruptedException;
    }

    /** Whose figure it is, and how it is taken. */
    record Side(String subject, Probe probe) {}

    /** A comparison whose ratio is to be at least so much. */
    static Comparison atLeast(double bound, String name, String unit, Side ours, Side peer) {
        return new Comparison(name, unit, ours, peer, Target.atLeast(ratio(name, peer), bound));
    }

    /** A comparison whose ratio is to be at most so much. */
    static Comparison atMost(double bound, String name, String unit, Side ours, Side peer) {
        return new Comparison(name, unit, ours, peer, Target.atMost(ratio(name, peer), bound));
    }

    private static String ratio(String name, Side peer) {
        return name + "/" + peer.subject();
    }

    /** Measures both sides once, but for a side that {@code measured} says another comparison has measured in this round. */
    void round(Lines lines, Set<String> measured) throws IOException, InterruptedException {
        for (Side side : List.of(ours, peer)) {
            if (measured.add(name + "\t" + side.subject())) {
                lines.round(name, side.subject(), unit, side.probe().run());
            }
        }
    }

    /** Adds both series and their ratio to the results. */
    void report(Lines lines, List<Result> results) {
        Series mine = lines.series(name, ours.subject());
        Series theirs = lines.series(name, peer.subject());
        results.add(mine.result());
        if (!results.contains(theirs.result())) { // the peer of several
            results.add(theirs.result());
        }
        results.add(mine.dividedBy(theirs).result());
    }
}
