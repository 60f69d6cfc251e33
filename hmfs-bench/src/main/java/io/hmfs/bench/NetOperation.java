package io.hmfs.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One comparison of {@code bench net}: two sides that are measured in turns, round by round. */
abstract class NetOperation implements AutoCloseable {
    private final List<Result> results = new ArrayList<>();
    private final List<Target> targets = new ArrayList<>();

    /**
     * How long and how much.
     *
     * @param files files that are there to be looked at
     * @param inFlight requests kept in flight
     * @param rounds rounds in all, those for the compiler included
     * @param millis length of each part of a round
     */
    record Settings(int files, int inFlight, int rounds, long millis) {
        long nanos() {
            return millis * 1_000_000;
        }
    }

    /** Measures both sides once. */
    abstract void round(Lines lines) throws IOException, InterruptedException;

    /** Says what was found out, by {@link #compare}. */
    abstract void report(Lines lines) throws IOException;

    /** Reports a series, that of its peer, and their ratio {@code name/peer}. */
    final void compare(Lines lines, String name, String subject, String peer, @Nullable Target target) {
        Series ours = lines.series(name, subject);
        Series theirs = lines.series(name, peer);
        results.add(ours.result());
        if (!results.contains(theirs.result())) { // the peer of several
            results.add(theirs.result());
        }
        results.add(ours.dividedBy(theirs).result());
        if (target != null) {
            targets.add(target);
        }
    }

    final List<Result> results() {
        return results;
    }

    final List<Target> targets() {
        return targets;
    }

    @Override
    public abstract void close() throws IOException;
}
